"""What is left when an event is answered is done in order, and booked as given only where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from memvault.agents.hooks.event import AfterReply


@contextmanager
def noting(done: list[str]) -> Iterator[None]:
    yield
    done.append("closed")


def note(done: list[str], word: str) -> Callable[[], object]:
    return lambda: done.append(word)


@pytest.mark.parametrize("given", [True, False])
def test_it_is_done_in_order_and_before_anything_is_let_go_of(*, given: bool) -> None:
    rest, done = AfterReply(), list[str]()
    rest.keep_open(noting(done))
    rest.defer_if_delivered(note(done, "booked"))
    rest.defer(note(done, "upkeep"))
    rest.defer(note(done, "exchange"))
    rest.close(is_delivered=given)
    assert done == [*(["booked"] if given else []), "upkeep", "exchange", "closed"]
    rest.close(is_delivered=True)
    assert done[-1] == "closed"  # once is enough


def test_what_fails_keeps_nothing_else_from_being_done() -> None:
    def fail() -> None:
        raise ValueError

    rest, done = AfterReply(), list[str]()
    rest.keep_open(noting(done))
    rest.defer(fail)
    rest.defer(note(done, "exchange"))
    with pytest.raises(ValueError, match=r"^$"):
        rest.close(is_delivered=True)
    assert done == ["exchange", "closed"]


def test_what_is_not_given_after_all_is_not_booked() -> None:
    rest, done = AfterReply(), list[str]()
    rest.defer_if_delivered(note(done, "booked"))
    rest.defer(note(done, "exchange"))
    rest.cancel_if_delivered()
    rest.close(is_delivered=True)
    assert done == ["exchange"]


def test_what_another_process_will_do_is_dropped() -> None:
    rest, done = AfterReply(), list[str]()
    rest.keep_open(noting(done))
    rest.defer(note(done, "exchange"))
    rest.discard()
    assert done == ["closed"]
