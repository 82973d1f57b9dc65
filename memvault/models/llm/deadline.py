"""A moment by which an answer must be there; all waiting is measured against it."""

from __future__ import annotations

import time
from dataclasses import dataclass

_LONGEST = 86_400.0


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the clock that only ever goes forward."""

    at: float

    @classmethod
    def within(cls, seconds: float) -> Deadline:
        """So many seconds from now, a day at most."""
        return cls(time.monotonic() + min(seconds, _LONGEST))

    @property
    def left(self) -> float:
        """The seconds until then; negative once it has passed."""
        return self.at - time.monotonic()
