"""The catalogue beside SQLite FTS5, in one run: `python -m tests.benchmarks.index_build --notes 1000 10000`.

Times are CPU time unless they say otherwise: another program on the machine must not decide the ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from memvault.core.memory import IndexEntry, Memory, Place
from memvault.core.query import NO_FILTERS
from memvault.recall.ranking.question import query_words
from memvault.storage.index.index import Index, IndexDiff
from memvault.storage.index.rows import search_document
from memvault.storage.index.search import open_backend
from memvault.storage.index.update import index_entry
from memvault.storage.vault.listing import FolderEntries, StatKey
from memvault.text.terms import query_terms
from tests.benchmarks.corpus import Corpus, MadeNote, write
from tests.benchmarks.measuring import cpu_ms, late, peak, size_of
from tests.benchmarks.searchers import Fts5, row_of
from tests.storage.index.cards import entries_of

MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)
LIMIT = 80
BACKEND = "whoosh"
SAME = ("as built", "terms alone")  # what is beside FTS5's figures too, which are the same each time
QUESTIONS = 60
UPDATES = 40
STARTS = 11

Listing = list[tuple[str, FolderEntries]]


@dataclass
class Figures:
    """What was measured of one engine with one number of notes."""

    engine: str
    notes: int
    values: dict[str, float] = field(default_factory=dict)


def named(name: str, times: list[float]) -> dict[str, float]:
    """Median and 95th percentile under their names."""
    return {f"{name} p50 ms": statistics.median(times), f"{name} p95 ms": late(times)}


# -- the catalogue


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


def catalogue_figures(root: Path, count: int) -> dict[str, float]:
    """Build, look again, ask and update."""
    cards = {note.path: card(note) for note in Corpus().notes(count)}
    text = sum(len(passage.encode()) for each in cards.values() for passage in each.passages)
    before = peak()
    values: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as spare:
        folder = Path(spare) / "index"
        catalogue = Index.open(folder)
        walked = listing_of(root)
        seconds = cpu_ms(lambda: take_in(catalogue, walked, cards)) / 1_000
        values |= {"build notes/s": count / seconds, "build memory +MB": peak() - before}
        catalogue.close()
        values |= {"index / text": size_of(folder) / text, "terms / text": size_of(folder / BACKEND) / text}
        values |= opening(folder, root)
        catalogue = Index.open(folder)
        values |= asked("as built", lambda question: ask(catalogue, question))
        values |= {"merge s": cpu_ms(catalogue.optimise) / 1_000, "merged / text": size_of(folder / BACKEND) / text}
        values |= asked("merged", lambda question: ask(catalogue, question))
        values |= updated(catalogue, walked, cards)
        catalogue.close()
        values |= terms_alone(folder / BACKEND, cards)
    return values


def terms_alone(folder: Path, cards: dict[str, IndexEntry]) -> dict[str, float]:
    """What finding and changing cost without rows and files."""
    backend = open_backend(BACKEND, folder)
    values = asked("terms alone", lambda question: backend.search(query_words(question), keep=None, limit=LIMIT))
    changed = [search_document(len(cards) * 2 + turn, cards[path]) for turn, path in enumerate(sorted(cards)[:UPDATES])]
    times = [cpu_ms(partial(backend.replace, [each], [turn])) for turn, each in enumerate(changed, len(cards) // 2)]
    backend.close()
    return values | named("terms alone: update", times)


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


def ask(catalogue: Index, question: str) -> None:
    words = query_words(question)
    catalogue.backend.rarity([word.term for word in words])
    for _ in zip(range(10), catalogue.search(words, filters=NO_FILTERS, limit=LIMIT), strict=False):
        pass


def opening(folder: Path, root: Path) -> dict[str, float]:
    """Opening, and finding that nothing has changed, beside the walk that it takes."""
    opened = [cpu_ms(lambda: Index.open(folder).close()) for _ in range(STARTS)]
    catalogue = Index.open(folder)
    walk = statistics.median(cpu_ms(lambda: listing_of(root)) for _ in range(5))
    compared = statistics.median(cpu_ms(lambda: catalogue.compare_listing(listing_of(root))) for _ in range(5))
    assert not catalogue.compare_listing(listing_of(root))
    catalogue.close()
    return {
        "open ms": statistics.median(opened),
        "walk ms": walk,
        "walk and compare ms": compared,
        "compare / walk": compared / walk,
    }


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
    return named("update", heard) | named("update by a look", looked)


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
    before = peak()
    with tempfile.TemporaryDirectory() as spare:
        engine = Fts5(Path(spare))
        seconds = cpu_ms(lambda: engine.build(rows)) / 1_000
        values = {"build notes/s": count / seconds, "build memory +MB": peak() - before}
        values["index / text"] = size_of(Path(spare)) / text
        found = asked("merged", lambda question: engine.ask(query_terms(question), LIMIT))
        values |= found | {name.replace("merged", other): each for name, each in found.items() for other in SAME}
        changed = [row._replace(body=f"{row.body} {turn}") for turn, row in enumerate(rows[:UPDATES])]
        values |= named("update", [cpu_ms(partial(engine.update, row)) for row in changed])
        engine.close()
    return values


def asked(label: str, one: Callable[[str], object]) -> dict[str, float]:
    """Questions as people put them, and questions of a few telling words; the first time and then again."""
    values: dict[str, float] = {}
    corpus = Corpus()
    for name, questions in (("prompt", corpus.prompts(QUESTIONS)), ("selective", corpus.selective(QUESTIONS))):
        one(questions[0])
        for again in ("", " again"):
            times = [cpu_ms(partial(one, question)) for question in questions]
            values |= named(f"{label}: {name}{again}", times)
    return values


# -- the run

ENGINES: dict[str, Callable[[Path, int], dict[str, float]]] = {"memvault": catalogue_figures, "FTS5": fts5_figures}


def _in_child(engine: str, root: Path, count: int) -> Figures:
    return Figures(engine, count, ENGINES[engine](root, count))


def measure(counts: list[int]) -> list[Figures]:
    """Every engine with every number of notes, each in a process of its own, so that memory can be told apart."""
    found = []
    for count in counts:
        with tempfile.TemporaryDirectory() as spare:
            write(Path(spare), count)
            for engine in ENGINES:
                with get_context("spawn").Pool(1) as pool:
                    found.append(pool.apply(_in_child, (engine, Path(spare), count)))
    return found


def start_up(code: str) -> float:
    """Wall milliseconds of a whole Python process, the quickest of several."""
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append((time.perf_counter() - start) * 1_000)
    return min(times)


def show(found: list[Figures]) -> None:
    """The table: a row for each figure, the ratio to FTS5 beside it."""
    names = list(dict.fromkeys(name for each in found for name in each.values))
    width = max(map(len, names)) + 2
    for count in dict.fromkeys(each.notes for each in found):
        ours, theirs = (
            next(each.values for each in found if (each.engine, each.notes) == (engine, count)) for engine in ENGINES
        )
        print(f"\n{f'{count:,} notes':{width}}{'memvault':>12}{'FTS5':>12}{'ratio':>10}")
        for name in names:
            one, other = ours.get(name), theirs.get(name)
            ratio = f"{one / other:10.2f}" if one is not None and other else ""
            print(f"{name:{width}}{_cell(one)}{_cell(other)}{ratio}")


def _cell(value: float | None) -> str:
    return f"{'':12}" if value is None else f"{value:12,.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000])
    given = parser.parse_args()
    show(measure(given.notes))
    show_starts()


def show_starts() -> None:
    """Whole processes: what reading takes to load, and what writing does."""
    reading = "from memvault.storage.index.search.whoosh import WhooshBackend"
    bare, loaded, writing = (
        start_up(code) for code in ("pass", reading, "import memvault.storage.index.postings.write")
    )
    print(f"\nstart: python -c pass {bare:.1f} ms, to read {loaded:.1f} ms ({loaded / bare:.1f}x), ", end="")
    print(f"to write {writing:.1f} ms ({writing / bare:.1f}x)")


if __name__ == "__main__":
    main()
