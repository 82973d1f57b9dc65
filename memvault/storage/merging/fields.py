"""Merge the fields of a memory that were changed on one side or on both, each by its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from memvault.core.fields import SOURCES, RawValue
from memvault.core.memory import FieldValue

MergeValue = FieldValue | RawValue
Fields = Mapping[str, MergeValue]

_STATES = ("cancelled", "completed", "active", "pending")


class LastUses(NamedTuple):
    """When each side was last used, as far as it says so; decides where no better rule does."""

    ours: datetime | None = None
    theirs: datetime | None = None


class _FieldVersions(NamedTuple):
    """One field on all three sides; without a base, `before` is None."""

    before: MergeValue
    ours: MergeValue
    theirs: MergeValue
    used: LastUses


MergeRule = Callable[[_FieldVersions], MergeValue]


@dataclass(frozen=True, slots=True)
class MergedFields:
    """The fields that differ from ours in the result, and those in which the two contradict each other."""

    changes: Fields  # None takes a field away
    contested: tuple[str, ...]


def merge_fields(base: Fields | None, ours: Fields, theirs: Fields, used: LastUses) -> MergedFields:
    """Merge the fields of two versions; without a base, nothing counts as removed."""
    changes: dict[str, MergeValue] = {}
    contested: list[str] = []
    for name in dict.fromkeys((*ours, *theirs)):
        field = _FieldVersions((base or {}).get(name), ours.get(name), theirs.get(name), used)
        if name in CONTESTED and _is_contradiction(field):
            contested.append(name)
        elif (value := _merge_value(name, field, has_base=base is not None)) != field.ours:
            changes[name] = value
    return MergedFields(MappingProxyType(changes), tuple(contested))


def _is_contradiction(field: _FieldVersions) -> bool:
    """Return whether both sides give a value, and each a new one."""
    before, ours, theirs, _ = field
    return None not in (ours, theirs) and ours != theirs and before not in (ours, theirs)


def _merge_value(name: str, field: _FieldVersions, *, has_base: bool) -> MergeValue:
    before, ours, theirs, _ = field
    if ours == theirs or (has_base and theirs == before):
        return ours
    if has_base and ours == before:
        return theirs
    if ours is None or theirs is None:  # who changes a field has more to say than who takes it away
        return theirs if ours is None else ours
    return (RULES.get(name) or _rule_by_shape(ours, theirs))(field)


def _rule_by_shape(ours: MergeValue, theirs: MergeValue) -> MergeRule:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return _merge_maps
    return _merge_lists if _is_list(ours) and _is_list(theirs) else _take_later_used


# -- the rules


def _take_earlier(field: _FieldVersions) -> MergeValue:
    return _take_by_size(min, field)


def _take_larger(field: _FieldVersions) -> MergeValue:
    return _take_by_size(max, field)


def _take_by_size(pick: Callable[[Any, Any], Any], field: _FieldVersions) -> MergeValue:
    """Pick by size where both values are of the field's type, else by the general rule."""
    for types in ((int, float), (datetime,)):
        if isinstance(field.ours, types) and isinstance(field.theirs, types):
            picked: MergeValue = pick(field.ours, field.theirs)
            return picked
    return _take_later_used(field)


def _take_true(_field: _FieldVersions) -> MergeValue:
    return True


def _take_false(_field: _FieldVersions) -> MergeValue:
    return False


def _take_first_of(order: Sequence[str]) -> MergeRule:
    """Return the rule that takes whichever of the two stands first in an order."""

    def rule(field: _FieldVersions) -> MergeValue:
        both = (field.ours, field.theirs)
        return next((word for word in order if word in both), None) or _take_later_used(field)

    return rule


def _merge_lists(field: _FieldVersions) -> MergeValue:
    """Return what both have and what either added, without what either removed; ours first."""
    before, ours, theirs = map(_list_items, field[:3])
    gone = {item for item in before if item not in ours or item not in theirs}
    return tuple(item for item in dict.fromkeys((*ours, *theirs)) if item not in gone)


def _merge_maps(field: _FieldVersions) -> MergeValue:
    """Merge a map key by key."""
    before: Any = field.before if isinstance(field.before, Mapping) else None
    ours: Any = field.ours
    theirs: Any = field.theirs
    whole = {**ours, **merge_fields(before, ours, theirs, field.used).changes}
    return {key: value for key, value in whole.items() if value is not None}


def _take_later_used(field: _FieldVersions) -> MergeValue:
    """Take the value of the side that was used later; on a tie, the greater in code-point order."""
    ours, theirs = field.used
    if ours == theirs or ours is None or theirs is None:
        return max(field.ours, field.theirs, key=str)
    return field.ours if ours > theirs else field.theirs


def _is_list(value: MergeValue) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(item, str) for item in value)


def _list_items(value: object) -> tuple[str, ...]:
    if isinstance(value, tuple | list):
        return tuple(item for item in value if isinstance(item, str))
    return (value,) if isinstance(value, str) else ()


# What only a person can decide: what it is, when, and on what condition.
CONTESTED = frozenset({"title", "due", "condition"})

RULES: Mapping[str, MergeRule] = MappingProxyType(
    {
        **dict.fromkeys(("created", "completed_at", "cleared_at"), _take_earlier),
        **dict.fromkeys(("last_accessed", "last_used_at", "expires_at"), _take_larger),
        # A sum would count twice what both have counted already; the truth is in the journals.
        **dict.fromkeys(("access_count", "usage_count", "evidence_count"), _take_larger),
        **dict.fromkeys(("base_weight", "confidence", "priority"), _take_larger),
        **dict.fromkeys(("pinned", "emotional_flag", "tainted"), _take_true),
        "decay_eligible": _take_false,
        "source": _take_first_of(tuple(reversed(SOURCES))),
        "state": _take_first_of(_STATES),
    }
)
