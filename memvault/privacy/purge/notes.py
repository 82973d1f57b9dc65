"""The notes that a purge removes: last of all, and by upkeep where it was killed before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memvault.core.memory import Memory
from memvault.core.query import ANY
from memvault.errors import MemvaultError
from memvault.memories.quarantine import waiting
from memvault.memories.remember import details_of, read_at
from memvault.privacy.purge import kept
from memvault.privacy.purge import records as lines
from memvault.privacy.purge.subject import about
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench
from memvault.system import files


def names(bench: Bench, paths: Iterable[str]) -> tuple[str, ...]:
    """What some notes are known by, though they be changed or moved: their ids; and where they lie as they are."""
    return tuple(dict.fromkeys(name for path in paths for name in _names(bench, path)))


def remove(bench: Bench, paths: Iterable[str]) -> None:
    """Remove notes for good, and be sure of it."""
    for path in paths:
        files.remove(bench.vault.root / path)
        files.sync_folder((bench.vault.root / path).parent)


def finish(bench: Bench) -> None:
    """Remove what a purge that was killed left of the notes that it set out to remove."""
    is_to_go = tombstones.is_to_go(bench)
    if is_to_go is None:
        return
    bench.freshen()
    left = [path for path in dict.fromkeys(_paths(bench)) if any(map(is_to_go, _names(bench, path)))]
    # As long as they are there, it can be told what records say of them in words that no mark knows.
    found = about(bench, [memory for path in left if (memory := read_at(bench, path))])
    kept.forgotten(bench, found)
    for record in (*lines.records(bench), *lines.logs(bench.state)):
        lines.purged(record, found)
    remove(bench, left)
    tombstones.removed(bench)


def _paths(bench: Bench) -> Iterator[str]:
    for memory in (*bench.catalogue.memories(ANY), *waiting(bench)):
        yield memory.path
        yield from (detail.path for detail in _details(bench, memory))
    yield from bench.vault.trash()


def _details(bench: Bench, memory: Memory) -> list[Memory]:
    try:
        return list(details_of(bench, memory))
    except MemvaultError:
        return []  # whoever reads the memory tells


def _names(bench: Bench, path: str) -> tuple[str, ...]:
    try:
        memory = read_at(bench, path)
        seen = f"{path} {files.digest(files.read(bench.vault.root / path))}"
    except (MemvaultError, FileNotFoundError):
        return ()
    return (memory.id, seen) if memory and memory.id else (seen,)
