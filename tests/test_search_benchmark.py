"""The benchmark of searching runs, on a vault far too small to measure anything."""

from __future__ import annotations

from collections import Counter
from gc import collect
from pathlib import Path
from statistics import median

import pytest

from tests.benchmarks.parts import questions
from tests.benchmarks.searchers import ENGINES, PURE, YARDSTICK, made, words_of


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "notes"
    questions.put_down(path, 60)
    return path


@pytest.mark.filterwarnings(  # Whoosh is not closed: its process ends with it
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("name", [PURE, YARDSTICK, "Whoosh"])
@pytest.mark.points(only=True)
def test_every_engine_finds_and_changes(notes: Path, tmp_path: Path, name: str) -> None:
    engine = made(name, tmp_path)
    rows = list(questions.rows(notes))
    engine.build(rows)
    engine.settle()
    engine.open()
    assert engine.ask(["zyzzyva"], 5) == []
    engine.update(rows[6]._replace(body="The zyzzyva is a weevil."))
    engine.open()
    assert len(engine.ask(["zyzzyva", "nowhere"], 5)) == 1
    del engine
    collect()  # here, where what was left open is no matter


def test_an_engine_is_measured_in_whole(notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UPDATES", "ROUNDS"):
        monkeypatch.setattr(questions, name, 2)
    asked = questions.questions(notes, 2)
    held = Counter(word for row in questions.rows(notes) for word in set(words_of(row.body)))
    common, rare = (median(held[word] for said in asked[kind] for word in said) for kind in ("common 8", "selective 8"))
    assert rare < common
    found = questions.measure_engine(YARDSTICK, tmp_path, notes, asked)
    assert found is not None
    assert {"update p50, ms", "common 3 first p50, ms", "selective 3 warm p95, ms"} < found.keys()


def test_what_is_not_installed_is_left_out(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: Path) -> None:
        raise ImportError

    monkeypatch.setattr("tests.benchmarks.searchers.ENGINES", {**ENGINES, "bm25s": absent})
    assert questions.measure_engine("bm25s", tmp_path, notes, {}) is None
