"""Parse markdown into headings, paragraphs, list items, tables and code, and these into sentences and passages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from memvault.text.terms import count_words

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


class BlockKind(Enum):
    """The kinds of block that differ in where they may be cut."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of text without the blank space around it; a heading also has a level and a title."""

    kind: BlockKind
    start: int
    end: int
    after_blank: bool
    level: int = 0
    title: str = ""


class _MarkdownLine(NamedTuple):
    kind: BlockKind
    start: int
    end: int
    after_blank: bool
    opens: bool  # never part of the block before it


Stretch = tuple[int, int]


def parse_blocks(text: str) -> Iterator[MarkdownBlock]:
    """Yield the blocks of a text in order; together they hold all of it but blank space."""
    held: list[_MarkdownLine] = []
    for line in _scan_lines(text):
        if _is_underline(text, line, held):
            yield _make_heading(text, held[0], end=line.end, level=1 if text[line.start] == "=" else 2)
            held = []
        elif held and _continues_block(line, held[0].kind):
            held.append(line)
        else:
            if held:
                yield _make_block(text, held)
            held = [line]
    if held:
        yield _make_block(text, held)


def find_sentences(text: str) -> Iterator[Stretch]:
    """Yield where each sentence stands; a heading, a table row and a line of code count as one."""
    for block in parse_blocks(text):
        yield from block_parts(text, block)


def block_parts(text: str, block: MarkdownBlock) -> Iterator[Stretch]:
    """Yield the sentences or lines of a block."""
    match block.kind:
        case BlockKind.HEADING:
            yield block.start, block.end
        case BlockKind.PROSE | BlockKind.ITEM:
            begin = block.start
            for found in _SENTENCE_END.finditer(text, block.start, block.end):
                following = _next_character(text, found.end(), block.end)
                if following < block.end and _is_sentence_end(text, begin, found, text[following]):
                    yield begin, found.end()
                    begin = following
            yield begin, block.end
        case BlockKind.TABLE | BlockKind.CODE:
            for row in _ROW.finditer(text, block.start, block.end):
                yield row.start(), row.start() + len(row[0].rstrip())


def _scan_lines(text: str) -> Iterator[_MarkdownLine]:
    fence = ""
    after_blank = True
    start = 0
    for line in text.split("\n"):
        bare = line.strip()
        if bare:
            inside = fence
            if fence or bare[0] in "`~":
                fence = _fence_after(bare, fence)
            sort = BlockKind.CODE if inside or fence else _line_kind(line, bare)
            opens = not inside and (bool(fence) or after_blank or sort in (BlockKind.HEADING, BlockKind.ITEM))
            first = start + line.index(bare[0])
            yield _MarkdownLine(sort, first, first + len(bare), after_blank, opens)
        after_blank = not bare
        start += len(line) + 1


def _fence_after(bare: str, fence: str) -> str:
    """Return the fence that is open after a line, given the one before it."""
    if fence:
        return "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
    found = _FENCE.match(bare)
    return found[0] if found else ""


def _line_kind(line: str, bare: str) -> BlockKind:
    first = bare[0]
    if first == "#" and _HEADING.match(line):
        return BlockKind.HEADING
    if first == "|":
        return BlockKind.TABLE
    return BlockKind.ITEM if (first in "-*+" or first.isdigit()) and _ITEM.match(bare) else BlockKind.PROSE


def _continues_block(line: _MarkdownLine, sort: BlockKind) -> bool:
    return not line.opens and (line.kind is sort or (line.kind is BlockKind.PROSE and sort is BlockKind.ITEM))


def _is_underline(text: str, line: _MarkdownLine, held: list[_MarkdownLine]) -> bool:
    if text[line.start] not in "=-" or len(held) != 1 or held[0].kind is not BlockKind.PROSE or line.after_blank:
        return False
    return _UNDERLINE.match(text[line.start : line.end]) is not None


def _make_block(text: str, lines: list[_MarkdownLine]) -> MarkdownBlock:
    first = lines[0]
    if first.kind is BlockKind.HEADING:
        hashes = text[first.start : first.start + 7]
        return _make_heading(text, first, end=first.end, level=len(hashes) - len(hashes.lstrip("#")))
    return MarkdownBlock(first.kind, first.start, lines[-1].end, first.after_blank)


def _make_heading(text: str, line: _MarkdownLine, *, end: int, level: int) -> MarkdownBlock:
    title = text[line.start : line.end].strip("#").strip()
    return MarkdownBlock(BlockKind.HEADING, line.start, end, line.after_blank, level, title[:_LONGEST_TITLE])


def _next_character(text: str, start: int, end: int) -> int:
    found = _BLANK.match(text, start, end)
    return found.end() if found else start


def _is_sentence_end(text: str, begin: int, found: re.Match[str], following: str) -> bool:
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
    """A passage of a body, and the headings above it, outermost first: `Setup > Linux`."""

    start: int
    end: int
    heading: str


class _PassageUnit(NamedTuple):
    """A part that is never cut: a sentence, a row, a short list item or table."""

    start: int
    end: int
    length: int
    after_blank: bool


@dataclass(frozen=True, slots=True)
class _PassageSection:
    trail: tuple[str, ...]
    units: list[_PassageUnit]


