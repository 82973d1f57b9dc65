"""What a markdown text is built of: headings, paragraphs, list items, tables and code, and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

_LONGEST_TITLE = 120

_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_ROW = re.compile(r"\S[^\n]*")
_BLANK = re.compile(r"\s*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t\r]*$")

# The look-behind lets a run of dots be tried once, not once for each dot in it.
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_`]*+(?=\s)|[。！？]+[」』）”’]*")
_LAST_WORD = re.compile(r"[^\s(\[\"“„«]+$")
_LONGEST_ABBREVIATION = 16
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "mt", "vs", "e.g", "i.e", "cf", "z.b", "bzw", "jr", "sr"))
_BEFORE_NUMBERS = frozenset(("no", "nr", "fig", "vol", "sec", "ch", "p", "pp", "art"))


class Sort(Enum):
    """What a block is, as far as it matters for where it may be cut."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text without the blank space around it; a heading also has a level and a title."""

    sort: Sort
    start: int
    end: int
    after_blank: bool
    level: int = 0
    title: str = ""


class _Line(NamedTuple):
    sort: Sort
    start: int
    end: int
    after_blank: bool
    opens: bool  # never part of the block before it


Stretch = tuple[int, int]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order; together they hold all of it but blank space."""
    held: list[_Line] = []
    for line in _lines(text):
        if _underlines(text, line, held):
            yield _heading(text, held[0], end=line.end, level=1 if text[line.start] == "=" else 2)
            held = []
        elif held and _continues(line, held[0].sort):
            held.append(line)
        else:
            if held:
                yield _block(text, held)
            held = [line]
    if held:
        yield _block(text, held)


def sentences(text: str) -> Iterator[Stretch]:
    """Where each sentence stands; a heading, a row of a table and a line of code count as one."""
    for block in blocks(text):
        yield from parts(text, block)


def parts(text: str, block: Block) -> Iterator[Stretch]:
    """The sentences or lines that a block consists of."""
    match block.sort:
        case Sort.HEADING:
            yield block.start, block.end
        case Sort.PROSE | Sort.ITEM:
            yield from _sentences(text, block.start, block.end)
        case Sort.TABLE | Sort.CODE:
            for row in _ROW.finditer(text, block.start, block.end):
                yield row.start(), row.start() + len(row[0].rstrip())


def _lines(text: str) -> Iterator[_Line]:
    fence = ""
    after_blank = True
    start = 0
    for line in text.split("\n"):
        bare = line.strip()
        if bare:
            inside = fence
            if fence or bare[0] in "`~":
                fence = _fence_after(bare, fence)
            sort = Sort.CODE if inside or fence else _sort(line, bare)
            opens = not inside and (bool(fence) or after_blank or sort in (Sort.HEADING, Sort.ITEM))
            first = start + line.index(bare[0])
            yield _Line(sort, first, first + len(bare), after_blank, opens)
        after_blank = not bare
        start += len(line) + 1


def _fence_after(bare: str, fence: str) -> str:
    """The fence that is open after a line, given the one before it."""
    if fence:
        return "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
    found = _FENCE.match(bare)
    return found[0] if found else ""


def _sort(line: str, bare: str) -> Sort:
    first = bare[0]
    if first == "#" and _HEADING.match(line):
        return Sort.HEADING
    if first == "|":
        return Sort.TABLE
    return Sort.ITEM if (first in "-*+" or first.isdigit()) and _ITEM.match(bare) else Sort.PROSE


def _continues(line: _Line, sort: Sort) -> bool:
    return not line.opens and (line.sort is sort or (line.sort is Sort.PROSE and sort is Sort.ITEM))


def _underlines(text: str, line: _Line, held: list[_Line]) -> bool:
    if text[line.start] not in "=-" or len(held) != 1 or held[0].sort is not Sort.PROSE or line.after_blank:
        return False
    return _UNDERLINE.match(text[line.start : line.end]) is not None


def _block(text: str, lines: list[_Line]) -> Block:
    first = lines[0]
    if first.sort is Sort.HEADING:
        hashes = text[first.start : first.start + 7]
        return _heading(text, first, end=first.end, level=len(hashes) - len(hashes.lstrip("#")))
    return Block(first.sort, first.start, lines[-1].end, first.after_blank)


def _heading(text: str, line: _Line, *, end: int, level: int) -> Block:
    title = text[line.start : line.end].strip("#").strip()
    return Block(Sort.HEADING, line.start, end, line.after_blank, level, title[:_LONGEST_TITLE])


def _sentences(text: str, start: int, end: int) -> Iterator[Stretch]:
    begin = start
    for found in _SENTENCE_END.finditer(text, start, end):
        following = _next_character(text, found.end(), end)
        if following < end and _is_end(text, begin, found, text[following]):
            yield begin, found.end()
            begin = following
    yield begin, end


def _next_character(text: str, start: int, end: int) -> int:
    found = _BLANK.match(text, start, end)
    return found.end() if found else start


def _is_end(text: str, begin: int, found: re.Match[str], following: str) -> bool:
    mark = found[0][0]
    if mark in "。！？":
        return True
    if following.islower():
        return False  # as in "approx. five" or "Yahoo! is"
    if mark != "." or found[0].startswith(".."):
        return True
    reach = max(begin, found.start() - _LONGEST_ABBREVIATION)
    last = _LAST_WORD.search(text, reach, found.start())
    return last is None or not _is_abbreviation(last[0], following, opens=last.start() == begin)


def _is_abbreviation(word: str, following: str, *, opens: bool) -> bool:
    if word.isdigit():
        return opens  # the number of a list item
    if len(word) == 1 and word.isupper():
        return word != "I"
    lower = word.lower()
    return lower in _TITLES or (lower in _BEFORE_NUMBERS and following.isdigit())
