"""The journal: what happened, one folder for each device, one file for each month."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memvault.errors import Unreadable
from memvault.storage.vault.layout import is_conflict_copy
from memvault.system import files
from memvault.text.characters import compile_pattern
from memvault.text.dates.dates import write_moment

_TAIL = 65_536
_SUFFIX = ".jsonl"
_MONTH = r"\d{4}-\d{2}\.jsonl"
_HEAD = b'"e":"op"'  # in the line that begins an operation, and in no text: there the quotes are escaped
LONGEST_LINE = 4_000

JsonRecord = Mapping[str, object]


class Journal:
    """All devices' journals; only this device's own is written."""

    def __init__(self, folder: Path, device: str) -> None:
        self._folder = folder
        self.device = device

    def append(self, entries: Iterable[JsonRecord], now: datetime) -> None:
        """Add entries to this device's file of the month."""
        append_records(self._own_file(now), entries, now)

    def append_lines(self, lines: Iterable[bytes], now: datetime, *, durable: bool) -> None:
        """Add lines to this device's file of the month, in one write."""
        files.append_line(self._own_file(now), b"".join(lines), durable=durable)

    def _own_file(self, now: datetime) -> Path:
        """Return this device's file of the month; never an earlier one, even where the clock is set back."""
        folder = self._folder / self.device
        months = [f"{now:%Y-%m}"]
        with suppress(FileNotFoundError):
            months += [name[: -len(_SUFFIX)] for name in os.listdir(folder) if compile_pattern(_MONTH).fullmatch(name)]  # noqa: PTH208  # names are all that is needed
        return folder / f"{max(months)}{_SUFFIX}"

    def device_files(self) -> dict[str, list[Path]]:
        """Return the journal files of each device, in order of their months."""
        found: dict[str, list[Path]] = {}
        for name, path in self.journal_files():
            found.setdefault(name.partition("/")[0], []).append(path)
        return found

    def journal_files(self) -> list[tuple[str, Path]]:
        """Return every journal file, named `<device>/<month>`, in order of name."""
        found = sorted(self._folder.glob("*/*.jsonl")) if self._folder.is_dir() else []
        outside = {folder for folder in {path.parent for path in found} if files.leads_out(folder)}
        return [
            (f"{path.parent.name}/{path.stem}", path)
            for path in found
            if path.parent not in outside and files.is_readable_file(path) and not is_conflict_copy(path.name)
        ]

    def entries(self, *, whole: bool = False) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield all entries with their devices; with `whole`, an unreadable file is an error."""
        for name, path in self.journal_files():
            for entry in read_from(path)[0] if whole else read_readable(path):
                yield name.partition("/")[0], entry

    def entries_since(self, moment: datetime) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield the last entries of every file written since a moment, and earlier ones, with their devices."""
        for name, path in self.journal_files():
            if path.stat().st_mtime >= moment.timestamp():
                for entry in read_from(path, _tail_offset(path))[0]:
                    yield name.partition("/")[0], entry

    def last_heads(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield each device's last entry that begins an operation, with the device."""
        found: set[str] = set()
        for name, path in reversed(self.journal_files()):
            device = name.partition("/")[0]
            data = b"" if device in found else files.read_file(path)
            if (at := data.rfind(_HEAD)) >= 0:
                found.add(device)
                line = data[data.rfind(b"\n", 0, at) + 1 : data.find(b"\n", at)]
                yield from ((device, entry) for entry in parse_lines(line))

    def last_own_entry(self, member: str) -> dict[str, object] | None:
        """Return this device's last entry that has some member."""
        own = [path for name, path in self.journal_files() if name.partition("/")[0] == self.device]
        for path in reversed(own):
            for start in dict.fromkeys((_tail_offset(path), 0)):  # mostly the end of the file is enough
                entries = read_from(path, start)[0]
                found = next((entry for entry in reversed(entries) if member in entry), None)
                if found is not None:
                    return found
        return None

    def own_last_entries(self) -> list[dict[str, object]]:
        """Return this device's last entries, which cover the whole of its last operation."""
        own = [path for name, path in self.journal_files() if name.partition("/")[0] == self.device]
        tail = [entry for path in own[-2:] for entry in read_from(path, _tail_offset(path))[0]]
        if any(entry.get("e") == "op" for entry in tail):
            return tail
        # The last operation is longer than the tail, or much was read since it began.
        return [entry for path in own for entry in read_from(path)[0]]


def _tail_offset(path: Path) -> int:
    return max(0, path.stat().st_size - _TAIL)


# Append-only lines of JSON, for the journal and the ledger.


def encode_line(record: JsonRecord, now: datetime) -> bytes:
    """Return one record as a stamped line, never longer than one atomic write can be."""
    stamped = {"t": write_moment(now), **record}
    text = json.dumps(stamped, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > LONGEST_LINE:
        short = {key: value[:500] if isinstance(value, str) else value for key, value in stamped.items()}
        text = json.dumps(short, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def append_records(path: Path, records: Iterable[JsonRecord], now: datetime, *, durable: bool = False) -> None:
    """Append records to a file in one write."""
    data = b"".join(encode_line(record, now) for record in records)
    if data:
        files.append_line(path, data, durable=durable)


def parse_lines(data: bytes) -> Iterator[dict[str, object]]:
    """Yield the records in a file's bytes; torn, foreign and unreadable lines are skipped."""
    for text in data.split(b"\n"):
        try:
            found = json.loads(text)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def read_readable(path: Path) -> list[dict[str, object]]:
    """Return all records of a file; none of an unreadable one, so that the other files are still read."""
    try:
        return read_from(path)[0]
    except Unreadable:
        return []


def read_from(path: Path, offset: int = 0) -> tuple[list[dict[str, object]], int]:
    """Return the whole lines after an offset, and the offset behind them; a shrunken file is read from its start."""
    data = files.read_file(path)
    if offset > len(data):
        offset = 0
    end = data.rfind(b"\n") + 1
    return list(parse_lines(data[offset:end])), max(end, offset)
