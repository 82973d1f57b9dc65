"""Memories drawn in their order where all scores are known, and how it is noticed that something changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from memvault.storage.index.postings import SegmentView
from memvault.storage.index.search.score import PARTS, join_matches, rank_known
from memvault.storage.index.sqlite import Tables

# Few different values, so that many score alike.
SHARES = st.sampled_from((0.0, 0.5, 1.0, 1.5))
PASSAGES = st.lists(SHARES, min_size=1, max_size=4)
MEMORIES = st.dictionaries(st.integers(1, 40), st.tuples(SHARES, PASSAGES), max_size=12)


class Segment:
    """As much of a segment as is asked for."""

    def __init__(self, keys: list[int], away: frozenset[int]) -> None:
        self.keys = lambda: keys
        self.deleted = lambda: away


@given(memories=MEMORIES, gone=st.sets(st.integers(1, 40), max_size=3), kept=st.booleans(), limit=st.integers(1, 15))
def test_memories_come_in_the_order_of_their_scores(
    memories: Mapping[int, tuple[float, list[float]]], gone: set[int], *, kept: bool, limit: int
) -> None:
    rows = [(number, part) for number in sorted(memories) for part in range(len(memories[number][1]))]
    keys = [number * PARTS + part for number, part in rows]
    bodies = {at: share for at, (number, part) in enumerate(rows) if (share := memories[number][1][part])}
    contexts = {at: memories[number][0] for at, (number, part) in enumerate(rows) if not part and memories[number][0]}
    away = frozenset(at for at, (number, _) in enumerate(rows) if number in gone)
    keep = (lambda number: number % 2 == 0) if kept else None

    segment = cast("SegmentView", Segment(keys, away))
    found = list(islice(rank_known(segment, bodies, contexts, keep), limit))

    held = {rows[at][0]: share for at, share in contexts.items() if at not in away}
    said = [(rows[at], share) for at, share in bodies.items() if at not in away]
    assert found == join_matches(held, said, keep=keep, limit=limit)


def test_the_mark_of_a_file_is_another_after_every_change(tmp_path: Path) -> None:
    tables = Tables(tmp_path / "rows.sqlite", version=1, schema="create table meta (name text, value)")
    with closing(tables), closing(sqlite3.connect(tmp_path / "rows.sqlite", isolation_level=None)) as other:
        seen = [tables.change_mark()]
        assert tables.change_mark() == seen[0]
        tables.execute("insert into meta values ('turn', 1)")
        seen.append(tables.change_mark())
        other.execute("insert into meta values ('turn', 2)")
        seen.append(tables.change_mark())
        assert None not in seen
        assert len(set(seen)) == 3
        with tables.transaction():
            assert tables.change_mark() is None
