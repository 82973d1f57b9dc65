"""Which number each turn of a conversation has, also where a part of it was lost."""

from __future__ import annotations

from collections.abc import Hashable

from memvault.transcripts.model.record import Raw

_MOST_LOST = 1_000_000  # a head that tells of more was not written by us


class Count:
    """The numbers of turns, member by member as they lie in the file."""

    def __init__(self) -> None:
        self.number = 0  # of the next turn
        self.turns = 0  # one more than the highest number so far

    def member(self, head: Raw | None) -> None:
        """Another member begins, with this as its first line."""
        self.number = self.turns
        told = head.get("n") if head and "head" in head else None
        if not isinstance(told, int) or not 0 <= told <= self.turns + _MOST_LOST:
            return
        self.number = told if head and fills(head) else max(self.turns, told)

    def turn(self) -> int:
        """The number of the turn that comes now."""
        number = self.number
        self.number += 1
        self.turns = max(self.turns, self.number)
        return number


def fills(head: Raw) -> bool:
    """Whether a member holds turns that were lost from one before it, under the numbers that they had."""
    return head.get("fills") is True


class Holes:
    """The numbers that were lost, each run of them behind the turn that stands before it."""

    def __init__(self) -> None:
        self._runs: list[tuple[int, int, Hashable]] = []  # what is there: from, to, and the key of the last turn
        self._behind: dict[Hashable, tuple[int, int]] = {}
        self._next, self._end = 0, 0

    def there(self, number: int, key: Hashable) -> None:
        """A turn is there."""
        first = self._runs.pop()[0] if self._runs and self._runs[-1][1] == number else number
        self._runs.append((first, number + 1, key))

    def settle(self) -> None:
        """All that is there was told."""
        end, last = 0, None
        for first, behind, key in sorted(self._runs, key=lambda run: run[:2]):
            if first > end:
                self._behind[last] = (end, first)
            if behind > end:
                end, last = behind, key
        self._runs = []
        self.passed(None)

    def passed(self, key: Hashable) -> None:
        """A source told a turn that is there: what it tells next may be what was lost behind that."""
        self._next, self._end = self._behind.pop(key, (0, 0))

    def fill(self) -> int | None:
        """The number that a turn which a source tells now had before it was lost; None for one that is new."""
        if self._next >= self._end:
            return None
        self._next += 1
        return self._next - 1
