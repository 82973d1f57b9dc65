"""Reads the frontmatter that nearly every note has, without YAML: exactly as YAML would, or not at all."""

from __future__ import annotations

import re

from memvault.storage.frontmatter.scalars import NULLS, Value

# A text this short cannot exceed the limits of the event reader.
_LONGEST = 24 * 1024

# Quantifiers are possessive, so that no hostile text makes these backtrack.
_FIRST = r"""[^\s\-?:,\[\]{}\#&*!|>'"%@`]"""
_PLAIN = rf"(?:{_FIRST}|-(?=\S))(?:[^:\#\n]++|:(?=\S)|(?<=\S)\#)*+"
_DOUBLE = r'"(?:[^"\\\n]++|\\["\\])*+"'
_SINGLE = r"'(?:[^'\n]++|'')*+'"
_IN_FLOW = rf"(?:{_FIRST}[^:\#,\[\]{{}}?\n]*+|{_DOUBLE}|{_SINGLE})"
_FLOW = rf"\[\ *+(?:{_IN_FLOW}\ *+(?:,\ *+{_IN_FLOW}\ *+)*+)?+\]"
_LINE = re.compile(
    rf"""
    ^(\ *+)                                                             # indentation
    (?: (-)\ ++ | (\w[\w./-]{{0,60}}+(?:\ [\w./-]{{1,60}}+){{0,8}}+):(?:\ ++|(?=\n|\Z)) )  # of an item, or a key
    ({_PLAIN}|(?:{_FLOW}|{_DOUBLE}|{_SINGLE})\ *+)?+                    # its value
    (?:(?<=\ )\#.*+)?+ (?:\n|\Z)
    | ^\ *+(?:\#.*+)?+(?:\n|\Z)                                         # an empty line, a comment
    | ^(.++)\n?                                                         # anything else
    """,
    re.MULTILINE | re.VERBOSE,
)
_MARKS = "\"'["
_ITEM = re.compile(_IN_FLOW, re.VERBOSE)
_ESCAPED = re.compile(r"\\(.)")
_UNUSUAL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def read_plain_fields(text: str) -> dict[str, Value] | None:
    """Return the fields of an ordinary frontmatter; None for any other kind."""
    text = text.replace("\r\n", "\n")
    if len(text) > _LONGEST or (not text.replace("\n", "").isprintable() and _UNUSUAL.search(text)):
        return None
    fields: dict[str, Value] = {}
    above: _OpenKey | None = None
    for indent, dash, key, value, other in _LINE.findall(text):
        if key and not indent:
            if key in fields:
                return None
            above = None if value else _OpenKey(fields, key)
            as_it_stands = value and value[0] not in _MARKS and value[-1] != " " and value not in NULLS
            fields[key] = value if as_it_stands else _parse_value(value)
        elif key or dash:
            if above is None or not above.take_line(indent, key, value):
                return None
        elif other:
            return None
    return fields


class _OpenKey:
    """A key without a value on its line, which takes the items or keys below it."""

    __slots__ = ("_fields", "_indent", "_key")

    def __init__(self, fields: dict[str, Value], key: str) -> None:
        self._fields = fields
        self._key = key
        self._indent: str | None = None

    def take_line(self, indent: str, key: str, value: str) -> bool:
        """Return whether the line below is part of this key's value."""
        if self._indent is None:
            self._indent = indent
            self._fields[self._key] = {} if key else []
        elif indent != self._indent:
            return False
        held = self._fields[self._key]
        if isinstance(held, list) and not key:
            held.append(_parse_value(value))
        elif isinstance(held, dict) and key and key not in held:
            held[key] = _parse_value(value)
        else:
            return False
        return True


def _parse_value(raw: str) -> Value:
    text = raw.rstrip(" ")
    if not text or text[0] not in _MARKS:
        return None if text in NULLS else text
    if text[0] != "[":
        if text[0] == "'":
            return text[1:-1].replace("''", "'")
        return _ESCAPED.sub(r"\1", text[1:-1]) if "\\" in text else text[1:-1]
    if '"' in text or "'" in text:
        return [_parse_value(item) for item in _ITEM.findall(text, 1)]
    items: list[Value] = [item.strip(" ") for item in text[1:-1].split(",")]
    if NULLS.isdisjoint(items):
        return items
    return [] if items == [""] else [None if item in NULLS else item for item in items]
