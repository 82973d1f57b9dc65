"""The leg that goes by meaning, joined with the one that goes by words; without it, exactly what words find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memvault.core.query import ANY, Filters
from memvault.errors import AlreadyThere, MemvaultError
from memvault.recall.fusion import added, best, sureness
from memvault.recall.query import Candidate
from memvault.recall.ranking.turns import Reasons, Scored
from memvault.recall.semantic import PARTS, Shelf, fill, notes, talks
from memvault.storage.index.index import Found
from memvault.storage.index.semantic import Meaning
from memvault.storage.vault.context import Bench
from memvault.transcripts.index.reader import TalkShelf

WIDE = 300  # of what words find, so much is weighed against what lies near
NEAREST = 100
STANDS_OUT = 1.0  # what no word found must lie nearer than most that lies near
UNPROVED = 0.39  # below what counts as relevant: that a text lies near is no proof that it answers

_NOTHING = Reasons(words=0.0, around=0.0, sitting=0.0, speaker=0.0, day=0.0, timed=0.0, asking=0.0, voice=0.0)


def scored_by_meaning(
    bench: Bench, query: str, shelf: TalkShelf, find: Callable[[int], list[Scored]], *, limit: int
) -> list[Scored]:
    """What words and meaning together find of what was said; where no model answers, what words find."""
    meaning = _at_hand(bench)
    if meaning is None:
        return find(limit)
    found = find(max(limit, WIDE))
    places = [one.unit for one in found]
    near = _nearest(bench, meaning, lambda: talks(bench, meaning), query, keys=shelf.keys, also=places)
    if not near:
        return find(limit)
    return fused(found, near, weight=meaning.weight, turns=shelf.turns, limit=limit)


def fused(
    found: Sequence[Scored], near: Mapping[int, float], *, weight: float, turns: Sequence[int], limit: int
) -> list[Scored]:
    """Two lists of units as one: of each turn one unit, and the one that words found where there is one."""
    by_unit = {one.unit: one for one in found}
    said = {turns[unit] for unit in by_unit}
    fresh = {
        unit: value
        for unit, value in near.items()
        if unit in by_unit or (value >= STANDS_OUT and turns[unit] not in said)
    }
    scores = added({one.unit: one.score for one in found}, fresh, weight=weight)
    order = best(scores, turns.__getitem__, limit=limit)
    sure = sureness([by_unit[unit].similarity if unit in by_unit else None for unit, _ in order], most=UNPROVED)
    joined: list[Scored] = []
    for (unit, score), similarity in zip(order, sure, strict=True):
        words = by_unit[unit].reasons if unit in by_unit else _NOTHING
        reasons = replace(words, meaning=weight * fresh.get(unit, 0.0))
        joined.append(Scored(unit, score, similarity, reasons))
    return joined


def candidates_by_meaning(
    bench: Bench, query: str, found: Iterable[Candidate], *, filters: Filters = ANY, limit: int
) -> Iterator[Candidate]:
    """What words and meaning together find among the memories; where no model answers, what words find."""
    meaning = _at_hand(bench)
    near = _nearest(bench, meaning, lambda: notes(bench, meaning), query) if meaning else {}
    if meaning is None or not near:
        yield from found
        return
    by_path = {candidate.found.memory.path: candidate for candidate in found}
    scores = {path: candidate.found.score for path, candidate in by_path.items()}
    beyond: dict[str, float] = {}
    for lying in _memories(bench, near, filters):
        path = lying.memory.path
        if path in by_path or lying.score >= STANDS_OUT:
            beyond.setdefault(path, lying.score)
            by_path.setdefault(path, Candidate(lying))
    for path, score in best(added(scores, beyond, weight=meaning.weight), str, limit=limit):
        candidate = by_path[path]
        gain = meaning.weight * beyond.get(path, 0.0)
        yield candidate._replace(found=candidate.found._replace(score=score), meaning=gain)


def _memories(bench: Bench, near: Mapping[int, float], filters: Filters) -> Iterator[Found]:
    """The memories whose passages lie near, the nearest passage first, as far as they meet the conditions."""
    allowed = None if filters == ANY else bench.catalogue.numbers_of(filters)
    for key, value in sorted(near.items(), key=lambda row: -row[1]):
        number, part = divmod(key, PARTS)
        if allowed is None or number in allowed:
            for memory in bench.catalogue.select("where number = ?", (number,)):
                yield Found(memory, value, bench.catalogue.span(number, part))


def _at_hand(bench: Bench) -> Meaning | None:
    meaning = bench.open_meaning() if bench.open_meaning is not None else None
    return meaning if meaning is not None and meaning.is_at_hand(bench.now) else None


def _nearest(
    bench: Bench,
    meaning: Meaning,
    open_shelf: Callable[[], Shelf],
    query: str,
    *,
    keys: Sequence[int] | None = None,
    also: Iterable[int] = (),
) -> dict[int, float]:
    """How far what lies nearest stands out, by place among the keys, or by key where none are given.

    Whatever goes wrong costs the leg and not the recall.
    """
    try:
        shelf = open_shelf()
        _catch_up(shelf, meaning)
        asked = meaning.embedder.embed([query])
        named = shelf.vectors.keys.tolist() if keys is None else keys
        near = shelf.vectors.nearest(named, asked, count=NEAREST, also=also)
    except MemvaultError as error:
        meaning.rest(error, bench.now)
        return {}
    return near if keys is not None else {named[place]: value for place, value in near.items()}


def _catch_up(shelf: Shelf, meaning: Meaning) -> None:
    """Embed what is new, as far as somebody may wait for it."""
    if meaning.filled.get(shelf.vectors.folder) == shelf.state:
        return
    try:
        done = fill(shelf, meaning.embedder, most=meaning.embedder.at_once)
    except AlreadyThere:
        shelf.vectors.refresh()  # another process does the same at this moment
        return
    if done < meaning.embedder.at_once:
        meaning.filled[shelf.vectors.folder] = shelf.state
