"""Versions of notes as they were seen here: what two copies began with, where whatever carries them does not know."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memvault.system import files

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
