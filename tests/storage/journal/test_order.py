"""The order of operations is the order in which they happened, whatever the clocks said."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import UndoRefused
from memvault.storage.journal.journal import Journal
from memvault.storage.journal.operations import OperationLog
from tests.conftest import Clock, Opener


def titles(vault: Memvault) -> list[str]:
    return sorted(row.memory.title for row in vault.list().rows)


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=40), timedelta(days=400)], ids=str)
def test_undo_takes_back_what_happened_last_after_the_clock_was_set_back(
    vault: Memvault, clock: Clock, back: timedelta
) -> None:
    for title in ("First", "Second"):
        vault.remember(f"{title} of all, it is said.", title=title)
    clock.now -= back
    vault.remember("Third of all, it is said.", title="Third")
    assert [op.steps[0].path.rpartition("-")[2] for op in vault.log()] == ["third.md", "second.md", "first.md"]
    for left in (["First", "Second"], ["First"], []):
        vault.undo()
        assert titles(vault) == left
    clock.now += back
    vault.remember("Fourth of all, it is said.", title="Fourth")
    vault.undo()
    assert titles(vault) == []


def test_a_clock_that_is_set_back_writes_into_no_earlier_file(vault: Memvault, clock: Clock) -> None:
    vault.remember("It was said in this month.")
    months = {path.name for path in (vault.root / ".memvault" / "journal").rglob("*.jsonl")}
    clock.now -= timedelta(days=70)
    vault.remember("It was said when the clock was wrong.")
    assert {path.name for path in (vault.root / ".memvault" / "journal").rglob("*.jsonl")} == months


def test_a_machine_whose_clock_is_behind_does_not_fall_behind_what_it_has_seen(
    vault: Memvault, clock: Clock, open_vault: Opener, environment: dict[str, str], tmp_path: Path
) -> None:
    vault.remember("The first machine said this.", title="First")
    clock.now -= timedelta(hours=3)
    other = open_vault(vault.root, environment={**environment, "XDG_STATE_HOME": str(tmp_path / "other")})
    assert other.device != vault.device
    other.remember("The second machine answered.", title="Second")
    assert [op.device for op in vault.log()] == [other.device, vault.device]
    other.undo()
    assert titles(vault) == ["First"]


def test_lines_of_an_older_version_stand_in_the_order_of_their_file(tmp_path: Path) -> None:
    folder = tmp_path / "journal" / "one"
    folder.mkdir(parents=True)
    times = ("2026-01-29T12:00:00Z", "2026-01-29T11:00:00Z", "2026-01-29T11:30:00Z")
    lines = [{"t": at, "e": "op", "op": f"op-{number}", "verb": "edit"} for number, at in enumerate(times)]
    folder.joinpath("2026-01.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    log = OperationLog(Journal(tmp_path / "journal", "one"), tmp_path / "undo")
    assert [op.op for op in log.operations()] == ["op-2", "op-1", "op-0"]


@pytest.mark.parametrize("turn", [-1, 10**400, "later", True, None])
def test_a_logical_time_that_is_none_counts_as_not_given(tmp_path: Path, turn: object) -> None:
    folder = tmp_path / "journal" / "one"
    folder.mkdir(parents=True)
    heads = [
        {"t": "2026-01-29T11:00:00Z", "e": "op", "op": "odd", "verb": "edit", "turn": turn},
        {"t": "2026-01-29T12:00:00Z", "e": "op", "op": "usual", "verb": "edit"},
    ]
    folder.joinpath("2026-01.jsonl").write_text("".join(f"{json.dumps(head)}\n" for head in heads))
    log = OperationLog(Journal(tmp_path / "journal", "one"), tmp_path / "undo")
    assert [op.op for op in log.operations()] == ["usual", "odd"]


# -- what cannot be undone any more


def test_undo_passes_over_what_was_purged_and_says_so(vault: Memvault, tmp_path: Path) -> None:
    vault.remember("The mill stands by the river.", title="Mill")
    secret = vault.remember("The heron nests behind the weir.", title="Heron", significant=True).memory
    page = tmp_path / "CLAUDE.md"
    page.write_text("# My own\n")
    vault.pin(secret.id)
    vault.claude_md(page)
    vault.remember("The ferry sails at seven.", title="Ferry", significant=True)
    vault.pin("Ferry")
    vault.claude_md(page)
    vault.purge(secret.id)  # the bytes of both pages go
    taken = [vault.undo(dry_run=True)]
    while titles(vault):
        taken.append(vault.undo())
    assert all("no longer kept" in str(op.passed_over) for op in taken)


def test_nothing_but_what_cannot_be_undone_is_told_by_its_reason(vault: Memvault) -> None:
    vault.purge(vault.remember("The heron nests behind the weir.").memory.id)
    with pytest.raises(UndoRefused, match="forgotten for good"):
        vault.undo()
