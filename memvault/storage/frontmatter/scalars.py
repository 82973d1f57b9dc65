"""Scalars as YAML text: plain where every reader sees the same string, quoted where one would not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, Union

from memvault.storage.vault.layout import decode_body

# Values read from and written into a frontmatter, and refusals.

Value: TypeAlias = Union[str, "list[Value]", "dict[str, Value]", None]
Setting: TypeAlias = Union[str, "list[str]", "Mapping[str, Setting]"]  # a PlainScalar is a str

# What YAML 1.1 and 1.2 both read as "no value".
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class PlainScalar(str):
    """A scalar to be written as it stands: a number, true or false, an ISO date."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class RemovedKey:
    """Stands in place of a setting: the key is removed with its lines."""


@dataclass(frozen=True, slots=True)
class FrontmatterProblem:
    """Why a frontmatter could not be read whole, and on which line of the file (from 1)."""

    reason: str
    line: int


class Refusal(Exception):  # a refusal is an answer, not a failure
    """A change that cannot be proven to touch nothing else; nothing was written."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A note in parts: its fields as plain text, and where its body begins."""

    raw: bytes
    has_fence: bool
    fields: Mapping[str, Value]
    start: int  # the text between the fences: raw[start:end]
    end: int
    body_start: int
    eol: str
    bom: bool
    problem: FrontmatterProblem | None = None
    editable: bool = True

    @property
    def body(self) -> bytes:
        """Return everything after the closing fence, byte for byte."""
        return self.raw[self.body_start :]

    @property
    def body_offset(self) -> int:
        """Return the byte from which the file is the body in UTF-8; -1 for another encoding."""
        return -1 if self.raw[:2] in _UTF_16 else self.body_start

    @property
    def text(self) -> str:
        """Return the body as text, whatever its encoding."""
        if self.raw[:2] in _UTF_16:
            return self.raw.decode("utf-16", errors="replace")
        return decode_body(self.body)


# What YAML 1.1 or 1.2 does not read as text.
_NOT_TEXT = re.compile(
    r"""
      y | n | yes | no | on | off | true | false | ~ | null | = | <<
    | [-+]?(?: 0b[01_]+ | 0x[0-9a-f_]+ | 0o[0-7]+ )
    | [-+]?[0-9][0-9_]*(?: :[0-5]?[0-9] )*(?: \.[0-9_]* )?(?: e[-+]?[0-9]+ )?
    | [-+]?(?: \.[0-9_]* )?(?: e[-+]?[0-9]+ )?
    | [-+]?\.inf | \.nan
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?: (?: t | [ \t]+ )[0-9][0-9:.+\-z \t]* )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_INDICATOR = re.compile(r"[?:,\[\]{}#&*!|>'\"%@`]|-(?![0-9.])")
_AMBIGUOUS = re.compile(r":(?=\s|\Z)|\s#")
_AMBIGUOUS_IN_FLOW = re.compile(r":(?![0-9])|\s#|[,\[\]{}?]")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = re.compile('["\\\\]|' + _UNPRINTABLE.pattern)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_scalar(text: str, *, style: str = "", in_flow: bool = False) -> str:
    """Return the text on one line, in the requested quotes where they can hold it."""
    printable = not _UNPRINTABLE.search(text)
    if style == '"' or not printable:
        return _quote_double(text)
    if style == "'":
        return _quote_single(text)
    if _can_be_plain(text, in_flow=in_flow):
        return str(text)
    return _quote_single(text) if '"' in text or "\\" in text else _quote_double(text)


def _can_be_plain(text: str, *, in_flow: bool) -> bool:
    if text in NULLS or text[0].isspace() or text[-1].isspace() or _INDICATOR.match(text):
        return False
    if (_AMBIGUOUS_IN_FLOW if in_flow else _AMBIGUOUS).search(text):
        return False
    return isinstance(text, PlainScalar) or not _NOT_TEXT.fullmatch(text)


def _quote_single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quote_double(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda found: _escape_character(found[0]), text) + '"'


def _escape_character(character: str) -> str:
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}")


# Whole new keys as lines of YAML.

_LONGEST_KEY = 128  # YAML's own limit is 1024 characters, escapes included
_LONGEST_LIST = 100


@dataclass(frozen=True, slots=True)
class FrontmatterStyle:
    """How a note writes: its line break, and what stands before the items of a list (nothing: `[a, b]`)."""

    eol: str = "\n"
    dash: str = ""


def format_keys(settings: Mapping[str, Setting], manner: FrontmatterStyle, *, indent: str = "") -> str:
    """Return the lines of new keys."""
    return "".join(format_key(key, setting, manner, indent=indent) for key, setting in settings.items())


def format_key(key: str, setting: Setting, manner: FrontmatterStyle, *, indent: str = "") -> str:
    """Return the lines of one new key."""
    return indent + format_key_name(key) + ":" + format_value(setting, manner, indent=indent)


def format_value(setting: Setting, manner: FrontmatterStyle, *, indent: str) -> str:
    """Return what follows the colon of a key, to the end of its last line."""
    match setting:
        case str():
            return f" {format_scalar(setting)}{manner.eol}"
        case list():
            flow = format_flow_list(setting)
            if not setting or (not manner.dash and len(flow) <= _LONGEST_LIST):
                return f" {flow}{manner.eol}"
            dash = f"{indent}{manner.dash or '  - '}"
            return manner.eol + "".join(f"{dash}{format_scalar(item)}{manner.eol}" for item in setting)
        case _ if not setting:
            return f" {{}}{manner.eol}"
        case _:
            return manner.eol + format_keys(setting, manner, indent=indent + "  ")


def format_flow_list(items: Iterable[str]) -> str:
    """Return a list on one line."""
    return f"[{', '.join(format_scalar(item, in_flow=True) for item in items)}]"


def format_key_name(key: str) -> str:
    """Return a key as it stands before its colon."""
    if len(key) > _LONGEST_KEY:
        raise Refusal(f"a key of {len(key)} characters is too long")
    return format_scalar(key, in_flow=True)


# The frontmatter that nearly every note has, read without YAML: exactly as YAML would, or not at all.


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
_BACKSLASHED = re.compile(r"\\(.)")
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
        return _BACKSLASHED.sub(r"\1", text[1:-1]) if "\\" in text else text[1:-1]
    if '"' in text or "'" in text:
        return [_parse_value(item) for item in _ITEM.findall(text, 1)]
    items: list[Value] = [item.strip(" ") for item in text[1:-1].split(",")]
    if NULLS.isdisjoint(items):
        return items
    return [] if items == [""] else [None if item in NULLS else item for item in items]
