"""What an extension gave, held to what it promised: whatever it raises stays with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, tzinfo

from memvault.core.fields import Field, Raw
from memvault.core.kinds.kind import Filler, Kind
from memvault.core.memory import NOTHING, FieldValue
from memvault.core.screen import Captured, Screen

_LONGEST_REASON = 200


def kind(given: Kind) -> Kind:
    """A kind whose fields read nothing, and that fills in nothing, where its code breaks down."""
    fields = tuple(_field(row) for row in given.fields)
    return replace(given, fields=fields, fill=None if given.fill is None else _fill(given))


def _field(row: Field) -> Field:
    def read(raw: Raw, zone: tzinfo) -> FieldValue | None:
        try:
            found = row.read(raw, zone)
        except Exception:  # the value stays in its file as somebody wrote it
            return None
        return found if _is_value(found) else None

    return replace(row, read=read)


def _fill(given: Kind) -> Filler:
    def fill(text: str, now: datetime, zone: tzinfo) -> Mapping[str, FieldValue]:
        try:
            found = dict(given.filled(text, now, zone))
        except Exception:  # what it would have read out of the text, a person can set by hand
            return NOTHING
        return {name: value for name, value in found.items() if given.has(name) and _is_value(value)}

    return fill


def _is_value(value: object) -> bool:
    texts = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    aware = isinstance(value, datetime) and value.tzinfo is not None
    return texts or aware or (isinstance(value, str | int | float) and value == value)


def screen(name: str, given: Screen) -> Screen:
    """A screen that says its name with its reason; one that breaks down lets nothing pass that it cannot judge."""

    def judge(captured: Captured) -> str:
        try:
            reason = given(captured)
        except Exception as error:  # to keep what a screen was to keep out could not be taken back
            return f"the screen {name} broke down ({type(error).__name__}: {error})"
        plain = " ".join(str(reason or "").split())[:_LONGEST_REASON].rstrip(".")
        return f"{plain} (the screen {name})" if plain else ""

    return judge
