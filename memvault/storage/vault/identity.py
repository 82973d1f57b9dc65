"""Which memory a note is when the note itself does not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

from memvault.core.ids import derived_id
from memvault.storage.journal.jsonl import Record
from memvault.storage.journal.ledger import Decisions
from memvault.system import files


class Identities:
    """Gives each note without an id one that survives renames; what it decides is kept for the ledger."""

    def __init__(
        self, decisions: Decisions, *, vault_id: str, exists: Callable[[str], bool], moved_from: Mapping[str, str]
    ) -> None:
        self._decisions = decisions
        self._vault_id = vault_id
        self._exists = exists
        self._moved_from = moved_from
        self._new: list[Record] = []

    def given(self, path: str, sha: str) -> str:
        """The id of a note that claims none: by its path, its former path or its text, else a new one."""
        decided = self._decisions
        known = decided.ids_by_path.get(path)
        if known is None:
            known = decided.ids_by_path.get(self._moved_from.get(path, "")) or self._by_text(sha)
        id_ = known or self._fresh(path)
        if decided.ids_by_path.get(path) != id_ or decided.ids_by_text.get(sha) != id_:
            self._record({"e": "id", "id": id_, "path": path, "sha": sha})
        return id_

    def _by_text(self, sha: str) -> str | None:
        """A renamed note is known by its text, provided the old name is gone."""
        id_ = self._decisions.ids_by_text.get(sha)
        if id_ is None:
            return None
        return None if self._exists(self._decisions.paths_by_id[id_]) else id_

    def _fresh(self, path: str) -> str:
        """An id drawn from the path, so that two devices agree; a taken one is drawn again."""
        name, turn = path, 2
        while (id_ := derived_id(self._vault_id, name)) in self._decisions.paths_by_id:
            name, turn = f"{path}#{turn}", turn + 1
        return id_

    def first_seen(self, id_: str, now: datetime) -> datetime:
        """The day memvault first saw a memory: what stands in for a missing last access."""
        if id_ not in self._decisions.first_seen:
            self._record({"e": "seen", "id": id_})
            self._decisions.first_seen[id_] = now
        return self._decisions.first_seen[id_]

    def _record(self, entry: Record) -> None:
        self._new.append(entry)
        self._decisions.take(entry)

    def take_new(self) -> list[Record]:
        """What was decided since the last call, to be kept in the ledger."""
        new, self._new = self._new, []
        return new


# Versions of notes as they were seen here: what two copies began with, where whatever carries them does not know.

KEPT_OF_ONE = 8  # versions of one note
_AT_ONCE = 1 << 23  # bytes of one write
_HEAD = re.compile(rb"^memvault-seen ([0-9a-f-]{36}) (\d{8}T\d{6}Z) ([0-9a-f]{32}) (\d+)\n", re.MULTILINE)
_ENDING = ".seen"


@dataclass(frozen=True, slots=True)
class Version:
    """A note's bytes as they were at some moment."""

    id: str
    at: str
    data: bytes

    @property
    def digest(self) -> str:
        """The fingerprint of the bytes."""
        return files.digest(self.data)

    def packed(self) -> bytes:
        """The version as it stands in a file: a line that says whose it is, and the bytes as they are."""
        return f"memvault-seen {self.id} {self.at} {self.digest} {len(self.data)}\n".encode() + self.data + b"\n"


class Seen:
    """All devices' versions; this device's own are the only ones ever written."""

    def __init__(self, root: Path, folder: Path, device: str) -> None:
        self._root = root
        self._folder = folder
        self._device = device

    def of(self, id_: str) -> list[Version]:
        """What any device saw of a note, the newest first."""
        found = [
            version
            for path in self._every()
            if path.stem == _shard(id_)
            for version in _read(path)
            if version.id == id_
        ]
        return sorted(found, key=lambda version: version.at, reverse=True)

    def digests(self) -> set[tuple[str, str]]:
        """Which versions of which notes this device keeps."""
        return {(version.id, version.digest) for path in self._own() for version in _read(path)}

    @staticmethod
    def holds(path: Path) -> bool:
        """Whether a file is one of these."""
        return path.suffix == _ENDING

    def add(self, versions: Iterable[Version]) -> None:
        """Keep further versions; what a power cut takes of them is only missed."""
        if not files.in_place(self._root, self._folder / self._device):
            return  # what lies behind a link is somebody else's
        by_shard = groupby(sorted(versions, key=lambda version: _shard(version.id)), lambda one: _shard(one.id))
        for shard, group in by_shard:
            path = self._folder / self._device / f"{shard}{_ENDING}"
            for data in _joined(version.packed() for version in group):
                files.append(path, data)

    def let_go(self, is_wanted: Callable[[Version], bool], living: Container[str], *, keep_bytes: int) -> None:
        """Keep of each note a few versions that are wanted, and its last one while it lives; all within some bytes."""
        room = keep_bytes
        for path in sorted(self._own(), key=lambda path: path.stat().st_size):
            found = list(_read(path))
            staying = _fitting(list(_chosen(found, is_wanted, living)), max(0, room))
            room -= sum(len(version.data) for version in staying)
            if len(staying) < len(found):
                files.overwrite(path, b"".join(version.packed() for version in staying))

    def forget(self, is_meant: Callable[[Version], bool]) -> int:
        """Let go of some versions, and of what is torn, whoever saw them; how many there were."""
        gone = 0
        for path in self._every():
            found = list(_read(path))
            staying = [version for version in found if not is_meant(version)]
            data = b"".join(version.packed() for version in staying)
            if data != files.read(path):
                gone += len(found) - len(staying)
                files.overwrite(path, data)
        return gone

    def _every(self) -> list[Path]:
        return [path for path in files.below(self._root, self._folder) if self.holds(path)]

    def _own(self) -> list[Path]:
        return [path for path in self._every() if path.parent.name == self._device]


def _chosen(found: list[Version], is_wanted: Callable[[Version], bool], living: Container[str]) -> Iterator[Version]:
    after: dict[str, int] = {}
    newest_first = []
    for version in reversed(found):
        count = after.get(version.id, 0)
        after[version.id] = count + 1
        if (count == 0 and version.id in living) or (count < KEPT_OF_ONE and is_wanted(version)):
            newest_first.append(version)
    yield from reversed(newest_first)


def _fitting(versions: list[Version], room: int) -> list[Version]:
    """As many of the last ones as there is room for."""
    size = 0
    for number, version in enumerate(reversed(versions)):
        size += len(version.data)
        if size > room:
            return versions[len(versions) - number :]
    return versions


def _joined(parts: Iterable[bytes]) -> Iterator[bytes]:
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


def _read(path: Path) -> Iterator[Version]:
    """The versions in a file, in the order in which they were seen; what is torn or damaged is passed over."""
    data = files.read(path)
    at = 0
    while head := _HEAD.search(data, at):
        version = Version(head[1].decode(), head[2].decode(), data[head.end() : head.end() + int(head[4])])
        is_whole = version.digest == head[3].decode()
        at = head.end() + (len(version.data) if is_whole else 0)
        if is_whole:
            yield version


def _shard(id_: str) -> str:
    return id_[-1:]
