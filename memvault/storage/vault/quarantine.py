"""Notes that the index does not know: what waits in quarantine, and how a person's reference finds it."""

from __future__ import annotations

from collections.abc import Sequence

from memvault.core.ids import is_prefix
from memvault.core.memory import Memory, Place
from memvault.errors import Ambiguous, MemvaultError, NotFound
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext

UNTRUSTED_SOURCE = "web"
"""Where a waiting note comes from that says nothing of its source."""


def read_unindexed(context: VaultContext, path: str) -> Memory | None:
    """Return the memory that a file holds which the index may not know; None where it cannot be read."""
    try:
        note = context.vault.read_note(path)
    except MemvaultError:
        return None
    place = context.vault.place_of(path) or Place.MEMORIES
    origin = codec.NoteOrigin(path, place, "", note.modified, note.modified, context.zone, context.settings.kinds)
    return codec.read_memory(note.block, origin, version=note.version)


def list_waiting(context: VaultContext) -> list[Memory]:
    """Return the memories in quarantine with their texts, the oldest first; looking at them is no use of them."""
    found: list[Memory] = []
    folder = context.vault.root / context.vault.layout.quarantine
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        relative = context.vault.relative_path(path)
        if relative is None or context.vault.place_of(relative) is not Place.QUARANTINE or not path.is_file():
            continue
        memory = read_unindexed(context, relative)
        if memory is None:
            continue  # a link that leads out of the vault, or a file that cannot be read: `doctor` tells
        more = {"source": UNTRUSTED_SOURCE, **memory.more}
        found.append(memory if "source" in memory.more else memory.with_changes(more=more))
    return sorted(found, key=lambda memory: (memory.created, memory.path))


def choose_waiting(ref: str, waiting: Sequence[Memory]) -> Memory:
    """Return the one of some waiting memories that a path, file name, title or id means."""
    wanted = ref.strip().casefold()
    exact = []
    for memory in waiting:
        names = (memory.path, memory.path.rpartition("/")[2], memory.name, memory.title, memory.id)
        if wanted and wanted in map(str.casefold, names):
            exact.append(memory)
    found = exact or [memory for memory in waiting if is_prefix(wanted) and memory.id and memory.id.startswith(wanted)]
    if not found:
        raise NotFound(ref=ref)
    if len(found) > 1:
        several = ", ".join(f"{memory.id[:8]} {memory.path}".strip() for memory in found[:5])
        raise Ambiguous(ref=ref, count=len(found), names=several)
    return found[0]


def find_with_waiting(context: VaultContext, ref: str) -> Memory:
    """Return the memory that a reference means; for a person, also one that waits in quarantine."""
    try:
        return context.find_memory(ref)
    except NotFound:
        if context.actor.agent:  # what waits is read by no agent
            raise
        return choose_waiting(ref, list_waiting(context))
