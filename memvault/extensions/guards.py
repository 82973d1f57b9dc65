"""What an extension gave, held to what it promised: whatever it raises stays with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from memvault.core.fields import SCOPES, Field, RawValue
from memvault.core.kinds import FIELDS, KINDS
from memvault.core.kinds.kind import Filler, Kind, KindCue, Kinds
from memvault.core.memory import NO_FIELDS, FieldValue, Memory
from memvault.core.secrets.screens import Captured, TriviaScreen
from memvault.system.guard import ExtensionError, call_guarded

_LONGEST_REASON = 200


def guard_kind(given: Kind) -> Kind:
    """Return a kind whose fields read nothing, and that fills in nothing, where its code breaks down."""
    fields = tuple(_guard_field(row) for row in given.fields)
    return replace(given, fields=fields, fill=None if given.fill is None else _guard_fill(given))


def _guard_field(row: Field) -> Field:
    def read_guarded(raw: RawValue, zone: tzinfo) -> FieldValue | None:
        found = call_guarded(lambda: row.read(raw, zone))
        # What cannot be read stays in its file as somebody wrote it.
        return None if isinstance(found, ExtensionError) or not _is_value(found) else found

    return replace(row, read=read_guarded)


def _guard_fill(given: Kind) -> Filler:
    def fill_guarded(text: str, now: datetime, zone: tzinfo) -> Mapping[str, FieldValue]:
        found = call_guarded(lambda: dict(given.read_fields(text, now, zone)))
        if isinstance(found, ExtensionError):  # what it would have read out of the text, a person can set by hand
            return NO_FIELDS
        return {name: value for name, value in found.items() if given.has_field(name) and _is_value(value)}

    return fill_guarded


def _is_value(value: object) -> bool:
    texts = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    aware = isinstance(value, datetime) and value.tzinfo is not None
    return texts or aware or (isinstance(value, str | int | float) and value == value)


def guard_screen(name: str, given: TriviaScreen) -> TriviaScreen:
    """Return a screen that says its name with its reason, and none of the secrets that it saw.

    One that breaks down lets nothing pass that it cannot judge.
    """

    def judge_guarded(captured: Captured) -> str:
        said = call_guarded(lambda: str(given(captured) or ""))
        if isinstance(said, ExtensionError):  # to keep what a screen was to keep out could not be taken back
            return f"the screen {name} broke down ({said.name}: {_clean_reason(str(said.error), captured.text)})"
        reason = _clean_reason(said, captured.text)
        return f"{reason} (the screen {name})" if reason else ""

    return judge_guarded


def _clean_reason(reason: str, text: str) -> str:
    """Return a reason that may be told: on one short line, without the secrets in the text or any of its own."""
    from memvault.core.secrets.scan import (  # deferred: its patterns are many, and most texts pass
        find_secrets,
        redact_secrets,
    )

    if not reason.strip():
        return ""
    for leak in find_secrets(text):  # by itself, a password out of a sentence looks like any word
        secret = re.escape(text[leak.start : leak.end])
        reason = re.sub(secret, f"[redacted: {leak.sort}]", reason, flags=re.IGNORECASE)
    return " ".join(redact_secrets(reason).split())[:_LONGEST_REASON].rstrip(".")


# Whether a kind that an extension adds will do.

OWN_KINDS = tuple(KINDS)

_FIELD_NAME = re.compile(r"[a-z][a-z0-9_-]{1,30}")


def find_kind_problem(kind: Kind, others: Iterable[Kind]) -> str:
    """Return why a kind will not do beside memvault's own and some others; empty where it will."""
    if not isinstance(kind, Kind):
        return "it is no Kind of memvault.core.kinds"
    return next(_list_problems(kind, tuple(others)), "")


def _list_problems(kind: Kind, others: tuple[Kind, ...]) -> Iterator[str]:
    for name in ("name", "heading", "meaning"):
        if not _is_line(getattr(kind, name)):
            yield f"its {name} must be a text on one line"
    if kind.scope not in SCOPES:
        yield f"its scope must be one of {', '.join(SCOPES)}"
    for name, low, high in (("half_life_days", 0.1, 36_500), ("share", 0, 0.5), ("idle_hours", 0, 876_000)):
        if not _is_between(getattr(kind, name), low, high):
            yield f"its {name} must be a number from {low:g} to {high:g}"
    if kind.settles_as and kind.settles_as not in KINDS:
        yield f"it can settle as one of {', '.join(KINDS)}"
    if kind.fill is not None and not callable(kind.fill):
        yield "its fill must be a function"
    yield from _check_fields(kind, others)
    yield from _check_cues(kind)


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= 200 and "\n" not in value


def _is_between(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _check_fields(kind: Kind, others: tuple[Kind, ...]) -> Iterator[str]:
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


def _check_cues(kind: Kind) -> Iterator[str]:
    if not all(isinstance(cue, KindCue) for cue in kind.cues):
        yield "its cues must be a tuple of what cue(strength, phrase) gives"
        return
    try:
        Kinds((kind,), default=kind.name).guess_kind("a text to try the cues on")
    except Exception:  # phrases are compiled at first use, and must not fail in the middle of a remember
        yield "a cue in it is no phrase of words"


# One extension as it turned out.


@dataclass(frozen=True, slots=True)
class Extension:
    """A person's own addition: where it lies, and what it adds or why it was left out."""

    name: str
    where: str
    adds: tuple[str, ...] = ()
    problem: str = ""
