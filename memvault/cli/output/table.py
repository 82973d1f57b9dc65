"""Rows of short texts, set in columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memvault.cli.output.memory import MARKED_PLACES, marks
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.text.display import cells, clip, one_line, pad

_GAP = "  "
_LEAST, _READABLE = 12, 32


class Column(NamedTuple):
    """How one column is set: its heading, numbers to the right, and what becomes of it on a narrow page."""

    heading: str
    right: bool = False
    gives_way: bool = False  # it is cut
    may_go: bool = False  # it is left out, rather than that another is cut too short to read


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], paper: Paper) -> str:
    """The rows below their headings; where the page is too narrow, columns are left out or cut."""
    lines = [[column.heading for column in columns], *([one_line(text) for text in row] for row in rows)]
    widths = [max(cells(line[number]) for line in lines) for number in range(len(columns))]
    shown = _shown(columns, widths, paper.width)
    widths = _fitted(columns, widths, shown, paper.width)
    heading, *body = (_line(columns, line, widths, shown) for line in lines)
    return "\n".join([paper.styles.faint(heading), *body])


def _shown(columns: Sequence[Column], widths: list[int], page: int) -> list[int]:
    """The columns that stay: one that may go goes while another would be cut below what can be read."""
    shown = list(range(len(columns)))
    for number in range(len(columns)):
        least = [min(widths[n], _READABLE) if columns[n].gives_way else widths[n] for n in shown]
        if page and columns[number].may_go and _total(least) > page:
            shown.remove(number)
    return shown


def _fitted(columns: Sequence[Column], widths: list[int], shown: list[int], page: int) -> list[int]:
    excess = _total([widths[number] for number in shown]) - page if page else 0
    way = [number for number in shown if columns[number].gives_way][:1]
    return [
        max(_LEAST, width - excess) if excess > 0 and number in way else width for number, width in enumerate(widths)
    ]


def _total(widths: list[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _line(columns: Sequence[Column], line: list[str], widths: list[int], shown: list[int]) -> str:
    parts = (pad(clip(line[n], widths[n]), widths[n], right=columns[n].right) for n in shown)
    return _GAP.join(parts).rstrip()


# Memories in a list: one line each, in columns.


def listed(rows: Sequence[tuple[Memory, float, datetime]], paper: Paper) -> str:
    """Memories in aligned columns, one line each."""
    columns = (
        Column("ID"),
        Column("USED"),
        Column("WEIGHT", right=True),
        Column("KIND", may_go=True),
        Column("PLACE", may_go=True),
        Column("TITLE", gives_way=True),
    )
    return table(columns, [_row(*row, paper) for row in rows], paper)


def _row(memory: Memory, weight: float, last_used: datetime, paper: Paper) -> list[str]:
    remarks = [mark for mark in marks(memory) if mark not in MARKED_PLACES.values()]
    title = f"{memory.title} ({', '.join(remarks)})" if remarks else memory.title
    return [short(memory.id), paper.day(last_used), f"{weight:.2f}", memory.kind, memory.place.value, title]
