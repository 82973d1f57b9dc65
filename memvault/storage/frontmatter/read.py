"""Reads the bytes of a note into fields of plain text."""

from __future__ import annotations

import re
from typing import NamedTuple

from memvault.storage.frontmatter.scalars import FrontmatterProblem, ParsedNote, read_plain_fields

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


# Where a frontmatter begins and ends. Its end is searched within 64 KiB.

LIMIT = 64 * 1024
BOM = b"\xef\xbb\xbf"

_FENCE_MARKS = re.compile(rb"(?:\xef\xbb\xbf)*+")
_OPENING = re.compile(rb"---[ \t]*(\r\n|\n|\r)")
_CLOSING = re.compile(rb"\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_CLOSING_WITH_CR = re.compile(rb"[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_LIKE_A_KEY = re.compile(rb"(?:\s*+#[^\r\n]*+)*+\s*+[\w\"'\x80-\xff][^\r\n:]*:(?:\s|\Z)")
_FOREIGN = (
    (re.compile(rb"\xff\xfe|\xfe\xff|[^\0]{0,3}\0"), "the file is not UTF-8 text"),
    (re.compile(rb"\+\+\+[ \t]*[\r\n]"), "it has TOML frontmatter (+++), which is not memvault's to write"),
)


class Fence(NamedTuple):
    """The text between the fences is raw[start:end]; `top` is where the opening fence stands."""

    top: int
    start: int
    end: int
    body_start: int


class NoFence(NamedTuple):
    """A note that is all body; `reason` says why no fence may be put before it, empty where one may."""

    body_start: int
    reason: str = ""


def find_fences(raw: bytes) -> Fence | NoFence:
    """Return the fences of a note, or that there are none."""
    marks = _FENCE_MARKS.match(raw)
    top = marks.end() if marks else 0
    opening = _OPENING.match(raw, top)
    if opening is None:
        return NoFence(top, next((reason for pattern, reason in _FOREIGN if pattern.match(raw, top)), ""))
    start = opening.end()
    limit = start + LIMIT
    pattern = _CLOSING_WITH_CR if opening[1] == b"\r" else _CLOSING
    closing = pattern.search(raw, start - 1, limit)
    # A match at the very end of the search may be the start of a longer line.
    if closing and (closing.end() < limit or limit >= len(raw)):
        return Fence(top, start, closing.start() + 1, closing.end())
    if _LIKE_A_KEY.match(raw, start, limit):
        return NoFence(top, "its frontmatter has no closing --- within 64 KiB")
    return NoFence(top)
