"""Whole recalls by a process that runs on, beside bare queries of others, and the look at every file.

A recall reads the question, searches, opens the notes it finds, says how sure it is, folds what is alike, looks for what
contradicts it and packs all that into the budget; the others give numbers of notes. Times are CPU time, the engines take
turns, and each question is asked once after others were.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from memvault import Memvault
from memvault.core.query import NO_FILTERS, Filters
from memvault.text.terms import STOPWORDS
from tests.benchmarks.corpus import Corpus, write
from tests.benchmarks.measuring import by_turns, cpu_ms, scanned, spread
from tests.benchmarks.parts.size import Size
from tests.benchmarks.searchers import YARDSTICK, Fts5, Searcher, Whoosh, row_of
from tests.benchmarks.table import Row, against

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
LIMIT = 10

VAULT, WHOOSH = "vault", "plain Whoosh"
VOUCHED, FILTERED, SCANNING = "memvault, vouched for", "memvault, with filters", "memvault, with its scan"
WALK, FRESHEN = "scandir and stat", "freshen"
FILTERS = Filters(types=frozenset({"memory", "learning"}), statuses=frozenset({"active"}))

Ask = Callable[[str], object]
WAYS = {FILTERED: "with filters", VOUCHED: "plain", SCANNING: "with the look at every file"}


def measured(size: Size) -> list[Row]:
    """Ratios to the bare queries of others, and to a plain walk."""
    with tempfile.TemporaryDirectory() as name, opened(Path(name), size.notes) as vault:
        looked = looks(vault, Path(name) / VAULT, size.looks)
        engines = asks(vault, others(Path(name), size.notes))
        taken = {kind: times(engines, asked) for kind, asked in questions(size.questions).items()}
    return [*_look(looked), *(row for kind, found in taken.items() for row in _recalls(kind, found, size))]


def _look(looked: Mapping[str, list[float]]) -> Iterator[Row]:
    for part, ours, plain in zip(("p50", "p95"), spread(looked[FRESHEN]), spread(looked[WALK]), strict=True):
        bar, aim = (1.3, 1.1) if part == "p50" else (None, None)
        yield against(f"no-change look, {part}", ours, plain, "scandir, stat", bar=bar, aim=aim)


def _recalls(kind: str, taken: Mapping[str, list[float]], size: Size) -> Iterator[Row]:
    for way, label in WAYS.items():
        bar, aim = (1.0, 0.2) if size.is_held and way == FILTERED else (None, None)
        for part, ours, bare in zip(("p50", "p95"), spread(taken[way]), spread(taken[YARDSTICK]), strict=True):
            name = f"whole recall, {kind}, {label}, {part}"
            yield against(name, ours, bare, YARDSTICK, bar=bar, aim=aim)
    ours, bare = spread(taken[FILTERED])[0], spread(taken[WHOOSH])[0]
    name = f"whole recall, {kind}, {WAYS[FILTERED]}, p50"
    yield against(name, ours, bare, WHOOSH)


def opened(folder: Path, count: int) -> Memvault:
    """A vault in that folder."""
    Memvault.init(folder / VAULT, clock=lambda: NOW)
    write(folder / VAULT, count)
    return Memvault(folder / VAULT, clock=lambda: NOW, environment={"HOME": str(folder)})


def others(folder: Path, count: int) -> Mapping[str, Ask]:
    """Whoosh and FTS5 over the same texts."""
    made: dict[str, Ask] = {}
    engines: dict[str, Callable[[Path], Searcher]] = {WHOOSH: Whoosh, YARDSTICK: Fts5}
    for name, engine in engines.items():
        place = folder / name.replace(" ", "-")
        place.mkdir()
        searcher = engine(place)
        searcher.build(row_of(number, note) for number, note in enumerate(Corpus().notes(count)))
        searcher.open()
        made[name] = partial(_ask, searcher)
    return made


def _ask(searcher: Searcher, question: str) -> object:
    return searcher.ask(telling(question), LIMIT)


def telling(question: str) -> list[str]:
    """The words of a question without those that ours passes over, too: they are in every note and cost the most."""
    return [word for word in question.split() if word not in STOPWORDS] or question.split()


def asks(vault: Memvault, bare: Mapping[str, Ask]) -> Mapping[str, Ask]:
    """Whole recalls within the budget and over all fields, beside the bare queries."""

    def recall(text: str, *, filters: Filters = NO_FILTERS, fresh: bool = True) -> object:
        return vault.recall(text, limit=LIMIT, min_similarity=0.0, filters=filters, fresh=fresh)

    return {VOUCHED: recall, FILTERED: partial(recall, filters=FILTERS), SCANNING: partial(recall, fresh=False), **bare}


def questions(count: int) -> Mapping[str, list[str]]:
    """So many of each kind to measure with, and as many to ask before."""
    corpus = Corpus()
    return {"prompts": corpus.prompts(2 * count), "selective": corpus.selective(2 * count)}


def times(asks: Mapping[str, Ask], questions: list[str]) -> dict[str, list[float]]:
    """CPU milliseconds of the second half of the questions, which nobody was asked before."""
    taken: dict[str, list[float]] = {name: [] for name in asks}
    gc.collect()
    for question in questions:
        for name, ask in asks.items():
            taken[name].append(cpu_ms(partial(ask, question)))
    return {name: found[len(questions) // 2 :] for name, found in taken.items()}


def looks(vault: Memvault, root: Path, count: int) -> dict[str, list[float]]:
    """CPU milliseconds to see that nothing has changed, beside a plain walk that looks at every file."""
    vault.recall("warm")
    acts: dict[str, Callable[[], object]] = {WALK: partial(scanned, str(root)), FRESHEN: vault.refresh}
    return by_turns({name: partial(cpu_ms, act) for name, act in acts.items()}, count)
