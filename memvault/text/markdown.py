"""What a markdown text is built of: headings, paragraphs, list items, tables and code, and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from memvault.text.terms import measure

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


# A markdown body as passages of 40 to 80 words, so that a search finds the place and not only the file.

# A passage's length is counted in half words; a character of a script without spaces is half a word.
_WORD = 2
_LEAST, _MOST = 40 * _WORD, 80 * _WORD
_LETTERS_PER_HALF_WORD = 8

_CLAUSE_ENDS = ",;:—、，；："
_WORDS = re.compile(r"\S+")
_SHORT_WORD = 20
_DENSE_ATOM = re.compile("[^、，；：]{1,20}[、，；：]{0,5}|[、，；：]{1,20}")
_LONG_ATOM = re.compile(".{1,512}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a passage stands in the body, and the headings above it, outermost first: `Setup > Linux`."""

    start: int
    end: int
    heading: str


class _Unit(NamedTuple):
    """What is never cut: a sentence, a row, a short list item or table."""

    start: int
    end: int
    length: int
    after_blank: bool


@dataclass(frozen=True, slots=True)
class _Section:
    trail: tuple[str, ...]
    units: list[_Unit]


def split(body: str) -> tuple[Passage, ...]:
    """The passages of a body in order: they do not overlap, and only blank space lies between them."""
    sections = list(_sections(body))
    if not sections:
        return ()
    if sum(unit.length for section in sections for unit in section.units) <= _MOST:
        heading = " > ".join(_shared([section.trail for section in sections]))
        return (Passage(sections[0].units[0].start, sections[-1].units[-1].end, heading),)
    return tuple(
        Passage(group[0].start, group[-1].end, " > ".join(section.trail))
        for section in sections
        for group in _groups(section.units)
    )


def _shared(trails: list[tuple[str, ...]]) -> tuple[str, ...]:
    shortest = min(trails, key=len)
    same = (place for place, title in enumerate(shortest) if any(trail[place] != title for trail in trails))
    return shortest[: next(same, len(shortest))]


def _sections(body: str) -> Iterator[_Section]:
    """The text under each heading; headings with nothing between them belong to the text below the last."""
    trail: list[tuple[int, str]] = []
    units: list[_Unit] = []
    has_text = False
    for block in blocks(body):
        if block.sort is Sort.HEADING:
            if has_text:
                yield _Section(tuple(title for _, title in trail), units)
                units, has_text = [], False
            trail = [*(above for above in trail if above[0] < block.level), (block.level, block.title)]
        else:
            has_text = True
        units += _units(body, block)
    if units:
        yield _Section(tuple(title for _, title in trail), units)


def _units(body: str, block: Block) -> Iterator[_Unit]:
    """A list item, table or piece of code stays whole if it fits in a passage, a sentence likewise."""
    stretches: Iterable[Stretch] = parts(body, block)
    if block.sort is not Sort.PROSE and _length(body[block.start : block.end]) <= _MOST:
        stretches = ((block.start, block.end),)
    after_blank = block.after_blank
    for start, end in stretches:
        for unit in _pieces(body, start, end, after_blank=after_blank):
            yield unit
            after_blank = False


def _length(text: str) -> int:
    words, dense = measure(text)
    return max(_WORD * words + dense, len(text) // _LETTERS_PER_HALF_WORD)


def _pieces(body: str, start: int, end: int, *, after_blank: bool) -> Iterator[_Unit]:
    """The stretch whole, or cut between clauses or words where it is longer than a passage may be."""
    whole = _length(body[start:end])
    if whole <= _MOST:
        yield _Unit(start, end, whole, after_blank)
        return
    begin, stop, length = start, start, 0
    for first, last in _atoms(body, start, end):
        added = _length(body[first:last])
        if length + added > _MOST or (length >= _LEAST and body[stop - 1] in _CLAUSE_ENDS):
            yield _Unit(begin, stop, length, after_blank and begin == start)
            begin, length = first, 0
        stop = last
        length += added
    yield _Unit(begin, stop, length, after_blank and begin == start)


def _atoms(body: str, start: int, end: int) -> Iterator[Stretch]:
    """Words; what has no spaces is cut after a comma, or anywhere."""
    for word in _WORDS.finditer(body, start, end):
        if len(word[0]) <= _SHORT_WORD:
            yield word.span()
            continue
        pattern = _DENSE_ATOM if measure(word[0])[1] else _LONG_ATOM
        for piece in pattern.finditer(body, *word.span()):
            yield piece.span()


def _groups(units: list[_Unit]) -> list[list[_Unit]]:
    """Units gathered until a passage is full; a short rest joins the passage before it."""
    groups: list[list[_Unit]] = []
    lengths: list[int] = []
    for unit in units:
        if not groups or _begins_passage(lengths[-1], unit):
            groups.append([])
            lengths.append(0)
        groups[-1].append(unit)
        lengths[-1] += unit.length
    if len(groups) > 1 and _is_nearer_together(lengths[-1], lengths[-2]):
        rest = groups.pop()
        groups[-1] += rest
    return groups


def _begins_passage(length: int, unit: _Unit) -> bool:
    if unit.after_blank and length >= _LEAST:
        return True
    return not _is_nearer_together(length, unit.length)


def _is_nearer_together(short: int, other: int) -> bool:
    """Whether one too long is no further off the mark than the first of the two is too short."""
    return max(short + other - _MOST, 0) <= max(_LEAST - short, 0)


# What a text is called: its heading, or its first sentence cut to a line.

LONGEST = 72
_TITLES_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_TITLES_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?…])\s|(?<=\d[!?…])\s|(?<=[。！？])|\n")
_MARKUP = re.compile(r"^[\s>*+\-#]+(?:\[[ xX]\]\s*)?|[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\[\[(?:[^\]|]*\|)?|\]\]")
_DATED = re.compile(r"^\d{4}-\d{2}-\d{2}[ _-]+")


def heading_of(body: str) -> str | None:
    """The first heading of a markdown text, if it stands near the top."""
    found = _TITLES_HEADING.search(body[:4_000])
    return _plain(found[1]) or None if found else None


def title_from_name(name: str) -> str:
    """A title from a file's name: without its date, with spaces for hyphens."""
    bare = _DATED.sub("", name)
    return bare if " " in bare else bare.replace("-", " ").replace("_", " ").strip() or name


def guess_title(text: str) -> str:
    """A title for a new memory: its heading, else its first sentence, at most a line long."""
    heading = heading_of(text)
    if heading and text.lstrip().startswith("#"):
        return clip(heading)
    first = next((part for part in _TITLES_SENTENCE_END.split(text.strip()[:2_000]) if part and part.strip()), "")
    return clip(_plain(first)) or "Untitled"


def clip(title: str) -> str:
    """A title cut at a word, with an ellipsis, so that it fits on a line."""
    line = " ".join(title.split()).rstrip(".。;:, ")
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    return (cut.rpartition(" ")[0] if " " in cut[LONGEST // 2 :] else cut).rstrip(" ,;:-") + "…"


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split())
