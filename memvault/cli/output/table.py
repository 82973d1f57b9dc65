"""Rows of short texts, set in columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memvault.cli.output.terminal import TerminalFormat
from memvault.core.ids import short_id
from memvault.core.memory import PLACE_REMARKS, Memory
from memvault.text.display import cell_width, clip_line, pad_text, to_one_line

_GAP = "  "
_LEAST, _READABLE = 12, 32


class Column(NamedTuple):
    """How one column is set: its heading, numbers to the right, and what becomes of it on a narrow page."""

    heading: str
    right: bool = False
    may_shrink: bool = False  # it is cut
    may_go: bool = False  # it is left out, rather than that another is cut too short to read


def format_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], paper: TerminalFormat) -> str:
    """The rows below their headings; where the page is too narrow, columns are left out or cut."""
    lines = [[column.heading for column in columns], *([to_one_line(text) for text in row] for row in rows)]
    widths = [max(cell_width(line[number]) for line in lines) for number in range(len(columns))]
    shown = _choose_columns(columns, widths, paper.width)
    widths = _fit_widths(columns, widths, shown, paper.width)
    heading, *body = (_format_line(columns, line, widths, shown) for line in lines)
    return "\n".join([paper.styles.faint(heading), *body])


def _choose_columns(columns: Sequence[Column], widths: list[int], page: int) -> list[int]:
    """The columns that stay: one that may go goes while another would be cut below what can be read."""
    shown = list(range(len(columns)))
    for number in range(len(columns)):
        least = [min(widths[n], _READABLE) if columns[n].may_shrink else widths[n] for n in shown]
        if page and columns[number].may_go and _total_width(least) > page:
            shown.remove(number)
    return shown


def _fit_widths(columns: Sequence[Column], widths: list[int], shown: list[int], page: int) -> list[int]:
    excess = _total_width([widths[number] for number in shown]) - page if page else 0
    way = [number for number in shown if columns[number].may_shrink][:1]
    return [
        max(_LEAST, width - excess) if excess > 0 and number in way else width for number, width in enumerate(widths)
    ]


def _total_width(widths: list[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _format_line(columns: Sequence[Column], line: list[str], widths: list[int], shown: list[int]) -> str:
    parts = (pad_text(clip_line(line[n], widths[n]), widths[n], right=columns[n].right) for n in shown)
    return _GAP.join(parts).rstrip()


# Memories in a list: one line each, in columns.


def format_memory_list(rows: Sequence[tuple[Memory, float, datetime]], paper: TerminalFormat) -> str:
    """Memories in aligned columns, one line each."""
    columns = (
        Column("ID"),
        Column("USED"),
        Column("WEIGHT", right=True),
        Column("KIND", may_go=True),
        Column("PLACE", may_go=True),
        Column("TITLE", may_shrink=True),
    )
    return format_table(columns, [_memory_row(*row, paper) for row in rows], paper)


def _memory_row(memory: Memory, weight: float, last_used: datetime, paper: TerminalFormat) -> list[str]:
    remarks = [mark for mark in memory.remarks if mark not in PLACE_REMARKS.values()]
    title = f"{memory.title} ({', '.join(remarks)})" if remarks else memory.title
    return [short_id(memory.id), paper.format_day(last_used), f"{weight:.2f}", memory.kind, memory.place.value, title]
