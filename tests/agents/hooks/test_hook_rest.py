"""What is left when an event is answered is done in order, and booked as given only where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from memvault.agents.hooks.event import Rest


@contextmanager
def noting(done: list[str]) -> Iterator[None]:
    yield
    done.append("closed")


def note(done: list[str], word: str) -> Callable[[], object]:
    return lambda: done.append(word)


@pytest.mark.parametrize("given", [True, False])
def test_it_is_done_in_order_and_before_anything_is_let_go_of(*, given: bool) -> None:
    rest, done = Rest(), list[str]()
    rest.hold(noting(done))
    rest.if_given(note(done, "booked"))
    rest.later(note(done, "upkeep"))
    rest.later(note(done, "exchange"))
    rest.close(given=given)
    assert done == [*(["booked"] if given else []), "upkeep", "exchange", "closed"]
    rest.close(given=True)
    assert done[-1] == "closed"  # once is enough


def test_what_fails_keeps_nothing_else_from_being_done() -> None:
    def fail() -> None:
        raise ValueError

    rest, done = Rest(), list[str]()
    rest.hold(noting(done))
    rest.later(fail)
    rest.later(note(done, "exchange"))
    with pytest.raises(ValueError, match=r"^$"):
        rest.close(given=True)
    assert done == ["exchange", "closed"]


def test_what_is_not_given_after_all_is_not_booked() -> None:
    rest, done = Rest(), list[str]()
    rest.if_given(note(done, "booked"))
    rest.later(note(done, "exchange"))
    rest.forget_given()
    rest.close(given=True)
    assert done == ["exchange"]


def test_what_another_process_will_do_is_dropped() -> None:
    rest, done = Rest(), list[str]()
    rest.hold(noting(done))
    rest.later(note(done, "exchange"))
    rest.drop()
    assert done == ["closed"]
