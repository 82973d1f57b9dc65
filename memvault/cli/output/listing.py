"""Memories in a list: one line each, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memvault.cli.output.memory import MARKED_PLACES, marks
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory


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
