"""Conversations in the catalogue: brought up to what the archive holds, and searched turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.query import Filters
from memvault.core.secrets.scan import found as leaks
from memvault.core.settings.people import Names
from memvault.core.value import Frozen, replace
from memvault.errors import MemvaultError
from memvault.recall.llm_filter import WIDE, Shown, named_irrelevant
from memvault.recall.ranking.gist import gist
from memvault.recall.ranking.question import read
from memvault.recall.ranking.turns import Reasons, score
from memvault.recall.ranking.weights import pack
from memvault.recall.recall import HEADER_TOKENS, Ask, Hit, Recalled, Sifted, best, followed, standing
from memvault.recall.similarity import beside_talk
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench, names_of
from memvault.text.spelling import key as spelling_key
from memvault.text.spelling import nearest, renaming
from memvault.text.terms import contains_phrase, query_terms
from memvault.transcripts.archive.archive import Talks, short
from memvault.transcripts.index.rows import Held
from memvault.transcripts.index.update import Arriving
from memvault.transcripts.model.turn import Fact, Turn

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask as AskModel
    from memvault.transcripts.archive.read import Transcript
    from memvault.transcripts.index.index import Known, TalkCatalogue
    from memvault.transcripts.index.update import Key


_DEEPER = 20


class Spoken(Frozen, kw_only=True):
    """A part of a conversation that was found: a turn, or a passage of a long one."""

    held: Held
    place: int  # of its turn
    turn: Turn
    text: str
    score: float
    similarity: float
    reasons: Reasons | None = None  # what its score is made of
    says_it: bool = True  # whether a word of the question stands in it, and not only around it

    @property
    def ref(self) -> str:
        """What opens it."""
        return reference(self.held, self.place)


def archive(bench: Bench) -> Talks:
    """The conversations of the vault, as files."""
    return Talks(
        bench.vault.root,
        bench.vault.layout,
        erasing=partial(tombstones.eraser, bench),
        going=partial(tombstones.is_gone, bench),
        lapsing=partial(tombstones.lapsed, bench),
    )


def reference(held: Held, place: int) -> str:
    """How a turn is called: its conversation, and its number there, counted from one."""
    return f"{held.short}:{place + 1}"


def refreshed(bench: Bench) -> TalkCatalogue:
    """The catalogue of conversations, brought up to what the archive holds now."""
    talks, store = bench.talks(), archive(bench)
    differing = talks.differing(store.listing())
    if differing:
        with talks.lock():  # whoever had it before may have taken the same in: so look again
            differing = talks.differing(store.listing())
            for path in differing.gone:
                talks.let_go(path)
            for path, key in differing.changed.items():
                _take_in(talks, store, path, key)
    return talks


def _take_in(talks: TalkCatalogue, store: Talks, path: str, key: Key) -> None:

    try:
        take_in(talks, store, path, key)
    except MemvaultError:
        return  # `doctor` tells what cannot be read; the others are found all the same


def topics_of(bench: Bench) -> list[tuple[str, ...]]:
    """The keywords of every topic that was talked of."""
    return list(refreshed(bench).keyword_sets())


def spoken(bench: Bench, query: str, *, limit: int) -> Iterator[Spoken]:
    """What was said that answers a query, best first; of each turn the part that answers best."""
    talks = bench.talks()
    shelf = talks.shelf()
    people = bench.settings.texts("people.aliases")
    question = read(query, now=bench.now.astimezone(bench.zone), people=people)
    wanted = frozenset(word.term for word in question.words)
    if bench.open_meaning is None:
        scored = score(question, shelf, limit=limit)
    else:
        from memvault.recall.semantic import scored_by_meaning  # deferred: few have chosen a model

        scored = scored_by_meaning(bench, query, shelf, lambda wide: score(question, shelf, limit=wide), limit=limit)
    units = talks.units(shelf.keys[one.unit] for one in scored)
    held = {unit.talk: talks.talk(unit.talk) for unit in units.values()}
    for one in scored:
        unit = units.get(shelf.keys[one.unit])
        talk = held.get(unit.talk) if unit else None
        if unit is None or talk is None:
            continue  # another process is just taking it in anew
        for turn in talks.turns(unit.talk, unit.turn, unit.turn):
            yield Spoken(
                held=talk,
                place=unit.turn,
                turn=turn,
                text=_said(turn, turn.text[unit.start : unit.stop].strip(), wanted),
                score=one.score,
                similarity=round(one.similarity, 4),
                reasons=one.reasons,
                says_it=one.reasons.words > 0 or one.reasons.meaning >= 1,
            )


def _said(turn: Turn, text: str, wanted: Collection[str]) -> str:
    """What is shown of a turn: among people without small talk; who speaks with a program makes little."""
    return text if turn.role else gist(text, wanted)


# -- memories and conversations together


class Together(Recalled, kw_only=True):
    """The answer of memories and conversations: both in one order, the surest first."""

    ranked: tuple[Hit | Spoken, ...] = ()


def recall_with_talk(bench: Bench, ask: Ask) -> Together:
    """The memories and the turns of conversations that answer a question, within one budget."""
    limit = ask.limit or bench.settings.whole("recall.limit")
    least = bench.settings.number("recall.min_similarity") if ask.min_similarity is None else ask.min_similarity
    return answered_together(bench, ask, found_together(bench, ask, limit, least=least))


def found_together(bench: Bench, ask: Ask, limit: int, *, least: float) -> list[Hit | Spoken]:
    """The memories and the turns that are alike enough, in one order."""
    hits = standing(bench, followed(bench, ask, best(bench, replace(ask, min_similarity=least), limit), limit))
    said = [each for each in _admitted(bench, ask, limit) if each.similarity >= least]
    if ask.min_similarity is None:  # a program that names a threshold wants all above it; a person not an "OK."
        weak = bench.settings.number("recall.weak_below")
        said = [each for each in said if each.says_it or each.similarity >= weak]
    return _without_repeats(_merged(hits, said))[:limit]


def answered_together(bench: Bench, ask: Ask, found: Sequence[Hit | Spoken]) -> Together:
    """The answer that memories and turns make, within the budget."""
    budget = ask.budget or bench.settings.whole("recall.budget")
    packed = pack(((each, each.text) for each in found), budget=budget, overhead=HEADER_TOKENS)
    kept = tuple(replace(each, text=text) for each, text in packed.kept)
    memories = tuple(each for each in kept if isinstance(each, Hit))
    if ask.whole_texts:
        bench.touch([hit.memory for hit in memories], why="recall")
    return Together(
        query=ask.query,
        hits=memories,
        tokens=packed.used,
        budget=budget,
        left_out=packed.left_out,
        searched=bench.catalogue.count(),
        ranked=kept,
    )


def _admitted(bench: Bench, ask: Ask, limit: int) -> Iterator[Spoken]:
    """The turns that meet the conditions, best first; where there are any, more turns are looked through."""
    if ask.filters.empty:
        return spoken(bench, ask.query, limit=limit)

    admitted = admits(bench, ask.filters)
    found = spoken(bench, ask.query, limit=limit * _DEEPER) if admitted else iter(())
    return islice(filter(admitted, found), limit)


def _merged(hits: Sequence[Hit], said: Sequence[Spoken]) -> list[Hit | Spoken]:
    """Two lists as one: each keeps its order, and the surer of the two that are next goes first."""
    found: list[Hit | Spoken] = []
    mine, theirs = list(reversed(hits)), list(reversed(said))
    while mine and theirs:
        found.append(mine.pop() if beside_talk(mine[-1].told) >= theirs[-1].similarity else theirs.pop())
    return [*found, *reversed(mine), *reversed(theirs)]


def _without_repeats(found: Sequence[Hit | Spoken]) -> list[Hit | Spoken]:
    """A memory that was made of a turn, and that turn, say the same: the first of the two is enough."""
    kept: list[Hit | Spoken] = []
    seen: set[tuple[str, str]] = set()
    for each in found:
        turns = said_in(each)
        if not turns or not seen.issuperset(turns):
            kept.append(each)
        seen.update(turns)
    return kept


def said_in(each: Hit | Spoken) -> set[tuple[str, str]]:
    """The turns that a hit stands on, each with its conversation."""
    if isinstance(each, Spoken):
        return {(each.held.talk.id, each.turn.id)}
    refs = each.memory.refs
    return {(talk, turn) for talk in refs.get("session", ()) for turn in refs.get("turns", ())}


# Take a conversation of the archive into the catalogue: whole, or only what came since.

_INODE = 3  # where the number of the file stands in a stat key


def take_in(talks: TalkCatalogue, store: Talks, path: str, key: Key) -> None:
    """Read what is not known of a conversation yet, and hand it to the catalogue."""
    there = store.open(path)
    head = there.head()
    known = talks.known(path)
    grown = known is not None and _only_grew(talks, there, known, key)
    state = known.state if known and grown else {"member": 0, "side": 0}
    talks.take_in(
        Arriving(
            path=path,
            short=short(head.id),
            key=key,
            talk=head,
            turns=there.turns(from_member=state["member"], start=known.turns if known and grown else None),
            facts=_facts(there, state["side"]),
            trajectories=there.trajectories(from_member=state["side"]),
            state=lambda: {"member": there.talk.end(), "side": there.side.end()},
            grown=grown,
        )
    )


def _only_grew(talks: TalkCatalogue, there: Transcript, known: Known, key: Key) -> bool:
    """Whether both files only got longer, and no fact came to a turn that is known without it."""
    before = known.key
    if key[_INODE] != before[_INODE] or any(key[at] < before[at] for at in (0, 4)):
        return False
    if there.talk.size() < known.state["member"] or there.renewed() >= max(known.state["side"], 1):
        return False
    if there.mended() >= max(known.state["member"], 1):  # lost turns came back into their places
        return False
    late = (fact for fact in there.facts(from_member=known.state["side"]) if fact.turns)
    return all(talks.place_of(known.number, fact.turns[-1]) is None for fact in late)


def _facts(there: Transcript, member: int) -> Iterator[Fact]:
    return there.facts(from_member=member)


# Of many memories and turns those that answer the question, by the model; where it does not answer, by likeness.


class SiftedTogether(Sifted, kw_only=True):
    """As `Together`, with what a model took out: ids of memories, and references of turns."""

    ranked: tuple[Hit | Spoken, ...] = ()


def recall_relevant_talk(bench: Bench, ask: Ask, ask_model: AskModel) -> Together | SiftedTogether:
    """As `recall_with_talk`, with many hits looked through by a model; where it does not answer, exactly as that."""
    if not query_terms(ask.query):
        return recall_with_talk(bench, ask)  # conditions alone leave nothing to judge by
    limit = ask.limit or bench.settings.whole("recall.limit")
    demanded = ask.min_similarity if ask.min_similarity is not None else 0.0
    least = bench.settings.number("recall.min_similarity") if ask.min_similarity is None else demanded
    wide = found_together(bench, ask, max(limit, WIDE), least=demanded)
    shown = [_shown(each) for each in wide if not leaks(_whole(bench, each))][:WIDE]
    seconds = bench.settings.number("model.recall_seconds")
    named = named_irrelevant(ask.query, shown, ask_model, seconds) if shown else frozenset[str]()
    if not isinstance(named, frozenset):
        return _sifted(recall_with_talk(bench, ask), unsifted=named.reason)
    judged = {one.key for one in shown}
    stay = [each for each in wide if _key(each) not in named and (_key(each) in judged or each.similarity >= least)]
    taken = tuple(one.key for one in shown if one.key in named)
    return _sifted(answered_together(bench, ask, stay[:limit]), irrelevant=taken)


def _key(each: Hit | Spoken) -> str:
    return each.memory.id if isinstance(each, Hit) else each.ref


def _shown(each: Hit | Spoken) -> Shown:
    title = each.memory.title if isinstance(each, Hit) else f"{each.turn.speaker} said"
    return Shown(_key(each), title, each.text)


def _whole(bench: Bench, each: Hit | Spoken) -> str:
    """All of it: a passage can be half of a secret, which no pattern knows."""
    if isinstance(each, Spoken):
        return each.turn.text
    return "\n\n".join((each.memory.title, each.text, bench.text(each.memory)))


def _sifted(found: Together, *, irrelevant: tuple[str, ...] = (), unsifted: str = "") -> SiftedTogether:
    own = {row.name: getattr(found, row.name) for row in fields(found)}
    return SiftedTogether(**own, irrelevant=irrelevant, unsifted=unsifted)


# Which turns of conversations meet the conditions of a recall.

RAW = 3  # the tier in which conversations lie

Admits = Callable[["Spoken"], bool]


def admits(bench: Bench, filters: Filters) -> Admits | None:
    """What tells whether a turn meets some conditions; None where no turn can, as they are about memories."""
    about_memories = (filters.kinds, filters.types, filters.tags, filters.statuses, filters.places)
    if any(about_memories) or filters.pinned is not None or (filters.tiers and RAW not in filters.tiers):
        return None
    checks = [*_since(filters), *_people(bench, filters), *_keywords(bench, filters)]
    return lambda spoken: all(check(spoken) for check in checks)


def _since(filters: Filters) -> list[Admits]:
    since = filters.since
    return [] if since is None else [lambda spoken: spoken.turn.time is not None and spoken.turn.time >= since]


def _people(bench: Bench, filters: Filters) -> list[Admits]:
    """A person is in a turn who says it or is named in it, by any name."""

    def is_in(spoken: Spoken, names: Names) -> bool:
        text = f"{spoken.turn.speaker}\n{spoken.turn.text}"
        return any(contains_phrase(text, name) for name in names)

    wanted = [names_of(bench, name) for name in filters.people]
    return [lambda spoken, names=names: is_in(spoken, names) for names in wanted]  # type: ignore[misc]


def _keywords(bench: Bench, filters: Filters) -> list[Admits]:
    """A turn bears the keywords of its topic, in whatever spelling, by the names that they were given since."""
    if not filters.keywords:
        return []
    stands = renaming(bench.vault.ledger.decisions().renames)

    def bears(spoken: Spoken, word: str) -> bool:
        topic = bench.talks().trajectory_at(spoken.held.number, spoken.place)
        names = {spelling_key(stands.get(spelling_key(each), each)) for each in (topic.keywords if topic else ())}
        return bool(nearest(word, names))

    wanted = [stands.get(spelling_key(word), word) for word in filters.keywords]
    return [lambda spoken, word=word: bears(spoken, word) for word in wanted]  # type: ignore[misc]
