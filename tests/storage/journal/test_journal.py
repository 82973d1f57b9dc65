"""What happened, line by line: uses are counted as the format says, and no line of anybody's stops the rest."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.core.plan import Operation, OperationStep
from memvault.storage.index.derived import read_news
from memvault.storage.journal import journal as records
from memvault.storage.journal.journal import Journal
from memvault.storage.journal.ledger import Ledger
from memvault.storage.journal.operations import OperationLog
from tests.conftest import Clock

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def write(vault: Memvault, device: str, *entries: dict[str, object], month: str = "2026-01", tail: str = "") -> None:
    path = vault.root / ".memvault/journal" / device / f"{month}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as journal:
        journal.write("".join(json.dumps(entry) + "\n" for entry in entries) + tail)


def touch(id_: str, at: str, **more: str) -> dict[str, object]:
    return {"t": at, "e": "touch", "id": id_, "why": "show", **more}


def edit(id_: str, at: str, sha: str) -> dict[str, object]:
    return {"t": at, "e": "edit", "id": id_, "sha": sha}


DAY, NEXT = "2026-01-30T", "2026-01-31T"
COUNTED: dict[str, tuple[list[Any], int]] = {
    "once a device and day": ([("here", touch, DAY + "08:00:00Z", {}), ("here", touch, DAY + "23:59:59Z", {})], 1),
    "again on the next day": ([("here", touch, DAY + "23:59:59Z", {}), ("here", touch, NEXT + "00:00:00Z", {})], 2),
    "for each device": ([("here", touch, DAY + "08:00:00Z", {}), ("there", touch, DAY + "08:00:00Z", {})], 2),
    "once a session and day, on whatever device": (
        [("here", touch, DAY + "08:00:00Z", {"session": "s"}), ("there", touch, DAY + "09:00:00Z", {"session": "s"})],
        1,
    ),
    "for each session": (
        [("here", touch, DAY + "08:00:00Z", {"session": "s"}), ("here", touch, DAY + "08:00:00Z", {"session": "r"})],
        2,
    ),
    "with a session and without one": (
        [("here", touch, DAY + "08:00:00Z", {"session": "s"}), ("here", touch, DAY + "08:00:00Z", {})],
        2,
    ),
    "an edit once, whoever saw it and when": (
        [("here", edit, DAY + "08:00:00Z", {"sha": "a"}), ("there", edit, NEXT + "08:00:00Z", {"sha": "a"})],
        1,
    ),
    "each edit": (
        [("here", edit, DAY + "08:00:00Z", {"sha": "a"}), ("here", edit, DAY + "08:00:00Z", {"sha": "b"})],
        2,
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_uses_are_counted(name: str, vault: Memvault, clock: Clock) -> None:
    made = vault.remember("Tea is fine.").memory
    lines, count = COUNTED[name]
    for device, sort, at, more in lines:
        write(vault, device, sort(made.id, at, **more))
    clock.pass_(days=3)
    shown = vault.show(made.id)
    assert shown.uses == count
    assert shown.last_used == datetime.fromisoformat(max(at for _, _, at, _ in lines))


def test_a_use_in_the_future_is_counted_and_was_no_later_than_now(vault: Memvault, clock: Clock) -> None:
    made = vault.remember("Tea is fine.").memory
    write(vault, "there", touch(made.id, "2031-01-30T08:00:00Z"), month="2031-01")
    shown = vault.show(made.id)
    assert (shown.uses, shown.last_used) == (1, clock.now)


def test_counting_goes_on_where_it_stopped(vault: Memvault) -> None:
    made = vault.remember("Tea is fine.").memory
    for number, day in enumerate(("10", "11", "12"), 1):
        write(vault, "there", touch(made.id, f"2026-01-{day}T08:00:00Z", session=f"s{number}"))
        assert vault.list().rows[0].memory.id == made.id
    write(vault, "there", touch(made.id, "2026-02-01T08:00:00Z"), month="2026-02")
    assert vault.show(made.id).uses == 4
    vault.reindex()
    assert vault.show(made.id).uses == 5, "the show before was one too"


def test_a_torn_last_line_waits_for_its_end(vault: Memvault) -> None:
    made = vault.remember("Tea is fine.").memory
    line = json.dumps(touch(made.id, "2026-01-10T08:00:00Z"))
    write(vault, "there", tail=line[:30])
    assert vault.status().memories == 1
    write(vault, "there", tail=line[30:] + "\n")
    assert vault.show(made.id).uses == 1


def test_foreign_lines_are_passed_over(vault: Memvault) -> None:
    made = vault.remember("Tea is fine.").memory
    junk = '\nnot json\n[1]\n"text"\n{"e":"touch"}\n{"e":"touch","id":5,"t":5}\n{"e":"touch","id":"x","t":"soon"}\n\0\n'
    write(vault, "there", {"t": "2026-01-10T08:00:00Z", "e": "sang", "id": made.id}, tail=junk)
    write(vault, "there", touch(made.id, "2026-01-10T08:00:00Z", tune="la"))
    assert vault.show(made.id).uses == 1


def test_each_device_writes_its_own_file_of_the_month(tmp_path: Path) -> None:
    Journal(tmp_path, "here").append([{"e": "a"}], NOON)
    Journal(tmp_path, "there").append([{"e": "b"}], NOON)
    Journal(tmp_path, "here").append([{"e": "c"}], datetime(2026, 2, 1, tzinfo=UTC))
    assert [name for name, _ in Journal(tmp_path, "other").journal_files()] == [
        "here/2026-01",
        "here/2026-02",
        "there/2026-01",
    ]
    told = [(device, entry["e"]) for device, entry in Journal(tmp_path, "other").entries()]
    assert told == [("here", "a"), ("here", "c"), ("there", "b")]
    assert (tmp_path / "here/2026-01.jsonl").read_text() == '{"t":"2026-01-31T12:00:00Z","e":"a"}\n'


def test_only_what_came_since_is_read_and_a_shrunken_file_from_its_start(tmp_path: Path) -> None:
    journal, ledger = Journal(tmp_path / "journal", "here"), Ledger(tmp_path / "ledger", "here")
    journal.append([touch("m", "2026-01-31T12:00:00Z")], NOON)
    [(name, offset, news)] = read_news(journal, ledger, {})
    assert (name, [one.id for one in news.touches]) == ("here/2026-01", ["m"])
    assert list(read_news(journal, ledger, {name: offset})) == []
    journal.append([touch("n", "2026-01-31T12:00:00Z")], NOON)
    [(_, _, news)] = read_news(journal, ledger, {name: offset})
    assert [one.id for one in news.touches] == ["n"]
    [(_, _, news)] = read_news(journal, ledger, {name: 1_000_000})
    assert [one.id for one in news.touches] == ["m", "n"]


def test_journals_and_ledgers_tell_what_was_typed_counted_confirmed_and_archived(tmp_path: Path) -> None:
    journal, ledger = Journal(tmp_path / "journal", "here"), Ledger(tmp_path / "ledger", "here")
    typed: list[dict[str, object]] = [
        {"e": "weight", "id": "m", "value": 0.7},
        {"e": "status", "id": "m", "value": "stale"},
        {"e": "pin", "id": "m", "value": True},
    ]
    journal.append([*typed, {"e": "confirm", "id": "m", "session": "s"}, {"e": "sang", "id": "m"}], NOON)
    archived = [{"e": "archive", "id": "m"}, {"e": "lift", "of": "archive", "id": "m"}, {"e": "lift", "of": "veto"}]
    ledger.append([{"e": "count", "id": "m", "value": 4}, *archived], NOON)
    told, decided = (news for _, _, news in read_news(journal, ledger, {}))
    assert told.typed_values == [
        ("m", "weight", 0.7, NOON),
        ("m", "status", "stale", NOON),
        ("m", "pinned", True, NOON),
    ]
    assert (told.confirmations, told.baseline_counts, told.archive_marks) == ([("m", "s")], [], [])
    assert (decided.baseline_counts, decided.archive_marks) == ([("m", 4, NOON)], [("m", True), ("m", False)])


def test_an_empty_journal_is_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "none", "here")
    assert (journal.journal_files(), journal.own_last_entries(), list(journal.entries())) == ([], [], [])


def test_the_tail_reaches_back_to_the_last_operation_however_much_was_read_since(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "here")
    journal.append([{"e": "op", "op": "x"}], datetime(2025, 10, 1, tzinfo=UTC))
    for month in (11, 12):
        journal.append([touch("m", "2025-12-01T12:00:00Z")] * 1_500, datetime(2025, month, 1, tzinfo=UTC))
    assert {"op"} <= {entry["e"] for entry in journal.own_last_entries()}
    journal.append([{"e": "op", "op": "y"}], datetime(2025, 12, 2, tzinfo=UTC))
    assert journal.own_last_entries()[-1]["op"] == "y"
    assert len(journal.own_last_entries()) < 3_000, "the near end was enough"


@given(st.text(max_size=6_000))
def test_a_line_is_one_line_under_four_kilobytes(text: str) -> None:
    line = records.encode_line({"e": "x", "why": text}, NOON)
    assert len(line) < 4_096
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    said = json.loads(line)["why"]
    assert said == text or (text.startswith(said) and len(said) == 500)


# -- the operation log: what was begun, made, refused and taken back, whoever was killed in the middle

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
