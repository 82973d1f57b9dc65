"""The rules of upkeep: what matters persists, what does not fades, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from memvault.core.memory import Memory
from memvault.core.plan import RULE_NAMES, USUAL_RULES, PlanChange
from memvault.core.similarity.verdict import ComparisonResult
from memvault.maintenance.rules import decay, promote
from memvault.maintenance.rules import hot_tier as hot
from memvault.maintenance.rules import merge_duplicates as consolidation
from memvault.maintenance.rules.case import Case, PlannedNote, RuleState
from memvault.maintenance.rules.policy import EarlierDecisions, MaintenancePolicy, VaultSnapshot

__all__ = [
    "RULES",
    "EarlierDecisions",
    "MaintenancePolicy",
    "PlannedNote",
    "RuleResult",
    "VaultSnapshot",
    "apply_rules",
]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What the rules decided, how the memories stand then, what is alike, and when the next thing is due."""

    changes: tuple[PlanChange | PlannedNote, ...]
    memories: tuple[Memory, ...]
    compared: ComparisonResult | None
    next: datetime | None


def _for_each_case(rule: Callable[[Case, RuleState], None], name: str) -> Callable[[RuleState], None]:
    """Return a rule that looks at one memory at a time; what a person took back is left alone."""

    def apply_rule(state: RuleState) -> None:
        for case in list(state.cases.values()):
            if not case.is_vetoed(name):
                rule(case, state)

    return apply_rule


_RULES: Mapping[str, Callable[[RuleState], None]] = MappingProxyType(
    {
        "expire": _for_each_case(decay.expire_task, "expire"),
        "consolidate": consolidation.merge_duplicates,
        "promote": promote.promote_repeated,
        "adopt": _for_each_case(decay.adopt_weight, "adopt"),
        "touches": _for_each_case(decay.fold_uses, "touches"),
        "practice": _for_each_case(promote.fold_practice, "practice"),
        "decay": _for_each_case(decay.update_weight, "decay"),
        "stale": _for_each_case(decay.mark_stale, "stale"),
        "revive": _for_each_case(decay.mark_active, "revive"),
        "archive": _for_each_case(decay.archive_stale, "archive"),
        "hot": hot.refresh_hot_tier,
        "prune": _for_each_case(decay.prune_archived, "prune"),
    }
)
RULES: tuple[tuple[str, Callable[[RuleState], None]], ...] = tuple((name, _RULES[name]) for name in RULE_NAMES)


def apply_rules(snapshot: VaultSnapshot, rules: frozenset[str] = USUAL_RULES) -> RuleResult:
    """Decide all that is to be done to a vault; nothing is done yet."""
    state = RuleState(snapshot, rules)
    for name, rule in RULES:
        if name in rules:
            rule(state)
    memories = tuple(case.memory for case in state.cases.values())
    return RuleResult(tuple(state.list_changes()), memories, state.compared, state.next)
