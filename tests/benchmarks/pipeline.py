"""Whole recalls by a process that runs on, beside bare queries of others: `python -m tests.benchmarks.pipeline --notes 10000`.

A recall reads the question, searches, opens the notes it finds, says how sure it is, folds what is alike, looks for what
contradicts it and packs all that into the budget; the others give numbers of notes. Times are CPU time, the engines take
turns, and each question is asked once after others were. `--folder DIR` keeps what is built for the next run.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from memvault import Memvault
from memvault.core.query import NO_FILTERS, Filters
from memvault.text.terms import STOPWORDS
from tests.benchmarks.corpus import Corpus, write
from tests.benchmarks.measuring import by_turns, cpu_ms, scanned, spread
from tests.benchmarks.searchers import YARDSTICK, Fts5, Searcher, Whoosh, row_of

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
LIMIT = 10
QUESTIONS = 60
LOOKS = 15

VAULT, WHOOSH = "vault", "plain Whoosh"
VOUCHED, FILTERED, SCANNING = "memvault, vouched for", "memvault, with filters", "memvault, with its scan"
WALK, FRESHEN = "scandir and stat", "freshen"
FILTERS = Filters(types=frozenset({"memory", "learning"}), statuses=frozenset({"active"}))

Ask = Callable[[str], object]


def main() -> None:
    """Build, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        folder = given.folder or Path(spare)
        with opened(folder, given.notes) as vault:
            _print_scan(vault, folder / VAULT)
            _print_recall(vault, others(folder, given.notes))


def opened(folder: Path, count: int) -> Memvault:
    """The vault in that folder, made where there is none."""
    if not (folder / VAULT).is_dir():
        Memvault.init(folder / VAULT, clock=lambda: NOW)
        write(folder / VAULT, count)
    return Memvault(folder / VAULT, clock=lambda: NOW, environment={"HOME": str(folder)})


def others(folder: Path, count: int) -> Mapping[str, Ask]:
    """Whoosh and FTS5 over the same texts."""
    made: dict[str, Ask] = {}
    engines: dict[str, Callable[[Path], Searcher]] = {WHOOSH: Whoosh, YARDSTICK: Fts5}
    for name, engine in engines.items():
        place = folder / name.replace(" ", "-")
        shutil.rmtree(place, ignore_errors=True)
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


def _print_recall(vault: Memvault, bare: Mapping[str, Ask]) -> None:
    for label, asked in questions(QUESTIONS).items():
        taken = times(asks(vault, bare), asked)
        least, whoosh = spread(taken[YARDSTICK]), median(taken[WHOOSH])
        print(f"{label:28}{'p50 ms':>9}{'p95 ms':>9}{'of FTS5':>9}{'p95':>7}{'of Whoosh':>11}")
        for name, found in taken.items():
            p50, p95 = spread(found)
            print(f"{name:28}{p50:9.2f}{p95:9.2f}{p50 / least[0]:9.2f}{p95 / least[1]:7.2f}{p50 / whoosh:11.2f}")


def _print_scan(vault: Memvault, root: Path) -> None:
    plain, ours = (median(found) for found in looks(vault, root, LOOKS).values())
    print(f"no-change scan: {ours:.1f} ms, {ours / plain:.2f} of scandir and stat ({plain:.1f} ms); {sys.platform}")


if __name__ == "__main__":
    main()
