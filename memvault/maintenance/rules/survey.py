"""What upkeep is given to decide on: the memories, their pasts, and what was decided before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memvault.core.kinds.practice import Practice
from memvault.core.memory import Memory, Place
from memvault.core.similarity.compare import Compared
from memvault.core.weight import Moving, Past
from memvault.maintenance.rules.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the ledgers say of earlier decisions."""

    written: Collection[tuple[str, str]] = frozenset()  # (id, field) where what stands there is a program's
    settled: Mapping[str, datetime] = field(default_factory=dict)  # when a program last decided on a memory's status
    counted: frozenset[str] = frozenset()
    practised: frozenset[str] = frozenset()
    vetoes: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    refused: frozenset[tuple[str, str]] = frozenset()
    moved: Mapping[str, Moving] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """One look at a whole vault."""

    memories: Sequence[Memory]
    policy: Policy
    now: datetime
    vault_id: str = ""
    pasts: Mapping[str, Past] = field(default_factory=dict)
    practices: Mapping[str, Practice] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  # by path
    confirmed: Mapping[str, frozenset[str]] = field(default_factory=dict)  # id -> conversations that said it again
    decided: Decided = field(default_factory=Decided)
    folders: Mapping[Place, str] = field(default_factory=dict)  # each ending in a slash
    trash: str = ".trash/"
    unfit: Mapping[str, str] = field(default_factory=dict)  # path -> version of notes that cannot be changed
    judged_until: datetime | None = None  # the last run: what lies before it was decided then
    compared: Compared | None = None  # what is alike, where that was found out before and nothing changed since
    body: Callable[[Memory], str] = lambda memory: memory.body or ""
    is_taken: Callable[[str], bool] = lambda _path: False
    has_name: Callable[[str], bool] = lambda _name: False  # whether any note of the vault is called so
    is_tied: Callable[[Memory], bool] = lambda _memory: False  # whether links would break if it moved
    is_forgotten: Callable[[str], bool] = lambda _text: False
