"""The doctor, and a vault for it to look at in which something has happened already."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.maintenance.doctor import DoctorResult
from tests.conftest import START, LaidDown, Once, Opener, machine_at

Examine = Callable[..., DoctorResult]


@pytest.fixture
def lived_in(tmp_path: Path, once: Once, laid_down: LaidDown, open_vault: Opener) -> Memvault:
    """The sample vault with a memory that this device has made, so that there are journals and an operation."""
    made = once("lived-in", lambda folder: _live(folder, laid_down(True)))
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return open_vault(tmp_path / "vault")


def _live(folder: Path, sample: Path) -> None:
    """The same, and the device that made it, without what it works out of a vault, which is kept by where that lies."""
    shutil.copytree(sample, folder / "vault")
    environment = machine_at(folder / "home")
    with Memvault(folder / "vault", clock=lambda: START, zone=UTC, environment=environment) as vault:
        made = vault.remember("The gauge at Hollin has a new lid.", title="Made here")
        vault.move(made.memory.id, "hot")
    shutil.rmtree(folder / "home" / "cache")


@pytest.fixture
def examine(lived_in: Memvault, open_vault: Opener) -> Examine:
    """The doctor, called as the hall calls it, on the vault as a new process opens it (or as it is open already)."""

    def call(*, fix: bool = False, dry_run: bool = False, opened: bool = False) -> DoctorResult:
        if opened:
            return lived_in.doctor(fix=fix, dry_run=dry_run)
        with open_vault(lived_in.root) as vault:
            return vault.doctor(fix=fix, dry_run=dry_run)

    return call
