"""One after the other: who comes to a session waits until what was begun in it is done, answered or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Turns:
    """Keeps those apart that come with one name; whoever has waited long enough goes on all the same."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._held: dict[str, int] = {}  # by how many: who waited long enough has not taken it from anybody

    @contextmanager
    def turn(self, name: str, *, wait: float) -> Iterator[None]:
        """Hold a name; without one there is nothing to hold."""
        if not name:
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: name not in self._held, wait)
            self._held[name] = self._held.get(name, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]
                self._changed.notify_all()
