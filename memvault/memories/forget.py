"""Let a memory go, and bring one back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from memvault.core.ids import is_prefix
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Entry, Move, Note, Operation, Plan, SetFields, Step, wrote
from memvault.errors import MemvaultError, NotFound, NothingToDo
from memvault.memories.remember import details_of, gone_details, read_at, said_by
from memvault.storage.journal import exchanges, tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_is_own, check_is_person, check_not_identity
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH

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
    check_not_identity(bench, (memory,), "forgets")
    target = _free_name(bench, f"{TRASH}/", memory.path.rpartition("/")[2])
    if dry_run:
        return Moved(memory.changed(path=target), memory.path)
    details = details_of(bench, memory)
    changes = (
        Move(memory.path, target, "forgotten", version=memory.version),
        *(_away(bench, detail) for detail in details),
        *tombstones.laid(bench, said_by(memory, details), why="forget"),
    )
    op = apply_one(Plan("forget", changes), bench).op
    if bench.state is not None:
        with suppress(MemvaultError, OSError):  # it is forgotten all the same
            exchanges.purge(bench.state, texts=said_by(memory, details))
    return Moved(memory.changed(path=target), memory.path, op)


def _away(bench: Bench, detail: Memory) -> Move:
    target = _free_name(bench, f"{TRASH}/", detail.path.rpartition("/")[2])
    return Move(detail.path, target, "the detail behind it", version=detail.version)


def restore(bench: Bench, ref: str, *, dry_run: bool = False) -> Moved:
    """Bring a memory back from the trash or the archive, with its full standing."""
    bench.freshen()
    memory = lost(bench, ref)
    if memory.path.startswith(f"{TRASH}/"):
        _check_may_bring_back(bench, memory)
    in_place = memory.status == "archived" and bench.vault.place(memory.path) in (*_TIERS, Place.FOREIGN)
    folder, name = _former_folder(bench, memory), memory.path.rpartition("/")[2]
    target = memory.path if in_place else _free_name(bench, folder, name)
    place = bench.vault.place(target) or Place.MEMORIES
    restored = memory.changed(path=target, place=place, status="active")
    if dry_run:
        return Moved(restored, memory.path)
    back = _unarchived(memory) if in_place else _brought_back(memory, target)
    gone = list(gone_details(bench, memory))
    details = [Move(detail.path, former, "the detail behind it", version=detail.version) for detail, former in gone]
    said = said_by(memory, (detail for detail, _ in gone))
    is_trashed = memory.path.startswith(f"{TRASH}/")
    # What an agent brings out of the archive may say the same as what a person had forgotten.
    known_again = tombstones.lifted_for(bench, said) if is_trashed or not bench.actor.agent else ()
    op = apply_one(Plan("restore", (back, *details, *_kept_apart(memory), *known_again)), bench).op
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


def lost(bench: Bench, ref: str) -> Memory:
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
    return _gone_last(bench, trashed)


def _gone_last(bench: Bench, trashed: list[Memory]) -> Memory:
    """Of several that a reference means, be it of one memory that was forgotten twice, the one that went last."""
    by_name = sorted(trashed, key=lambda memory: memory.path, reverse=True)
    if len(by_name) == 1:
        return by_name[0]
    # The newest operation comes first; what the log knows nothing of, last.
    moves = (step.to for each in bench.vault.log.operations() for step in each.steps if step.do == "move")
    turns = {path: turn for turn, path in reversed(list(enumerate(moves)))}
    return min(by_name, key=lambda memory: turns.get(memory.path, len(turns)))


def _trashed(bench: Bench) -> Iterator[Memory]:
    for path in bench.vault.trash():
        memory = read_at(bench, path)  # what cannot be read cannot be brought back either
        if memory is not None:
            yield memory


def _means(ref: str, memory: Memory) -> bool:
    wanted = ref.strip().casefold()
    names = {memory.title.casefold(), memory.name.casefold(), f"{memory.name}.md".casefold(), memory.path.casefold()}
    return wanted in names or (is_prefix(wanted) and memory.id.startswith(wanted))


def _former_folder(bench: Bench, memory: Memory) -> str:
    """Where the memory lay before it went, as far as the log knows; else Tier 2."""
    gone = _going(bench, memory)
    if gone is None:
        return bench.vault.layout.memories
    path = gone[1].path
    return path.rpartition("/")[0] + "/" if "/" in path else ""


def _going(bench: Bench, memory: Memory) -> tuple[Operation, Step] | None:
    """By what a memory came to where it lies, as far as the log knows."""
    for operation in bench.vault.log.operations():
        for step in operation.steps:
            if step.do == "move" and step.to == memory.path and bench.vault.place(step.path):
                return operation, step
    return None


def _check_may_bring_back(bench: Bench, memory: Memory) -> None:
    """Refuse an agent to bring back what another had forgotten."""
    gone, does = _going(bench, memory), "brings back what somebody else had forgotten"
    if gone is None:
        check_is_person(bench, does)
    else:
        check_is_own(bench.actor, gone[0], does)


def _free_name(bench: Bench, folder: str, name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    turn, path = 2, folder + name
    while bench.vault.exists(path):
        path, turn = f"{folder}{stem}-{turn}{dot}{ending}", turn + 1
    return path
