"""A visitor of a vault's page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memvault.api import Memvault
from tests.conftest import Clock
from tests.web.visitor import Visitor


@pytest.fixture
def visitor(vault: Memvault, clock: Clock) -> Iterator[Visitor]:
    """One who has come with a key to the page of the fresh vault."""
    found = Visitor(vault, clock)
    yield found
    found.pages.close()


@pytest.fixture
def guest(sample: Memvault, clock: Clock) -> Iterator[Visitor]:
    """One who has come with a key to the page of the vault with the samples."""
    found = Visitor(sample, clock)
    yield found
    found.pages.close()
