"""Let a memory go, and bring one back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from memvault.core.ids import is_prefix
from memvault.core.links import target_name
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Entry, Move, Note, Plan, SetFields, wrote
from memvault.errors import MemvaultError, NotFound, NothingToDo
from memvault.vault import codec
from memvault.vault.layout import TRASH
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench

_TIERS = (Place.HOT, Place.MEMORIES)


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory that was let go or brought back."""

    memory: Memory
    came_from: str
    op: str = ""


def forget(bench: Bench, ref: str, *, dry_run: bool = False) -> Moved:
    """Move a memory, and the detail file that is only its own, to the trash, and do not learn it again."""
    memory, _ = bench.read(bench.find(ref))
    target = _free_name(bench, f"{TRASH}/", memory.path.rpartition("/")[2])
    if dry_run:
        return Moved(memory.changed(path=target), memory.path)
    bench.vault.ledger.make_key(os.urandom(32))
    changes = (
        Move(memory.path, target, "forgotten", version=memory.version),
        *_details_along(bench, memory),
        *_tombstone(bench, memory),
    )
    return Moved(memory.changed(path=target), memory.path, apply_one(Plan("forget", changes), bench).op)


def _details_along(bench: Bench, memory: Memory) -> Iterator[Change]:
    """The long file behind a memory goes with it, unless another memory points to it too."""
    for reference in memory.refs.get("deep_context", ()):
        name = target_name(reference.removeprefix("[[").removesuffix("]]"))
        found = [other for other in bench.catalogue.find(name) if reference == other.path or name == other.name]
        for detail in found[:1]:
            others = {other.path for other in bench.catalogue.links_to(detail.name)} - {memory.path, detail.path}
            if detail.place is Place.DEEP and not others:
                target = _free_name(bench, f"{TRASH}/", detail.path.rpartition("/")[2])
                yield Move(detail.path, target, "the detail behind it")


def _tombstone(bench: Bench, memory: Memory) -> Iterator[Change]:
    mac = bench.vault.ledger.macs(_said(memory))[0]
    entry = {"e": "tombstone", "mac": mac, "why": "forget"}
    yield Note(entry, "not to be learnt again", {"e": "lift", "mac": mac})


def _said(memory: Memory) -> str:
    body = (memory.body or "").strip()
    return body or memory.title


def restore(bench: Bench, ref: str, *, dry_run: bool = False) -> Moved:
    """Bring a memory back from the trash or the archive, with its full standing."""
    bench.freshen()
    memory = _lost(bench, ref)
    in_place = memory.status == "archived" and bench.vault.place(memory.path) in (*_TIERS, Place.FOREIGN)
    folder, name = _former_folder(bench, memory), memory.path.rpartition("/")[2]
    target = memory.path if in_place else _free_name(bench, folder, name)
    place = bench.vault.place(target) or Place.MEMORIES
    restored = memory.changed(path=target, place=place, status="active")
    if dry_run:
        return Moved(restored, memory.path)
    back = _unarchived(memory) if in_place else _brought_back(memory, target)
    op = apply_one(Plan("restore", (back, *_kept_apart(memory), *_lifted(bench, memory))), bench).op
    if restored.id:  # one that never had an id of its own gets it again at the next look
        bench.touch([restored], why="restore")
    return Moved(restored, memory.path, op)


def _brought_back(memory: Memory, target: str) -> Change:
    fields: dict[str, FieldValue | None] = {"merged_into": None} if "merged_into" in memory.more else {}
    notes: tuple[tuple[Entry, Entry | None], ...] = ()
    if memory.status != "active":
        fields["status"] = "active"
        notes += (wrote(memory.id, "status", "active", memory.status),) if memory.id else ()
    about = About(id=memory.id, notes=notes)
    return Move(memory.path, target, "brought back", fields=fields, version=memory.version, about=about)


def _unarchived(memory: Memory) -> Change:
    """What was archived where it lies: a foreign note in the ledger alone, another by its status."""
    if memory.place is Place.FOREIGN:
        entry = {"e": "archive", "id": memory.id}
        return Note({"e": "lift", "of": "archive", "id": memory.id}, "brought back", entry)
    about = About(id=memory.id, notes=(wrote(memory.id, "status", "active", "archived"),))
    return SetFields(memory.path, {"status": "active"}, "brought back", memory.version, about)


def _kept_apart(memory: Memory) -> Iterator[Change]:
    """What was merged and is brought back is not merged into the same again."""
    into = memory.more.get("merged_into")
    if isinstance(into, str) and memory.id:
        pair = sorted((memory.id, into))
        yield Note({"e": "refuse", "pair": pair}, "kept apart", {"e": "lift", "of": "refuse", "pair": pair})


def _lifted(bench: Bench, memory: Memory) -> Iterator[Change]:
    """What is brought back may be known again."""
    dead = bench.vault.ledger.decisions().tombstones
    for mac in bench.vault.ledger.macs(_said(memory)):
        if mac in dead:
            entry = {"e": "tombstone", "mac": mac, "why": "forget"}
            yield Note({"e": "lift", "mac": mac}, "it may be known again", entry)


def _lost(bench: Bench, ref: str) -> Memory:
    """The archived or forgotten memory that a reference means; the archive goes first."""
    found = bench.catalogue.find(ref)
    archived = [memory for memory in found if memory.place is Place.ARCHIVED]
    if archived:
        return bench.read(archived[0])[0]
    faded = [memory for memory in found if memory.status == "archived"]
    if faded:
        return faded[0]
    trashed = [memory for memory in _trashed(bench) if _means(ref, memory)]
    if not trashed and (there := bench.catalogue.find(ref)):
        raise NothingToDo(reason=f"{there[0].path} is there already.")
    if not trashed:
        raise NotFound(ref=ref)
    return max(trashed, key=lambda memory: memory.path)


def _trashed(bench: Bench) -> Iterator[Memory]:
    for path in bench.vault.trash():
        try:
            note = bench.vault.note(path)
        except MemvaultError:
            continue  # what cannot be read cannot be brought back either
        origin = codec.Origin(path, Place.MEMORIES, "", note.modified, note.modified, bench.zone, bench.settings.kinds)
        yield codec.read(note.block, origin, version=note.version)


def _means(ref: str, memory: Memory) -> bool:
    wanted = ref.strip().casefold()
    names = {memory.title.casefold(), memory.name.casefold(), f"{memory.name}.md".casefold(), memory.path.casefold()}
    return wanted in names or (is_prefix(wanted) and memory.id.startswith(wanted))


def _former_folder(bench: Bench, memory: Memory) -> str:
    """Where the memory lay before it went, as far as the log knows; else Tier 2."""
    for operation in bench.vault.log.operations():
        for step in operation.steps:
            if step.do == "move" and step.to == memory.path and bench.vault.place(step.path):
                return step.path.rpartition("/")[0] + "/" if "/" in step.path else ""
    return bench.vault.layout.memories


def _free_name(bench: Bench, folder: str, name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    turn, path = 2, folder + name
    while bench.vault.exists(path):
        path, turn = f"{folder}{stem}-{turn}{dot}{ending}", turn + 1
    return path
