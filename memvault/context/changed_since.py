"""What became of a vault since a moment: memories that were made or changed by others, by hand or by upkeep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.storage.vault.context import Bench
from memvault.text.dates.dates import read_moment

if TYPE_CHECKING:
    from memvault.core.plan import Operation

_PLACES = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})
_UPKEEP = "maintain"
_MOST = 200  # of those that were made
_NEWEST = "the newest memory"


@dataclass(frozen=True, slots=True)
class Change:
    """One memory that is new or no longer what it was, and who did it, as far as is known."""

    memory: Memory
    did: str  # made, merged or changed
    by: str = ""


def changed_since(bench: Bench, since: datetime, *, apart_from: frozenset[str]) -> tuple[Change, ...]:
    """The memories that were made or changed since, the newest first; what some sessions did themselves is left out."""
    found = {change.memory.id: change for change in _made(bench, since)}
    own: set[str] = set()
    for id_, did, operation in _done(bench, since):
        if operation.session and operation.session in apart_from:
            own.add(id_)
        elif id_ not in found and (memory := bench.catalogue.known(id_)):
            by = "upkeep" if operation.verb == _UPKEEP else operation.agent
            found[id_] = Change(memory, did, by)
    for id_ in _edited(bench, since):
        if id_ not in found and id_ not in own and (memory := bench.catalogue.known(id_)):
            found[id_] = Change(memory, "changed")
    return tuple(change for change in found.values() if str(change.memory.more.get("session", "")) not in apart_from)


def _made(bench: Bench, since: datetime) -> Iterator[Change]:
    if not _is_any_newer(bench, since):
        return
    span = (since.timestamp(), bench.now.timestamp())
    made = bench.catalogue.memories(Filters(places=_PLACES, made=(span,)), limit=_MOST)
    for memory in sorted(made, key=lambda memory: (memory.created, memory.path), reverse=True):
        is_merged = bool(memory.more.get("merged_from"))
        yield Change(memory, "merged" if is_merged else "made", str(memory.more.get("agent", "")))


def _is_any_newer(bench: Bench, since: datetime) -> bool:
    """Whether there is a memory at all that was made since, told without a look at the rows as long as none changes."""
    held = bench.catalogue.worked_out.now()
    if _NEWEST not in held:
        held[_NEWEST] = bench.catalogue.newest(1)
    return any(memory.created >= since for memory in held[_NEWEST])


def _done(bench: Bench, since: datetime) -> Iterator[tuple[str, str, Operation]]:
    """What operations did to texts; what upkeep writes of weights and standing is no news."""
    for operation in bench.vault.log.since(since):
        for step in operation.steps:
            is_merged = "consolidate" in step.rules
            if step.id and step.do in ("create", "rewrite") and (is_merged or operation.verb != _UPKEEP):
                yield step.id, "merged" if is_merged else "changed", operation


def _edited(bench: Bench, since: datetime) -> Iterator[str]:
    """Texts that are not what they were, whoever wrote them: the newest first."""
    for entry in reversed(list(bench.vault.journal.since(since))):
        at = read_moment(str(entry.get("t", "")))
        if entry.get("e") == "edit" and isinstance(entry.get("id"), str) and at is not None and at >= since:
            yield str(entry["id"])
