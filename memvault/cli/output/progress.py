"""How far something is, on a person's terminal, once it takes longer than a moment."""

from __future__ import annotations

import time

from memvault.cli.context import Desk

PATIENCE = 1.0  # seconds before anything is shown
_PAUSE = 0.1
_WIDTH = 30


class Bar:
    """A progress bar on stderr; where nobody watches, nothing."""

    def __init__(self, desk: Desk, label: str) -> None:
        self._stream = desk.stderr
        self._label = label
        self._watched = desk.is_watched
        self._began = self._drawn = time.monotonic()
        self._is_drawn = False

    def __call__(self, done: int, whole: int) -> None:
        """Say that so much of the whole is done; a whole of 0 is one that nobody knows yet."""
        now = time.monotonic()
        is_too_soon = now - self._drawn < _PAUSE and (done < whole or not whole)
        if not self._watched or now - self._began < PATIENCE or is_too_soon:
            return
        self._drawn, self._is_drawn = now, True
        filled = _WIDTH * done // whole if whole else 0
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._stream.write(f"\r{self._label} [{bar}] {done:,} of {whole:,}" if whole else f"\r{self._label} {done:,}")
        self._stream.flush()

    def close(self) -> None:
        """Leave the line clean."""
        if self._is_drawn:
            self._stream.write("\r" + " " * (len(self._label) + _WIDTH + 30) + "\r")
            self._stream.flush()
