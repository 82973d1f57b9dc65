"""A markdown body as passages of 40 to 80 words, so that a search finds the place and not only the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memvault.text.markdown import Block, Sort, Stretch, blocks, parts, sentences
from memvault.text.tokens import measure

__all__ = ["Passage", "sentences", "split"]

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
