"""Somebody else's code: whatever it raises is its own affair, only a person's Ctrl-C is not."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator

import pytest

from memvault.system.guard import ExtensionError, call_guarded


def raising(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


def interrupted() -> object:
    """Ends as by Ctrl-C: the system's handler raises, wherever the code is just then."""
    signal.raise_signal(signal.SIGINT)
    return "went on"


def again() -> object:
    """Cleans up after Ctrl-C, and interrupts in its turn."""
    try:
        return interrupted()
    except KeyboardInterrupt:
        raise KeyboardInterrupt("cleaned up") from None


def after() -> object:
    """Gives another error after Ctrl-C."""
    try:
        return interrupted()
    finally:
        sys.exit("not now")


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_result_of_foreign_code_is_returned() -> None:
    assert call_guarded(lambda: "given") == "given"


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(0), GeneratorExit(), KeyboardInterrupt(), MemoryError()])
def test_every_error_of_foreign_code_is_returned(error: BaseException) -> None:
    found = call_guarded(raising(error))
    assert found == ExtensionError(error)
    assert isinstance(found, ExtensionError)
    assert found.name == type(error).__name__


def test_an_interruption_that_it_made_up_is_its_own_from_however_deep_it_comes() -> None:
    assert isinstance(call_guarded(lambda: [raising(KeyboardInterrupt())() for _ in "x"]), ExtensionError)


@pytest.mark.parametrize("act", [interrupted, again, after])
def test_a_persons_interruption_goes_through_whatever_the_code_makes_of_it(act: Callable[[], object]) -> None:
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        call_guarded(act)
