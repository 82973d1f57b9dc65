"""Building the index, and one note changed in it, rows and words together as they are used, beside SQLite FTS5."""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from memvault.core.memory import IndexEntry, Memory, Place
from memvault.storage.index.index import Index, IndexDiff
from memvault.storage.index.update import index_entry
from memvault.storage.vault.listing import FolderEntries, pack
from memvault.system.files import StatKey
from tests.benchmarks.corpus import Corpus, MadeNote, write
from tests.benchmarks.measuring import cpu_ms, peak, size_of
from tests.benchmarks.parts.size import Size
from tests.benchmarks.searchers import YARDSTICK, Fts5, row_of
from tests.benchmarks.table import Row, against

UPDATE = "one note changed in the index, p50"
LOOKED = "one note changed, and found by comparing its whole folder, p50"
FEW = 20_000
MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)
UPDATES = 40

Listing = list[tuple[str, FolderEntries]]


def measured(size: Size) -> list[Row]:
    """Notes a second, megabytes and milliseconds, and their ratios to FTS5."""
    ours, theirs = measure(size.notes)
    built, changed = "build notes/s", "update ms"
    bar = 800.0 if size.notes <= FEW else 700.0

    def absolute(name: str, figure: str, unit: str, bar: float, aim: float | None, *, more: bool = False) -> Row:
        return Row(name, ours[figure], unit, bar=bar, aim=aim, more=more)

    return [
        absolute("bulk build", built, "notes/s", bar, 2 * bar, more=True),
        against("bulk build", ours[built], theirs[built], YARDSTICK, unit="notes/s", more=True),
        absolute("memory while building, over the start", "build memory +MB", "MB", 600, 300),
        absolute(UPDATE, changed, "ms", 10, None),
        against(UPDATE, ours[changed], theirs[changed], YARDSTICK),
        Row(LOOKED, ours["update by a look ms"], "ms"),
        against("index / text", ours["index / text"], theirs["index / text"], YARDSTICK, unit=""),
    ]


def measure(count: int) -> list[dict[str, float]]:
    """The figures of both engines, each in a process of its own, so that memory can be told apart."""
    found = []
    with tempfile.TemporaryDirectory() as spare:
        write(Path(spare), count)
        for engine in ENGINES:
            with get_context("spawn").Pool(1) as pool:
                found.append(pool.apply(engine, (Path(spare), count)))
    return found


# -- the catalogue


def catalogue_figures(root: Path, count: int) -> dict[str, float]:
    """Build and update."""
    cards = {note.path: card(note) for note in Corpus().notes(count)}
    text = sum(len(passage.encode()) for each in cards.values() for passage in each.passages)
    before = peak()
    with tempfile.TemporaryDirectory() as spare:
        folder = Path(spare) / "index"
        catalogue = Index.open(folder)
        walked = listing_of(root)
        seconds = cpu_ms(lambda: take_in(catalogue, walked, cards)) / 1_000
        values = {"build notes/s": count / seconds, "build memory +MB": peak() - before}
        catalogue.close()
        values["index / text"] = size_of(folder) / text
        catalogue = Index.open(folder)
        catalogue.optimise()
        values |= updated(catalogue, walked, cards)
        catalogue.close()
    return values


def listing_of(root: Path) -> Listing:
    """A plain walk: what any program must pay that looks at every file."""
    found: Listing = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        entries = []
        for name in sorted(names):
            stat = (Path(folder) / name).stat()
            entries.append((name, (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)))
        place = Path(folder).relative_to(root).as_posix()
        found.append(("" if place == "." else f"{place}/", entries_of(entries)))
    return found


def entries_of(listed: Iterable[tuple[str, StatKey]]) -> FolderEntries:
    """The entries of a folder with these notes, in this order."""
    entries = FolderEntries()
    for name, key in listed:
        entries.names.append(name)
        entries.keys.extend(pack(*key))
    return entries


def card(note: MadeNote) -> IndexEntry:
    """The card of a made-up note, as the verbs would make it."""
    return index_entry(
        Memory(
            id=note.data[8:44].decode(),
            path=note.path,
            place=Place.MEMORIES,
            title=note.title,
            created=MADE,
            last_accessed=MADE,
            tags=note.tags,
            people=note.people,
            body=note.body,
        )
    )


def take_in(catalogue: Index, walked: Listing, cards: dict[str, IndexEntry]) -> None:
    with catalogue.lock():
        diff = catalogue.compare_listing(walked)
        catalogue.update_notes(diff, _drawn(diff, cards), fallback_id=str)


def take_in_one(catalogue: Index, path: str, key: StatKey, cards: dict[str, IndexEntry]) -> None:
    with catalogue.lock():
        diff = catalogue.compare_part({path: key}, (), below=())
        catalogue.update_notes(diff, _drawn(diff, cards), fallback_id=str)


def _drawn(diff: IndexDiff, cards: dict[str, IndexEntry]) -> Iterator[tuple[StatKey, IndexEntry]]:
    return ((key, cards[path]) for path, key in diff.paths_to_read())


def updated(catalogue: Index, walked: Listing, cards: dict[str, IndexEntry]) -> dict[str, float]:
    """One note after the other changes and is taken in: where it is known which it was, and by a look at all of them.

    First all of the one and then all of the other: who watches looks at no other note between two changes.
    """
    paths = sorted(cards)[:UPDATES]
    keys = {path: touched(walked, path, 1) for path in paths}
    heard = [cpu_ms(partial(take_in_one, catalogue, path, key, cards)) for path, key in keys.items()]
    looked = []
    for path in paths:
        touched(walked, path, 1)
        looked.append(cpu_ms(lambda: take_in(catalogue, walked, cards)))
    return {"update ms": statistics.median(heard), "update by a look ms": statistics.median(looked)}


def touched(walked: Listing, path: str, by: int) -> StatKey:
    """The stat key of a note that was written so much later, which the listing has from now on."""
    above, slash, name = path.rpartition("/")
    at = [place for place, _ in walked].index(above + slash)
    keys = dict(iter(walked[at][1]))
    size, written, changed, inode = keys[name]
    keys[name] = key = size, written + by, changed, inode
    walked[at] = above + slash, entries_of(keys.items())
    return key


# -- the yardstick


def fts5_figures(_root: Path, count: int) -> dict[str, float]:
    """The same notes in FTS5, as the other benchmarks have it."""
    rows = [row_of(number, note) for number, note in enumerate(Corpus().notes(count), 1)]
    text = sum(len(row.body.encode()) for row in rows)
    with tempfile.TemporaryDirectory() as spare:
        engine = Fts5(Path(spare))
        seconds = cpu_ms(lambda: engine.build(rows)) / 1_000
        values = {"build notes/s": count / seconds, "index / text": size_of(Path(spare)) / text}
        changed = [row._replace(body=f"{row.body} {turn}") for turn, row in enumerate(rows[:UPDATES])]
        values["update ms"] = statistics.median(cpu_ms(partial(engine.update, row)) for row in changed)
        engine.close()
    return values


ENGINES: tuple[Callable[[Path, int], dict[str, float]], ...] = (catalogue_figures, fts5_figures)
