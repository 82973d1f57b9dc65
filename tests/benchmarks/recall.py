"""How well what is meant is found, and whether the similarity is honest: `python -m tests.benchmarks.recall [--dev FOLDER]`.

The notes of several people with their questions, a column for each half that is there; and with `--dev` every file
`*-dev.json` of a folder that holds conversations, as `tests.benchmarks.retrieval` reads them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from memvault import Memvault
from tests.benchmarks.engines import Ours, turns_of
from tests.benchmarks.notes import SURE, Found, Row, row
from tests.benchmarks.recalled import MEASURES as OF_TURNS
from tests.benchmarks.recalled import means
from tests.benchmarks.retrieval import answered

HALVES = Path(__file__).parents[1] / "labelled"
STEPS = (SURE, 0.6, 0.8, 1.01)
DEPTH = 10


class AskedQuestion(NamedTuple):
    """A question of one person: its sort, the notes that answer it, and the day on which it was asked."""

    vault: str
    sort: str
    text: str
    gold: frozenset[str]
    asked: datetime


class AnsweredQuestion(NamedTuple):
    """A question, its hits, best first, and how long they took, in milliseconds."""

    question: AskedQuestion
    hits: Found
    taken: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", type=Path, help="a folder of conversations with questions")
    parser.add_argument(
        "--misses", action="store_true", help="print what is not found first, of the half that was seen"
    )
    parser.add_argument("--by-category", action="store_true")
    chosen = parser.parse_args()
    halves = {name: answer_half(HALVES / name) for name in ("seen", "unseen") if (HALVES / name).is_dir()}
    print_columns({name: note_figures(found) for name, found in halves.items()})
    if chosen.by_category:
        sorts = dict.fromkeys(each.question.sort for found in halves.values() for each in found)
        for sort in sorts:
            print_columns({name: sort_figures(found, sort) for name, found in halves.items()})
    for path in sorted(chosen.dev.glob("*-dev.json")) if chosen.dev else ():
        conversations = json.loads(path.read_text(encoding="utf-8"))
        if all("turns" in one for one in conversations):
            print_columns({path.stem: turn_figures(conversations)})
    if chosen.misses:
        print_misses(halves["seen"])


# -- notes


def answer_half(half: Path) -> list[AnsweredQuestion]:
    """Return what is found for every question of one half."""
    questions = read_questions(half)
    found = []
    for vault in dict.fromkeys(each.vault for each in questions):
        with open_notes(half, vault) as ask:
            found += [ask(each) for each in questions if each.vault == vault]
    return found


def read_questions(half: Path) -> list[AskedQuestion]:
    """Return the questions of one half."""
    return [
        AskedQuestion(
            each["vault"],
            each["kind"],
            each["question"],
            frozenset(each["answers"]),
            datetime.fromisoformat(each["asked"]).replace(hour=12, tzinfo=UTC),
        )
        for each in _read_lines(half / "questions.jsonl")
    ]


@contextmanager
def open_notes(half: Path, vault: str) -> Iterator[Callable[[AskedQuestion], AnsweredQuestion]]:
    """Yield what answers the questions of one person, in a vault of that person's notes."""
    now = [datetime(2026, 5, 1, 12, tzinfo=UTC)]
    with TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        Memvault.init(root, clock=lambda: now[0])
        for note in _read_lines(half / "notes.jsonl"):
            if note["vault"] == vault:
                path = root / note["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(note["text"], encoding="utf-8")
        with Memvault(root, clock=lambda: now[0], environment={"HOME": folder}) as opened:
            opened.recall("warm")

            def ask(question: AskedQuestion) -> AnsweredQuestion:
                now[0] = question.asked
                began = perf_counter()
                found = opened.recall(question.text, limit=DEPTH, min_similarity=0.0, budget=100_000, fresh=True)
                taken = 1_000 * (perf_counter() - began)
                return AnsweredQuestion(question, [(hit.memory.path, hit.similarity) for hit in found.hits], taken)

            yield ask


def _read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def note_figures(found: Sequence[AnsweredQuestion]) -> dict[str, str]:
    """Return how well notes are found, and what their similarity is worth."""
    told = [each for each in found if each.question.gold]
    none = [each for each in found if not each.question.gold]
    first, five, rank = means([_row_of(each) for each in told])
    figures = {
        "notes R@1": f"{first:.1f}",
        "notes R@5": f"{five:.1f}",
        "notes MRR": f"{rank:.1f}",
        "ms, p50": f"{median(each.taken for each in found):.1f}",
    }
    for name, depth in (("first hits", 1), ("hits", 5)):
        judged = [hit for each in found for hit in _judged(each)[:depth]]
        for low, high in zip((0.0, *STEPS), STEPS, strict=False):
            figures[f"of {name} at {low:.1f} to {min(high, 1.0):.1f}, right"] = _share_right(judged, low, high)
        figures[f"of {name} at {SURE} and above, right"] = _share_right(judged, SURE, STEPS[-1])
    passing = [any(right and sure >= SURE for right, sure in _judged(each)) for each in told]
    figures["of questions with answers, the answer at 0.4"] = f"{100 * fmean(passing):.0f} % of {len(told)}"
    refused = fmean(any(sure >= SURE for _, sure in each.hits) for each in none)
    figures["of questions without, anything at 0.4"] = f"{100 * refused:.0f} % of {len(none)}"
    return figures


def sort_figures(found: Sequence[AnsweredQuestion], sort: str) -> dict[str, str]:
    """Return how well the notes for one sort of question are found."""
    rows = [_row_of(each) for each in found if each.question.sort == sort and each.question.gold]
    return {f"{sort} ({len(rows)}): R@1 R@5 MRR": " ".join(f"{value:.1f}" for value in means(rows))} if rows else {}


def _row_of(each: AnsweredQuestion) -> Row:
    return row(each.hits, each.question)


def _judged(each: AnsweredQuestion) -> list[tuple[bool, float]]:
    """Return for each hit whether it is right, and its similarity."""
    return [(name in each.question.gold, sure) for name, sure in each.hits]


def _share_right(judged: Sequence[tuple[bool, float]], low: float, high: float) -> str:
    some = [right for right, sure in judged if low <= sure < high]
    return f"{100 * fmean(some):.0f} % of {len(some)}" if some else "-"


def print_misses(found: Sequence[AnsweredQuestion]) -> None:
    """Print the questions whose first hit is wrong or unsure, and those without an answer that get one."""
    for each in found:
        gold = each.question.gold
        if gold and each.hits and each.hits[0][0] in gold and each.hits[0][1] >= SURE:
            continue
        if not gold and not any(sure >= SURE for _, sure in each.hits):
            continue
        places = [f"{at}. {name} {sure:.2f}" for at, (name, sure) in enumerate(each.hits, 1) if at < 4 or name in gold]
        print(f"{each.question.sort:10} {each.question.text}\n    {' | '.join(places)}\n    wanted: {', '.join(gold)}")


# -- conversations


def turn_figures(conversations: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Return the share of the evidence in so many tokens, over the turns of conversations."""
    rows, times = [], []
    for one in conversations:
        found, taken = answered(one, Ours(turns_of(one)))
        rows += found
        times += taken
    figures = {name: f"{value:.1f}" for name, value in zip(OF_TURNS, means(rows), strict=True)}
    return {**figures, "ms, p50": f"{median(times):.1f}"}


def print_columns(columns: Mapping[str, Mapping[str, str]]) -> None:
    """Print figures with a column for each set."""
    print(f"\n{'':52}" + "".join(f"{name:>16}" for name in columns))
    for name in next(iter(columns.values()), {}):
        print(f"{name:52}" + "".join(f"{column.get(name, ''):>16}" for column in columns.values()))


if __name__ == "__main__":
    main()
