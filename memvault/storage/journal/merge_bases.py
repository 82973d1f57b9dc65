"""Earlier versions of notes, kept from run to run: the common ancestors for merging two copies of a note."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from pathlib import Path

from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation, OperationStep
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.private_spans import has_private
from memvault.errors import MemvaultError
from memvault.storage.journal import tombstones
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.system import files

_BATCH = 500
_MEGA = 1 << 20
_STAMP = "%Y%m%dT%H%M%SZ"
_APART = (Place.FOREIGN, Place.QUARANTINE)  # copies of these are never merged


def merge_bases(
    context: VaultContext, operations: Sequence[Operation], id_: str, sides: tuple[bytes, bytes]
) -> Iterator[tuple[bytes, bool]]:
    """Yield the possible common ancestors of two versions, likeliest first, and whether each is certain.

    An ancestor is certain where memvault made both versions from it, on any machine. For an edit by hand nobody knows.
    """
    known = {version.digest: version.data for version in open_seen_versions(context).versions_of(id_)}
    steps = [(operation.op, step) for operation in operations for step in operation.steps]
    sure = _nearest_ancestor(steps, *(files.digest(side) for side in sides))
    before = {
        step.before: op for op, step in reversed(steps) if step.before and (step.id == id_ or step.before == sure)
    }
    for digest, op in before.items():
        if digest not in known and (data := context.vault.log.kept_bytes(op, digest)) is not None:
            known[digest] = data
    if sure in known:
        yield known[sure], True
    yield from ((data, False) for digest, data in known.items() if digest != sure)


def _nearest_ancestor(steps: Sequence[tuple[str, OperationStep]], one: str, other: str) -> str:
    """Return the closest version that both were made from; empty where that is not certain."""
    made_of: dict[str, list[str]] = {}
    for _, step in steps:
        if step.before and step.after and step.before != step.after:
            made_of.setdefault(step.after, []).append(step.before)
    ways = [_ancestors(made_of, digest) for digest in (one, other)]
    nearest = {next((digest for digest in way if digest in there), "") for way, there in (ways, ways[::-1])}
    return nearest.pop() if len(nearest) == 1 else ""


def _ancestors(made_of: Mapping[str, Sequence[str]], digest: str) -> list[str]:
    found = [digest]
    for each in found:  # the list grows during the loop
        found += [before for before in made_of.get(each, ()) if before not in found]
    return found


def open_seen_versions(context: VaultContext) -> SeenVersions:
    """Return the store of the versions seen so far, on all devices."""
    return SeenVersions(context.vault.root, context.vault.undo / "seen", context.vault.device)


def keep_seen_versions(context: VaultContext) -> None:
    """Keep the memories that changed since the last time, and drop versions as old as undo would drop.

    Private and purged text is not kept. A vault that cannot be written does without.
    """
    store = open_seen_versions(context)
    known = store.digests()
    memories = [memory for memory in context.index.memories(NO_FILTERS) if memory.place not in _APART and memory.id]
    fresh = [memory for memory in memories if (memory.id, memory.version) not in known]
    with suppress(MemvaultError), context.vault.lock_vault():
        for start in range(0, len(fresh), _BATCH):
            store.add_versions(_new_versions(context, fresh[start : start + _BATCH], known))
        if fresh:
            living = {memory.id for memory in memories}
            oldest = (context.now - timedelta(days=context.settings.integer("undo.keep_days"))).strftime(_STAMP)
            most = context.settings.integer("undo.keep_megabytes") * _MEGA
            store.drop_versions(lambda version: version.at >= oldest, living, keep_bytes=most)


def _new_versions(
    context: VaultContext, memories: list[Memory], known: Container[tuple[str, str]]
) -> Iterator[SeenVersion]:
    eraser = tombstones.purge_eraser(context)
    for memory in memories:
        try:
            note = context.vault.read_note(memory.path)
        except MemvaultError:
            continue
        text = note.raw.decode("utf-8", "replace")
        is_fit = codec.claims_id(note.block) and not has_private(text) and not (eraser and eraser(text) != text)
        if is_fit and (memory.id, note.version) not in known:
            yield SeenVersion(memory.id, context.now.strftime(_STAMP), note.raw)


# The files of versions: one folder for each device, which alone writes there.

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
            data = b""
            for version in group:
                data += version.encode()
                if len(data) > _AT_ONCE:
                    files.append_line(path, data)
                    data = b""
            if data:
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
