"""Upkeep where values are wrong, notes change meanwhile, and the disk is full: nothing is lost."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from memvault import Memvault
from memvault.errors import BadInput
from memvault.maintenance.rules import merge_duplicates
from tests.conftest import Clock, Opener
from tests.maintenance.upkeep import FADING, bodies_of, fade, memory, said, weight, wishes, write


@pytest.mark.parametrize(
    "lines",
    [
        ("last_accessed: 2031-01-01T00:00:00Z", "created: 2031-01-01T00:00:00Z"),
        ("last_accessed: 9999-12-31T23:59:59Z",),
        ("last_accessed: ", "created: "),
        ("last_accessed: soon", "created: 2026-02-30"),
        ("weight: 82",),
        ("weight: -3",),
        ("weight: heavy",),
        ("weight: .nan",),
        ("weight: 1e400",),
        ("base_weight: 7",),
        ("access_count: -5",),
        ("access_count: 99999999999999999999",),
        ("status: done",),
        ("kind: prospective", "due: 0001-01-01T00:00:00Z"),
        ("kind: prospective", "due: 9999-12-31T23:59:59-12:00"),
        ("kind: working", "expires_at: never"),
    ],
    ids=lambda lines: lines[0],
)
@pytest.mark.parametrize("model", ["weighted", "biomimetic"])
@pytest.mark.points(quick=9)
def test_no_value_of_a_field_stops_upkeep_or_is_lost(
    vault: Memvault, clock: Clock, open_vault: Opener, lines: tuple[str, ...], model: str
) -> None:
    vault = open_vault(vault.root, settings={"decay.model": model})
    path = write(vault, "alpha", *lines, body="Only alpha says this.")
    write(vault, "beta", "kind: episodic", "weight: 0.5")
    for _ in range(2):
        found = vault.maintain()
        clock.pass_(days=1)
    assert all("Only alpha" not in reason for _, reason in found.refused)
    assert path.exists() or "expires_at: never" in lines, "nothing is archived on its first days"
    assert 0 <= weight(vault, "alpha") <= 1
    clock.pass_(days=50)
    vault.maintain()
    assert "Only alpha says this." in bodies_of(vault.root)
    archived = vault.root / "3-raw/archived/alpha.md"
    now = archived if archived.exists() else path
    for line in lines:
        name, _, value = line.partition(": ")
        if name in ("weight", "base_weight", "access_count", "status") and value in ("heavy", "done", ".nan"):
            assert line in now.read_text(), "what is not understood is not overwritten"
    assert memory(vault, "beta").status == "stale", "the rest was not stopped"


def test_a_rule_that_is_not_there_is_named(vault: Memvault) -> None:
    with pytest.raises(BadInput, match="dacay"):
        vault.maintain(only=("dacay",))


def test_a_note_edited_while_upkeep_runs_keeps_the_edit(vault: Memvault, clock: Clock) -> None:
    paths = [write(vault, name) for name in ("alpha", "beta", "gamma")]
    vault.status()
    clock.pass_(days=60)

    def edits(done: int, _all: int) -> None:
        if done == 1:
            for path in paths[1:]:
                path.write_text(path.read_text() + "Typed in between.\n")

    found = vault.maintain(only=FADING, progress=edits)
    assert [path for path, _ in found.refused] == ["2-memories/beta.md", "2-memories/gamma.md"]
    assert [path.read_text().endswith("Typed in between.\n") for path in paths] == [False, True, True]
    assert said(paths[1], "weight") == "0.8", "what was edited was left alone this time"
    fade(vault)
    assert said(paths[1], "access_count") == "1", "and the edit is a use"
    assert wishes(vault.root) == []


def test_what_killed_writers_left_in_the_state_folder_is_swept(
    vault: Memvault, clock: Clock, environment: dict[str, str]
) -> None:
    vault.remember("It lies at the quay.")
    state = Path(environment["XDG_STATE_HOME"], "memvault")
    (state / "deeper").mkdir(parents=True)
    dead, alive = f"{2**30}", f"{os.getppid()}"  # no process has a number as high as this
    left = [folder / f".mv-{dead}-0123456789ab.tmp" for folder in (state, state / "deeper")]
    kept = [state / f".mv-{alive}-0123456789ab.tmp", state / f".mv-{dead}-ba9876543210.tmp", state / "own.tmp"]
    for path in (*left, *kept):
        path.touch()
        at = clock.now - timedelta(minutes=5 if path == kept[1] else 300)
        os.utime(path, (at.timestamp(), at.timestamp()))
    vault.maintain()
    assert [path.exists() for path in (*left, *kept)] == [False, False, True, True, True]


def test_a_very_long_file_is_compared_with_nothing(vault: Memvault) -> None:
    text = "The mill stands by the river and grinds.\n\n" * 8_000
    for name in ("one", "two"):
        (vault.root / "2-memories" / f"{name}.md").write_text(f"# {name}\n\n{text}")
    vault.remember("The ferry sails at seven.", title="Ferry")
    real, compared = merge_duplicates.compare_memories, []

    def compare(memories: list[object], **options: object) -> object:
        compared.extend(each.title for each in memories)  # type: ignore[attr-defined]
        return real(memories, **options)  # type: ignore[arg-type]

    with patch.object(merge_duplicates, "compare_memories", compare):
        vault.maintain()
    assert compared == ["Ferry"]
