"""The fields of a memory that were changed on one side or on both: what they become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from memvault.core.fields import SOURCES, Raw
from memvault.core.memory import FieldValue

Value = FieldValue | Raw
Fields = Mapping[str, Value]

_STATES = ("cancelled", "completed", "active", "pending")


class Used(NamedTuple):
    """When each side was last used, as far as it says so: what decides where nothing better does."""

    ours: datetime | None = None
    theirs: datetime | None = None


class _Field(NamedTuple):
    """One field on all three sides; without a base, `before` is None."""

    before: Value
    ours: Value
    theirs: Value
    used: Used


Rule = Callable[[_Field], Value]


@dataclass(frozen=True, slots=True)
class Joined:
    """What the fields become: those in which the result differs from ours, and those in which nobody may pick."""

    changes: Fields  # None takes a field away
    contested: tuple[str, ...]


def joined(base: Fields | None, ours: Fields, theirs: Fields, used: Used) -> Joined:
    """The fields of two versions as one has them; without a base, nothing counts as taken away."""
    changes: dict[str, Value] = {}
    contested: list[str] = []
    for name in dict.fromkeys((*ours, *theirs)):
        field = _Field((base or {}).get(name), ours.get(name), theirs.get(name), used)
        if name in CONTESTED and _contradict(field):
            contested.append(name)
        elif (value := _of_both(name, field, has_base=base is not None)) != field.ours:
            changes[name] = value
    return Joined(MappingProxyType(changes), tuple(contested))


def _contradict(field: _Field) -> bool:
    """Whether both sides say something, and each something new."""
    before, ours, theirs, _ = field
    return None not in (ours, theirs) and ours != theirs and before not in (ours, theirs)


def _of_both(name: str, field: _Field, *, has_base: bool) -> Value:
    before, ours, theirs, _ = field
    if ours == theirs or (has_base and theirs == before):
        return ours
    if has_base and ours == before:
        return theirs
    if ours is None or theirs is None:  # who changes a field has more to say than who takes it away
        return theirs if ours is None else ours
    return (RULES.get(name) or _rule_by_shape(ours, theirs))(field)


def _rule_by_shape(ours: Value, theirs: Value) -> Rule:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return _by_key
    return _united if _is_list(ours) and _is_list(theirs) else _of_later


# -- the rules


def _earlier(field: _Field) -> Value:
    return _by_size(min, field)


def _larger(field: _Field) -> Value:
    return _by_size(max, field)


def _by_size(pick: Callable[[Any, Any], Any], field: _Field) -> Value:
    """By size where both are what the field is for; a value of somebody else's goes by the general rule."""
    for types in ((int, float), (datetime,)):
        if isinstance(field.ours, types) and isinstance(field.theirs, types):
            picked: Value = pick(field.ours, field.theirs)
            return picked
    return _of_later(field)


def _true(_field: _Field) -> Value:
    return True


def _false(_field: _Field) -> Value:
    return False


def _first_of(order: Sequence[str]) -> Rule:
    """Whichever of the two stands first in an order."""

    def rule(field: _Field) -> Value:
        both = (field.ours, field.theirs)
        return next((word for word in order if word in both), None) or _of_later(field)

    return rule


def _united(field: _Field) -> Value:
    """What both have, what either added, and nothing that either took out; ours first."""
    before, ours, theirs = map(_items, field[:3])
    gone = {item for item in before if item not in ours or item not in theirs}
    return tuple(item for item in dict.fromkeys((*ours, *theirs)) if item not in gone)


def _by_key(field: _Field) -> Value:
    """A map is joined key by key."""
    before: Any = field.before if isinstance(field.before, Mapping) else None
    ours: Any = field.ours
    theirs: Any = field.theirs
    whole = {**ours, **joined(before, ours, theirs, field.used).changes}
    return {key: value for key, value in whole.items() if value is not None}


def _of_later(field: _Field) -> Value:
    """That of the side that was used later; on a tie, the greater in code-point order."""
    ours, theirs = field.used
    if ours == theirs or ours is None or theirs is None:
        return max(field.ours, field.theirs, key=str)
    return field.ours if ours > theirs else field.theirs


def _is_list(value: Value) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(item, str) for item in value)


def _items(value: object) -> tuple[str, ...]:
    if isinstance(value, tuple | list):
        return tuple(item for item in value if isinstance(item, str))
    return (value,) if isinstance(value, str) else ()


# What only a person can decide: what it is, when, and on what condition.
CONTESTED = frozenset({"title", "due", "condition"})

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **dict.fromkeys(("created", "completed_at", "cleared_at"), _earlier),
        **dict.fromkeys(("last_accessed", "last_used_at", "expires_at"), _larger),
        # A sum would count twice what both have counted already; the truth is in the journals.
        **dict.fromkeys(("access_count", "usage_count", "evidence_count"), _larger),
        **dict.fromkeys(("base_weight", "confidence", "priority"), _larger),
        **dict.fromkeys(("pinned", "emotional_flag", "tainted"), _true),
        "decay_eligible": _false,
        "source": _first_of(tuple(reversed(SOURCES))),
        "state": _first_of(_STATES),
    }
)
