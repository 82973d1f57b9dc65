"""Finding by meaning: a leg beside the one that goes by words, for those who chose a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from memvault.core.query import ANY
from memvault.core.secrets.private_spans import without_private
from memvault.models.embeddings import Embedder
from memvault.storage.index.index import WHOLE, Catalogue
from memvault.storage.index.semantic import _WARM, Meaning
from memvault.storage.vault.context import Bench

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
