"""What an extension gave, held to what it promised: whatever it raises stays with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, tzinfo

from memvault.core.fields import Field, Raw
from memvault.core.kinds.kind import Filler, Kind
from memvault.core.memory import NOTHING, FieldValue
from memvault.core.secrets.screens import Captured, Screen
from memvault.system.guard import Broken, attempt

_LONGEST_REASON = 200


def kind(given: Kind) -> Kind:
    """A kind whose fields read nothing, and that fills in nothing, where its code breaks down."""
    fields = tuple(_field(row) for row in given.fields)
    return replace(given, fields=fields, fill=None if given.fill is None else _fill(given))


def _field(row: Field) -> Field:
    def read(raw: Raw, zone: tzinfo) -> FieldValue | None:
        found = attempt(lambda: row.read(raw, zone))
        # What cannot be read stays in its file as somebody wrote it.
        return None if isinstance(found, Broken) or not _is_value(found) else found

    return replace(row, read=read)


def _fill(given: Kind) -> Filler:
    def fill(text: str, now: datetime, zone: tzinfo) -> Mapping[str, FieldValue]:
        found = attempt(lambda: dict(given.filled(text, now, zone)))
        if isinstance(found, Broken):  # what it would have read out of the text, a person can set by hand
            return NOTHING
        return {name: value for name, value in found.items() if given.has(name) and _is_value(value)}

    return fill


def _is_value(value: object) -> bool:
    texts = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    aware = isinstance(value, datetime) and value.tzinfo is not None
    return texts or aware or (isinstance(value, str | int | float) and value == value)


def screen(name: str, given: Screen) -> Screen:
    """A screen that says its name with its reason, and none of the secrets that it saw.

    One that breaks down lets nothing pass that it cannot judge.
    """

    def judge(captured: Captured) -> str:
        said = attempt(lambda: str(given(captured) or ""))
        if isinstance(said, Broken):  # to keep what a screen was to keep out could not be taken back
            return f"the screen {name} broke down ({said.name}: {_fit(str(said.error), captured.text)})"
        reason = _fit(said, captured.text)
        return f"{reason} (the screen {name})" if reason else ""

    return judge


def _fit(reason: str, text: str) -> str:
    """A reason that may be told: on one short line, without the secrets in the text or any of its own."""
    from memvault.core.secrets.scan import found, redacted  # deferred: its patterns are many, and most texts pass

    if not reason.strip():
        return ""
    for leak in found(text):  # by itself, a password out of a sentence looks like any word
        secret = re.escape(text[leak.start : leak.end])
        reason = re.sub(secret, f"[redacted: {leak.sort}]", reason, flags=re.IGNORECASE)
    return " ".join(redacted(reason).split())[:_LONGEST_REASON].rstrip(".")
