"""`memvault watch`: keep the index current while you work."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.desk import Desk

EXAMPLES = ("memvault watch", "memvault --vault ~/memory watch")


def watch(desk: Desk) -> Answer:
    """Keep the index current while you work, so that the next recall has nothing to catch up with.

    It runs until you end it, writes no note, and is never needed: every recall looks for changes by itself.
    """
    from memvault.surfaces.watch import ThreadBell, watch

    bell = ThreadBell()
    with _ended_by_signals(bell.silence):
        seen = watch(desk.open, bell, desk.say)
    return Answer(result=seen, talk=("Stopped.",))


@contextmanager
def _ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and a polite kill end the watch in good order."""
    before = {number: signal.signal(number, lambda *_: end()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
