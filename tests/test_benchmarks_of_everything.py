"""The one run that measures everything runs, on vaults far too small to measure anything, and tells what got worse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tests.benchmarks import everything, table, wheel
from tests.benchmarks.corpus import write
from tests.benchmarks.parts import ONCE, PARTS, commands, crowd, harm, index, measured, memory, questions
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import Stage
from tests.benchmarks.searchers import PURE, YARDSTICK
from tests.benchmarks.table import TIMES, Row, Verdict

# What measures is no part of what people run, and takes many processes.
pytestmark = pytest.mark.points(only=True)

TINY = Size(
    notes=12,
    questions=1,
    looks=1,
    runs=1,
    saves=1,
    seconds=0.2,
    callers=2,
    storm=6,
    kills=1,
    damages=1,
    engines=(PURE, YARDSTICK),
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A vault with a daemon that answers, for whoever needs one."""
    made = Stage(tmp_path_factory.mktemp("stage"), TINY.notes, as_module=True)
    with made.porter():
        yield made


@posix
@pytest.mark.parametrize("part", [commands, crowd, memory], ids=lambda part: part.__name__.rpartition(".")[2])
def test_a_daemon_is_measured(part: ModuleType, stage: Stage) -> None:
    if part is memory and not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell the memory")
    rows = part.measured_on(stage, TINY)
    assert any(row.bar for row in rows)
    assert not any("errors" in row.name and row.value for row in rows)


@posix
@pytest.mark.filterwarnings(  # Whoosh is not closed: its process ends with it
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("part", ["recalls", "saves", "storm", "harm"])
def test_a_part_is_measured(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harm, "NOTES", 4)
    rows = measured(part, TINY)
    assert rows
    assert {row.part for row in rows} == {part}
    assert {f"everything --parts {part}" in row.command for row in rows} == {True}
    assert {row.notes for row in rows} == {0 if part in ONCE else TINY.notes}


def test_the_index_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "UPDATES", 1)
    write(tmp_path, TINY.notes)
    found = [engine(tmp_path, TINY.notes) for engine in index.ENGINES]
    monkeypatch.setattr(index, "measure", lambda _count: found)
    built = next(row for row in index.measured(TINY) if row.unit == "notes/s")
    assert built.value > 0
    assert built.more


def test_questions_are_held_to_what_they_must_only_where_there_are_many_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {f"common 3 {when} {part}, ms": 1.0 for when in ("first", "warm") for part in ("p50", "p95")}
    theirs = dict.fromkeys(figures, 20.0)
    monkeypatch.setattr(questions, "ask_engines", lambda _size: {PURE: figures, YARDSTICK: theirs})
    few, many = questions.measured(TINY), questions.measured(TINY.of(10_000))
    assert [row.value for row in few] == [row.value for row in many] == [0.05] * 4
    assert {row.verdict for row in few} == {Verdict.NONE}
    assert {row.verdict for row in many} == {Verdict.MET, Verdict.AIM}


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@posix
def test_one_command_measures_shows_keeps_and_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "run.json"
    words = "--here --notes 6 --parts saves --saves 1 --looks 1".split()
    monkeypatch.setattr(sys, "argv", ["everything", *words, "--json", str(kept)])
    with pytest.raises(SystemExit) as ended:
        everything.main()
    assert not ended.value.code, told(capsys)
    rows = table.read(kept.read_text(encoding="utf-8"))
    assert {row.part for row in rows} == {"saves"}
    assert not everything.compared(rows, rows)


def test_a_part_that_fails_does_not_stop_the_rest_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def in_child(_where: object, part: str, size: Size, _folder: Path) -> list[Row]:
        if part == "saves":
            raise everything.Failed("no watch here")
        return [Row(part, 1.0, TIMES, notes=size.notes)]

    monkeypatch.setattr(everything, "in_child", in_child)
    rows, failed = everything.run(wheel.here(), TINY, [10, 20], list(PARTS), tmp_path)
    assert failed == 2
    assert len(rows) == 2 * len(PARTS) - 2 - len(ONCE)
    assert "no watch here" in told(capsys)


# -- the rows


def test_a_row_knows_whether_it_is_as_it_must_be() -> None:
    row = Row("x", 1.0, TIMES, bar=2.0, aim=0.5)
    assert row.verdict is Verdict.MET
    assert replace(row, value=0.5).verdict is Verdict.AIM
    assert replace(row, value=2.1).verdict is Verdict.MISSED
    assert replace(row, value=2.1, more=True).verdict is Verdict.AIM
    assert replace(row, value=1.9, aim=None, more=True).verdict is Verdict.MISSED
    assert replace(row, bar=None, aim=None).verdict is Verdict.NONE
    assert replace(row, value=0.0, bar=0.0, aim=None).verdict is Verdict.MET
    assert "MISSED" in table.show([replace(row, value=2.1)])


def test_rows_are_read_as_they_were_written() -> None:
    rows = [Row("x", 1.5, TIMES, "FTS5", 2.0, 0.5, shown="3 of 2 ms", notes=10), Row("y", 0.0, "", more=True)]
    assert table.read(table.written(rows, {"python": "3"})) == rows


def test_only_ratios_of_the_same_figure_are_compared() -> None:
    before = [Row("x, p50", 1.0, TIMES, notes=10), Row("x, p95", 1.0, TIMES, notes=10), Row("y", 1.0, "ms", notes=10)]
    assert table.checked([replace(row, value=1.29) for row in before], before) == ([], 2)
    worse, count = table.checked([replace(row, value=1.5) for row in before], before)
    assert [line.partition(",")[0] for line in worse] == ["10 x"], "the slowest of few may vary more"
    assert count == 2
    assert table.checked([replace(row, notes=20, value=9.0) for row in before], before) == ([], 0)


def test_less_of_what_should_be_more_is_worse() -> None:
    before = [Row("built", 1.0, TIMES, more=True)]
    assert table.checked([replace(before[0], value=0.5)], before)[0]
    assert not table.checked([replace(before[0], value=2.0)], before)[0]


def test_a_check_that_compares_nothing_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert everything.compared([Row("x", 1.0, TIMES)], [Row("y", 1.0, TIMES)])
    assert "nothing to compare" in told(capsys)


def test_what_must_not_grow_is_compared_between_the_fewest_and_the_most_notes() -> None:
    rows = [Row("update", float(count), "ms", notes=count) for count in (10, 100, 1000)]
    assert table.growth(rows[:1], {"update": 1.2}) == []
    (grown,) = table.growth(rows, {"update": 1.2})
    assert (grown.value, grown.notes, grown.verdict) == (100.0, 1000, Verdict.MISSED)


# -- the wheel


def test_what_is_measured_is_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("MEMVAULT_VAULT", "somewhere")
    assert not {"PYTHONDONTWRITEBYTECODE", "MEMVAULT_VAULT"} & wheel.variables().keys()
    room = wheel.benches(tmp_path / "room")
    assert (room / "tests" / "benchmarks" / "everything.py").exists()
    assert not (room / "memvault").exists()
    assert str(wheel.ROOT) not in wheel.present()
