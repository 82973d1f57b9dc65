"""A vault, a memory factory, a fixed clock. No sleeping, no network."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memvault.api import Memvault

settings.register_profile(
    "short", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

# A shell that starts the tests in the background has them ignore an interrupt, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

START = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is told to move on."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> datetime:
        """Let some time go by."""
        self.now += timedelta(**span)
        return self.now


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Nothing here is about power cuts: what a killed process wrote is in the system's memory, synced or not."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A machine of its own: nothing of the person who runs the tests is read or written."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "PATH": os.environ.get("PATH", ""),
    }


Opener = Callable[..., Memvault]


@pytest.fixture
def open_vault(clock: Clock, environment: dict[str, str]) -> Iterator[Opener]:
    """Opens vaults on the fixed clock, and closes them when the test is over."""
    opened: list[Memvault] = []

    def open_(path: Path, **given: object) -> Memvault:
        given.setdefault("environment", environment)
        vault = Memvault(path, clock=clock, zone=UTC, **given)  # type: ignore[arg-type]
        opened.append(vault)
        return vault

    yield open_
    for vault in opened:
        vault.close()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, open_vault: Opener) -> Memvault:
    """A fresh, empty vault."""
    Memvault.init(tmp_path / "vault", clock=clock)
    return open_vault(tmp_path / "vault")


@pytest.fixture
def sample(tmp_path: Path, clock: Clock, open_vault: Opener) -> Memvault:
    """A vault with the sample memories."""
    Memvault.init(tmp_path / "vault", sample=True, clock=clock)
    return open_vault(tmp_path / "vault")
