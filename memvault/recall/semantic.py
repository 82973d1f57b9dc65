"""Find by meaning, beside the search by words, for those who chose a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from memvault.core.query import NO_FILTERS, Filters
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import AlreadyThere, MemvaultError
from memvault.models.embeddings import Embedder
from memvault.recall.query import RecallCandidate
from memvault.recall.ranking.turns import ScoredUnit, ScoreParts
from memvault.storage.index.query import IndexHit
from memvault.storage.index.rows import WHOLE
from memvault.storage.index.semantic import SemanticIndex
from memvault.storage.transcript_index.rows import TranscriptTurns
from memvault.storage.vault.context import VaultContext

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows
    from memvault.storage.index.vectors import VectorStore
    from memvault.storage.transcript_index.index import TranscriptIndex


PARTS = 1 << 16  # a memory's later passages are found by words alone
_BATCH = 1_000
_SEGMENT = 20_000  # texts whose vectors are kept as one file

Progress = Callable[[int, int], None]


# -- bringing vectors up to date


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Something with vectors: the vectors, the keys that should have one, and the texts behind the keys."""

    vectors: VectorStore
    keys: Callable[[], Sequence[int]]
    texts: Callable[[list[int]], Iterable[tuple[int, str]]]  # by key
    state: object  # changes whenever the keys may have changed

    def missing_keys(self) -> list[int]:
        """Return the keys that have no vector yet."""
        return self.vectors.missing_keys(self.keys())


def vector_sources(context: VaultContext, meaning: SemanticIndex) -> Iterator[VectorSource]:
    """Yield everything that is searched by meaning."""
    yield memory_source(context, meaning)
    if context.open_transcripts is not None:
        yield turn_source(context, meaning)


