"""How many calls a run may make, and the log of those it made: no word of what was asked or answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from memvault.errors import MemvaultError
from memvault.system import files
from memvault.text.dates.dates import write_moment

_MONTHS_KEPT = 12


class Budget:
    """So many calls and no more; reviewers that ask side by side share it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._made = 0
        self._lock = Lock()

    def take(self) -> bool:
        """Whether one more call may be made."""
        with self._lock:
            self._made += 1
            return self._made <= self.most


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: who was asked for what, what came of it, how long it took and what it cost."""

    provider: str
    model: str
    purpose: str
    outcome: str
    detail: str
    seconds: float
    cost: float | None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a month's calls come to; the cost is what those say that say anything."""

    calls: int = 0
    failed: int = 0
    cost: float = 0.0


class CallLog:
    """One line for each call, in a file for each month; without a folder, nothing is kept."""

    def __init__(self, folder: Path | None, now: datetime) -> None:
        self._folder = folder
        self._now = now
        self._lock = Lock()

    def add(self, call: Call) -> None:
        """Keep a line on a call; a log that cannot be written is no reason to stop."""
        if self._folder is None:
            return
        path = self._folder / self._month
        try:
            with self._lock:
                is_new = not path.exists()
                files.append(path, _line(call, self._now))
                if is_new:
                    self._prune(self._folder)
        except (MemvaultError, OSError):
            return

    def spent(self) -> Spent:
        """What this month's calls come to."""
        calls = list(self._calls())
        costs = (call.get("cost") for call in calls)
        return Spent(
            calls=len(calls),
            failed=sum(call.get("outcome") != "ok" for call in calls),
            cost=round(sum(cost for cost in costs if isinstance(cost, int | float)), 6),
        )

    @property
    def _month(self) -> str:
        return f"{self._now:%Y-%m}.jsonl"

    def _prune(self, folder: Path) -> None:
        for path in sorted(folder.glob("????-??.jsonl"))[:-_MONTHS_KEPT]:
            files.remove(path)

    def _calls(self) -> Iterator[dict[str, object]]:
        path = self._folder / self._month if self._folder else None
        if path is None or not path.is_file():
            return
        for line in files.read(path).split(b"\n"):
            try:
                found = json.loads(line)
            except ValueError:
                continue  # the torn line of a run that was killed
            if isinstance(found, dict):
                yield found


def _line(call: Call, now: datetime) -> bytes:
    record: dict[str, object] = {"t": write_moment(now), "provider": call.provider, "outcome": call.outcome}
    record |= {name: value for name in ("model", "purpose", "detail") if (value := getattr(call, name)[:200])}
    record["seconds"] = round(call.seconds, 2)
    if call.cost is not None:
        record["cost"] = call.cost
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
