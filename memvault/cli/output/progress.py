"""How far long work is: one line that is drawn anew on a terminal, and now and then a line elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic
from typing import NamedTuple, TextIO

from memvault.text.display import clip_line, format_size

PATIENCE = 0.3  # seconds before anything is shown
_PAUSE = 0.2  # between two looks at how far it is
_ELSEWHERE = 10.0  # between two lines where no terminal shows them
_WIDTH = 20
_MINUTE, _HOUR = 60, 3_600


class WorkState(NamedTuple):
    """What is being done, since when, and how far it is; a whole of 0 is one that nobody knows."""

    stage: str
    began: float
    done: int = 0
    whole: int = 0
    in_bytes: bool = False


class ProgressLine:
    """The line about the work of one command; a thread draws it, so that it goes on while nothing is reported."""

    def __init__(
        self,
        stream: TextIO,
        *,
        is_watched: bool,
        width: int,
        clock: Callable[[], float] = monotonic,
        ticks: bool = True,
    ) -> None:
        self._stream, self._is_watched, self._width, self._clock = stream, is_watched, width, clock
        self._lock = Lock()
        self._state: WorkState | None = None
        self._next = 0.0  # when it is to be drawn
        self._is_drawn = False
        self._is_over = Event()
        self._ticks = ticks

    def report(self, stage: str, done: int, whole: int, *, in_bytes: bool = False) -> None:
        """Take note of how far the work is."""
        before, now = self._state, self._clock()
        if before is None:
            self._next = now + (PATIENCE if self._is_watched else _ELSEWHERE)
            if self._ticks:
                self._ticks = False
                Thread(target=self._draw_on, daemon=True).start()
        began = before.began if before is not None and before.stage == stage else now
        self._state = WorkState(stage, began, done, whole, in_bytes)

    def _draw_on(self) -> None:
        while not self._is_over.wait(_PAUSE):
            self.draw()

    def draw(self) -> None:
        """Draw the line, where it is time for that."""
        with self._lock:
            now, state = self._clock(), self._state
            if state is None or now < self._next:
                return
            text = format_progress(state, now - state.began, with_bar=self._is_watched)
            if self._is_watched:
                self._stream.write(f"\r{clip_line(text, self._width - 1):<{self._width - 1}}")
                self._is_drawn = True
            else:
                self._stream.write(f"{text}\n")
                self._next = now + _ELSEWHERE
            self._stream.flush()

    def clear(self) -> None:
        """Leave the line clean: the work is over, or something else is about to be written."""
        with self._lock:
            self._state = None
            if self._is_drawn:
                self._is_drawn = False
                self._stream.write("\r" + " " * (self._width - 1) + "\r")
                self._stream.flush()

    def close(self) -> None:
        """End the line with the command."""
        self._is_over.set()
        self.clear()


def format_progress(state: WorkState, seconds: float, *, with_bar: bool) -> str:
    """Return what is done, how much of it, how fast, and how long it will take."""
    if not (state.done or state.whole):
        return f"{state.stage} … {_format_seconds(seconds)}" if seconds >= 1 else f"{state.stage} …"
    show = format_size if state.in_bytes else "{:,}".format
    rate = state.done / seconds if seconds > 0 else 0.0
    facts = [f"{show(state.done)} of {show(state.whole)}" if state.whole else show(state.done)]
    if rate:
        per_second = rate >= 1
        facts.append(f"{show(round(rate if per_second else rate * _MINUTE))}/{'s' if per_second else 'min'}")
        if state.whole:
            facts.append(f"{_format_seconds((state.whole - state.done) / rate)} left")
    bar = ""
    if with_bar and state.whole:
        filled = min(_WIDTH, _WIDTH * state.done // state.whole)
        bar = f" [{'#' * filled}{'.' * (_WIDTH - filled)}]"
    return f"{state.stage}{bar} {' · '.join(facts)}"


def _format_seconds(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{round(seconds)} s"
    return f"{round(seconds / _MINUTE)} min" if seconds < _HOUR else f"{seconds / _HOUR:.1f} h"
