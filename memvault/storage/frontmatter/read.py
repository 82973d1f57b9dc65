"""Reads the bytes of a note into fields of plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memvault.storage.frontmatter.changes import group_changes, new_settings, replace_surrogates, value_of
from memvault.storage.frontmatter.fast_read import BOM, Fence, NoFence, find_fences, read_plain_fields
from memvault.storage.frontmatter.scalars import (
    FrontmatterProblem,
    FrontmatterStyle,
    ParsedNote,
    Refusal,
    Setting,
    format_keys,
)

_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]|\r(?!\n)")
_LONE_CR = re.compile(r"\r(?!\n)")
_ALONE = "a carriage return stands alone in its frontmatter"
_MARKS = re.compile("^\ufeff+", re.MULTILINE)
_BLANK_LINE = re.compile(r"[ \t]*\r?\n")


def parse(raw: bytes) -> ParsedNote:
    """Return the fields and the body of a note, whatever its state. Never raises, never takes long."""
    found = find_fences(raw)
    if isinstance(found, NoFence):
        return _body_only(raw, found)
    try:
        text = raw[found.start : found.end].decode()
    except UnicodeDecodeError as error:
        text = raw[found.start : found.end].decode(errors="replace")
        line = 2 + raw.count(b"\n", found.start, found.start + error.start)
        return _parse_unusual(raw, found, text, FrontmatterProblem("its frontmatter is not UTF-8 text", line))
    if raw[found.start - 1 : found.start] == b"\r":
        return _parse_unusual(raw, found, text, FrontmatterProblem(_ALONE, 1))
    fields = read_plain_fields(text)
    if fields is None:
        return _parse_unusual(raw, found, text, _find_odd_character(text))
    return ParsedNote(
        raw, True, fields, found.start, found.end, found.body_start, _line_break(raw, found), raw[:3] == BOM
    )


def _parse_unusual(raw: bytes, found: Fence, text: str, odd: FrontmatterProblem | None) -> ParsedNote:
    from memvault.storage.frontmatter.outline import read_outline  # deferred: few notes need it

    if odd:
        text = _MARKS.sub("", _LONE_CR.sub("\n", text))
    read = read_outline(text)
    # Text between two horizontal rules is prose, though a line of it may look like a key.
    between_rules = odd is None and _BLANK_LINE.match(text) is not None
    if not read.is_mapping or (between_rules and read.trouble and read.locked):
        is_prose = between_rules and not read.is_mapping
        return _body_only(raw, NoFence(found.top, "" if is_prose else "what its first --- opens is no list of keys"))
    problem = odd
    if problem is None and read.trouble:
        problem = FrontmatterProblem(read.trouble.reason, 2 + text.count("\n", 0, read.trouble.at))
    return ParsedNote(
        raw,
        has_fence=True,
        fields=read.fields,
        start=found.start,
        end=found.end,
        body_start=found.body_start,
        eol=_line_break(raw, found),
        bom=raw.startswith(BOM),
        problem=problem,
        editable=odd is None and not read.locked,
    )


def _find_odd_character(text: str) -> FrontmatterProblem | None:
    odd = _ODD.search(text)
    if odd is None:
        return None
    line = 2 + text.count("\n", 0, odd.start())
    if odd[0] == "\r":
        return FrontmatterProblem(_ALONE, line)
    name = "a byte order mark" if odd[0] == "\ufeff" else f"a control character (U+{ord(odd[0]):04X})"
    return FrontmatterProblem(f"{name} stands in its frontmatter", line)


def _body_only(raw: bytes, found: NoFence) -> ParsedNote:
    first_break = raw.find(b"\n", 0, 64 * 1024)
    return ParsedNote(
        raw,
        has_fence=False,
        fields={},
        start=found.body_start,
        end=found.body_start,
        body_start=found.body_start,
        eol="\r\n" if first_break > 0 and raw[first_break - 1 : first_break] == b"\r" else "\n",
        bom=raw.startswith(BOM),
        problem=FrontmatterProblem(found.reason, 1) if found.reason else None,
        editable=not found.reason,
    )


def _line_break(raw: bytes, found: Fence) -> str:
    return "\r\n" if raw[found.start - 2 : found.start] == b"\r\n" else "\n"


# A whole new note.


def compose(fields: Mapping[str, Setting], body: str) -> bytes:
    """Return the bytes of a new note, read back once to be sure that its fields read as given."""
    settings = new_settings(group_changes(fields))
    text = replace_surrogates(body)
    if text:
        text = text.removesuffix("\n") + "\n"
    note = f"---\n{format_keys(settings, FrontmatterStyle())}---\n{text}".encode()
    if parse(note).fields != {key: value_of(setting) for key, setting in settings.items()}:
        raise Refusal("these fields would not read back as they were given; they may be too long")
    return note
