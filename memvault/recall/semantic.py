"""Finding by meaning: a leg beside the one that goes by words, for those who chose a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from memvault.core.query import ANY, Filters
from memvault.core.secrets.private_spans import without_private
from memvault.errors import AlreadyThere, MemvaultError
from memvault.models.embeddings import Embedder
from memvault.recall.query import Candidate
from memvault.recall.ranking.turns import Reasons, Scored
from memvault.storage.index.index import Catalogue
from memvault.storage.index.query import Found
from memvault.storage.index.rows import WHOLE
from memvault.storage.index.semantic import _WARM, Meaning
from memvault.storage.vault.context import Bench
from memvault.transcripts.index.reader import TalkShelf

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows
    from memvault.storage.index.vectors import Vectors
    from memvault.transcripts.index.index import TalkCatalogue


PARTS = 1 << 16  # a memory's later passages are found by words alone
_BATCH = 1_000
_SEGMENT = 20_000  # texts whose vectors are kept as one file

Progress = Callable[[int, int], None]
Texts = Callable[[list[int]], Iterable[tuple[int, str]]]  # by key


def unseen(_done: int, _whole: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a look by meaning would take: whether it is at hand, seconds until then, and how many texts are behind."""

    warm: bool
    seconds: float
    behind: int


def cost(bench: Bench, meaning: Meaning) -> Cost:
    """What a look by meaning would take now; nothing is loaded to find out."""
    behind = sum(len(shelf.missing()) for shelf in shelves(bench, meaning))
    warm = meaning.embedder.is_loaded
    return Cost(warm=warm, seconds=_WARM if warm else round(meaning.cold_seconds, 3), behind=behind)


# -- bringing vectors up to date


@dataclass(frozen=True, slots=True)
class Shelf:
    """What has vectors: these, the keys that ought to be there, and the texts that stand behind some of them."""

    vectors: Vectors
    keys: Callable[[], Sequence[int]]
    texts: Texts
    state: object  # another whenever the keys may be others

    def missing(self) -> list[int]:
        """The keys that have no vector yet."""
        return self.vectors.missing(self.keys())


def shelves(bench: Bench, meaning: Meaning) -> Iterator[Shelf]:
    """Everything that is found by meaning."""
    yield notes(bench, meaning)
    if bench.open_talks is not None:
        yield talks(bench, meaning)


def notes(bench: Bench, meaning: Meaning) -> Shelf:
    """The passages of the memories."""
    vectors = meaning.vectors(bench.catalogue.folder)

    def keys() -> list[int]:
        numbers = bench.catalogue.numbers_of(ANY)
        held = [key for key in vectors.keys.tolist() if key // PARTS in numbers]
        # The passages of a memory come together: until then, the first stands for all of them.
        return held + [number * PARTS for number in numbers.difference(key // PARTS for key in held)]

    return Shelf(vectors, keys, lambda missing: _passages(bench, missing), bench.catalogue.standing())


def talks(bench: Bench, meaning: Meaning) -> Shelf:
    """The parts of what was said."""
    found = bench.talks()
    keys, state = found.shelf().keys, found.terms.reading().state
    return Shelf(meaning.vectors(found.folder), lambda: keys, lambda missing: _sayings(found, missing), state)


def fill(shelf: Shelf, embed: Embedder, *, most: int = 0, progress: Progress = unseen) -> int:
    """Embed what has no vector yet, at most so many of the latest; says how many. What is gone is let go."""
    if missing := shelf.missing():
        shelf.vectors.refresh()  # another process may have been faster
        missing = shelf.missing()[-most:]
    done = 0
    for start in range(0, len(missing), _SEGMENT):
        stream = iter(shelf.texts(missing[start : start + _SEGMENT]))
        batches: list[tuple[list[int], Rows]] = []
        while batch := list(islice(stream, _BATCH)):
            batches.append(([key for key, _ in batch], embed.embed([text for _, text in batch])))
            done += len(batch)
            progress(min(done, len(missing)), len(missing))
        shelf.vectors.add(batches)
    shelf.vectors.keep(shelf.keys())
    return done


def _passages(bench: Bench, keys: list[int]) -> Iterator[tuple[int, str]]:
    for key in keys:
        number = key // PARTS
        for memory in bench.catalogue.select("where number = ?", (number,)):
            if memory.more.get("cleared_at"):  # never found again: it has a vector of nothing
                yield key, ""
                continue
            body = without_private(bench.text(memory))
            for part, (start, end, heading) in enumerate(_spans(bench.catalogue, number)):
                yield number * PARTS + part, "\n".join(filter(None, (memory.title, heading, body[start:end])))


def _spans(catalogue: Catalogue, number: int) -> Iterator[tuple[int, int, str]]:
    yield catalogue.span(number, 0)
    for part in range(1, PARTS):
        if (span := catalogue.span(number, part)) == WHOLE:
            return
        yield span


def _sayings(talks: TalkCatalogue, keys: list[int]) -> Iterator[tuple[int, str]]:
    for start in range(0, len(keys), _BATCH):
        units = sorted(talks.units(keys[start : start + _BATCH]).values(), key=attrgetter("key"))
        for number, group in groupby(units, attrgetter("talk")):
            some = list(group)
            first = some[0].turn
            turns = talks.turns(number, first, some[-1].turn)
            for unit in some:
                turn = turns[unit.turn - first]
                said = turn.text[unit.start : unit.stop]
                yield unit.key, said if turn.role else f"{turn.speaker}: {said}"


# Two opinions of the same units made one: how well the words fit, and how near the meaning is.

Item = TypeVar("Item")

RANKS = 60  # how little the first ranks of a list differ, for fusing by rank


def added(scores: Mapping[Item, float], nearness: Mapping[Item, float], *, weight: float) -> dict[Item, float]:
    """Scores with so much of the nearness added; what words did not find starts from nothing."""
    return {item: scores.get(item, 0.0) + weight * nearness.get(item, 0.0) for item in (*scores, *nearness)}


def by_rank(lists: Sequence[tuple[Sequence[Item], float]], *, ranks: int = RANKS) -> dict[Item, float]:
    """Weighted reciprocal ranks: each list gives its items less the later they stand."""
    found: dict[Item, float] = {}
    for items, weight in lists:
        for rank, item in enumerate(items, 1):
            found[item] = found.get(item, 0.0) + weight / (ranks + rank)
    return found


def best(scores: Mapping[Item, float], group: Callable[[Item], object], *, limit: int) -> list[tuple[Item, float]]:
    """The best of each group, best first; of equals the one that was named first."""
    found: list[tuple[Item, float]] = []
    seen: set[object] = set()
    for item, score in nlargest(len(scores), scores.items(), key=lambda row: row[1]):
        if group(item) not in seen:
            seen.add(group(item))
            found.append((item, score))
            if len(found) == limit:
                break
    return found


def sureness(own: Sequence[float | None], *, most: float) -> list[float]:
    """How sure each of some hits is, in their order: one that no word found is as sure as the next that one did.

    But never surer than `most`: that a text lies near is no proof that it answers.
    """
    found: list[float] = []
    behind = 0.0
    for sure in reversed(own):
        behind = behind if sure is None else sure
        found.append(min(behind, most) if sure is None else sure)
    return found[::-1]


# The leg that goes by meaning, joined with the one that goes by words; without it, exactly what words find.

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
