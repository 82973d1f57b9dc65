"""Engines asked the same questions over the same notes, in one run: `python -m tests.benchmarks.search --notes 1000 10000`.

Times are CPU time: another program on the machine must not decide the ratios. `--json FILE` keeps the figures,
`--check FILE` compares the ratios of this run with those of an earlier one and fails where one is much worse.
"""

from __future__ import annotations

import argparse
import json
import marshal
import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from memvault.text.terms import STOPWORDS
from tests.benchmarks.corpus import Corpus
from tests.benchmarks.index_build import start_up
from tests.benchmarks.measuring import cpu_ms, peak, size_of, spread
from tests.benchmarks.searchers import ENGINES, PURE, YARDSTICK, Row, Searcher, made, row_of, words_of

LIMIT = 10
QUESTIONS, UPDATES, ROUNDS = 60, 20, 3
LENGTHS = (1, 3, 8)
SAMPLE, FEW, MANY = 2_000, 0.02, 0.05
WORSE = 1.3  # a ratio that has grown by more than that is told
BUILD_ONCE = ("memvault, numpy",)  # is built as without numpy

Figures = dict[str, float]
Questions = dict[str, list[list[str]]]


# -- what is asked, of what


def rows(path: Path) -> Iterator[Row]:
    """The notes, one by one."""
    with path.open("rb") as file:
        while True:
            try:
                number, title, names, body = marshal.load(file)
            except EOFError:
                return
            yield Row(number, title, names, body)


def put_down(path: Path, count: int) -> int:
    """Write the notes to a file from which every engine reads them; says how many bytes of text they have."""
    size = 0
    with path.open("wb") as file:
        for number, note in enumerate(Corpus().notes(count), 1):
            size += len(note.body.encode())
            marshal.dump(tuple(row_of(number, note)), file)
    return size


def questions(path: Path, each: int = QUESTIONS) -> tuple[Questions, dict[str, float]]:
    """Questions of so many words, and in how many of the notes half of the words stand at most.

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
    share: dict[str, float] = {}
    for name, source in (("common", common), ("prompt", sample), ("selective", rare)):
        usable = [words for words in source if len(set(words)) >= max(LENGTHS)]
        for length in LENGTHS:
            asked[f"{name} {length}"] = [_drawn(chance, chance.choice(usable), length) for _ in range(each)]
        words = [word for question in asked[f"{name} {max(LENGTHS)}"] for word in question]
        share[name] = statistics.median(held[word] for word in words) / len(sample)
    return asked, share


def _drawn(chance: random.Random, words: list[str], length: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < length:
        found[chance.choice(words)] = None
    return list(found)


# -- measuring


def measured(name: str, folder: Path, notes: Path, asked: Questions, text: int) -> Figures | None:
    """Everything about one engine, in a process of its own; None where it is not installed."""
    try:
        engine = made(name, folder)
    except ImportError:
        return None
    found: Figures = {}
    if name in BUILD_ONCE:
        engine.settle()  # after the updates of the one before
    else:
        found |= _built(engine, notes, folder, text)
    for label, several in asked.items():
        found |= _asked(engine, label, several)
    return found | _updated(engine, notes)


def _built(engine: Searcher, notes: Path, folder: Path, text: int) -> Figures:
    count, before = sum(1 for _ in rows(notes)), peak()
    idle = cpu_ms(lambda: sum(1 for _ in rows(notes)))
    taken = cpu_ms(lambda: engine.build(rows(notes))) - idle
    used = peak() - before
    settled = cpu_ms(engine.settle)
    return {
        "build, notes/s": count / taken * 1_000,
        "merging when idle, s": settled / 1_000,
        "memory of building, MB": used,
        "index / text": size_of(folder) / text,
    }


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
    changed: list[Row] = []
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


def run(counts: Sequence[int], engines: Sequence[str], *, each: int = QUESTIONS) -> dict[str, Any]:
    """Every engine with every number of notes."""
    found: dict[str, Any] = {}
    for count in counts:
        with tempfile.TemporaryDirectory() as spare:
            notes = Path(spare) / "notes"
            text = put_down(notes, count)
            asked, share = questions(notes, each)
            print(f"{count:,} notes, {text:,} bytes; half of the words stand in at most", end=" ")
            print(", ".join(f"{part:.1%} of the notes ({name})" for name, part in share.items()), flush=True)
            figures = {name: _in_child(name, Path(spare), notes, asked, text) for name in engines}
        found[str(count)] = {name: each for name, each in figures.items() if each is not None}
        show(found[str(count)])
    return found


def _in_child(name: str, spare: Path, notes: Path, asked: Questions, text: int) -> Figures | None:
    folder = spare / (PURE if name in BUILD_ONCE else name)
    folder.mkdir(exist_ok=True)
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measured, (name, folder, notes, asked, text))


# -- showing and comparing


def show(figures: dict[str, Figures]) -> None:
    """A row for each figure, the yardstick's ratio to ours behind it."""
    names = list(dict.fromkeys(name for each in figures.values() for name in each))
    width = max(map(len, names)) + 2
    print(f"{'':{width}}" + "".join(f"{engine:>17}" for engine in figures))
    for name in names:
        cells = (each.get(name) for each in figures.values())
        print(f"{name:{width}}" + "".join(f"{'':17}" if cell is None else f"{cell:17,.3f}" for cell in cells))
    sys.stdout.flush()


def ratios(found: dict[str, Any]) -> dict[str, float]:
    """Ours against the yardstick of the same run, so that less is better."""
    against: dict[str, float] = {}
    for count, figures in found.items():
        theirs = figures.get(YARDSTICK, {})
        for engine in (each for each in figures if each.startswith(PURE)):
            for name, value in figures[engine].items():
                other = theirs.get(name)
                if other and value and "memory" not in name:
                    is_rate = name.endswith("/s")
                    against[f"{count} {engine}: {name}"] = other / value if is_rate else value / other
    return against


def worse(now: dict[str, float], before: dict[str, float]) -> list[str]:
    """The ratios that have grown by more than chance may do."""
    return [
        f"{name}: {now[name]:.3f} of {YARDSTICK}'s, {value:.3f} before"
        for name, value in before.items()
        if now.get(name, 0.0) > value * WORSE
    ]


def checked(now: dict[str, float], before: dict[str, float]) -> int:
    """Tell what got worse; the exit code, which is no success where there was nothing to compare."""
    common = now.keys() & before.keys()
    told = (
        worse(now, before) if common else ["nothing to compare: that run had other numbers of notes, or other engines"]
    )
    print("\n".join(told) or f"of {len(common)} ratios none is much worse than before")
    return int(bool(told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each kind")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", type=Path)
    given = parser.parse_args()
    print(f"python -c pass: {start_up('pass'):.1f} ms of wall time")
    found = run(given.notes, given.engines, each=given.questions)
    if given.json:
        given.json.write_text(json.dumps({"figures": found, "ratios": ratios(found)}, indent=1) + "\n")
    if given.check:
        sys.exit(checked(ratios(found), json.loads(given.check.read_text())["ratios"]))


if __name__ == "__main__":
    main()
