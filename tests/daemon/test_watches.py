"""The lookouts of the daemon: who goes from vault to vault keeps them, as long as there is room."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.api.cache import OpenIndexCache, used_megabytes
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


# -- what is kept open is lent to one at a time, and let go of in time


class Thing:
    def __init__(self) -> None:
        self.there = True
        self.closed = False

    def is_current(self) -> bool:
        return self.there

    def close(self) -> None:
        self.closed = True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_thing_is_lent_to_one_at_a_time_and_the_last_one_back_goes_first() -> None:
    pool = OpenIndexCache()
    one, two = pool.take("key", Thing), pool.take("key", Thing)
    assert one is not two
    pool.put_back("key", one)
    pool.put_back("key", two)
    assert pool.take("key", Thing) is two
    assert pool.take("another", Thing) not in (one, two)
    assert not one.closed


def test_what_is_not_there_any_more_is_closed_and_not_lent() -> None:
    pool = OpenIndexCache()
    old = pool.take("key", Thing)
    pool.put_back("key", old)
    old.there = False
    assert pool.take("key", Thing) is not old
    assert old.closed


def test_what_lay_idle_for_long_is_closed_and_the_oldest_of_too_many() -> None:
    clock = Clock()
    pool = OpenIndexCache(idle_seconds=10, most=2, clock=clock)
    things = [pool.take(number, Thing) for number in range(4)]
    for number, thing in enumerate(things):
        clock.now += 1
        pool.put_back(number, thing)
    pool.trim()
    assert [thing.closed for thing in things] == [True, True, False, False]
    clock.now = 13.5
    pool.trim()
    assert [thing.closed for thing in things] == [True, True, True, False]
    pool.trim(everything=True)
    assert things[3].closed
    assert len(pool) == 0


def test_what_is_about_to_go_is_closed_and_after_the_end_everything() -> None:
    pool = OpenIndexCache()
    one, other, late = pool.take("key", Thing), pool.take("other", Thing), pool.take("key", Thing)
    pool.put_back("key", one)
    pool.put_back("other", other)
    pool.drop("key")
    assert (one.closed, other.closed) == (True, False)
    pool.close()
    assert other.closed
    pool.put_back("key", late)
    assert late.closed


def test_this_process_takes_some_memory_or_the_system_does_not_say() -> None:
    assert used_megabytes() == 0 or used_megabytes() > 5
