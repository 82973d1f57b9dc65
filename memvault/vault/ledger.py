"""The ledger: decisions that must outlive every index, one file for each device, never rotated."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memvault import files
from memvault.core.dates import read_moment
from memvault.vault import records
from memvault.vault.records import Record

KEY = "key"
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(slots=True)
class Decisions:
    """The fold of all devices' ledgers."""

    paths_by_id: dict[str, str] = field(default_factory=dict)
    ids_by_path: dict[str, str] = field(default_factory=dict)
    ids_by_text: dict[str, str] = field(default_factory=dict)  # content hash -> id
    first_seen: dict[str, datetime] = field(default_factory=dict)
    tombstones: set[str] = field(default_factory=set)

    def take(self, entry: Record) -> None:
        """Fold one entry in; entries of unknown sorts are left to those who know them."""
        at = read_moment(str(entry.get("at", ""))) or read_moment(str(entry.get("t", "")))
        match entry:
            case {"e": "id", "id": str(id_), "path": str(path), "sha": str(sha)}:
                self._lies_at(id_, path)
                self.ids_by_text[sha] = id_
                self._saw(id_, at)
            case {"e": "seen", "id": str(id_)}:
                self._saw(id_, at)
            case {"e": "tombstone", "mac": str(mac)}:
                self.tombstones.add(mac)
            case {"e": "lift", "mac": str(mac)}:
                self.tombstones.discard(mac)

    def _lies_at(self, id_: str, path: str) -> None:
        """A memory lies at one path: what lay there before it moved on is free for another."""
        before = self.paths_by_id.get(id_)
        if before is not None and self.ids_by_path.get(before) == id_:
            del self.ids_by_path[before]
        self.paths_by_id[id_] = path
        self.ids_by_path[path] = id_

    def _saw(self, id_: str, at: datetime | None) -> None:
        if at is not None:
            self.first_seen[id_] = min(at, self.first_seen.get(id_, at))


class Ledger:
    """All devices' ledgers; this device's own is the only one ever written."""

    def __init__(self, folder: Path, device: str) -> None:
        self._folder = folder
        self._device = device

    def append(self, entries: Iterable[Record], now: datetime) -> None:
        """Add decisions to this device's file, safe against a power cut."""
        records.append(self._folder / f"{self._device}.jsonl", entries, now, durable=True)

    def holds(self, entry: Record) -> bool:
        """Whether this device's ledger has an entry, whenever it was made."""
        path = self._folder / f"{self._device}.jsonl"
        lines = records.read_from(path)[0] if path.is_file() else []
        return any({name: value for name, value in line.items() if name != "t"} == dict(entry) for line in lines)

    def decisions(self) -> Decisions:
        """Everything decided so far, in order of time."""
        entries = [entry for path in self._paths() for entry in records.readable(path)]
        entries.sort(key=lambda entry: str(entry.get("t", "")))
        folded = Decisions()
        for entry in entries:
            folded.take(entry)
        return folded

    def _paths(self) -> list[Path]:
        found = sorted(self._folder.glob("*.jsonl")) if self._folder.is_dir() else []
        return [path for path in found if path.is_file()]

    def macs(self, text: str) -> list[str]:
        """The keyed hashes of a text, one for each key: a tombstone tells nobody what was forgotten."""
        import hmac  # only forgetting and capturing need it

        words = " ".join(unicodedata.normalize("NFC", text).split()).casefold()
        return [hmac.new(key, words.encode(), "sha256").hexdigest() for key in self._keys()]

    def make_key(self, key: bytes) -> None:
        """Lay down the key, if there is none yet."""
        if not self._keys():
            files.append(self._folder / KEY, key.hex().encode() + b"\n", durable=True)

    def _keys(self) -> list[bytes]:
        """Two devices may each have made a key before they met: then the file has two lines."""
        path = self._folder / KEY
        lines = files.read(path).decode("ascii", errors="replace").split() if path.exists() else []
        return [bytes.fromhex(line) for line in lines if _KEY.fullmatch(line)]
