"""The lookouts of the daemon: who goes from vault to vault keeps them, as long as there is room."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.daemon.notify import Inotify
from memvault.daemon.watcher import WatcherPool
from tests.daemon.porters import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there all that happens is told")


@pytest.fixture
def three(tmp_path: Path, open_vault: Callable[..., Memvault]) -> dict[Path, Callable[[], Memvault]]:
    """The catalogues of three vaults, and how to open these."""
    made: dict[Path, Callable[[], Memvault]] = {}
    for root in (tmp_path / name for name in ("one", "two", "three")):
        Memvault.init(root)
        vault = open_vault(root)
        vault.refresh()
        made[vault.index_folder] = partial(open_vault, root)
    return made


def test_what_is_in_use_is_kept_though_it_is_more_than_a_few(three: dict[Path, Callable[[], Memvault]]) -> None:
    now = [0.0]
    watches = WatcherPool(most=1, clock=lambda: now[0])
    try:
        for turn in range(3):
            now[0] = turn * 10.0
            for catalogue, opened in three.items():
                watches.is_ready(catalogue, opened)
                watches.trim()
            assert len(watches) == 3
        now[0] += 61.0
        watches.trim()
        assert len(watches) == 1
    finally:
        watches.close()


def test_where_memory_is_scarce_no_more_than_a_few_are_kept(three: dict[Path, Callable[[], Memvault]]) -> None:
    watches = WatcherPool(most=1, clock=lambda: 0.0)
    try:
        for catalogue, opened in three.items():
            watches.is_ready(catalogue, opened)
        watches.trim(is_scarce=True)
        assert len(watches) == 1
    finally:
        watches.close()


def test_where_the_system_watches_no_more_folders_a_few_are_kept_and_it_is_told_which_are_polled(
    three: dict[Path, Callable[[], Memvault]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_self: object, _folder: str) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(Inotify, "add", fails)
    watches = WatcherPool(most=1, clock=lambda: 0.0)
    try:
        for catalogue, opened in three.items():
            watches.is_ready(catalogue, opened)
        until(lambda: len(watches.list_polled()) == 3)
        assert all("max_user_watches" in why for why in watches.list_polled().values())
        watches.trim()
        assert len(watches) == 1
    finally:
        watches.close()
