"""Gather the memories that a prompt calls for, each kind within its share of a budget."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import exp, log
from typing import TYPE_CHECKING

from memvault.context.briefing import (
    CARD_HEADING,
    MARKER_BYTES,
    RECALLED,
    QuotedEntry,
    empty_fence,
    format_entries,
    format_heading,
    quote_memory,
)
from memvault.context.eligible import can_be_given, can_be_injected, lower_useless
from memvault.context.person_card import (
    CARD_TOKENS,
    OF_A_BUDGET,
    CardStatement,
    build_card,
    find_statements,
    take_called,
)
from memvault.context.shares import ContextOffer, choose_offers, divide_budget
from memvault.core.ids import short_id
from memvault.core.memory import INTERNAL, MILESTONE, Memory, Place, telling_text
from memvault.core.query import NO_FILTERS, Filters
from memvault.core.secrets.private_spans import strip_private
from memvault.core.value import Record, field, replace
from memvault.core.weight import DAY, MemoryUse
from memvault.errors import BadInput
from memvault.memories.open_items import list_open_tasks
from memvault.recall.fold import WordSet, are_alike, content_words, overlaps
from memvault.recall.recall import (
    RecallHit,
    RecallQuery,
    RecallResult,
    filter_hits,
    find_top_hits,
    load_text,
    mark_superseded,
    stand_among,
)
from memvault.storage.vault.context import VaultContext
from memvault.text.display import format_count
from memvault.text.terms import clip_to_budget, estimate_tokens, query_terms, text_cost

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel as AskModel


IMPORTANCE, RECENCY, ACCESS, SIMILARITY = 0.3, 0.2, 0.1, 0.4
FULL_SCORE = 10.0
# Half after a week, a tenth after a month.
_FADING_DAYS, _BEND = 10.9, 0.825
_MANY_USES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRelevance:
    """The relevance of a memory to a context, in four parts and in all, each from 0 to 10."""

    importance: float
    recency: float
    access: float
    similarity: float
    total: float


def rate_relevance(*, weight: float, use: MemoryUse, similarity: float, now: datetime) -> ContextRelevance:
    """Rate how much a memory belongs into a context: by weight, recency, use and similarity."""
    days = max(0.0, (now - use.last).total_seconds() / DAY)
    importance = FULL_SCORE * min(weight, 1.0)
    recency = FULL_SCORE * exp(-((days / _FADING_DAYS) ** _BEND))
    access = FULL_SCORE * min(1.0, log(1 + max(0, use.count)) / log(1 + _MANY_USES))
    alike = FULL_SCORE * min(similarity, 1.0)
    return ContextRelevance(
        importance=round(importance, 4),
        recency=round(recency, 4),
        access=round(access, 4),
        similarity=round(alike, 4),
        total=round(importance * IMPORTANCE + recency * RECENCY + access * ACCESS + alike * SIMILARITY, 4),
    )


def explain_relevance(memory: Memory, given: ContextRelevance, use: MemoryUse, *, weight: float, days: float) -> str:
    """Return what speaks for a memory, part by part, and how much each part counts."""
    used = f"used {format_count(use.count, 'time', 'times')}" if use.count else "never used yet"
    when = "today" if days < 1 else f"{format_count(int(days), 'day', 'days')} ago"
    parts = (
        (SIMILARITY, given.similarity, "similarity", "how alike the question and it are"),
        (IMPORTANCE, given.importance, "importance", f"its weight is {weight:.2f} now"),
        (RECENCY, given.recency, "recency", f"last used {when}"),
        (ACCESS, given.access, "use", used),
    )
    shares = ", ".join(f"{name} {value:.1f} counts {part:.0%} ({reason})" for part, value, name, reason in parts)
    return f"“{memory.title}” ({short_id(memory.id)}) is relevant by {given.total:.1f} of 10: {shares}."


# The open tasks as a model is shown them, and the token of the fence around what is shown.

# Every hook loads this, so nothing is imported here that searches.

WORKING_ROOM = 1_000  # tokens: open tasks are outside the budget, and yet limited


def new_token() -> str:
    """Return an unpredictable token that marks the end of a fence."""
    return os.urandom(MARKER_BYTES).hex()


def list_session_tasks(context: VaultContext, project: str) -> list[Memory]:
    """List the open tasks of this session and project, the latest begun first."""
    projects, session = ("", project.casefold()), context.actor.session
    return [
        memory
        for memory in list_open_tasks(context)
        if str(memory.more.get("project", "")).casefold() in projects and str(memory.more.get("session", "")) == session
    ]


def task_entries(context: VaultContext, tasks: Sequence[Memory]) -> Iterator[tuple[Memory, QuotedEntry]]:
    """Yield tasks as they are shown, as far as there is room."""
    room = WORKING_ROOM
    for memory in tasks:
        body = strip_private(context.read_text(memory)).strip()
        if (tokens := min(estimate_tokens(body), room)) <= 0:
            return
        room -= tokens
        yield memory, QuotedEntry(kind_heading(context, memory), quote_memory(memory, clip_to_budget(body, tokens)))


def kind_heading(context: VaultContext, memory: Memory) -> str:
    """Return the heading under which memories of this kind are shown."""
    kind = context.settings.kinds.get(memory.kind)
    return kind.heading if kind else memory.kind


MATCH_WIDTH = 50  # so many matches are rated against each other, and more where most of them are alike enough
_UNASKED = 5  # matches for each injected one: a person waits for it, and more find nothing better
_WIDER = (MATCH_WIDTH, 5 * MATCH_WIDTH, 20 * MATCH_WIDTH)  # if most of them may not be shown, it looks further
_ENOUGH = 20
_READ_AHEAD = 1.5  # texts are read until they come to this part of the budget: kinds with a share need a choice
_WHOLE_UP_TO = 200  # tokens: a text no longer than this is given whole, of a longer one the passage that answers
_LONGEST_PASSAGE = 300
_OF_A_BUDGET = 3  # no text takes more than this part of it
_LIVE = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})


class ContextQuery(Record, kw_only=True):
    """The question of a prompt, its project, and how much may be given. Zero means: as the settings say."""

    query: str
    budget: int = 0
    project: str = ""
    limit: int = 0
    min_similarity: float | None = None
    filters: Filters = NO_FILTERS
    without: frozenset[str] = frozenset()  # ids of what was given before
    unasked: bool = False  # for an injection: without memories of tools and the web, and without old ones
    since: datetime | None = None  # episodic memories before this are old
    asks_model: bool = False  # whether a language model may leave out what does not answer, if the person wants that


class ContextResult(RecallResult, kw_only=True):
    """Memories for a prompt, the most relevant first: the text to give, and by kind what was used and left out."""

    text: str = ""
    entries: tuple[QuotedEntry, ...] = field(default=(), metadata=INTERNAL)  # each hit as it is given
    relevance: tuple[ContextRelevance, ...] = ()  # of each hit
    shares: Mapping[str, int] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    left_out_by_kind: Mapping[str, int] = field(default_factory=dict)
    card: tuple[Memory, ...] = ()  # what stands on the person card
    working: tuple[Memory, ...] = ()  # open tasks
    working_tokens: int = 0  # outside the budget


_RatedHit = tuple[RecallHit, ContextRelevance]


def gather_context(context: VaultContext, wish: ContextQuery) -> ContextResult:
    """Return the memories that a prompt calls for, within the budget; that counts as no use of them."""
    if wish.filters.is_empty and not query_terms(wish.query):
        raise BadInput(what="the query", value=wish.query, reason="it has no word to search for")
    tasks = _find_tasks(context, wish)
    budget = wish.budget or context.settings.integer("recall.budget")
    least = context.settings.number("recall.weak_below") if wish.min_similarity is None else wish.min_similarity
    if not query_terms(wish.query):
        least = 0.0  # conditions alone ask for no similarity
    statements = [] if wish.unasked or not wish.filters.is_empty else _find_statements(context, wish)
    card = build_card(statements, wish.query, room=min(CARD_TOKENS, OF_A_BUDGET * budget))
    on_card = {one.memory.id for one in card}
    rated, unread = _rate_hits(context, wish, _find_matches(context, wish, least), least, budget)
    if wish.limit:
        rated, unread = rated[: wish.limit], []
    # What the card says already is given without being said again.
    entries = [
        QuotedEntry(
            RECALLED,
            "" if hit.memory.id in on_card else quote_memory(hit.memory, hit.text, contradicts=hit.contradicts),
        )
        for hit, _ in rated
    ]
    allotted = divide_budget(context.settings.kinds, wish.query, budget)
    offers = [
        ContextOffer(hit.memory.kind, text_cost(each.text)) for (hit, _), each in zip(rated, entries, strict=True)
    ]
    frame = text_cost(empty_fence()) + sum(text_cost(one.line) for one in card)
    frame += sum(map(text_cost, map(format_heading, (CARD_HEADING, RECALLED)))) if card else 0.0
    chosen = choose_offers(offers, allotted, budget - frame)
    given = sorted(chosen.taken)
    if card:  # what the hits leave of the budget is for what the card had no room for
        known = on_card.union(rated[number][0].memory.id for number in given)
        left = budget - frame - sum(chosen.used.values())
        card += take_called((one for one in statements if one.memory.id not in known), wish.query, room=left)
    context.mark_after_reading([*(one.memory for one in card), *(rated[number][0].memory for number in given)])
    left_out = Counter(chosen.left_out) + Counter(hit.memory.kind for hit in unread)
    given_entries = tuple(entries[number] for number in given)
    own = (*(QuotedEntry(CARD_HEADING, one.line) for one in card), *(each for each in given_entries if each.text))
    token = new_token()
    text = format_entries(own, token)
    everything = format_entries((*(task for _, task in tasks), *own), token) if tasks else text
    return ContextResult(
        query=wish.query,
        hits=tuple(rated[number][0] for number in given),
        relevance=tuple(rated[number][1] for number in given),
        tokens=estimate_tokens(text),
        budget=budget,
        left_out=left_out.total(),
        searched=context.index.count(),
        text=everything,
        entries=given_entries,
        card=tuple(one.memory for one in card),
        shares=allotted,
        used={kind: tokens for kind, tokens in chosen.used.items() if tokens},
        left_out_by_kind=dict(left_out),
        working=tuple(memory for memory, _ in tasks),
        working_tokens=estimate_tokens(everything) - estimate_tokens(text),
    )


def _find_tasks(context: VaultContext, wish: ContextQuery) -> list[tuple[Memory, QuotedEntry]]:
    """Return the open tasks of the session; an injection has them in a part of their own. The index is refreshed."""
    if wish.unasked:
        context.refresh()
        return []
    open_tasks = list_session_tasks(context, wish.project)
    return list(task_entries(context, [task for task in open_tasks if task.id not in wish.without]))


def _find_statements(context: VaultContext, wish: ContextQuery) -> list[CardStatement]:
    """Return the statements that may stand on the person card of a question."""
    return [one for one in find_statements(context, wish.project) if one.memory.id not in wish.without]


def _find_matches(context: VaultContext, wish: ContextQuery, least: float) -> Sequence[RecallHit]:
    """Return what is similar enough and may be shown; with a model, what its filter leaves."""
    ask_model = context.ask_model("recall.filter") if wish.asks_model else None
    if ask_model is None:
        return _find_allowed(context, wish, least=least, unread=True)
    hits = _find_allowed(context, wish, least=0.0, unread=False)
    seconds = context.settings.number("model.recall_seconds")
    return filter_hits(wish.query, hits, ask_model, least=least, seconds=seconds, whole=context.read_text).hits


def _find_allowed(context: VaultContext, wish: ContextQuery, *, least: float, unread: bool) -> list[RecallHit]:
    """Return the best matches that are live, of this project or of all, and not shown before."""
    folders, kinds = context.settings.texts("inject.folders"), context.settings.kinds
    may_show: Callable[..., bool] = partial(can_be_given, now=context.here)
    if wish.unasked:
        may_show = partial(can_be_injected, since=wish.since, now=context.here)
    places = wish.filters.places or (_LIVE | {Place.FOREIGN} if folders else _LIVE)
    request = RecallQuery(
        query=wish.query,
        filters=replace(wish.filters, places=places),
        min_similarity=least,
        fold=False,  # one that may not be shown must not stand for one that may
        follow=False,
        neighbors=not wish.unasked,
        unread=unread,
        ranked=False,
    )
    alike: list[RecallHit] = []
    fewest = _UNASKED * wish.limit if wish.unasked else 0
    for width in (fewest, *_WIDER) if 0 < fewest < MATCH_WIDTH else _WIDER:
        hits = find_top_hits(context, request, width)
        allowed = [
            hit
            for hit in hits
            if hit.memory.id not in wish.without
            and may_show(hit.memory, folders=folders, project=wish.project, kinds=kinds)
        ]
        alike = stand_among(context, allowed, least=least)
        has_more = unread and not wish.limit and 2 * len(alike) > len(allowed)
        if len(hits) < width or (len(allowed) >= (wish.limit or _ENOUGH) and not has_more):
            break
    return alike if unread else alike[: max(wish.limit, MATCH_WIDTH)]


def _rate_hits(
    context: VaultContext, wish: ContextQuery, hits: Sequence[RecallHit], least: float, budget: int
) -> tuple[list[_RatedHit], list[RecallHit]]:
    """Return the matches with their texts and ratings, the most relevant first, and those that need not be read."""
    if wish.unasked:
        hits = lower_useless(hits, wish.query, least)
    found = [
        (hit, rate_relevance(weight=hit.weight, use=hit.use, similarity=hit.similarity, now=context.now))
        for hit in mark_superseded(context, list(hits))
        if not (wish.unasked and hit.memory.more.get("elsewhere"))
    ]
    # At a prompt similarity decides, and the rest only where it leaves several equal.
    near = (lambda hit: -round(hit.similarity, 2)) if wish.unasked else (lambda _: 0.0)
    # A milestone repeats what was remembered: it never stands before a fact, or instead of one.
    found.sort(
        key=lambda pair: (
            pair[0].memory.type == MILESTONE,
            *(near(pair[0]), -pair[1].total, -pair[0].similarity, pair[0].memory.path),
        )
    )
    # An injection does not name duplicates, so the rest need not be read.
    waiting = iter(found)
    texts = _load_texts(context, wish, waiting, least, budget)
    kept = _drop_duplicates(texts, most=wish.limit if wish.unasked else 0, room=_READ_AHEAD * budget)
    return kept, [hit for hit, _ in waiting]


def _load_texts(
    context: VaultContext, wish: ContextQuery, rated: Iterable[_RatedHit], least: float, budget: int
) -> Iterator[tuple[RecallHit, ContextRelevance, str]]:
    """Yield each match with its excerpt and its whole text, read on demand."""
    most = max(1, budget // _OF_A_BUDGET)
    for hit, relevance in rated:
        found, body = load_text(context, hit, wish.query)
        body = body.strip()
        if found.similarity >= min(hit.similarity, least):
            is_short = estimate_tokens(body) <= min(_WHOLE_UP_TO, most)
            text = body if is_short else clip_to_budget(found.text, min(_LONGEST_PASSAGE, most))
            if hit.memory.type == MILESTONE:
                told = telling_text(hit.memory, text).split("\n")
                text = "\n".join(line for line in told if line.strip())
            if text:
                yield replace(found, text=text), relevance, body


def _drop_duplicates(
    rated: Iterable[tuple[RecallHit, ContextRelevance, str]], *, most: int, room: float
) -> list[_RatedHit]:
    """Keep the most relevant of duplicates, which stands for all of them; at most so many, if given, and so long."""
    kept: list[_RatedHit] = []
    words: list[WordSet] = []
    for hit, relevance, body in rated:
        own = content_words(hit.memory.title, body)
        # Of a milestone and what it repeats, one excerpt contains the other.
        twins = (
            at
            for at, other in enumerate(words)
            if are_alike(own, other) or (most and overlaps(kept[at][0].text, hit.text))
        )
        twin = next(twins, None)
        if twin is None or hit.memory.id in kept[twin][0].contradicts:
            kept.append((hit, relevance))
            words.append(own)
            room -= text_cost(hit.text)
            if len(kept) == most or room < 0:
                break
        else:
            first, its_relevance = kept[twin]
            kept[twin] = replace(first, alike=(*first.alike, hit.memory.id)), its_relevance
    return kept
