"""What finding costs beside other engines, which answer the same questions over the same notes, in CPU time."""

from __future__ import annotations

import marshal
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from memvault.text.terms import STOPWORDS
from tests.benchmarks.corpus import Corpus
from tests.benchmarks.measuring import cpu_ms, spread
from tests.benchmarks.parts.size import Size
from tests.benchmarks.searchers import BULK, PURE, YARDSTICK, Searcher, made, row_of, words_of
from tests.benchmarks.searchers import Row as NoteRow
from tests.benchmarks.table import Row, against

COMMON = "common 3"
KINDS = {
    COMMON: "3 common words",
    "prompt 3": "3 words of a prompt",
    "prompt 8": "8 words of a prompt",
    "selective 3": "3 rare words",
}
OURS = {PURE: "", BULK: ", numpy"}
WARM_BAR = {PURE: 0.1, BULK: 0.05}
LATE = 1.0, 0.5  # the slowest, and the first time

LIMIT = 10
UPDATES, ROUNDS = 20, 3
LENGTHS = (1, 3, 8)
SAMPLE, FEW, MANY = 2_000, 0.02, 0.05
BUILD_ONCE = ("memvault, numpy",)  # is built as without numpy

Figures = dict[str, float]
Questions = dict[str, list[list[str]]]
Found = Mapping[str, Mapping[str, float]]


def measured(size: Size) -> list[Row]:
    """Ratios to each engine that is installed."""
    found = ask_engines(size)
    return [*_against_the_yardstick(found, size), *_against_others(found, size)]


def ask_engines(size: Size) -> dict[str, Figures]:
    """Every engine that is installed over the same notes."""
    with tempfile.TemporaryDirectory() as spare:
        notes = Path(spare) / "notes"
        put_down(notes, size.notes)
        asked = questions(notes, size.questions)
        found = {name: _in_child(name, Path(spare), notes, asked) for name in size.engines}
    return {name: figures for name, figures in found.items() if figures is not None}


def _against_the_yardstick(found: Found, size: Size) -> Iterator[Row]:
    for engine, suffix in OURS.items():
        for label, words in KINDS.items():
            for when, part in (("warm", "p50"), ("warm", "p95"), ("first", "p50"), ("first", "p95")):
                bar, aim = _marks(engine, label, when, part)
                name = f"{words}, {'again' if when == 'warm' else 'first time'}, {part}{suffix}"
                yield from _ratio(found, size, engine, YARDSTICK, f"{label} {when} {part}, ms", name, bar, aim)
    yield from _ratio(found, size, PURE, YARDSTICK, "update p50, ms", "one note changed, words alone, p50", None, None)


def _marks(engine: str, label: str, when: str, part: str) -> tuple[float | None, float | None]:
    """What it must be and should be; a median asked again is held to something for common words alone."""
    if (when, part) != ("warm", "p50"):
        return LATE
    return (WARM_BAR[engine] if label == COMMON else None), None


def _against_others(found: Found, size: Size) -> Iterator[Row]:
    for other in (each for each in found if each not in (*OURS, YARDSTICK)):
        for label, words in KINDS.items():
            aim = 1.0 if (other, label) == ("tantivy", COMMON) else None
            yield from _ratio(found, size, PURE, other, f"{label} warm p50, ms", f"{words}, again, p50", None, aim)


def _ratio(
    found: Found, size: Size, ours: str, other: str, figure: str, name: str, bar: float | None, aim: float | None
) -> Iterator[Row]:
    mine, theirs = found.get(ours, {}).get(figure), found.get(other, {}).get(figure)
    if mine and theirs:
        bar, aim = (bar, aim) if size.is_held else (None, None)
        yield against(name, mine, theirs, other, bar=bar, aim=aim)


# -- what is asked, of what


def rows(path: Path) -> Iterator[NoteRow]:
    """The notes, one by one."""
    with path.open("rb") as file:
        while True:
            try:
                number, title, names, body = marshal.load(file)
            except EOFError:
                return
            yield NoteRow(number, title, names, body)


def put_down(path: Path, count: int) -> None:
    """Write the notes to a file from which every engine reads them."""
    with path.open("wb") as file:
        for number, note in enumerate(Corpus().notes(count), 1):
            marshal.dump(tuple(row_of(number, note)), file)


def questions(path: Path, each: int) -> Questions:
    """Questions of so many words.

    `prompt`: words as often as they stand in the texts, function words left out. `common` and `selective`: of these
    only words that stand in many notes, or in few.
    """
    chance = random.Random(7)
    sample: list[list[str]] = []
    for row in rows(path):
        if len(sample) == SAMPLE:
            break
        sample.append([word for word in words_of(row.body) if word not in STOPWORDS and word.isalpha()])
    held = Counter(word for words in sample for word in set(words))
    common = [[word for word in words if held[word] >= MANY * len(sample)] for words in sample]
    rare = [[word for word in words if held[word] <= FEW * len(sample)] for words in sample]
    asked: Questions = {}
    for name, source in (("common", common), ("prompt", sample), ("selective", rare)):
        usable = [words for words in source if len(set(words)) >= max(LENGTHS)]
        for length in LENGTHS:
            asked[f"{name} {length}"] = [_drawn(chance, chance.choice(usable), length) for _ in range(each)]
    return asked


def _drawn(chance: random.Random, words: list[str], length: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < length:
        found[chance.choice(words)] = None
    return list(found)


# -- measuring


def measure_engine(name: str, folder: Path, notes: Path, asked: Questions) -> Figures | None:
    """Everything about one engine, in a process of its own; None where it is not installed."""
    try:
        engine = made(name, folder)
    except ImportError:
        return None
    found: Figures = {}
    if name in BUILD_ONCE:
        engine.settle()  # after the updates of the one before
    else:
        engine.build(rows(notes))
        engine.settle()
    for label in KINDS:
        found |= _asked(engine, label, asked[label])
    return found | _updated(engine, notes)


def _asked(engine: Searcher, label: str, several: list[list[str]]) -> Figures:
    """First with nothing remembered, then again; of several rounds the fastest of each question."""
    engine.open()
    engine.ask(["zyzzyva"], LIMIT)  # whatever is loaded once for all questions
    first = [cpu_ms(partial(engine.ask, words, LIMIT)) for words in several]
    again = [[cpu_ms(partial(engine.ask, words, LIMIT)) for words in several] for _ in range(ROUNDS)]
    values = (*spread(first), *spread([min(times) for times in zip(*again, strict=True)]))
    names = (f"{label} {when} {part}, ms" for when in ("first", "warm") for part in ("p50", "p95"))
    return dict(zip(names, values, strict=True))


def _updated(engine: Searcher, notes: Path) -> Figures:
    changed: list[NoteRow] = []
    for row in rows(notes):
        if len(changed) == UPDATES:
            break
        changed.append(row._replace(body=f"{row.body}\n\nChanged."))
    try:
        times = [cpu_ms(partial(engine.update, row)) for row in changed]
    except NotImplementedError:
        return {}
    p50, p95 = spread(times)
    return {"update p50, ms": p50, "update p95, ms": p95}


def _in_child(name: str, spare: Path, notes: Path, asked: Questions) -> Figures | None:
    folder = spare / (PURE if name in BUILD_ONCE else name)
    folder.mkdir(exist_ok=True)
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measure_engine, (name, folder, notes, asked))
