"""The operation log: what was begun, made, refused and taken back, whoever was killed in the middle."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.plan import Operation, OperationStep
from memvault.storage.journal.journal import Journal
from memvault.storage.journal.operations import OperationLog

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
STEPS = (
    OperationStep("create", "a.md", after="aa", why="made"),
    OperationStep("move", "b.md", "c.md", "bb", "cc", "moved"),
    OperationStep("note", "", why="decided", entry={"e": "tombstone", "mac": "m"}, inverse={"e": "lift", "mac": "m"}),
)


@pytest.fixture
def log(tmp_path: Path) -> OperationLog:
    return OperationLog(Journal(tmp_path / "journal", "here"), tmp_path / "undo")


def begin(log: OperationLog, op: str, *steps: OperationStep, undoes: str = "", at: datetime = NOW) -> None:
    log.begin_operation(Operation(op=op, verb="test", at="", agent="a", session="s", undoes=undoes, steps=steps), at)


def states(log: OperationLog) -> dict[str, str]:
    return {operation.op: operation.state for operation in log.operations()}


def test_what_is_written_is_read_back(log: OperationLog) -> None:
    begin(log, "x", *STEPS[:2])
    log.add_steps("x", STEPS[2:], NOW)
    log.end_operation("x", [], NOW)
    [found] = log.operations()
    assert found.steps == STEPS
    assert (found.verb, found.at, found.device) == ("test", "2026-01-29T09:30:00Z", "here")
    assert (found.agent, found.session, found.state) == ("a", "s", "done")


def test_one_that_was_not_ended_stands_as_begun(log: OperationLog) -> None:
    begin(log, "x", *STEPS)
    assert states(log) == {"x": "begun"}
    assert [operation.state for operation in log.recent_own()] == ["begun"]


@given(st.sets(st.integers(0, 2)))
def test_refused_steps_were_not_made(tmp_path_factory: pytest.TempPathFactory, refused: set[int]) -> None:
    folder = tmp_path_factory.mktemp("log")
    log = OperationLog(Journal(folder, "here"), folder / "undo")
    begin(log, "x", *STEPS)
    log.end_operation("x", sorted(refused), NOW)
    [found] = log.operations()
    assert found.steps == tuple(step for number, step in enumerate(STEPS) if number not in refused)


@pytest.mark.parametrize("count", range(5))
def test_an_undo_that_was_taken_back_took_nothing_back(log: OperationLog, count: int) -> None:
    begin(log, "0", *STEPS)
    log.end_operation("0", [], NOW)
    for turn in range(1, count + 1):
        begin(log, str(turn), undoes=str(turn - 1), at=NOW + timedelta(seconds=turn))
        log.end_operation(str(turn), [], NOW)
    found = states(log)
    assert found["0"] == ("undone" if count % 2 else "done")
    assert list(found) == [str(turn) for turn in range(count, -1, -1)], "the newest first"


def test_an_undo_cut_short_has_taken_nothing_back(log: OperationLog) -> None:
    begin(log, "0", *STEPS)
    log.end_operation("0", [], NOW)
    begin(log, "1", undoes="0")
    assert states(log) == {"1": "begun", "0": "done"}


def test_of_one_second_the_later_line_comes_first(log: OperationLog) -> None:
    for op in "abc":
        begin(log, op)
    assert list(states(log)) == ["c", "b", "a"]


def test_operations_of_other_devices_are_seen_and_not_settled(log: OperationLog, tmp_path: Path) -> None:
    begin(OperationLog(Journal(tmp_path / "journal", "there"), tmp_path / "undo"), "x", *STEPS)
    assert states(log) == {"x": "begun"}
    assert log.recent_own() == []


JUNK = [
    *({"e": "op"}, {"e": "op", "op": 5}, {"e": "step", "op": "nobody"}, {"e": "done", "op": "nobody"}),
    *({"e": "done", "op": "x", "refused": [[1], None, "1"]}, {"e": "done", "op": "x", "refused": "all"}),
    *({"e": [], "op": "x"}, {"e": "step", "op": "y", "entry": "no record"}),
]


@pytest.mark.parametrize("line", JUNK, ids=json.dumps)
def test_lines_of_others_stop_nothing(line: dict[str, object], log: OperationLog, tmp_path: Path) -> None:
    begin(log, "x", *STEPS)
    with (tmp_path / "journal/here/2026-01.jsonl").open("a") as journal:
        journal.write(json.dumps({"t": "2026-01-29T09:30:00Z", **line}) + "\n{torn")
    [found] = log.operations()
    assert found.steps == STEPS


def keep_days(log: OperationLog, *days: int) -> None:
    for day in days:
        log.keep_bytes(f"202601{day:02}T093000Z-abcdef", b"x" * 100)


def kept_days(tmp_path: Path) -> list[int]:
    return sorted(int(path.name[6:8]) for path in (tmp_path / "undo").iterdir() if path.name[0].isdigit())


def test_what_is_older_than_the_days_goes(log: OperationLog, tmp_path: Path) -> None:
    keep_days(log, 1, 18, 19, 28)
    (tmp_path / "undo/held").mkdir()
    log.expire_bytes(NOW, keep_days=10)
    assert kept_days(tmp_path) == [19, 28], "ten days ago to the second is not older"
    assert (tmp_path / "undo/held").is_dir()


@pytest.mark.parametrize(("keep", "left"), [(400, [1, 2, 3]), (300, [1, 2, 3]), (299, [2, 3]), (100, [3]), (0, [])])
def test_what_exceeds_the_size_goes_the_oldest_first(
    log: OperationLog, tmp_path: Path, keep: int, left: list[int]
) -> None:
    keep_days(log, 3, 1, 2)
    assert log.shrink_to(keep_bytes=keep) == 3 - len(left)
    assert kept_days(tmp_path) == left


def test_where_nothing_was_ever_kept_nothing_goes(log: OperationLog) -> None:
    log.expire_bytes(NOW, keep_days=1)
    assert log.shrink_to(keep_bytes=0) == 0
