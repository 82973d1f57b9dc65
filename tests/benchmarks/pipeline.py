"""Whole recalls by a process that runs on, beside bare queries of others: `python -m tests.benchmarks.pipeline --notes 10000`.

A recall reads the question, searches, opens the notes it finds, says how sure it is, folds what is alike, looks for what
contradicts it and packs all that into the budget; the others give numbers of notes. Times are CPU time, the engines take
turns, and each question is asked once after others were. `--folder DIR` keeps what is built for the next run.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from memvault import Memvault
from memvault.core.stopwords import STOPWORDS
from tests.benchmarks.corpus import Corpus, write
from tests.benchmarks.searchers import Fts5, Row, Searcher, Whoosh

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
LIMIT = 10
QUESTIONS = 60
LOOKS = 15

Ask = Callable[[str], object]


def main() -> None:
    """Build, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        folder = given.folder or Path(spare)
        vault = folder / "vault"
        if not vault.is_dir():
            Memvault.init(vault, clock=lambda: NOW)
            write(vault, given.notes)
        with Memvault(vault, clock=lambda: NOW, environment={"HOME": str(folder)}) as opened:
            _print_scan(opened, vault)
            _print_recall(opened, others(folder, given.notes))


def others(folder: Path, count: int) -> Mapping[str, Ask]:
    """Whoosh and FTS5 over the same texts."""
    made: dict[str, Ask] = {}
    engines: dict[str, Callable[[Path], Searcher]] = {"plain Whoosh": Whoosh, "FTS5": Fts5}
    for name, engine in engines.items():
        place = folder / name.replace(" ", "-")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        searcher = engine(place)
        notes = enumerate(Corpus().notes(count))
        searcher.build(Row(number, note.title, (*note.tags, *note.people), note.body) for number, note in notes)
        searcher.open()
        made[name] = partial(_ask, searcher)
    return made


def _ask(searcher: Searcher, question: str) -> object:
    return searcher.ask(telling(question), LIMIT)


def telling(question: str) -> list[str]:
    """The words of a question without those that ours passes over, too: they are in every note and cost the most."""
    return [word for word in question.split() if word not in STOPWORDS] or question.split()


def _print_recall(vault: Memvault, bare: Mapping[str, Ask]) -> None:
    asks: dict[str, Ask] = {
        "memvault, vouched for": lambda text: vault.recall(text, limit=LIMIT, min_similarity=0.0, fresh=True),
        "memvault, with its scan": lambda text: vault.recall(text, limit=LIMIT, min_similarity=0.0),
        **bare,
    }
    corpus = Corpus()
    sets = {
        "prompts": corpus.prompts(2 * QUESTIONS),
        "selective": corpus.selective(2 * QUESTIONS),
    }
    for label, questions in sets.items():
        taken = times(asks, questions)
        least = median(taken["FTS5"]), _late(taken["FTS5"])
        print(f"{label:28}{'p50 ms':>9}{'p95 ms':>9}{'of FTS5':>9}{'p95':>7}{'of Whoosh':>11}")
        for name, found in taken.items():
            ratios = (median(found) / least[0], _late(found) / least[1], median(found) / median(taken["plain Whoosh"]))
            print(f"{name:28}{median(found):9.2f}{_late(found):9.2f}{ratios[0]:9.2f}{ratios[1]:7.2f}{ratios[2]:11.2f}")


def times(asks: Mapping[str, Ask], questions: list[str]) -> dict[str, list[float]]:
    """CPU milliseconds of the second half of the questions, which nobody was asked before."""
    taken: dict[str, list[float]] = {name: [] for name in asks}
    gc.collect()
    for number, question in enumerate(questions):
        for name, ask in asks.items():
            began = process_time()
            ask(question)
            if number >= len(questions) // 2:
                taken[name].append(1_000 * (process_time() - began))
    return taken


def _late(found: list[float]) -> float:
    return sorted(found)[int(0.95 * len(found))]


def _print_scan(vault: Memvault, root: Path) -> None:
    """What it takes to see that nothing has changed, beside a plain walk that looks at every file."""
    vault.recall("warm")
    looks: dict[str, Callable[[], object]] = {"scandir and stat": lambda: _walked(str(root)), "freshen": vault.freshen}
    taken: dict[str, list[float]] = {name: [] for name in looks}
    for _ in range(LOOKS):
        for name, look in looks.items():
            began = process_time()
            look()
            taken[name].append(1_000 * (process_time() - began))
    plain, ours = (median(found) for found in taken.values())
    print(f"no-change scan: {ours:.1f} ms, {ours / plain:.2f} of scandir and stat ({plain:.1f} ms); {sys.platform}")


def _walked(folder: str) -> int:
    count = 0
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                count += _walked(entry.path)
            else:
                entry.stat()
                count += 1
    return count


if __name__ == "__main__":
    main()
