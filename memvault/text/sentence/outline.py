"""The outline of a markdown text: its sentences, items, rows, headings and code, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from memvault.text.markdown import BlockKind, MarkdownBlock, block_parts, parse_blocks
from memvault.text.sentence.quantity import month_alone

ALSO_NOTED = "Also noted"

_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=\s|$))")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_HEADING_MARKS = re.compile(r"^#{1,6}(?=\s|$)|\s#+\s*$")
_RULE = re.compile(r"[|:\-=*_\s+]+")
_LABEL = re.compile(r"\n(?=[ \t>]*[^\W\d_][^\n:.!?]{0,30}:[ \t])")
_FENCES = re.compile(r"^[`~]{3,}[^\n]*\n?|\n[ \t]*[`~]{3,}[ \t]*$")
_DAY_NUMBER = re.compile(r"(?<!\w)\d{1,2}\.$")
_ENDS = " \t\r\n.!…。！;,:"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """One sentence, item, row, heading or piece of code of a text."""

    sort: BlockKind
    text: str  # without bullet, quotation marks or fences
    written: str  # as it stands there
    end: int
    number: int
    block: int  # the paragraph or the like that it is part of
    title: str  # the heading that opens the text, where nothing but that stands above it
    headings: tuple[str, ...]  # all other headings it stands under, outermost first
    items: tuple[str, ...] = ()  # the items it is nested in, by their first sentence
    lead: str = ""  # the sentence with a colon before its list, code or table
    header: str = ""  # the first row of its table, with the line below it
    bullet: str = ""  # of the first sentence of an item
    is_title: bool = False  # the one heading of the first level, above everything else
    noted: bool = False  # in a section that a merge has added

    @property
    def is_step(self) -> bool:
        """Return whether it is an item of a numbered list, where the order counts."""
        return self.bullet[:1].isdigit()

    @property
    def context_lines(self) -> tuple[str, ...]:
        """Return all that it stands under and may need to be understood, outermost first."""
        return tuple(filter(None, (*self.headings, self.lead, *self.items, self.header.partition("\n")[0])))


def plain_text(text: str) -> str:
    """Return a sentence without case, spacing and final punctuation; code and addresses keep their case."""
    line = " ".join(text.split())
    line = normalize("NFC", line.rstrip(_ENDS) or line)
    return line if "`" in line or "://" in line else line.casefold()


@lru_cache(maxsize=32)
def read_pieces(text: str) -> tuple[TextPiece, ...]:
    """Return all pieces of a text, in order; rules and empty items are none."""
    return tuple(_OutlineReader(text).read_pieces())


def heading_text(written: str) -> str:
    """Return what a heading says, without its marks."""
    return _HEADING_MARKS.sub("", written.partition("\n")[0]).strip()


class _OutlineReader:
    """A reader that goes through a text from top to bottom and remembers what stands above."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._count = 0
        self._block = 0
        self._headings: list[tuple[int, str, bool]] = []
        self._items: list[tuple[int, str]] = []
        self._lead = ""
        self._noted = 0  # the level of the heading that a merge has added

    def read_pieces(self) -> Iterator[TextPiece]:
        """Yield the pieces of the whole text."""
        found = list(parse_blocks(self._text))
        is_titled = sum(block.kind is BlockKind.HEADING and block.level == 1 for block in found) == 1
        for number, block in enumerate(found):
            self._block = number
            match block.kind:
                case BlockKind.HEADING:
                    yield from self._read_heading(block, is_title=is_titled and number == 0 and block.level == 1)
                case BlockKind.CODE:
                    yield from self._read_code(block)
                case BlockKind.TABLE:
                    yield from self._read_table(block)
                case BlockKind.PROSE:
                    yield from self._read_prose(block)
                case BlockKind.ITEM:
                    yield from self._read_item(block)

    def _read_heading(self, block: MarkdownBlock, *, is_title: bool) -> Iterator[TextPiece]:
        written = self._text[block.start : block.end]
        title = heading_text(written)
        self._items, self._lead = [], ""
        self._headings = [above for above in self._headings if above[0] < block.level]
        if block.level <= self._noted:
            self._noted = 0
        if title.casefold() == ALSO_NOTED.casefold():
            self._noted = block.level
            self._headings = []  # what a merge has noted stands under no heading of the text
        elif title:
            yield self._make_piece(BlockKind.HEADING, title, written, block.end, is_title=is_title)
            self._headings.append((block.level, title, is_title))

    def _read_code(self, block: MarkdownBlock) -> Iterator[TextPiece]:
        self._leave_items(block)
        written = self._text[block.start : block.end]
        code = _FENCES.sub("", "\n".join(line.rstrip() for line in written.split("\n")))
        if code.strip():
            yield self._make_piece(BlockKind.CODE, code, written, block.end, lead=self._lead)

    def _read_table(self, block: MarkdownBlock) -> Iterator[TextPiece]:
        self._leave_items(block)
        header = ""
        for start, end in block_parts(self._text, block):
            row = self._text[start:end]
            if _RULE.fullmatch(row) is None:
                yield self._make_piece(BlockKind.TABLE, row, row, end, lead=self._lead, header=header)
                header = header or row
            elif header and "\n" not in header:
                header = f"{header}\n{row}"

    def _read_prose(self, block: MarkdownBlock) -> Iterator[TextPiece]:
        self._leave_items(block)
        last = ""
        for last, end in self._split_sentences(block):
            text = _QUOTE.sub("", last).strip()
            if text:
                yield self._make_piece(BlockKind.PROSE, text, last, end)
        self._lead = last.strip() if last.rstrip().endswith(":") else ""

    def _read_item(self, block: MarkdownBlock) -> Iterator[TextPiece]:
        depth = self._leave_items(block)
        found = _BULLET.match(self._text, block.start)
        bullet = found[0].strip() if found else ""
        is_first = True
        for written, end in self._split_sentences(block):
            text = _QUOTE.sub("", written[len(found[0]) :] if found and is_first else written).strip()
            if text:
                yield self._make_piece(
                    BlockKind.ITEM, text, written, end, lead=self._lead, bullet=bullet if is_first else ""
                )
                if is_first:
                    self._items.append((depth, text))
            elif bullet[:1].isdigit():
                yield self._make_piece(
                    BlockKind.PROSE, written, written, end
                )  # a number alone is an answer, not an empty item
            is_first = False

    def _split_sentences(self, block: MarkdownBlock) -> Iterator[tuple[str, int]]:
        for start, end in self._join_dates(block_parts(self._text, block)):
            at = start
            for part in _LABEL.split(self._text[start:end]):
                at += len(part)
                if _RULE.fullmatch(part) is None:
                    yield part, at
                at += 1

    def _join_dates(self, stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the sentences with each date in one: "am 3. Mai" does not end at its dot."""
        pending: tuple[int, int] | None = None
        for start, end in stretches:
            if pending is None:
                pending = (start, end)
                continue
            words = self._text[start:end].split(maxsplit=1)
            opens_with_month = bool(words) and month_alone(words[0].rstrip(".,"), opens=False) is not None
            if opens_with_month and _DAY_NUMBER.search(self._text[slice(*pending)]):
                pending = (pending[0], end)
            else:
                yield pending
                pending = (start, end)
        if pending:
            yield pending

    def _leave_items(self, block: MarkdownBlock) -> int:
        """Leave the items that a block does not belong to; return how far it is indented."""
        line = self._text.rfind("\n", 0, block.start) + 1
        depth = len(self._text[line : block.start].expandtabs(4))
        self._items = [above for above in self._items if above[0] < depth]
        return depth

    def _make_piece(
        self,
        sort: BlockKind,
        text: str,
        written: str,
        end: int,
        *,
        lead: str = "",
        header: str = "",
        bullet: str = "",
        is_title: bool = False,
    ) -> TextPiece:
        self._count += 1
        return TextPiece(
            sort=sort,
            text=text,
            written=written,
            end=end,
            number=self._count,
            block=self._block,
            title=self._headings[0][1] if len(self._headings) == 1 and self._headings[0][2] else "",
            headings=tuple(title for _, title, is_title in self._headings if not is_title),
            items=tuple(name for _, name in self._items),
            lead=lead,
            header=header,
            bullet=bullet,
            is_title=is_title,
            noted=self._noted > 0,
        )
