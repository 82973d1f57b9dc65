"""Whether a kind that an extension adds will do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from memvault.core.fields import SCOPES, Field
from memvault.core.kinds import FIELDS, KINDS
from memvault.core.kinds.kind import Cue, Kind, Kinds
from memvault.core.memory import Memory

OURS = tuple(KINDS)

_FIELD_NAME = re.compile(r"[a-z][a-z0-9_-]{1,30}")


def unfit(kind: Kind, others: Iterable[Kind]) -> str:
    """Why a kind will not do beside memvault's own and some others; empty where it will."""
    if not isinstance(kind, Kind):
        return "it is no Kind of memvault.core.kinds"
    return next(_reasons(kind, tuple(others)), "")


def _reasons(kind: Kind, others: tuple[Kind, ...]) -> Iterator[str]:
    for name in ("name", "heading", "meaning"):
        if not _is_line(getattr(kind, name)):
            yield f"its {name} must be a text on one line"
    if kind.scope not in SCOPES:
        yield f"its scope must be one of {', '.join(SCOPES)}"
    for name, low, high in (("half_life_days", 0.1, 36_500), ("share", 0, 0.5), ("idle_hours", 0, 876_000)):
        if not _lies_between(getattr(kind, name), low, high):
            yield f"its {name} must be a number from {low:g} to {high:g}"
    if kind.settles_as and kind.settles_as not in KINDS:
        yield f"it can settle as one of {', '.join(KINDS)}"
    if kind.fill is not None and not callable(kind.fill):
        yield "its fill must be a function"
    yield from _about_fields(kind, others)
    yield from _about_cues(kind)


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= 200 and "\n" not in value


def _lies_between(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _about_fields(kind: Kind, others: tuple[Kind, ...]) -> Iterator[str]:
    taken = set(FIELDS) | set(Memory.__slots__) | {row.name for other in others for row in other.fields}
    for row in kind.fields:
        if not isinstance(row, Field) or not callable(row.read):
            yield "its fields must be a tuple of Field, each with a function that reads"
            return
        if not _FIELD_NAME.fullmatch(row.name):
            yield f"{row.name!r} is no name for a field: a word of small letters, digits, - and _"
        if row.name in taken:
            yield f"there is a field named {row.name} already"
        taken.add(row.name)


def _about_cues(kind: Kind) -> Iterator[str]:
    if not all(isinstance(cue, Cue) for cue in kind.cues):
        yield "its cues must be a tuple of what cue(strength, phrase) gives"
        return
    try:
        Kinds((kind,), default=kind.name).guess("a text to try the cues on")
    except Exception:  # phrases are compiled at first use, and must not fail in the middle of a remember
        yield "a cue in it is no phrase of words"