def split_passages(body: str) -> tuple[Passage, ...]:
    """Split a body into passages, in order and without overlap; only blank space lies between them."""
    sections = list(_split_sections(body))
    if not sections:
        return ()
    if sum(unit.length for section in sections for unit in section.units) <= _MOST:
        trails = [section.trail for section in sections]
        shortest = min(trails, key=len)
        same = (place for place, title in enumerate(shortest) if any(trail[place] != title for trail in trails))
        heading = " > ".join(shortest[: next(same, len(shortest))])
        return (Passage(sections[0].units[0].start, sections[-1].units[-1].end, heading),)
    return tuple(
        Passage(group[0].start, group[-1].end, " > ".join(section.trail))
        for section in sections
        for group in _group_units(section.units)
    )


def _split_sections(body: str) -> Iterator[_PassageSection]:
    """Yield the text under each heading; headings with nothing between them go with the last."""
    trail: list[tuple[int, str]] = []
    units: list[_PassageUnit] = []
    has_text = False
    for block in parse_blocks(body):
        if block.kind is BlockKind.HEADING:
            if has_text:
                yield _PassageSection(tuple(title for _, title in trail), units)
                units, has_text = [], False
            trail = [*(above for above in trail if above[0] < block.level), (block.level, block.title)]
        else:
            has_text = True
        units += _split_units(body, block)
    if units:
        yield _PassageSection(tuple(title for _, title in trail), units)


def _split_units(body: str, block: MarkdownBlock) -> Iterator[_PassageUnit]:
    """Yield the parts of a block; a list item, table or code stays whole if it fits in a passage."""
    stretches: Iterable[Stretch] = block_parts(body, block)
    if block.kind is not BlockKind.PROSE and _half_words(body[block.start : block.end]) <= _MOST:
        stretches = ((block.start, block.end),)
    after_blank = block.after_blank
    for start, end in stretches:
        for unit in _cut_stretch(body, start, end, after_blank=after_blank):
            yield unit
            after_blank = False


def _half_words(text: str) -> int:
    words, dense = count_words(text)
    return max(_WORD * words + dense, len(text) // _LETTERS_PER_HALF_WORD)


def _cut_stretch(body: str, start: int, end: int, *, after_blank: bool) -> Iterator[_PassageUnit]:
    """Yield a stretch whole, or cut between clauses or words where it is longer than a passage may be."""
    whole = _half_words(body[start:end])
    if whole <= _MOST:
        yield _PassageUnit(start, end, whole, after_blank)
        return
    begin, stop, length = start, start, 0
    for first, last in _split_atoms(body, start, end):
        added = _half_words(body[first:last])
        if length + added > _MOST or (length >= _LEAST and body[stop - 1] in _CLAUSE_ENDS):
            yield _PassageUnit(begin, stop, length, after_blank and begin == start)
            begin, length = first, 0
        stop = last
        length += added
    yield _PassageUnit(begin, stop, length, after_blank and begin == start)


def _split_atoms(body: str, start: int, end: int) -> Iterator[Stretch]:
    """Yield words; what has no spaces is cut after a comma, or anywhere."""
    for word in _WORDS.finditer(body, start, end):
        if len(word[0]) <= _SHORT_WORD:
            yield word.span()
            continue
        pattern = _DENSE_ATOM if count_words(word[0])[1] else _LONG_ATOM
        for piece in pattern.finditer(body, *word.span()):
            yield piece.span()


def _group_units(units: list[_PassageUnit]) -> list[list[_PassageUnit]]:
    """Group units into passages; a short rest joins the passage before it."""
    groups: list[list[_PassageUnit]] = []
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


def _begins_passage(length: int, unit: _PassageUnit) -> bool:
    if unit.after_blank and length >= _LEAST:
        return True
    return not _is_nearer_together(length, unit.length)


def _is_nearer_together(short: int, other: int) -> bool:
    """Return whether both together are no more too long than the first alone is too short."""
    return max(short + other - _MOST, 0) <= max(_LEAST - short, 0)


# What a text is called: its heading, or its first sentence cut to a line.

LONGEST = 72
_TITLES_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_TITLES_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?…])\s|(?<=\d[!?…])\s|(?<=[。！？])|\n")
_MARKUP = re.compile(r"^[\s>*+\-#]+(?:\[[ xX]\]\s*)?|[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\[\[(?:[^\]|]*\|)?|\]\]")
_DATED = re.compile(r"^\d{4}-\d{2}-\d{2}[ _-]+")


def first_heading(body: str) -> str | None:
    """Return the first heading of a markdown text, if it stands near the top."""
    found = _TITLES_HEADING.search(body[:4_000])
    return _strip_markup(found[1]) or None if found else None


def title_from_name(name: str) -> str:
    """Make a title of a file's name: without its date, with spaces for hyphens."""
    bare = _DATED.sub("", name)
    return bare if " " in bare else bare.replace("-", " ").replace("_", " ").strip() or name


def guess_title(text: str) -> str:
    """Make a title for a new memory: its heading, else its first sentence, at most a line long."""
    heading = first_heading(text)
    if heading and text.lstrip().startswith("#"):
        return clip_title(heading)
    first = next((part for part in _TITLES_SENTENCE_END.split(text.strip()[:2_000]) if part and part.strip()), "")
    return clip_title(_strip_markup(first)) or "Untitled"


def clip_title(title: str) -> str:
    """Cut a title at a word, with an ellipsis, so that it fits on a line."""
    line = " ".join(title.split()).rstrip(".。;:, ")
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    return (cut.rpartition(" ")[0] if " " in cut[LONGEST // 2 :] else cut).rstrip(" ,;:-") + "…"


def _strip_markup(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split())
