"""Which of some memories say the same as one before, told without taking texts apart that were met before."""

from __future__ import annotations

from collections.abc import Hashable

from memvault.core.memory import Memory
from memvault.recall.fold import Outline, Wording, are_alike, may_be_alike, outline, wording
from memvault.storage.vault.context import Bench

_SIZE = 1_500  # bytes of an outline


class Sayings:
    """What some memories say, in the order in which they came."""

    def __init__(self, bench: Bench) -> None:
        self._known = bench.catalogue.texts
        self._texts: list[tuple[str, str]] = []
        self._outlines: list[Outline] = []
        self._wordings: dict[int, Wording] = {}

    def add(self, memory: Memory, body: str, mark: Hashable) -> int | None:
        """Take one more; gives the place of the first before it that says the same. A mark stands for its text."""
        place = len(self._texts)
        self._texts.append((memory.title, body))
        own = self._outline(place, mark)
        likely = [at for at, other in enumerate(self._outlines) if may_be_alike(own, other)]
        self._outlines.append(own)
        return next((at for at in likely if self._alike(at, place)), None)

    def drop(self) -> None:
        """Forget the last one: another stands for it."""
        self._texts.pop()
        self._outlines.pop()
        self._wordings.pop(len(self._texts), None)

    def _outline(self, place: int, mark: Hashable) -> Outline:
        known: Outline | None = None if mark is None else self._known.get((mark, "outline"))
        if known is None:
            known = outline(self._wording(place))
            if mark is not None:
                self._known.keep((mark, "outline"), known, size=_SIZE)
        return known

    def _alike(self, one: int, other: int) -> bool:
        return are_alike(self._wording(one), self._wording(other))

    def _wording(self, place: int) -> Wording:
        if place not in self._wordings:
            self._wordings[place] = wording(*self._texts[place])
        return self._wordings[place]
