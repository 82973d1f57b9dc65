"""Machines that open a vault, one or two."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memvault import Memvault
from tests.conftest import Clock
from tests.maintenance.upkeep import Machine, Opened, machine


@pytest.fixture
def opened() -> Iterator[Callable[[Memvault], Memvault]]:
    """Remembers vaults, and closes them when the test is over."""
    held: list[Memvault] = []

    def keep(vault: Memvault) -> Memvault:
        held.append(vault)
        return vault

    yield keep
    for vault in held:
        vault.close()


@pytest.fixture
def pair(tmp_path: Path, clock: Clock, opened: Opened) -> tuple[Machine, Machine]:
    """Two machines, each with its own clock and a synced copy of one vault."""
    Memvault.init(tmp_path / "a/vault", clock=clock)
    shutil.copytree(tmp_path / "a/vault", tmp_path / "b/vault")
    slow = Clock()
    one = machine(tmp_path / "a", tmp_path / "a/vault", clock, opened)
    return one, machine(tmp_path / "b", tmp_path / "b/vault", slow, opened)
