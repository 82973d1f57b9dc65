"""The numbers that upkeep goes by, as the settings give them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memvault.core.kinds import KINDS, Kinds
from memvault.core.kinds.procedural import PracticeHistory
from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.core.similarity.verdict import ComparisonResult
from memvault.core.weight import WEIGHTED, Decay, TierMove, UsageHistory

KILO = 1024
RETENTION_SETTINGS = TRASH_DAYS_SETTING, CONVERSATION_DAYS_SETTING, ORIGINAL_DAYS_SETTING, LOG_DAYS_SETTING = (
    "keep.trash_days",
    "keep.conversations_days",
    "keep.originals_days",
    "keep.logs_days",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenancePolicy:
    """How upkeep decides; all of it can be set."""

    decay: Decay = WEIGHTED
    write: str = "grid"
    stale_below: float = 0.3
    archive_days: float = 30
    hot_enter: float = 1.0
    hot_leave: float = 0.35
    hot_half_life: float = 14
    hot_fill: int = 10 * KILO
    hot_most: int = 20 * KILO
    merge: bool = True
    promote_sessions: int = 3
    prune_months: int = 0
    kinds: Kinds = field(default=KINDS, compare=False, repr=False)

    @classmethod
    def from_settings(cls, settings: Settings) -> MaintenancePolicy:
        """Return the policy that the settings describe."""
        decay = settings.decay
        threshold = "decay.stale_below_biomimetic" if decay.model == "biomimetic" else "decay.stale_below"
        return cls(
            decay=decay,
            write=settings.text("decay.write"),
            stale_below=settings.number(threshold),
            archive_days=settings.number("decay.archive_days"),
            hot_enter=settings.number("hot.enter"),
            hot_leave=min(settings.number("hot.leave"), settings.number("hot.enter")),
            hot_half_life=settings.number("hot.half_life_days"),
            hot_fill=settings.integer("hot.fill_kilobytes") * KILO,
            hot_most=settings.integer("hot.most_kilobytes") * KILO,
            merge=settings.flag("consolidate.merge"),
            promote_sessions=settings.integer("promote.sessions"),
            kinds=settings.kinds,
            prune_months=settings.integer("prune.after_months"),
        )


# What upkeep is given to decide on: the memories, their pasts, and what was decided before.


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierDecisions:
    """What the ledgers say of earlier decisions."""

    written: Collection[tuple[str, str]] = frozenset()  # (id, field) where what stands there is a program's
    settled: Mapping[str, datetime] = field(default_factory=dict)  # when a program last decided on a memory's status
    counted: frozenset[str] = frozenset()
    practised: frozenset[str] = frozenset()
    vetoes: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    refused: frozenset[tuple[str, str]] = frozenset()
    moved: Mapping[str, TierMove] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultSnapshot:
    """One look at a whole vault."""

    memories: Sequence[Memory]
    policy: MaintenancePolicy
    now: datetime
    vault_id: str = ""
    pasts: Mapping[str, UsageHistory] = field(default_factory=dict)
    practices: Mapping[str, PracticeHistory] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  # by path
    confirmed: Mapping[str, frozenset[str]] = field(default_factory=dict)  # id -> conversations that said it again
    ended: Mapping[str, datetime] = field(default_factory=dict)  # when the latest sessions ended
    decided: EarlierDecisions = field(default_factory=EarlierDecisions)
    folders: Mapping[Place, str] = field(default_factory=dict)  # each ending in a slash
    trash: str = ".trash/"
    unfit: Mapping[str, str] = field(default_factory=dict)  # path -> version of notes that cannot be changed
    judged_until: datetime | None = None  # the last run: what lies before it was decided then
    compared: ComparisonResult | None = None  # what is alike, where that was found out before and nothing changed since
    body: Callable[[Memory], str] = lambda memory: memory.body or ""
    is_taken: Callable[[str], bool] = lambda _path: False
    has_name: Callable[[str], bool] = lambda _name: False  # whether any note of the vault is called so
    is_linked_by_path: Callable[[Memory], bool] = lambda _memory: False  # whether links would break if it moved
    is_forgotten: Callable[[str], bool] = lambda _text: False
