"""Which memory a note is when the note itself does not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

from memvault.core.ids import derive_id
from memvault.storage.journal.jsonl import JsonRecord
from memvault.storage.journal.ledger import LedgerDecisions
from memvault.system import files


class NoteIdentities:
    """Gives each note without an id one that survives renames; its decisions go to the ledger."""

    def __init__(
        self, decisions: LedgerDecisions, *, vault_id: str, exists: Callable[[str], bool], moved_from: Mapping[str, str]
    ) -> None:
        self._decisions = decisions
        self._vault_id = vault_id
        self._exists = exists
        self._moved_from = moved_from
        self._new: list[JsonRecord] = []

    def identify(self, path: str, sha: str) -> str:
        """Return the id of a note that claims none: by its path, its former path or its text, else a new one."""
        decided = self._decisions
        known = decided.ids_by_path.get(path)
        if known is None:
            known = decided.ids_by_path.get(self._moved_from.get(path, "")) or self._find_by_text(sha)
        id_ = known or self._derive_id(path)
        if decided.ids_by_path.get(path) != id_ or decided.ids_by_text.get(sha) != id_:
            self._record_decision({"e": "id", "id": id_, "path": path, "sha": sha})
        return id_

    def _find_by_text(self, sha: str) -> str | None:
        """Find a renamed note by its text, provided the old name is gone."""
        id_ = self._decisions.ids_by_text.get(sha)
        if id_ is None:
            return None
        return None if self._exists(self._decisions.paths_by_id[id_]) else id_

    def _derive_id(self, path: str) -> str:
        """Derive an id from the path, so that two devices agree; a taken one is derived again."""
        name, turn = path, 2
        while (id_ := derive_id(self._vault_id, name)) in self._decisions.paths_by_id:
            name, turn = f"{path}#{turn}", turn + 1
        return id_

    def first_seen(self, id_: str, now: datetime) -> datetime:
        """Return when memvault first saw a memory, in place of a missing last access."""
        if id_ not in self._decisions.first_seen:
            self._record_decision({"e": "seen", "id": id_})
            self._decisions.first_seen[id_] = now
        return self._decisions.first_seen[id_]

    def _record_decision(self, entry: JsonRecord) -> None:
        self._new.append(entry)
        self._decisions.fold_entry(entry)

    def take_new(self) -> list[JsonRecord]:
        """Return the decisions since the last call, for the ledger."""
        new, self._new = self._new, []
        return new


# Versions of notes as seen here: the common ancestors of copies, where the sync tool does not know them.

KEPT_OF_ONE = 8  # versions of one note
_AT_ONCE = 1 << 23  # bytes of one write
_HEAD = re.compile(rb"^memvault-seen ([0-9a-f-]{36}) (\d{8}T\d{6}Z) ([0-9a-f]{32}) (\d+)\n", re.MULTILINE)
_ENDING = ".seen"


@dataclass(frozen=True, slots=True)
class SeenVersion:
    """A note's bytes at some moment."""

    id: str
    at: str
    data: bytes

    @property
    def digest(self) -> str:
        """Return the digest of the bytes."""
        return files.digest(self.data)

    def encode(self) -> bytes:
        """Return the version as a file holds it: a header line, then the bytes."""
        return f"memvault-seen {self.id} {self.at} {self.digest} {len(self.data)}\n".encode() + self.data + b"\n"


class SeenVersions:
    """All devices' versions; only this device's own are written."""

    def __init__(self, root: Path, folder: Path, device: str) -> None:
        self._root = root
        self._folder = folder
        self._device = device

    def versions_of(self, id_: str) -> list[SeenVersion]:
        """Return the versions of a note that any device saw, the newest first."""
        found = [
            version
            for path in self._all_files()
            if path.stem == _shard_of(id_)
            for version in _read_versions(path)
            if version.id == id_
        ]
        return sorted(found, key=lambda version: version.at, reverse=True)

    def digests(self) -> set[tuple[str, str]]:
        """Return the ids and digests of the versions that this device keeps."""
        return {(version.id, version.digest) for path in self._own_files() for version in _read_versions(path)}

    @staticmethod
    def is_seen_file(path: Path) -> bool:
        """Return whether a file is one of these."""
        return path.suffix == _ENDING

    def add_versions(self, versions: Iterable[SeenVersion]) -> None:
        """Keep further versions; what a power cut takes of them is only missing."""
        if not files.is_in_place(self._root, self._folder / self._device):
            return  # a link leads to somebody else's files
        by_shard = groupby(sorted(versions, key=lambda version: _shard_of(version.id)), lambda one: _shard_of(one.id))
        for shard, group in by_shard:
            path = self._folder / self._device / f"{shard}{_ENDING}"
            for data in _join_batches(version.encode() for version in group):
                files.append_line(path, data)

    def drop_versions(
        self, is_wanted: Callable[[SeenVersion], bool], living: Container[str], *, keep_bytes: int
    ) -> None:
        """Keep a few wanted versions of each note, and the last one of a living note, within a number of bytes."""
        room = keep_bytes
        for path in sorted(self._own_files(), key=lambda path: path.stat().st_size):
            found = list(_read_versions(path))
            remaining = _fit_versions(list(_choose_versions(found, is_wanted, living)), max(0, room))
            room -= sum(len(version.data) for version in remaining)
            if len(remaining) < len(found):
                files.overwrite_file(path, b"".join(version.encode() for version in remaining))

    def forget_versions(self, is_meant: Callable[[SeenVersion], bool]) -> int:
        """Delete some versions, and torn ones, of any device; return how many."""
        deleted = 0
        for path in self._all_files():
            found = list(_read_versions(path))
            remaining = [version for version in found if not is_meant(version)]
            data = b"".join(version.encode() for version in remaining)
            if data != files.read_file(path):
                deleted += len(found) - len(remaining)
                files.overwrite_file(path, data)
        return deleted

    def _all_files(self) -> list[Path]:
        return [path for path in files.list_files(self._root, self._folder) if self.is_seen_file(path)]

    def _own_files(self) -> list[Path]:
        return [path for path in self._all_files() if path.parent.name == self._device]


def _choose_versions(
    found: list[SeenVersion], is_wanted: Callable[[SeenVersion], bool], living: Container[str]
) -> Iterator[SeenVersion]:
    newer: dict[str, int] = {}
    newest_first = []
    for version in reversed(found):
        count = newer.get(version.id, 0)
        newer[version.id] = count + 1
        if (count == 0 and version.id in living) or (count < KEPT_OF_ONE and is_wanted(version)):
            newest_first.append(version)
    yield from reversed(newest_first)


def _fit_versions(versions: list[SeenVersion], room: int) -> list[SeenVersion]:
    """Return as many of the last versions as fit."""
    size = 0
    for number, version in enumerate(reversed(versions)):
        size += len(version.data)
        if size > room:
            return versions[len(versions) - number :]
    return versions


def _join_batches(parts: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size > _AT_ONCE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _read_versions(path: Path) -> Iterator[SeenVersion]:
    """Yield the versions in a file, in the order they were seen; torn and damaged ones are skipped."""
    data = files.read_file(path)
    at = 0
    while head := _HEAD.search(data, at):
        version = SeenVersion(head[1].decode(), head[2].decode(), data[head.end() : head.end() + int(head[4])])
        is_whole = version.digest == head[3].decode()
        at = head.end() + (len(version.data) if is_whole else 0)
        if is_whole:
            yield version


def _shard_of(id_: str) -> str:
    return id_[-1:]
