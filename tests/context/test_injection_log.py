"""What was put before a model, and why: kept, told, and kept short."""

from __future__ import annotations

import multiprocessing
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.context.injection_log import InjectionRecord, append_record, last_records
from tests.conftest import START


def row(number: int, session: str = "s", **more: object) -> InjectionRecord:
    return InjectionRecord(at=START + timedelta(minutes=number), session=session, event="UserPromptSubmit", **more)  # type: ignore[arg-type]


def test_the_newest_comes_first_and_a_session_has_its_own(tmp_path: Path) -> None:
    for number in range(4):
        append_record(
            tmp_path,
            row(number, session="ab"[number % 2], ids=(f"id{number}",), why={f"id{number}": "a cue"}, tokens=7),
        )
    assert [found.ids for found in last_records(tmp_path)] == [("id3",)]
    assert [found.ids for found in last_records(tmp_path, "a", limit=0)] == [("id2",), ("id0",)]
    assert last_records(tmp_path, limit=2)[1] == row(2, session="a", ids=("id2",), why={"id2": "a cue"}, tokens=7)
    assert last_records(tmp_path, "c") == ()


def test_log_is_empty_before_an_injection(tmp_path: Path) -> None:
    assert last_records(tmp_path / "nowhere", limit=0) == ()


def test_rows_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    append_record(tmp_path, row(1))
    with (tmp_path / "injected.jsonl").open("ab") as log:
        log.write(b'\xff\n[]\n{"t": 1}\n{"t":"x","session":"","event":"","project":"","ids":1,"why":2,"tokens":""}\n')
    append_record(tmp_path, row(2))
    assert [found.at.minute for found in last_records(tmp_path, limit=0)] == [32, 31]


def test_the_log_is_put_aside_when_it_is_full_and_nothing_new_is_lost(tmp_path: Path) -> None:
    ids = tuple(f"{number:032x}" for number in range(40))
    for number in range(400):
        append_record(tmp_path, row(number, ids=ids))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 450_000
    found = last_records(tmp_path, limit=0)
    assert found[0].at == START + timedelta(minutes=399)
    assert len(found) > 100
    assert [one.at for one in found] == sorted((one.at for one in found), reverse=True)


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "injected.jsonl").mkdir()
    append_record(tmp_path, row(1))
    assert last_records(tmp_path) == ()


def test_a_line_of_before_names_no_agent(tmp_path: Path) -> None:
    append_record(tmp_path, row(1, agent="codex"))
    log = tmp_path / "injected.jsonl"
    line = log.read_text()
    log.write_text(line.replace(', "agent": "codex"', "") + line)
    assert [found.agent for found in last_records(tmp_path, limit=0)] == ["codex", ""]


def _many(state: str, session: str) -> None:
    for number in range(30):
        append_record(Path(state), row(number, session=session))


@pytest.mark.points(only=True)
def test_sessions_write_side_by_side(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_many, args=(str(tmp_path), name)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [len(last_records(tmp_path, name, limit=0)) for name in "abc"] == [30, 30, 30]


def test_the_memories_are_told_as_they_are_now(vault: Memvault) -> None:
    tea = vault.remember("Sara prefers tea.").memory
    append_record(vault.state_folder, row(1, ids=(tea.id, "gone"), why={tea.id: "trigger “tea”"}, tokens=12))
    (shown,) = vault.list_injections()
    assert [(given.id, given.why, given.memory and given.memory.title) for given in shown.given] == [
        (tea.id, "trigger “tea”", tea.title),
        ("gone", "", None),
    ]
    assert vault.show(tea.id).uses == 0  # listing it was none


def test_a_session_is_found_among_others_and_in_a_last_line_without_its_end(tmp_path: Path) -> None:
    for number in range(6):
        append_record(tmp_path, row(number, session="abc"[number % 3], ids=(f"id{number}", "a")))
    log = tmp_path / "injected.jsonl"
    log.write_bytes(log.read_bytes().rstrip(b"\n"))
    for number, session in enumerate("abc"):
        assert [found.ids[0] for found in last_records(tmp_path, session, limit=0)] == [
            f"id{number + 3}",
            f"id{number}",
        ]
