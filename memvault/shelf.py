"""Where the hall takes what it opens from, and puts it back: opened anew each time, or kept by who stays longer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar


class Kept(Protocol):
    """Something that takes a while to open, and holds files."""

    def is_there(self) -> bool:
        """Whether what it was opened on is still the same."""

    def close(self) -> None:
        """Let go of the files."""


Thing = TypeVar("Thing", bound=Kept)


class Shelf(Protocol):
    """Lends each thing to one borrower at a time."""

    def take(self, key: Hashable, open_: Callable[[], Thing]) -> Thing:
        """The thing under a key, opened if need be."""

    def put_back(self, key: Hashable, thing: Kept) -> None:
        """Give it back."""

    def drop(self, key: Hashable) -> None:
        """Close what is there under a key: what it was opened on is about to go."""


class NoShelf:
    """Keeps nothing: what is put back is closed."""

    def take(self, key: Hashable, open_: Callable[[], Thing]) -> Thing:  # noqa: ARG002 - there is nothing under any key
        """A new one."""
        return open_()

    def put_back(self, key: Hashable, thing: Kept) -> None:  # noqa: ARG002 - as above
        """Close it."""
        thing.close()

    def drop(self, key: Hashable) -> None:
        """Nothing is there."""
