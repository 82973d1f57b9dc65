"""Audit where memories come from: counts by origin and trust; forget one origin as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from memvault.core.ids import SHORTEST_PREFIX
from memvault.core.memory import SOURCES, Memory, Place
from memvault.core.plan import MoveFile, Plan, PlanChange
from memvault.core.query import NO_FILTERS
from memvault.errors import BadInput, NothingToDo
from memvault.memories.quarantine import choose_path
from memvault.memories.remember import find_details, memory_texts
from memvault.privacy.purge.transcripts import match_session
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply
from memvault.storage.permissions import require_person_for_identity
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import TRASH
from memvault.storage.vault.quarantine import list_waiting
from memvault.transcripts.search import open_archive

NOT_STATED = ""  # a note without a source is the person's own


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOrigin:
    """An origin to look for: memories that match everything that is given."""

    source: str = ""
    session: str = ""
    agent: str = ""
    device: str = ""
    tainted: bool = False

    def __bool__(self) -> bool:
        return self != MemoryOrigin()

    def __str__(self) -> str:
        named = [f"{name} {value}" for name, value in _given_fields(self)]
        return ", ".join([*named, *(("tainted",) if self.tainted else ())])


@dataclass(frozen=True, slots=True)
class OriginGroup:
    """The memories of one origin, in figures."""

    value: str
    trust: int  # 0 is the most trusted; of the least trusted source among them
    memories: int
    loaded: int  # in Tier 0 and 1, and so in every session
    quarantined: int
    tainted: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The memories of an origin where one was given, figures by origin where none was."""

    by: str
    groups: tuple[OriginGroup, ...]
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class ForgetOriginResult:
    """Memories that were moved to the trash together, and those that could not be."""

    memories: tuple[Memory, ...]
    refused: tuple[str, ...] = ()
    op: str = ""
    talks: tuple[str, ...] = ()  # the conversation, which stays in the archive


def trust_of(memory: Memory) -> str:
    """Return whether a memory may rise into every session, by its source and by what its session had read."""
    if memory.more.get("tainted"):
        return "tainted"
    return "trusted" if memory.is_trusted else "untrusted"


BY: Mapping[str, Callable[[Memory], str]] = MappingProxyType(
    {
        "source": lambda memory: memory.source,
        "trust": trust_of,
        "session": lambda memory: str(memory.more.get("session", NOT_STATED)),
        "agent": lambda memory: str(memory.more.get("agent", NOT_STATED)),
        "device": lambda memory: str(memory.more.get("device", NOT_STATED)),
        "project": lambda memory: str(memory.more.get("project", NOT_STATED)),
    }
)


def audit_origins(context: VaultContext, origin: MemoryOrigin, *, by: str = "source") -> AuditResult:
    """Count memories by where they come from, quarantine and archive included."""
    if by not in BY:
        raise BadInput(what="the order", value=by, reason=f"it must be one of {', '.join(BY)}")
    found = _find_memories(context, origin)
    groups: dict[str, list[Memory]] = {}
    for memory in found:
        groups.setdefault(BY[by](memory), []).append(memory)
    rows = [_make_group(value, memories) for value, memories in groups.items()]
    rows.sort(key=lambda group: (-group.trust, -group.memories, group.value))
    return AuditResult(by, tuple(rows), tuple(found) if origin else ())


def forget_origin(context: VaultContext, origin: MemoryOrigin, *, dry_run: bool = False) -> ForgetOriginResult:
    """Move all memories of one origin to the trash, as one operation, and learn none of them again."""
    if not origin or origin == MemoryOrigin(source="user"):
        reason = "it would match everything you wrote yourself"
        raise BadInput(what="the origin", value=str(origin) or "none", reason=reason)
    if 0 < len(origin.session) < SHORTEST_PREFIX:
        reason = f"it must have at least {SHORTEST_PREFIX} characters"
        raise BadInput(what="the session", value=origin.session, reason=reason)
    # A program wrote it: a person's own note has no source, or `source: web` as a clipping.
    is_named = bool(origin.session or origin.agent or origin.device)
    found = [
        memory
        for memory in _find_memories(context, origin)
        if memory.place is not Place.FOREIGN or (is_named and "source" in memory.stated)
    ]
    if not found:
        raise NothingToDo(reason=f"No memory has that origin ({origin}).")
    sessions = match_session(origin.session, {BY["session"](memory) for memory in found}) if origin.session else set()
    found = [memory for memory in found if not sessions or BY["session"](memory) in sessions]
    require_person_for_identity(context, found, "forgets")
    whole = [memory if memory.place is Place.QUARANTINE else context.read_memory(memory)[0] for memory in found]
    archive = open_archive(context)
    paths = [(path, session) for session in sessions for path in archive.find_paths(session)]
    talks = tuple(path for path, session in paths if archive.open_transcript(path).read_head().id == session)
    if dry_run:
        return ForgetOriginResult(tuple(whole), talks=talks)
    outcome = apply(Plan("forget", tuple(_trash_changes(context, whole))), context)
    refused = tuple(str(error) for _, error in outcome.refused)
    return ForgetOriginResult(tuple(whole), refused, outcome.operation.op, talks)


def _find_memories(context: VaultContext, origin: MemoryOrigin) -> list[Memory]:
    context.refresh()
    known = (*context.index.memories(NO_FILTERS), *list_waiting(context))
    found = (memory for memory in known if _matches_origin(memory, origin))
    return sorted(found, key=lambda memory: (memory.created, memory.path))


def _matches_origin(memory: Memory, origin: MemoryOrigin) -> bool:
    given = {name: value.casefold() for name, value in _given_fields(origin)}
    session = given.pop("session", "")  # it may be abbreviated, as everywhere
    return (
        (not origin.tainted or bool(memory.more.get("tainted")))
        and BY["session"](memory).casefold().startswith(session)
        and all(BY[name](memory).casefold() == value for name, value in given.items())
    )


def _given_fields(origin: MemoryOrigin) -> Iterator[tuple[str, str]]:
    for name in ("source", "session", "agent", "device"):
        if value := getattr(origin, name):
            yield name, value


def _make_group(value: str, memories: list[Memory]) -> OriginGroup:
    return OriginGroup(
        value,
        max(SOURCES.index(memory.source) for memory in memories),
        len(memories),
        sum(memory.tier < 2 for memory in memories),
        sum(memory.place is Place.QUARANTINE for memory in memories),
        sum(bool(memory.more.get("tainted")) for memory in memories),
        min(memory.created for memory in memories),
        max(memory.created for memory in memories),
    )


def _trash_changes(context: VaultContext, memories: list[Memory]) -> Iterator[PlanChange]:
    taken: set[str] = set()
    details = {detail.path: detail for memory in memories for detail in find_details(context, memory)}
    gone = {memory.path: memory for memory in memories} | details
    for memory in gone.values():
        why = "the detail behind it" if memory.path in details else "forgotten with its origin"
        yield MoveFile(memory.path, choose_path(context, f"{TRASH}/", memory, taken), why, version=memory.version)
    texts = dict.fromkeys(text for memory in memories for text in memory_texts(memory, find_details(context, memory)))
    yield from tombstones.tombstone_changes(context, texts, why="forget")
