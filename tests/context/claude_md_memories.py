"""Memories to render, and a strategy that makes hostile ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from tests.hostile import OF_BLOCKS

FIRST = datetime(2026, 1, 1, 9, tzinfo=UTC)


def memory(number: int, title: str = "", body: str = "", *, day: int = 0, **given: Any) -> Memory:
    """A memory that was made on a day of January 2026, and says so."""
    given.setdefault("place", Place.MEMORIES)
    given.setdefault("stated", ("created",))
    created = FIRST + timedelta(days=day)
    return Memory(
        id=f"{number:08x}-0000-4000-8000-000000000000",
        path=f"2-memories/note-{number}.md",
        title=title or f"Note {number}",
        body=body,
        created=created,
        last_accessed=created,
        **given,
    )


HOSTILE = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(OF_BLOCKS),
    ),
    max_size=5,
).map("\n".join)


@st.composite
def memories(draw: st.DrawFn, *, most: int = 12) -> tuple[Memory, ...]:
    """Some memories with titles, texts, tags and dates of all sorts."""
    count = draw(st.integers(0, most))
    return tuple(
        memory(
            number,
            draw(st.text(max_size=100)),
            draw(HOSTILE),
            day=draw(st.integers(0, 300)),
            pinned=draw(st.booleans()),
            tags=tuple(
                draw(st.lists(st.sampled_from(["preference", "decision", "gotcha", "db", "work/x"]), max_size=3))
            ),
            topics=tuple(draw(st.lists(st.text(max_size=50), max_size=2))),
            stated=draw(st.sampled_from([("created",), ()])),
        )
        for number in range(count)
    )
