"""The places in a text where something can be added to what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memvault.core.similarity.outline import ALSO_NOTED, Piece, heading_text, outline, plain
from memvault.text.markdown import Sort, blocks

NOTED = plain(ALSO_NOTED)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where each section and table of a text ends; sections are known by their heading in its plain form."""

    title: str
    sections: Mapping[str, int]
    tables: Mapping[tuple[str, str], int]
    lists: frozenset[int]  # the ends that are ends of list items
    noted: frozenset[str]  # the sections that a merge has added
    noted_end: int

    def place_of(self, piece: Piece) -> str:
        """The section that a piece belongs to; empty where there is none of its heading."""
        if piece.headings:
            name = plain(piece.headings[-1])
            return name if name in self.sections and name not in (self.title, NOTED) else ""
        return self.title if piece.title and plain(piece.title) == self.title else ""


def frame(text: str) -> Frame:
    """The frame of a text."""
    sections: dict[str, int] = {}
    noted: dict[str, int] = {}
    name, noted_level, is_open = "", 0, True
    found = list(blocks(text))
    for block in found:
        if block.sort is Sort.HEADING:
            name = plain(heading_text(text[block.start : block.end]))
            noted_level = block.level if name == NOTED else noted_level if block.level > noted_level else 0
            is_open = name not in sections
        if is_open:
            sections[name] = block.end
        if noted_level:
            noted[name] = block.end
    pieces = outline(text)
    return Frame(
        title=next((plain(piece.text) for piece in pieces if piece.is_title), ""),
        sections=sections,
        tables={table_of(piece): piece.end for piece in pieces if piece.sort is Sort.TABLE},
        lists=frozenset(block.end for block in found if block.sort is Sort.ITEM),
        noted=frozenset(noted),
        noted_end=max(noted.values(), default=0),
    )


def table_of(piece: Piece) -> tuple[str, str]:
    """The table that a row belongs to: its section, and its first row."""
    return plain("".join(piece.headings[-1:])), plain(piece.header.partition("\n")[0] or piece.text)
