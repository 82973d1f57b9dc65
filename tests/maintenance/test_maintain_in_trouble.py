"""Upkeep where values are wrong, notes change meanwhile, and the disk is full: nothing is lost."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.errors import BadInput
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
