"""Count what is in a vault: memories by tier, kind and status, conversations, private memories, what is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memvault.core.memory import Memory
from memvault.core.query import NO_FILTERS
from memvault.memories.open_items import open_reminders
from memvault.privacy.private.store import PrivateStore
from memvault.storage.journal.runs import read_last_run
from memvault.storage.vault.context import VaultContext
from memvault.transcripts.search import refresh_index

if TYPE_CHECKING:
    from memvault.extensions.register import Extension


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultStatus:
    """The vault at a glance."""

    vault: str
    id: str
    memories: int
    tiers: dict[str, int]
    kinds: dict[str, int]
    statuses: dict[str, int]
    pinned: int
    due: tuple[Memory, ...]
    identity_bytes: int
    hot_bytes: int
    problems: int
    conversations: int
    turns: int
    private: int  # sealed memories, which only the private commands open
    upkeep: datetime | None  # when this machine last ran maintenance
    backend: str
    index: str
    extensions: tuple[Extension, ...] = ()  # a person's own, those that were left out included


def vault_status(context: VaultContext) -> VaultStatus:
    """Count memories by tier, kind and status, what is due, and problems."""
    context.refresh()
    found = context.index.memories(NO_FILTERS)
    conversations, turns = refresh_index(context).count_turns()
    return VaultStatus(
        vault=str(context.vault.root),
        id=context.vault.vault_file.id,
        memories=len(found),
        tiers=_count_names(str(memory.tier) for memory in found),
        kinds=_count_names(memory.kind for memory in found),
        statuses=_count_names(memory.status for memory in found),
        pinned=sum(memory.pinned for memory in found),
        due=tuple(reminder.memory for reminder in open_reminders(context) if reminder.is_due),
        identity_bytes=context.vault.total_size([memory.path for memory in found if memory.tier == 0]),
        hot_bytes=context.vault.total_size([memory.path for memory in found if memory.tier == 1]),
        problems=sum(bool(memory.problem) for memory in found) + len(context.vault.unreadable),
        conversations=conversations,
        turns=turns,
        private=len(PrivateStore(context.vault).memory_paths()),
        upkeep=read_last_run(context).at,
        backend=context.settings.text("index.backend"),
        index=str(context.index.folder),
    )


def _count_names(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
