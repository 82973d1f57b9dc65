"""The doctor, and a vault for it to look at in which something has happened already."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memvault import Memvault
from memvault.verbs.doctor import Diagnosis
from tests.conftest import Opener

Examine = Callable[..., Diagnosis]


@pytest.fixture
def lived_in(sample: Memvault) -> Memvault:
    """The sample vault with a memory that this device has made, so that there are journals and an operation."""
    made = sample.remember("The gauge at Hollin has a new lid.", title="Made here")
    sample.move(made.memory.id, "hot")
    return sample


@pytest.fixture
def examine(lived_in: Memvault, open_vault: Opener) -> Examine:
    """The doctor, called as the hall calls it, on the vault as a new process opens it (or as it is open already)."""

    def call(*, fix: bool = False, dry_run: bool = False, opened: bool = False) -> Diagnosis:
        if opened:
            return lived_in.doctor(fix=fix, dry_run=dry_run)
        with open_vault(lived_in.root) as vault:
            return vault.doctor(fix=fix, dry_run=dry_run)

    return call
