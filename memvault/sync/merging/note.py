"""Two versions of one note made one: our bytes, with what the other side changed put into them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from memvault.core.fields import Raw
from memvault.core.ids import derived_id
from memvault.core.kinds import KINDS, Kinds
from memvault.core.memory import FieldValue
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.frontmatter import Block
from memvault.storage.vault import codec
from memvault.sync.merging.fields import Fields, Joined, Used, Value, joined
from memvault.sync.merging.text import woven, woven_bytes
from memvault.system import files

MARKERS = re.compile(rb"^(?:<{7}|>{7}|\|{7}) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of the note from outside its bytes."""

    path: str
    vault_id: str
    zone: tzinfo
    id: str = ""  # given by the ledger, where the note has none of its own
    kinds: Kinds = KINDS
    is_foreign: bool = False  # somebody's own note: nothing of ours is written into it


@dataclass(frozen=True, slots=True)
class Merged:
    """The one note; and the other side's version as a memory of its own, where the two contradict each other."""

    raw: bytes
    parked: bytes | None = None
    parked_id: str = ""
    about: tuple[str, ...] = ()  # what they contradict each other in


def merged(base: bytes | None, ours: bytes, theirs: bytes, ground: Ground, *, is_sure: bool = True) -> Merged:
    """Both sides' changes in one note; nothing that either wrote is lost, and no contradiction is decided.

    A base from which it is not sure that both come only tells where each has added something: who lacks what it has
    may never have had it.
    """
    if theirs == ours or (is_sure and theirs == base):
        return Merged(ours)
    if is_sure and ours == base:
        return Merged(theirs)
    ids = tuple("" if raw is None else identity_of(raw, ground) for raw in (base, ours, theirs))
    was_unnamed = base is not None and not ids[0]  # both gave it an id, on their own: it is one note all the same
    if not was_unnamed and (two := _strangers(ours, theirs, ids)):
        return two
    if ids[0] and ids[1] == ids[2] != ids[0]:
        base = None  # what was there before was another memory: it says nothing of how these two began
    if any(MARKERS.search(raw) for raw in (ours, theirs)):
        return _apart(ours, theirs, ground, ("a merge that somebody has not finished",))
    try:
        return _field_by_field(base, ours, theirs, ground, is_sure=is_sure)
    except CannotEdit as trouble:
        return _as_text(base if is_sure else None, ours, theirs) or _apart(
            ours, theirs, ground, (str(trouble.data["reason"]),)
        )


def _strangers(ours: bytes, theirs: bytes, ids: tuple[str, ...]) -> Merged | None:
    """Two memories under one name are no versions of each other: both stay, each with all that was done to it.

    Two small notes look much alike, so git may take one that was deleted for the earlier name of one that is new.
    """
    before, one, two = ids
    if not (one and two) or one == two:
        return None
    return Merged(theirs, ours, one) if before == one else Merged(ours, theirs, two)


def _field_by_field(base: bytes | None, ours: bytes, theirs: bytes, ground: Ground, *, is_sure: bool) -> Merged:
    one, two = frontmatter.parse(ours), frontmatter.parse(theirs)
    before = None if base is None else frontmatter.parse(base)
    _check_readable(one, two, ground)
    found = joined(
        None if before is None or not is_sure else _fields(before, ground),
        _fields(one, ground),
        _fields(two, ground),
        _used(one, two, ground),
    )
    body = _body(before, one, two)
    if not is_sure and body is not None and not _says_all(body, one, two):
        body = None
    raw = _with_changes(ours, found, two, ground)
    if body is not None and body != _lines(one):
        raw = codec.with_body(raw, body, path=ground.path)
    about = (*found.contested, *(("text",) if body is None else ()))
    return _apart(raw, theirs, ground, about) if about else Merged(raw)


def _check_readable(one: Block, two: Block, ground: Ground) -> None:
    for block in (one, two):
        if block.problem or not block.editable:
            reason = block.problem.reason if block.problem else "its frontmatter cannot be changed"
            raise CannotEdit(path=ground.path, reason=reason, line="")


