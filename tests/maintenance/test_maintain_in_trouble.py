"""Upkeep where values are wrong, notes change meanwhile, and the disk is full: nothing is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress

import pytest

from memvault import Memvault
from memvault.errors import BadInput, MemvaultError
from memvault.system import files
from tests.conftest import Clock, Opener
from tests.maintenance.upkeep import (
    FADING,
    bodies_of,
    fade,
    files_error,
    memory,
    notes_of,
    said,
    weight,
    wishes,
    write,
)


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


FULL = [
    *((how, after) for how in ("replace_note", "append_line") for after in range(6)),
    *(pytest.param("move_file", after) for after in range(2)),
    pytest.param("move_file", 2),
]


@pytest.mark.parametrize(("how", "after"), FULL)
@pytest.mark.points(quick=4)
def test_a_disk_that_is_full_half_way_loses_nothing(
    vault: Memvault, clock: Clock, monkeypatch: pytest.MonkeyPatch, how: str, after: int
) -> None:
    before = four_notes(vault, clock)
    with monkeypatch.context() as patch, suppress(MemvaultError):
        patch.setattr(files, how, failing(getattr(files, how), after, files_error))
        fade(vault)
    check_all_was_done(vault, before)


@pytest.mark.parametrize("after", [*range(12), 15, 20, 30])
@pytest.mark.points(quick=4)
def test_a_disk_that_takes_no_byte_more_loses_nothing(
    vault: Memvault, clock: Clock, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    before = four_notes(vault, clock)
    with monkeypatch.context() as patch, suppress(MemvaultError):
        patch.setattr(os, "write", failing(os.write, after, lambda _path: OSError(errno.ENOSPC, "No space left")))
        fade(vault)
    check_all_was_done(vault, before)


def failing(real: Callable[..., object], after: int, error: Callable[[str], Exception]) -> Callable[..., object]:
    """A function that works so many times, and then no more."""
    calls = 0

    def call(*args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls > after:
            raise error(str(args[0]))
        return real(*args, **options)

    return call


def four_notes(vault: Memvault, clock: Clock) -> int:
    """Two notes for the archive and two that stay, and how many texts there are."""
    for name, value in (("alpha", 0.8), ("beta", 0.31), ("gamma", 0.5), ("delta", 0.32)):
        write(vault, name, f"weight: {value}")
    vault.status()
    clock.pass_(days=60)
    return bodies_of(vault.root).count("Only ")


def check_all_was_done(vault: Memvault, texts: int) -> None:
    """Nothing was lost, and what was left undone the next runs do."""
    assert bodies_of(vault.root).count("Only ") == texts
    for _ in range(2):
        fade(vault)
    assert wishes(vault.root) == []
    vault.remember("Something else.")
    assert {op.state for op in vault.log()} == {"done"}
    archived = [path for path in sorted(notes_of(vault.root)) if path.startswith("3-raw/archived/")]
    assert archived == ["3-raw/archived/beta.md", "3-raw/archived/delta.md"]
    assert said(vault.root / "2-memories/gamma.md", "status") == "stale"
    assert weight(vault, "alpha") == pytest.approx(0.8 * 0.99**60, abs=1e-3)
    assert bodies_of(vault.root).count("Only ") == texts


def test_the_next_run_settles_what_was_interrupted(
    vault: Memvault, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "alpha")
    vault.status()
    clock.pass_(days=60)
    with monkeypatch.context() as patch, suppress(MemvaultError):
        patch.setattr(files, "append_line", failing(files.append_line, 2, files_error))
        fade(vault)
    assert vault.log()[0].state == "begun"
    fade(vault)
    assert vault.log()[0].state == "done"
