"""Filters as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from memvault.core.query import Filters
from memvault.storage.index.rows import folded

_HAS_MARK = "number in (select number from mark where sort = ? and value = ?)"


Spellings = Callable[[str], Sequence[str]]
"""The marks under which memories bear a keyword, in whatever spelling."""


def where(filters: Filters, spellings: Spellings) -> tuple[str, list[object]]:
    """The condition that a row must meet, and its values."""
    parts = list(_parts(filters, spellings))
    condition = " and ".join(text for text, _ in parts)
    return (f"where {condition}" if condition else ""), [value for _, values in parts for value in values]


def _parts(filters: Filters, spellings: Spellings) -> Iterator[tuple[str, list[object]]]:
    columns: tuple[tuple[str, Iterable[object]], ...] = (
        ("kind", filters.kinds),
        ("type", filters.types),
        ("status", filters.statuses),
        ("tier", filters.tiers),
        ("place", [place.value for place in filters.places]),
    )
    for column, wanted in columns:
        if values := sorted(wanted, key=str):
            yield f"{column} in ({_places(values)})", values
    for tag in sorted(filters.tags):
        yield _HAS_MARK, ["tag", folded(tag.lstrip("#"))]
    for keyword in sorted(filters.keywords):
        marks = spellings(keyword)
        yield f"number in (select number from mark where sort = 'keyword' and value in ({_places(marks)}))", [*marks]
    for person in sorted(filters.people):
        names = sorted({folded(person)}.union(*(some for some in filters.namesakes if folded(person) in some)))
        yield f"number in (select number from mark where sort = 'person' and value in ({_places(names)}))", [*names]
    if filters.made:
        yield f"({' or '.join(['created between ? and ?'] * len(filters.made))})", [*chain(*filters.made)]
    if filters.since is not None:
        yield "(created >= ? or used >= ?)", [filters.since.timestamp()] * 2
    if filters.pinned is not None:
        yield "pinned = ?", [int(filters.pinned)]


def _places(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
