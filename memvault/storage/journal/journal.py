"""The journal: what happened, one folder for each device, one file for each month."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from memvault.core.value import Frozen
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.jsonl import Record
from memvault.storage.vault.layout import is_conflict_copy
from memvault.system import files
from memvault.text.dates.dates import read_moment

_TAIL = 65_536
TOUCHING = ("touch", "edit")


class Touch(Frozen):
    """One counted use: a memory, by whom (session, or device where there is none), when."""

    id: str
    who: str
    at: datetime


class Journal:
    """All devices' journals; this device's own is the only one ever written."""

    def __init__(self, folder: Path, device: str) -> None:
        self._folder = folder
        self._device = device

    def append(self, entries: Iterable[Record], now: datetime, *, durable: bool = False) -> None:
        """Add entries to this device's file of the month."""
        path = self._folder / self._device / f"{now:%Y-%m}.jsonl"
        records.append(path, entries, now, durable=durable)

    def paths(self) -> list[tuple[str, Path]]:
        """Every journal file, named `<device>/<month>`, in order of name."""
        found = sorted(self._folder.glob("*/*.jsonl")) if self._folder.is_dir() else []
        led_away = {folder for folder in {path.parent for path in found} if files.leads_out(folder)}
        return [
            (f"{path.parent.name}/{path.stem}", path)
            for path in found
            if path.parent not in led_away and files.is_there(path) and not is_conflict_copy(path.name)
        ]

    def entries(self, *, whole: bool = False) -> Iterator[tuple[str, dict[str, object]]]:
        """All entries of all devices, each with its device; an unreadable file is an error where all is wanted."""
        for name, path in self.paths():
            for entry in records.read_from(path)[0] if whole else records.readable(path):
                yield name.partition("/")[0], entry

    def since(self, moment: datetime) -> Iterator[dict[str, object]]:
        """The last entries of every file that was written to since a moment; those before it are among them."""
        for _, path in self.paths():
            if path.stat().st_mtime >= moment.timestamp():
                yield from records.read_from(path, _near_end(path))[0]

    def last_own(self, member: str) -> dict[str, object] | None:
        """This device's last entry that has some member."""
        own = [path for name, path in self.paths() if name.partition("/")[0] == self._device]
        for path in reversed(own):
            for start in dict.fromkeys((_near_end(path), 0)):  # mostly the end of a file is enough
                entries = records.read_from(path, start)[0]
                found = next((entry for entry in reversed(entries) if member in entry), None)
                if found is not None:
                    return found
        return None

    def own_tail(self) -> list[dict[str, object]]:
        """This device's last entries, far enough back to show the whole of its last operation."""
        own = [path for name, path in self.paths() if name.partition("/")[0] == self._device]
        tail = [entry for path in own[-2:] for entry in records.read_from(path, _near_end(path))[0]]
        if any(entry.get("e") == "op" for entry in tail):
            return tail
        # The last operation is longer than the tail, or much was read since it began.
        return [entry for path in own for entry in records.read_from(path)[0]]


def _near_end(path: Path) -> int:
    return max(0, path.stat().st_size - _TAIL)


def touch_of(entry: Record, device: str) -> Touch | None:
    """The use that an entry records, if it records one.

    An edit counts once however many devices saw it, so its text's hash stands for the session.
    """
    event, memory, at = entry.get("e"), entry.get("id"), entry.get("t")
    if event not in TOUCHING or not isinstance(memory, str) or not isinstance(at, str):
        return None
    when = read_moment(at)
    if when is None:
        return None
    who = f"edit:{entry.get('sha')}" if event == "edit" else str(entry.get("session") or f"device:{device}")
    return Touch(memory, who, when)
