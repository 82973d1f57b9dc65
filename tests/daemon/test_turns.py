"""Who comes to a session waits for what was begun in it, and not for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from memvault.daemon.server import SessionLocks
from tests.daemon.porters import SOON


def test_the_second_waits_for_the_first_and_others_do_not() -> None:
    turns, done = SessionLocks(), list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def second() -> None:
        begun.set()
        with turns.hold_session("one", wait=SOON):
            done.append("second")
            go_on.set()

    with turns.hold_session("one", wait=SOON):
        thread = threading.Thread(target=second)
        thread.start()
        assert begun.wait(SOON)
        with turns.hold_session("two", wait=SOON), turns.hold_session("", wait=SOON), turns.hold_session("", wait=SOON):
            done.append("first")
    assert go_on.wait(SOON)
    thread.join(SOON)
    assert done == ["first", "second"]


def test_one_that_hangs_is_not_waited_for_any_longer() -> None:
    turns = SessionLocks()
    with turns.hold_session("one", wait=SOON), turns.hold_session("one", wait=0.0):
        pass
    with turns.hold_session("one", wait=0.0):
        pass


def test_who_waited_long_enough_holds_it_after_the_first_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, free = SessionLocks(), list[bool]()

    def look(is_free: Callable[[], bool], _wait: float) -> None:
        free.append(is_free())

    monkeypatch.setattr(turns._changed, "wait_for", look)
    second = turns.hold_session("one", wait=0.0)
    with turns.hold_session("one", wait=0.0):
        second.__enter__()
    with turns.hold_session("one", wait=0.0):
        second.__exit__(None, None, None)
    with turns.hold_session("one", wait=0.0):
        pass
    assert free == [True, False, False, True]
