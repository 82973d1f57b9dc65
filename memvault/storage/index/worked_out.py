"""What was worked out from the rows and the texts, kept until anything about any memory changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

_MOST = 32


class WorkedOut:
    """Keeps a few values; only who stays longer than one call is the better for it."""

    def __init__(self, turn: Callable[[], Hashable]) -> None:
        self._turn = turn
        self._at: Hashable = None
        self._held: dict[Hashable, Any] = {}

    def now(self) -> dict[Hashable, Any]:
        """Where values are kept while all stays as it is now; what is worked out from here on may be put there."""
        now = self._turn()
        # Another one, not the same one emptied: who is still at it puts what is out of date where nobody looks.
        if now != self._at or len(self._held) > _MOST:
            self._at, self._held = now, {}
        return self._held
