"""The numbers that upkeep goes by, as the settings give them."""

from __future__ import annotations

from dataclasses import dataclass, field

from memvault.core.kinds import KINDS, Kinds
from memvault.core.settings import Settings

KILO = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How upkeep decides; all of it can be set."""

    model: str = "weighted"
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
    def of(cls, settings: Settings) -> Policy:
        """The policy that the settings describe."""
        model = settings.text("decay.model")
        threshold = "decay.stale_below_biomimetic" if model == "biomimetic" else "decay.stale_below"
        return cls(
            model=model,
            write=settings.text("decay.write"),
            stale_below=settings.number(threshold),
            archive_days=settings.number("decay.archive_days"),
            hot_enter=settings.number("hot.enter"),
            hot_leave=min(settings.number("hot.leave"), settings.number("hot.enter")),
            hot_half_life=settings.number("hot.half_life_days"),
            hot_fill=settings.whole("hot.fill_kilobytes") * KILO,
            hot_most=settings.whole("hot.most_kilobytes") * KILO,
            merge=settings.flag("consolidate.merge"),
            promote_sessions=settings.whole("promote.sessions"),
            kinds=settings.kinds,
            prune_months=settings.whole("prune.after_months"),
        )
