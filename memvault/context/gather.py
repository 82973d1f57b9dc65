"""Gather the memories that a prompt calls for, each kind within its share of a budget."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memvault.context.eligible import may_be_given, may_be_injected
from memvault.context.quote import TOKEN_BYTES, Entry, entry, frame, heading, page
from memvault.context.session_index import cost
from memvault.core.memory import INNER, Memory, Place
from memvault.core.query import ANY, Filters
from memvault.core.secrets.private_spans import without_private
from memvault.core.value import Frozen, field, replace
from memvault.errors import BadInput
from memvault.memories.open_tasks import open_tasks
from memvault.recall.fold import Wording, are_alike, holds, wording
from memvault.recall.ranking.shares import Offer, Relevance, deal, relevance, shares
from memvault.recall.recall import Ask, Hit, Recalled, best, standing, with_text
from memvault.storage.vault.context import Bench
from memvault.text.terms import clip, estimate, query_terms

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask as AskModel


# The tasks in hand, as they are put before a model, and the token of the fence around whatever is.

# Every hook asks this, so nothing is imported here that searches.

WORKING_ROOM = 1_000
"""Tokens: tasks in hand are outside the budget, and yet not without end."""


def new_token() -> str:
    """What nobody can know beforehand, to tell the end of a fence by."""
    return os.urandom(TOKEN_BYTES).hex()


def tasks_in_hand(bench: Bench, project: str) -> list[Memory]:
    """The tasks that were taken in hand in this session and for this project, the latest begun first."""
    return [memory for memory in open_tasks(bench) if _is_own(bench, memory, project)]


def _is_own(bench: Bench, memory: Memory, project: str) -> bool:
    own = str(memory.more.get("project", "")).casefold()
    is_here = not own or own == project.casefold()
    return is_here and str(memory.more.get("session", "")) == bench.actor.session


def entries_of(bench: Bench, tasks: Sequence[Memory]) -> Iterator[tuple[Memory, Entry]]:
    """Tasks as they are given, as far as there is room for such."""
    room = WORKING_ROOM
    for memory in tasks:
        body = without_private(bench.text(memory)).strip()
        if (tokens := min(estimate(body), room)) <= 0:
            return
        room -= tokens
        kind = bench.settings.kinds[memory.kind]
        yield memory, Entry(kind.heading, entry(memory, clip(body, tokens)))


WIDE = 50
"""So many matches are weighed against each other."""

_UNASKED = 5  # matches for each that is given unasked: who types waits for it, and more find nothing better
_WIDER = (WIDE, 5 * WIDE, 20 * WIDE)  # where most of them may not be given, it looks further
_ENOUGH = 20
_WHOLE_UP_TO = 200  # tokens: a text no longer than this is given whole, of a longer one the passage that answers
_LONGEST_PASSAGE = 300
_OF_A_BUDGET = 3  # no text takes more than this part of it
_LIVE = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})


class Wish(Frozen, kw_only=True):
    """What a prompt asks, for which project, and how much may be given. Zero means: as the settings say."""

    query: str
    budget: int = 0
    project: str = ""
    limit: int = 0
    min_similarity: float | None = None
    filters: Filters = ANY
    without: frozenset[str] = frozenset()  # ids of what was given before
    unasked: bool = False  # nobody asked for memories: then those of tools and the web stay out, and what is long past
    since: datetime | None = None  # what counts as long past


class Context(Recalled, kw_only=True):
    """Memories for a prompt, the most relevant first: the text to give, and by kind what was used and left out."""

    text: str = ""
    entries: tuple[Entry, ...] = field(default=(), metadata=INNER)  # each hit as it is given
    relevance: tuple[Relevance, ...] = ()  # of each hit
    shares: Mapping[str, int] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    left_out_by_kind: Mapping[str, int] = field(default_factory=dict)
    working: tuple[Memory, ...] = ()  # tasks in hand
    working_tokens: int = 0  # outside the budget


_Weighed = tuple[Hit, Relevance]


def context(bench: Bench, wish: Wish, ask_model: AskModel | None = None) -> Context:
    """The memories that a prompt calls for, packed by kind, never above the budget; that counts as no use of them."""
    if wish.filters.empty and not query_terms(wish.query):
        raise BadInput(what="the query", value=wish.query, reason="there is no word in it to look for")
    tasks = _in_hand(bench, wish)  # that also freshens the catalogue
    budget = wish.budget or bench.settings.whole("recall.budget")
    weighed = _weighed(bench, wish, _matches(bench, wish, ask_model), budget)[: wish.limit or WIDE]
    entries = [_entry(bench, hit) for hit, _ in weighed]
    allotted = shares(bench.settings.kinds, wish.query, budget)
    offers = [
        Offer(hit.memory.kind, cost(each.text), cost(heading(each.heading)))
        for (hit, _), each in zip(weighed, entries, strict=True)
    ]
    dealt = deal(offers, allotted, budget - cost(frame()))
    given = [number for number in range(len(offers)) if number in dealt.taken]
    token, told = new_token(), tuple(entries[number] for number in given)
    chosen = page(told, token)
    everything = page((*(task for _, task in tasks), *told), token) if tasks else chosen
    return Context(
        query=wish.query,
        hits=tuple(weighed[number][0] for number in given),
        relevance=tuple(weighed[number][1] for number in given),
        tokens=estimate(chosen),
        budget=budget,
        left_out=sum(dealt.left_out.values()),
        searched=bench.catalogue.count(),
        text=everything,
        entries=told,
        shares=allotted,
        used={kind: tokens for kind, tokens in dealt.used.items() if tokens},
        left_out_by_kind={kind: count for kind, count in dealt.left_out.items() if count},
        working=tuple(memory for memory, _ in tasks),
        working_tokens=estimate(everything) - estimate(chosen),
    )


def _matches(bench: Bench, wish: Wish, ask_model: AskModel | None) -> Sequence[Hit]:
    """What is alike enough and may be given; with a model, what that leaves of it."""
    least = _least(bench, wish)
    if ask_model is None:
        return _allowed(bench, wish, least=least, unread=True)
    hits = _allowed(bench, wish, least=0.0, unread=False)
    from memvault.recall.llm_filter import relevant  # deferred: most contexts ask nobody

    seconds = bench.settings.number("model.recall_seconds")
    return relevant(wish.query, hits, ask_model, least=least, seconds=seconds, whole=bench.text).hits


def _least(bench: Bench, wish: Wish) -> float:
    """How alike a memory must be; a condition alone is no question that anything could be unlike."""
    least = bench.settings.number("recall.weak_below") if wish.min_similarity is None else wish.min_similarity
    return least if query_terms(wish.query) else 0.0


def _allowed(bench: Bench, wish: Wish, *, least: float, unread: bool) -> list[Hit]:
    """The best matches that are live, of this project or of all, and not given before."""
    folders = bench.settings.texts("inject.folders")
    places = wish.filters.places or (_LIVE | {Place.FOREIGN} if folders else _LIVE)
    ask = Ask(
        query=wish.query,
        filters=replace(wish.filters, places=places),
        min_similarity=least,
        fold=False,  # one that may not be given must not stand for one that may
        follow=False,
        unread=unread,
    )
    allowed: list[Hit] = []
    for width in _widths(wish):
        hits = best(bench, ask, width)
        allowed = [hit for hit in hits if hit.memory.id not in wish.without and _may_be_given(bench, hit.memory, wish)]
        if len(hits) < width or len(allowed) >= (wish.limit or _ENOUGH):
            break
    return allowed[: max(wish.limit, WIDE)]


def _widths(wish: Wish) -> Sequence[int]:
    """How many matches are looked at, and how many if too few of them may be given."""
    fewest = _UNASKED * wish.limit if wish.unasked else 0
    return (fewest, *_WIDER) if 0 < fewest < WIDE else _WIDER


def _may_be_given(bench: Bench, memory: Memory, wish: Wish) -> bool:
    folders, kinds = bench.settings.texts("inject.folders"), bench.settings.kinds
    if wish.unasked:
        return may_be_injected(memory, folders=folders, project=wish.project, kinds=kinds, since=wish.since)
    return may_be_given(memory, folders=folders, project=wish.project, kinds=kinds)


def _weighed(bench: Bench, wish: Wish, hits: Sequence[Hit], budget: int) -> list[_Weighed]:
    """The matches with their texts and what speaks for each, the most relevant first."""
    found = [
        (hit, relevance(weight=hit.weight, use=hit.use, similarity=hit.similarity, now=bench.now))
        for hit in standing(bench, list(hits))
    ]
    found.sort(key=lambda pair: (-pair[1].total, -pair[0].similarity, pair[0].memory.path))
    # Nobody is told what else says the same as what is given unasked, so there the rest need not be read.
    return _distinct(_read(bench, wish, found, budget), most=wish.limit if wish.unasked else 0)


def _read(bench: Bench, wish: Wish, weighed: Sequence[_Weighed], budget: int) -> Iterator[tuple[Hit, Relevance, str]]:
    """The same with what is given of each text, and the whole of it, read when it is asked for."""
    for hit, given in weighed:
        found, body = with_text(bench, hit, wish.query)
        if found.similarity >= hit.similarity or found.similarity >= _least(bench, wish):
            yield replace(found, text=_text(found, body.strip(), budget)), given, body.strip()


def _distinct(weighed: Iterable[tuple[Hit, Relevance, str]], *, most: int) -> list[_Weighed]:
    """Of those that say the same only the most relevant, which stands for all of them; no more than wanted, if told."""
    kept: list[_Weighed] = []
    said: list[Wording] = []
    for hit, given, body in weighed:
        own = wording(hit.memory.title, body)
        twin = next(
            (at for at, other in enumerate(said) if are_alike(own, other) or (most and _holds(kept[at][0], hit))), None
        )
        if twin is None or hit.memory.id in kept[twin][0].contradicts:
            kept.append((hit, given))
            said.append(own)
            if len(kept) == most:
                break
        else:
            best_of_them, its = kept[twin]
            kept[twin] = replace(best_of_them, alike=(*best_of_them.alike, hit.memory.id)), its
    return kept


def _holds(one: Hit, other: Hit) -> bool:
    """Whether what is given of one says all that is given of the other: a milestone repeats what was remembered."""
    return holds(one.text, other.text) or holds(other.text, one.text)


def _text(hit: Hit, body: str, budget: int) -> str:
    most = max(1, budget // _OF_A_BUDGET)
    if estimate(body) <= min(_WHOLE_UP_TO, most):
        return body
    return clip(hit.text, min(_LONGEST_PASSAGE, most))


def _entry(bench: Bench, hit: Hit) -> Entry:
    """A match as it is given: below the heading of its kind, with where it comes from."""
    kind = bench.settings.kinds.get(hit.memory.kind)
    title = kind.heading if kind else hit.memory.kind
    return Entry(title, entry(hit.memory, hit.text, contradicts=hit.contradicts))


def _in_hand(bench: Bench, wish: Wish) -> list[tuple[Memory, Entry]]:
    """The tasks of this session in hand, the latest begun first, as far as there is room for such."""
    if wish.unasked:  # they were given already
        bench.freshen()
        return []
    return list(entries_of(bench, [task for task in tasks_in_hand(bench, wish.project) if task.id not in wish.without]))
