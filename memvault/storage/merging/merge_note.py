"""Merge two versions of one note: our bytes, with the other side's changes put into them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from memvault.core.fields import RawValue
from memvault.core.ids import derive_id
from memvault.core.kinds import KINDS, Kinds
from memvault.core.memory import SOURCES, FieldValue
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.frontmatter import ParsedNote
from memvault.storage.merging.merge_lines import merge_text, merge_text_bytes
from memvault.storage.vault import codec
from memvault.system import files

MARKERS = re.compile(rb"^(?:<{7}|>{7}|\|{7}) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NoteContext:
    """What is known of a note from outside its bytes."""

    path: str
    vault_id: str
    zone: tzinfo
    id: str = ""  # given by the ledger, where the note has none of its own
    kinds: Kinds = KINDS
    is_foreign: bool = False  # somebody's own note: nothing of ours is written into it


@dataclass(frozen=True, slots=True)
class MergedNote:
    """The merged note; and where the two contradict each other, the other version as a memory of its own."""

    raw: bytes
    parked: bytes | None = None
    parked_id: str = ""
    contested: tuple[str, ...] = ()  # what they contradict each other in


def merge_note(
    base: bytes | None, ours: bytes, theirs: bytes, context: NoteContext, *, is_sure: bool = True
) -> MergedNote:
    """Merge two versions of a note; nothing that either wrote is lost, and no contradiction is decided.

    An unsure base, from which both may not come, only tells where each has added something: who lacks what it has may
    never have had it.
    """
    if theirs == ours or (is_sure and theirs == base):
        return MergedNote(ours)
    if is_sure and ours == base:
        return MergedNote(theirs)
    ids = tuple("" if raw is None else note_identity(raw, context) for raw in (base, ours, theirs))
    was_unnamed = base is not None and not ids[0]  # both gave it an id, on their own: it is one note all the same
    if not was_unnamed and (two := _keep_both(ours, theirs, ids)):
        return two
    if ids[0] and ids[1] == ids[2] != ids[0]:
        base = None  # what was there before was another memory: it says nothing of how these two began
    if any(MARKERS.search(raw) for raw in (ours, theirs)):
        return _park_theirs(ours, theirs, context, ("a merge that somebody has not finished",))
    try:
        return _merge_parts(base, ours, theirs, context, is_sure=is_sure)
    except CannotEdit as error:
        # Where its frontmatter cannot be edited, the whole file is lines of text.
        if base is not None and is_sure and (text := merge_text_bytes(base, ours, theirs)) is not None:
            return MergedNote(text)
        return _park_theirs(ours, theirs, context, (str(error.data["reason"]),))


def _keep_both(ours: bytes, theirs: bytes, ids: tuple[str, ...]) -> MergedNote | None:
    """Keep two memories under one name apart, each with all that was done to it.

    Two small notes look alike, so git may take one that was deleted for the earlier name of one that is new.
    """
    before, one, two = ids
    if not (one and two) or one == two:
        return None
    return MergedNote(theirs, ours, one) if before == one else MergedNote(ours, theirs, two)


def _merge_parts(base: bytes | None, ours: bytes, theirs: bytes, context: NoteContext, *, is_sure: bool) -> MergedNote:
    one, two = frontmatter.parse(ours), frontmatter.parse(theirs)
    before = None if base is None else frontmatter.parse(base)
    for block in (one, two):
        if block.problem or not block.editable:
            reason = block.problem.reason if block.problem else "its frontmatter cannot be changed"
            raise CannotEdit(path=context.path, reason=reason, line="")
    found = merge_fields(
        None if before is None or not is_sure else _read_fields(before, context),
        _read_fields(one, context),
        _read_fields(two, context),
        LastUses(*(_last_use(block, context) for block in (one, two))),
    )
    text, other = _body_text(one), _body_text(two)  # without a base, every difference is a conflict
    body = text if text == other else None if before is None else merge_text(_body_text(before), text, other)
    if not is_sure and body is not None and not _has_all_lines(body, one, two):
        body = None
    raw = _apply_fields(ours, found, two, context)
    if body is not None and body != text:
        raw = codec.replace_body(raw, body, path=context.path)
    about = (*found.contested, *(("text",) if body is None else ()))
    return _park_theirs(raw, theirs, context, about) if about else MergedNote(raw)


def _read_fields(block: ParsedNote, context: NoteContext) -> Fields:
    """Read the values of our fields: the same value written otherwise is no change."""
    rows = context.kinds.fields
    values = {name: rows[name].read(raw, context.zone) for name, raw in block.fields.items() if name in rows}
    return {name: raw if (value := values.get(name)) is None else value for name, raw in block.fields.items()}


def _last_use(block: ParsedNote, context: NoteContext) -> datetime | None:
    fields = _read_fields(block, context)
    found = [fields.get(name) for name in ("last_accessed", "created")]
    return next((moment for moment in found if isinstance(moment, datetime)), None)


def _body_text(block: ParsedNote) -> str:
    return block.text.replace("\r\n", "\n")


def _has_all_lines(body: str, *sides: ParsedNote) -> bool:
    """Return whether a text has every line of both sides, each as often as either has it."""
    have = Counter(line.strip() for line in body.split("\n"))
    return all(have >= Counter(filter(None, (line.strip() for line in _body_text(side).split("\n")))) for side in sides)


def _apply_fields(ours: bytes, found: MergedFields, other: ParsedNote, context: NoteContext) -> bytes:
    """Put the other side's changed fields into our bytes; days and foreign fields as written there."""
    meant: dict[str, Any] = {}
    as_written: dict[str, RawValue] = {}
    for name, value in found.changes.items():
        # A list is none of the values that we read: what nobody could make sense of is taken over as it is.
        if value is None or (name in context.kinds.fields and not isinstance(value, datetime | list)):
            meant[name] = value
        else:
            plain: Any = list(value) if isinstance(value, tuple) else value
            as_written[name] = other.fields[name] if isinstance(value, datetime) else plain
    raw = codec.set_fields(ours, meant, path=context.path) if meant else ours
    return codec.set_unknown_fields(raw, as_written, path=context.path) if as_written else raw