def memory_source(context: VaultContext, meaning: SemanticIndex) -> VectorSource:
    """Return the passages of the memories."""
    vectors = meaning.open_vectors(context.index.folder)

    def list_keys() -> list[int]:
        numbers = context.index.matching_numbers(NO_FILTERS)
        held = [key for key in vectors.keys.tolist() if key // PARTS in numbers]
        # The passages of a memory come together: until then, the first stands for all of them.
        return held + [number * PARTS for number in numbers.difference(key // PARTS for key in held)]

    return VectorSource(
        vectors, list_keys, lambda missing: _read_passages(context, missing), context.index.state_digest()
    )


def turn_source(context: VaultContext, meaning: SemanticIndex) -> VectorSource:
    """Return the parts of the conversations."""
    from memvault.storage.transcript_index.index import TranscriptIndex  # deferred: only conversations need it

    found = TranscriptIndex.of(context)
    keys, state = found.turn_index().keys, found.terms.snapshot().state
    return VectorSource(
        meaning.open_vectors(found.folder), lambda: keys, lambda missing: _read_turns(found, missing), state
    )


def embed_missing(source: VectorSource, embed: Embedder, *, most: int = 0, progress: Progress | None = None) -> int:
    """Embed what has no vector yet, at most so many of the latest, drop what is gone, and return the count."""
    if missing := source.missing_keys():
        source.vectors.refresh()  # another process may have been faster
        missing = source.missing_keys()[-most:]
    done = 0
    for start in range(0, len(missing), _SEGMENT):
        stream = iter(source.texts(missing[start : start + _SEGMENT]))
        batches: list[tuple[list[int], Rows]] = []
        while batch := list(islice(stream, _BATCH)):
            batches.append(([key for key, _ in batch], embed.embed_texts([text for _, text in batch])))
            done += len(batch)
            if progress is not None:
                progress(min(done, len(missing)), len(missing))
        source.vectors.add_vectors(batches)
    source.vectors.keep_keys(source.keys())
    return done


def _read_passages(context: VaultContext, keys: list[int]) -> Iterator[tuple[int, str]]:
    for key in keys:
        number = key // PARTS
        for memory in context.index.select("where number = ?", (number,)):
            if memory.more.get("cleared_at"):  # never found again: it has a vector of nothing
                yield key, ""
                continue
            body = strip_private(context.read_text(memory))
            for part in range(PARTS):
                span = context.index.passage_span(number, part)
                if part and span == WHOLE:
                    break
                yield number * PARTS + part, "\n".join(filter(None, (memory.title, span[2], body[span[0] : span[1]])))


def _read_turns(talks: TranscriptIndex, keys: list[int]) -> Iterator[tuple[int, str]]:
    for start in range(0, len(keys), _BATCH):
        units = sorted(talks.get_units(keys[start : start + _BATCH]).values(), key=attrgetter("key"))
        for number, group in groupby(units, attrgetter("conversation")):
            some = list(group)
            first = some[0].turn
            turns = talks.get_turns(number, first, some[-1].turn)
            for unit in some:
                turn = turns[unit.turn - first]
                said = turn.text[unit.start : unit.stop]
                yield unit.key, said if turn.role else f"{turn.speaker}: {said}"


# Combine two rankings: how well the words fit, and how near the meaning is.

FusedItem = TypeVar("FusedItem")


def add_nearness(
    scores: Mapping[FusedItem, float], nearness: Mapping[FusedItem, float], *, weight: float
) -> dict[FusedItem, float]:
    """Return scores with the weighted nearness added; what words did not find starts from nothing."""
    return {item: scores.get(item, 0.0) + weight * nearness.get(item, 0.0) for item in (*scores, *nearness)}


def best_by_group(
    scores: Mapping[FusedItem, float], group: Callable[[FusedItem], object], *, limit: int
) -> list[tuple[FusedItem, float]]:
    """Return the best of each group, best first; of equals the one that was named first."""
    found: list[tuple[FusedItem, float]] = []
    seen: set[object] = set()
    for item, score in nlargest(len(scores), scores.items(), key=lambda row: row[1]):
        if group(item) not in seen:
            seen.add(group(item))
            found.append((item, score))
            if len(found) == limit:
                break
    return found


def fill_similarities(own: Sequence[float | None], *, most: float) -> list[float]:
    """Return each similarity: a hit that no word found is as similar as the next found one, but at `most` so much."""
    found: list[float] = []
    behind = 0.0
    for sure in reversed(own):
        behind = behind if sure is None else sure
        found.append(min(behind, most) if sure is None else sure)
    return found[::-1]


# The search by meaning, combined with the one by words; without it, exactly what words find.

WORD_CANDIDATES = 300  # of what words find, so much is weighed against what lies near
NEAREST = 100
LEAST_NEARNESS = 1.0  # what no word found must lie nearer than most that lies near
MOST_UNPROVED = 0.39  # below what counts as relevant: that a text lies near is no proof that it answers

_NOTHING = ScoreParts(words=0.0, around=0.0, sitting=0.0, speaker=0.0, day=0.0, timed=0.0, asking=0.0, voice=0.0)


def score_with_meaning(
    context: VaultContext, query: str, source: TranscriptTurns, find: Callable[[int], list[ScoredUnit]], *, limit: int
) -> list[ScoredUnit]:
    """Return what words and meaning find in conversations; if no model answers, what words find."""
    meaning = _ready_model(context)
    if meaning is None:
        return find(limit)
    found = find(max(limit, WORD_CANDIDATES))
    places = [one.unit for one in found]
    near = _find_nearest(context, meaning, lambda: turn_source(context, meaning), query, keys=source.keys, also=places)
    if not near:
        return find(limit)
    return fuse_turns(found, near, weight=meaning.weight, turns=source.turns, limit=limit)


def fuse_turns(
    found: Sequence[ScoredUnit], near: Mapping[int, float], *, weight: float, turns: Sequence[int], limit: int
) -> list[ScoredUnit]:
    """Merge two lists of units: of each turn one unit, the one that words found if there is one."""
    by_unit = {one.unit: one for one in found}
    said = {turns[unit] for unit in by_unit}
    fresh = {
        unit: value
        for unit, value in near.items()
        if unit in by_unit or (value >= LEAST_NEARNESS and turns[unit] not in said)
    }
    scores = add_nearness({one.unit: one.score for one in found}, fresh, weight=weight)
    order = best_by_group(scores, turns.__getitem__, limit=limit)
    sure = fill_similarities(
        [by_unit[unit].similarity if unit in by_unit else None for unit, _ in order], most=MOST_UNPROVED
    )
    joined: list[ScoredUnit] = []
    for (unit, score), similarity in zip(order, sure, strict=True):
        words = by_unit[unit].reasons if unit in by_unit else _NOTHING
        reasons = replace(words, meaning=weight * fresh.get(unit, 0.0))
        joined.append(ScoredUnit(unit, score, similarity, reasons))
    return joined


def candidates_by_meaning(
    context: VaultContext, query: str, found: Iterable[RecallCandidate], *, filters: Filters = NO_FILTERS, limit: int
) -> Iterator[RecallCandidate]:
    """Yield what words and meaning find among the memories; if no model answers, what words find."""
    meaning = _ready_model(context)
    near = _find_nearest(context, meaning, lambda: memory_source(context, meaning), query) if meaning else {}
    if meaning is None or not near:
        yield from found
        return
    by_path = {candidate.found.memory.path: candidate for candidate in found}
    scores = {path: candidate.found.score for path, candidate in by_path.items()}
    beyond: dict[str, float] = {}
    for lying in _near_memories(context, near, filters):
        path = lying.memory.path
        if path in by_path or lying.score >= LEAST_NEARNESS:
            beyond.setdefault(path, lying.score)
            by_path.setdefault(path, RecallCandidate(lying))
    for path, score in best_by_group(add_nearness(scores, beyond, weight=meaning.weight), str, limit=limit):
        candidate = by_path[path]
        gain = meaning.weight * beyond.get(path, 0.0)
        yield candidate._replace(found=candidate.found._replace(score=score), meaning=gain)


def _near_memories(context: VaultContext, near: Mapping[int, float], filters: Filters) -> Iterator[IndexHit]:
    """Yield the memories whose passages lie near, the nearest first, as far as they meet the conditions."""
    allowed = None if filters == NO_FILTERS else context.index.matching_numbers(filters)
    for key, value in sorted(near.items(), key=lambda row: -row[1]):
        number, part = divmod(key, PARTS)
        if allowed is None or number in allowed:
            for memory in context.index.select("where number = ?", (number,)):
                yield IndexHit(memory, value, context.index.passage_span(number, part))


def _ready_model(context: VaultContext) -> SemanticIndex | None:
    meaning = context.open_semantic() if context.open_semantic is not None else None
    return meaning if meaning is not None and meaning.is_available(context.now) else None


def _find_nearest(
    context: VaultContext,
    meaning: SemanticIndex,
    open_shelf: Callable[[], VectorSource],
    query: str,
    *,
    keys: Sequence[int] | None = None,
    also: Iterable[int] = (),
) -> dict[int, float]:
    """Return how far the nearest stand out, by place among the keys or, without keys, by key; an error finds none."""
    try:
        source = open_shelf()
        _embed_new(source, meaning)
        asked = meaning.embedder.embed_texts([query])
        named = source.vectors.keys.tolist() if keys is None else keys
        near = source.vectors.nearest_keys(named, asked, count=NEAREST, also=also)
    except MemvaultError:
        meaning.pause(context.now)
        return {}
    return near if keys is not None else {named[place]: value for place, value in near.items()}


def _embed_new(source: VectorSource, meaning: SemanticIndex) -> None:
    """Embed what is new, as far as somebody may wait for it."""
    if meaning.filled_states.get(source.vectors.folder) == source.state:
        return
    try:
        done = embed_missing(source, meaning.embedder, most=meaning.embedder.interactive_limit)
    except AlreadyThere:
        source.vectors.refresh()  # another process does the same at this moment
        return
    if done < meaning.embedder.interactive_limit:
        meaning.filled_states[source.vectors.folder] = source.state
