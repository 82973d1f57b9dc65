"""Conversations in the catalogue: brought up to what the archive holds, and searched turn by turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.value import Frozen, replace
from memvault.errors import MemvaultError
from memvault.recall.ranking.gist import gist
from memvault.recall.ranking.question import read
from memvault.recall.ranking.turns import Reasons, score
from memvault.recall.ranking.weights import pack
from memvault.recall.recall import HEADER_TOKENS, Ask, Hit, Recalled, best, followed, standing
from memvault.recall.similarity import beside_talk
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench
from memvault.transcripts.archive.archive import Talks
from memvault.transcripts.index.rows import Held
from memvault.transcripts.model.talk import Turn

if TYPE_CHECKING:
    from memvault.transcripts.index.index import TalkCatalogue
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
    from memvault.transcripts.hearing import take_in  # most searches find nothing new

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
    from memvault.transcripts.admitted import admits  # most recalls have no conditions

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
