"""Take the properties out of memories that say nothing, as those of earlier versions carry them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memvault.core.kinds import FIELDS
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import ChangeSubject, Plan, SetFields
from memvault.core.query import Filters
from memvault.errors import MemvaultError
from memvault.storage.journal.apply import Progress, apply, no_progress
from memvault.storage.permissions import require_person_for_identity
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext

_OWN = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.DEEP, Place.ARCHIVED})
# Of the others a person may have written down what is the default anyway, to say just that.
_TIDIED = (
    *("type", "aliases", "access_count", "emotional_flag", "pinned", "decay_eligible", "status"),
    *("tags", "topics", "people", "triggers", "source"),
)


@dataclass(frozen=True, slots=True)
class TidiedMemory:
    """A memory, and the properties that were taken out of it."""

    memory: Memory
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TidyResult:
    """What was tidied, or would be in a dry run, and the notes that could not be."""

    memories: tuple[TidiedMemory, ...]
    refused: tuple[str, ...] = ()
    op: str = ""


def tidy_memories(
    context: VaultContext, refs: Sequence[str] = (), *, dry_run: bool = False, progress: Progress = no_progress
) -> TidyResult:
    """Take out of memories, all or those that are named, the properties without which they are read the same."""
    context.refresh()
    wanted = [context.find_memory(ref) for ref in refs] or context.index.memories(Filters(places=_OWN))
    found: list[TidiedMemory] = []
    changes = []
    for number, known in enumerate(sorted(wanted, key=lambda memory: memory.path), 1):
        progress(number, len(wanted))
        try:
            memory = context.read_memory(known)[0]
        except MemvaultError:
            continue  # `doctor` tells of a note that cannot be read
        fields = empty_properties(memory)
        if not fields or memory.problem or memory.place not in _OWN:
            continue
        found.append(TidiedMemory(memory, tuple(fields)))
        about = ChangeSubject(id=memory.id)
        changes.append(SetFields(memory.path, fields, "properties that say nothing", memory.version, about))
    require_person_for_identity(context, (one.memory for one in found), "tidies")
    if dry_run or not changes:
        return TidyResult(tuple(found))
    outcome = apply(Plan("tidy", tuple(changes)), context)
    refused = {change.path for change, _ in outcome.refused if isinstance(change, SetFields)}
    kept = tuple(one for one in found if one.memory.path not in refused)
    return TidyResult(kept, tuple(sorted(refused)), outcome.operation.op if outcome.operation.steps else "")


def empty_properties(memory: Memory) -> dict[str, FieldValue | None]:
    """Return the changes that take out of a note what it is read without just the same."""
    found: dict[str, FieldValue | None] = {}
    for name in _TIDIED:
        if name not in memory.stated:
            continue
        value = getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name)
        if name == "aliases":
            rest = tuple(alias for alias in memory.aliases if alias != memory.name)
            if rest != memory.aliases:
                found[name] = rest or None
        elif value == FIELDS[name].default or (name == "source" and codec.goes_without_source(memory)):
            found[name] = None
    if memory.place is Place.ARCHIVED:
        found.pop("status", None)  # there `active` is not the default
    return found
