"""Find and replace the managed block in a file by its two marks; every other byte stays."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memvault.errors import BadBlock

BEGIN = "<!-- memvault:begin v1 (generated; edit the vault, not this block) -->"
END = "<!-- memvault:end -->"

_BOM = b"\xef\xbb\xbf"
_MARK = re.compile(rb"^<!-- memvault:(begin|end)[^\n]*", re.MULTILINE)
_BLANK_AT_END = re.compile(rb"(?:^|\n)[ \t]*\r?\n\Z")


@dataclass(frozen=True, slots=True)
class BlockRegion:
    """Where a block stands in a file's bytes, from its first mark to the end of its last."""

    start: int
    end: int


def find_block(data: bytes, *, path: str) -> BlockRegion | None:
    """Return where the block stands; None where there is none, BadBlock where its marks are wrong."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    marks = list(_MARK.finditer(data[start:]))
    if not marks:
        return None
    if trouble := _marker_problem([mark[1].decode() for mark in marks]):
        number, reason = trouble
        raise BadBlock(path=path, reason=reason, line=data.count(b"\n", 0, start + marks[number].start()) + 1)
    first, last = marks
    closed = last[0].find(b"-->")
    end = last.start() + (closed + len(b"-->") if closed >= 0 else len(last[0].rstrip(b"\r")))
    return BlockRegion(start + first.start(), start + end)


def block_bytes(data: bytes) -> bytes | None:
    """Return the bytes of the block; None where there is none, or its marks are wrong."""
    try:
        found = find_block(data, path="")
    except BadBlock:
        return None
    return None if found is None else data[found.start : found.end]


def replace_block(data: bytes, block: bytes) -> bytes:
    """Put other bytes in the block's place; a file without a block stays as it is."""
    own = block_bytes(data)
    return data if own is None else data.replace(own, block, 1)


def write_block(data: bytes, block: str, *, preamble: str = "", path: str) -> bytes:
    """Write the block in the old one's place, or at the end of the file after a blank line."""
    if not data:
        return f"{preamble}{block}\n".encode()
    found = find_block(data, path=path)
    if found is None:
        return data + _blank_line_before(data) + _encode_lines(f"{block}\n", _line_ending(data))
    before, after = data[: found.start], data[found.end :]
    first_line = data[found.start : found.end].partition(b"\n")[0]
    inner = b"\r\n" if first_line.endswith(b"\r") else b"\n"
    return before + _encode_lines(block, _line_ending(before + after) if b"\n" in before + after else inner) + after


def _marker_problem(marks: list[str]) -> tuple[int, str] | None:
    """Return which mark is wrong, and why; marks come as one begin and one end."""
    match marks:
        case ["begin", "end"]:
            return None
        case ["end", *_]:
            return 0, "a block ends that has not begun"
        case ["begin"]:
            return 0, "a block begins and does not end"
        case ["begin", "begin", *_]:
            return 1, "a second block begins before the first ends"
        case _:
            return 2, f"there is a second {marks[2]} mark"


def _blank_line_before(data: bytes) -> bytes:
    """Return the line breaks that are missing for a blank line before the block."""
    eol = _line_ending(data)
    if data == _BOM or _BLANK_AT_END.search(data):
        return b""
    return eol if data.endswith(b"\n") else eol * 2


def _line_ending(data: bytes) -> bytes:
    crlf = data.count(b"\r\n")
    return b"\r\n" if crlf and crlf * 2 > data.count(b"\n") else b"\n"


def _encode_lines(text: str, eol: bytes) -> bytes:
    return text.encode().replace(b"\n", eol)
