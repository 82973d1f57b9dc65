"""When to look: at once, then after a quiet moment, or when it has been long enough."""

from __future__ import annotations

LONGEST_WAIT = 2.0  # however busy an editor is, its work is taken in after so many seconds
POLL_SECONDS = 5.0  # where no events come, everything is looked over this often
_SHARE = 50  # to look everything over takes at most one part in so many of the time


class Pace:
    """The rhythm of one watch."""

    def __init__(self, *, quiet: float, scan: float, now: float) -> None:
        self._quiet = min(quiet, LONGEST_WAIT)
        self._first: float | None = None  # the first hint that was not looked into yet
        self._last = now
        self._scan_at = now
        self.scan = scan

    def heard(self, now: float) -> None:
        """A hint came that something changed."""
        self._first = now if self._first is None else self._first
        self._last = now

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was heard since somebody looked."""
        return self._first is None

    def looked(self) -> None:
        """What was heard was looked into."""
        self._first = None

    def scanned(self, now: float, *, took: float) -> None:
        """Everything was looked over."""
        self._scan_at = now + max(self.scan, took * _SHARE)  # what was heard meanwhile may have come after the look

    def hurry(self, now: float, *, scan: float) -> None:
        """From now on everything is to be looked over more often."""
        self.scan, self._scan_at = scan, min(self._scan_at, now + scan)

    def is_scan_due(self, now: float) -> bool:
        """Whether it is time to look everything over."""
        return now >= self._scan_at

    def rest(self, now: float) -> float:
        """Seconds until it is time to look; zero where it is."""
        due = self._scan_at
        if self._first is not None:
            due = min(due, self._last + self._quiet, self._first + LONGEST_WAIT)
        return max(0.0, due - now)
