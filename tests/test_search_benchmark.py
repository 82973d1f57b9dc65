"""The benchmark of searching runs, on a vault far too small to measure anything, and tells what got worse."""

from __future__ import annotations

from gc import collect
from pathlib import Path

import pytest

from tests.benchmarks import search
from tests.benchmarks.searchers import ENGINES, PURE, YARDSTICK, made


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "notes"
    search.put_down(path, 60)
    return path


@pytest.mark.filterwarnings(  # Whoosh is not closed: its process ends with it
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("name", [PURE, YARDSTICK, "Whoosh"])
def test_every_engine_finds_and_changes(notes: Path, tmp_path: Path, name: str) -> None:
    engine = made(name, tmp_path)
    rows = list(search.rows(notes))
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
        monkeypatch.setattr(search, name, 2)
    asked, share = search.questions(notes, 2)
    assert share["selective"] < share["common"]
    found = search.measured(YARDSTICK, tmp_path, notes, asked, 1_000)
    assert found is not None
    assert {"build, notes/s", "index / text", "common 3 first p50, ms", "selective 8 warm p95, ms"} < found.keys()


def test_what_is_not_installed_is_left_out(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: Path) -> None:
        raise ImportError

    monkeypatch.setattr("tests.benchmarks.searchers.ENGINES", {**ENGINES, "bm25s": absent})
    assert search.measured("bm25s", tmp_path, notes, {}, 1) is None


def test_only_what_got_much_worse_is_told() -> None:
    def ran(ours: float, theirs: float) -> dict[str, float]:
        figures = {PURE: {"update p50, ms": ours, "build, notes/s": 100 / ours}, YARDSTICK: {}}
        figures[YARDSTICK] = {"update p50, ms": theirs, "build, notes/s": 100 / theirs}
        return search.ratios({"100": figures})

    assert ran(2.0, 4.0) == {f"100 {PURE}: {name}": 0.5 for name in ("update p50, ms", "build, notes/s")}
    assert search.worse(ran(4.0, 8.0), ran(2.0, 4.0)) == [], "another machine is not a worse program"
    assert len(search.worse(ran(4.0, 4.0), ran(2.0, 4.0))) == 2


def test_a_check_that_compares_nothing_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert search.checked({"1000 x": 0.5}, {"10000 x": 0.5}) == 1
    assert "nothing to compare" in capsys.readouterr().out
    assert search.checked({"1000 x": 0.5}, {"1000 x": 0.5}) == 0
    assert search.checked({"1000 x": 0.7}, {"1000 x": 0.5}) == 1
