"""Kinds that a user describes in memvault.toml, checked row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Never

from memvault.core import fields as forms
from memvault.core.fields import SCOPES, Field, FieldReader
from memvault.core.kinds import FIELDS, KINDS
from memvault.core.kinds.cue_phrases import PREFIX
from memvault.core.kinds.kind import Kind, KindCue
from memvault.core.memory import Memory
from memvault.errors import BadKind

SECTION = "kinds"
_STRENGTH = 6.0  # a person's own phrase outweighs what our cues add up to
_MOST_KINDS, _MOST_CUES, _MOST_FIELDS, _LONGEST_CUE, _MOST_GAPS = 20, 50, 30, 80, 2
_NAME = re.compile(r"[a-z][a-z0-9_-]{1,30}")
_CUE_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*\*?")

# The forms of a user's own field, by the names in `memvault.toml`.
FIELD_FORMS: Mapping[str, FieldReader] = {
    "text": forms.text,
    "number": forms.number(-1e12, 1e12),
    "count": forms.read_count,
    "flag": forms.read_flag,
    "date": forms.read_date,
    "list": forms.read_texts,
}
_ROWS = ("heading", "meaning", "scope", "half_life_days", "share", "cues", "fields")


class _KindTable:
    """One `[kinds.NAME]` table, with errors that name the row."""

    def __init__(self, name: str, rows: Mapping[str, object], where: str) -> None:
        self.name = name
        self.rows = rows
        self._where = where

    def refuse(self, row: str, value: object, reason: str) -> Never:
        name = ".".join(filter(None, (SECTION, self.name, row)))
        raise BadKind(name=name, where=self._where, value=value, reason=reason)

    def text(self, row: str, default: str) -> str:
        value = self.rows.get(row, default)
        if not isinstance(value, str) or not value.strip() or len(value) > 200 or "\n" in value:
            self.refuse(row, value, "it must be a text on one line, of 200 characters at most")
        return value.strip()

    def number(self, row: str, default: float, low: float, high: float) -> float:
        value = self.rows.get(row, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            self.refuse(row, value, f"it must be a number from {low:g} to {high:g}")
        return float(value)


def read_kinds(tables: object, *, where: str) -> Iterator[Kind]:
    """Read the kinds of a parsed `[kinds]` section; a bad row is refused by its name."""
    if not isinstance(tables, Mapping) or len(tables) > _MOST_KINDS:
        reason = f"it must hold tables like [kinds.recipe], {_MOST_KINDS} at most"
        raise BadKind(name=SECTION, where=where, value=tables, reason=reason)
    names_in_use = set(FIELDS) | set(Memory.__slots__)
    for name, rows in tables.items():
        kind = _read_kind(_KindTable(str(name), rows if isinstance(rows, Mapping) else {"": rows}, where), names_in_use)
        names_in_use |= {row.name for row in kind.fields}
        yield kind


def _read_kind(table: _KindTable, names_in_use: set[str]) -> Kind:
    if not _NAME.fullmatch(table.name) or table.name in KINDS:
        known = f"and none of {', '.join(KINDS)}"
        table.refuse("", table.name, f"a kind's name is a word of small letters, digits, - and _, {known}")
    for row in table.rows:
        if row not in _ROWS:
            table.refuse(str(row), table.rows[row], f"a kind has {', '.join(_ROWS[:-1])} and {_ROWS[-1]}")
    scope = table.text("scope", "project")
    if scope not in SCOPES:
        table.refuse("scope", scope, f"it must be one of {', '.join(SCOPES)}")
    return Kind(
        name=table.name,
        heading=table.text("heading", table.name.replace("_", " ").replace("-", " ").capitalize()),
        meaning=table.text("meaning", table.name),
        scope=scope,
        half_life_days=table.number("half_life_days", 90, 0.1, 36_500),
        share=table.number("share", 0.0, 0, 0.5),
        fields=tuple(_read_fields(table, names_in_use)),
        cues=tuple(KindCue(_STRENGTH, (phrase,)) for phrase in _read_cues(table)),
    )


def _read_cues(table: _KindTable) -> Iterator[str]:
    cues = table.rows.get("cues", [])
    if not isinstance(cues, list | tuple) or len(cues) > _MOST_CUES:
        table.refuse("cues", cues, f"it must be a list of phrases, {_MOST_CUES} at most")
    for cue in cues:
        if reason := _cue_problem(cue):
            table.refuse("cues", cue, reason)
        yield " ".join(cue.split())


def _cue_problem(cue: Any) -> str:
    """Return why a phrase is no valid cue; empty if it is one."""
    if not isinstance(cue, str) or not cue.strip() or len(cue) > _LONGEST_CUE:
        return f"a cue is a phrase of 1 to {_LONGEST_CUE} characters"
    words = cue.split()
    if words.count("*") > _MOST_GAPS or "*" in (words[0], words[-1]):
        return f"`*` stands for a gap between words, {_MOST_GAPS} times at most"
    for word in words:
        if word != "*" and not _CUE_WORD.fullmatch(word):
            return "a cue is made of words; `*` at the end of a word stands for any ending, alone for a few words"
        if word.endswith("*") and 0 < len(word) - 1 < PREFIX:
            return f"before a `*` there must be {PREFIX} letters"
    return ""


def _read_fields(table: _KindTable, names_in_use: set[str]) -> Iterator[Field]:
    rows = table.rows.get("fields", {})
    if not isinstance(rows, Mapping) or len(rows) > _MOST_FIELDS:
        table.refuse("fields", rows, f'it must be a table like {{servings = "number"}}, of {_MOST_FIELDS} at most')
    for name, form in rows.items():
        row = f"fields.{name}"
        if not _NAME.fullmatch(name):
            table.refuse(row, name, "a field's name is a word of small letters, digits, - and _")
        if name in names_in_use:
            table.refuse(row, name, "there is a field of that name already")
        if form not in FIELD_FORMS:
            table.refuse(row, form, f"it must be one of {', '.join(FIELD_FORMS)}")
        yield Field(name, FIELD_FORMS[form], f"a {form} of the kind {table.name}")