def _fields(block: Block, ground: Ground) -> Fields:
    """The fields by what they mean, as far as they are ours: the same written otherwise is no change."""
    rows = ground.kinds.fields
    return {
        name: _read(rows[name].read(raw, ground.zone), raw) if name in rows else raw
        for name, raw in block.fields.items()
    }


def _read(value: FieldValue | None, raw: Raw) -> Value:
    return raw if value is None else value


def _used(one: Block, two: Block, ground: Ground) -> Used:
    return Used(*(_last_use(block, ground) for block in (one, two)))


def _last_use(block: Block, ground: Ground) -> datetime | None:
    fields = _fields(block, ground)
    found = [fields.get(name) for name in ("last_accessed", "created")]
    return next((moment for moment in found if isinstance(moment, datetime)), None)


def _lines(block: Block) -> str:
    return block.text.replace("\r\n", "\n")


def _body(before: Block | None, one: Block, two: Block) -> str | None:
    """The one text; None where they contradict each other. Without a base, every difference is one."""
    if _lines(one) == _lines(two):
        return _lines(one)
    return None if before is None else woven(_lines(before), _lines(one), _lines(two))


def _says_all(body: str, *sides: Block) -> bool:
    """Whether a text has every line of both sides, each as often as either has it."""
    have = Counter(line.strip() for line in body.split("\n"))
    return all(have >= Counter(filter(None, (line.strip() for line in _lines(side).split("\n")))) for side in sides)


def _with_changes(ours: bytes, found: Joined, other: Block, ground: Ground) -> bytes:
    """Our bytes with the other side's fields: by what they mean; days, and what is none of ours, as written there."""
    meant: dict[str, Any] = {}
    as_written: dict[str, Raw] = {}
    for name, value in found.changes.items():
        # A list is none of the values that we read: what nobody could make sense of is taken over as it is.
        if value is None or (name in ground.kinds.fields and not isinstance(value, datetime | list)):
            meant[name] = value
        else:
            as_written[name] = other.fields[name] if isinstance(value, datetime) else _plain(value)
    raw = codec.with_fields(ours, meant, path=ground.path) if meant else ours
    return codec.with_settings(raw, as_written, path=ground.path) if as_written else raw


def _plain(value: Value) -> Raw:
    return list(value) if isinstance(value, tuple) else value  # type: ignore[return-value]  # it was read as such


def _as_text(base: bytes | None, ours: bytes, theirs: bytes) -> Merged | None:
    """Where the frontmatter is beyond us, the whole file is lines of text."""
    text = None if base is None else woven_bytes(base, ours, theirs)
    return None if text is None else Merged(text)


# -- where they contradict each other


def _apart(ours: bytes, theirs: bytes, ground: Ground, about: tuple[str, ...]) -> Merged:
    """Ours stays, theirs becomes a memory beside it, and each names the other; as far as their files can be changed."""
    own = _id(ours, ground)
    other = derived_id(ground.vault_id, f"parked:{own}:{files.digest(theirs)}")
    return Merged(
        ours if ground.is_foreign else _naming(ours, {}, other, ground),
        _naming(theirs, {"id": other}, own, ground) if own else theirs,
        other,
        about,
    )


def _id(raw: bytes, ground: Ground) -> str:
    return identity_of(raw, ground) or ground.id


def identity_of(raw: bytes, ground: Ground) -> str:
    """The id that a note gives itself; empty where it gives none."""
    found = ground.kinds.fields["id"].read(frontmatter.parse(raw).fields.get("id"), ground.zone)
    return str(found) if found else ""


def _naming(raw: bytes, fields: Mapping[str, FieldValue], other: str, ground: Ground) -> bytes:
    block = frontmatter.parse(raw)
    named = ground.kinds.fields["contested"].read(block.fields.get("contested"), ground.zone)
    against = tuple(dict.fromkeys((*(named if isinstance(named, tuple) else ()), other)))
    try:
        return codec.with_fields(raw, {**fields, "contested": against}, path=ground.path)
    except CannotEdit:
        return raw
