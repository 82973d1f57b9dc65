"""What is still to be done for an event when its answer is known, in the order in which it was asked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

Act = Callable[[], object]
Opened = TypeVar("Opened")


class Rest:
    """Some acts, and what is to be let go of when they are done."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._acts: list[tuple[Act, bool]] = []

    def hold(self, context: AbstractContextManager[Opened]) -> Opened:
        """Have something open until the end."""
        return self._open.enter_context(context)

    def later(self, act: Act) -> None:
        """Have something done in any case."""
        self._acts.append((act, False))

    def if_given(self, act: Act) -> None:
        """Have something done only if the agent gets the answer."""
        self._acts.append((act, True))

    def forget_given(self) -> None:
        """What was going to be given is not."""
        self._acts = [(act, is_booking) for act, is_booking in self._acts if not is_booking]

    def drop(self) -> None:
        """Do nothing of it, for another process will, and let go."""
        self._acts = []
        self._open.close()

    def close(self, *, given: bool) -> None:
        """Do it all, and let go; whatever goes wrong stops nothing but itself, and the first of it is raised."""
        acts, self._acts = [act for act, is_booking in self._acts if given or not is_booking], []
        failed: list[Exception] = []
        with self._open:
            for act in acts:
                try:
                    act()
                except Exception as error:
                    failed.append(error)
        if failed:
            raise failed[0]