# -- where they contradict each other


def _park_theirs(ours: bytes, theirs: bytes, context: NoteContext, about: tuple[str, ...]) -> MergedNote:
    """Keep ours, make theirs a memory beside it, and have each name the other where the files can be edited."""
    own = note_identity(ours, context) or context.id
    other = derive_id(context.vault_id, f"parked:{own}:{files.digest(theirs)}")
    return MergedNote(
        ours if context.is_foreign else _mark_contested(ours, {}, other, context),
        _mark_contested(theirs, {"id": other}, own, context) if own else theirs,
        other,
        about,
    )


def note_identity(raw: bytes, context: NoteContext) -> str:
    """Return the id that a note gives itself, empty where it gives none."""
    found = context.kinds.fields["id"].read(frontmatter.parse(raw).fields.get("id"), context.zone)
    return str(found) if found else ""


def _mark_contested(raw: bytes, fields: Mapping[str, FieldValue], other: str, context: NoteContext) -> bytes:
    block = frontmatter.parse(raw)
    named = context.kinds.fields["contested"].read(block.fields.get("contested"), context.zone)
    against = tuple(dict.fromkeys((*(named if isinstance(named, tuple) else ()), other)))
    try:
        return codec.set_fields(raw, {**fields, "contested": against}, path=context.path)
    except CannotEdit:
        return raw


# Merge the fields of a memory that were changed on one side or on both, each by its rule.

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
    are_lists = all(
        isinstance(value, tuple | list) and all(isinstance(item, str) for item in value) for value in (ours, theirs)
    )
    return _merge_lists if are_lists else _take_later_used


# -- the rules


def _take_by_size(pick: Callable[[Any, Any], Any], field: _FieldVersions) -> MergeValue:
    """Pick by size where both values are of the field's type, else by the general rule."""
    for types in ((int, float), (datetime,)):
        if isinstance(field.ours, types) and isinstance(field.theirs, types):
            picked: MergeValue = pick(field.ours, field.theirs)
            return picked
    return _take_later_used(field)


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


def _list_items(value: object) -> tuple[str, ...]:
    if isinstance(value, tuple | list):
        return tuple(item for item in value if isinstance(item, str))
    return (value,) if isinstance(value, str) else ()


# What only a person can decide: what it is, when, and on what condition.
CONTESTED = frozenset({"title", "due", "condition"})

_take_larger = partial(_take_by_size, max)
RULES: Mapping[str, MergeRule] = MappingProxyType(
    {
        **dict.fromkeys(("created", "completed_at", "cleared_at"), partial(_take_by_size, min)),
        **dict.fromkeys(("last_accessed", "last_used_at", "expires_at"), _take_larger),
        # A sum would count twice what both have counted already; the truth is in the journals.
        **dict.fromkeys(("access_count", "usage_count", "evidence_count"), _take_larger),
        **dict.fromkeys(("base_weight", "confidence", "priority"), _take_larger),
        **dict.fromkeys(("pinned", "emotional_flag", "tainted"), lambda _: True),
        "decay_eligible": lambda _: False,
        "source": _take_first_of(tuple(reversed(SOURCES))),
        "state": _take_first_of(_STATES),
    }
)
