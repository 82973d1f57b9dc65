"""Find names that begin as a person began to type them, in the index, which in a large vault stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.storage.index.rows import fold_name
from memvault.storage.vault.context import VaultContext
from memvault.text.display import to_one_line

_MOST = 60
_FEW = 1_000  # notes: so many are compared with the index while a person waits for a Tab
_BEGIN = "where (name >= ? and name < ?) or (title >= ? and title < ?) or (id >= ? and id < ?)"
_LAST = "\U0010ffff"


class NameMatch(NamedTuple):
    """A name that goes on as it was begun, and what a list of such names may say of it."""

    value: str
    help: str = ""


def match_names(
    context: VaultContext, match: Callable[[VaultContext, str], list[NameMatch]], begun: str
) -> list[NameMatch]:
    """Return what matches; what was written a moment before is among it, unless there is much to look through."""
    if context.index.count() <= _FEW:
        notes = 0
        for _, entries in context.vault.list_folders():
            notes += len(entries)
        if notes <= _FEW:
            context.refresh()
    return match(context, begun)


def match_memories(context: VaultContext, begun: str) -> list[NameMatch]:
    """Return memories by file name, title or id, the latest used first."""
    name, low = fold_name(begun), begun.casefold()
    values = (name, name + _LAST, name, name + _LAST, low, low + _LAST)
    found = context.index.select(
        f"{_BEGIN if name else ''} order by used desc, path limit {_MOST}", values if name else ()
    )
    named = (NameMatch(_choose_name(memory, begun), to_one_line(memory.title)) for memory in found)
    return [match for match in named if to_one_line(match.value) == match.value]


def _choose_name(memory: Memory, begun: str) -> str:
    name = fold_name(begun)
    if fold_name(memory.name).startswith(name):
        return memory.name
    return memory.title if fold_name(memory.title).startswith(name) else short_id(memory.id)


def match_marks(context: VaultContext, sort: str, begun: str) -> list[NameMatch]:
    """Return tags, people or keywords, those of most memories first."""
    counted = context.index.mark_counts(sort, fold_name(begun.lstrip("#")), limit=_MOST)
    return [NameMatch(value, f"{count:,}") for value, count in counted if to_one_line(value) == value]


def match_operations(context: VaultContext, begun: str) -> list[NameMatch]:
    """Return the last operations of this machine, the newest first."""
    found = reversed(context.vault.log.recent_own())
    return [NameMatch(each.op, f"{each.verb} {each.at}") for each in found if each.op.startswith(begun)][:_MOST]
