"""The order of what holds and what does not: a law over any relations between memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from memvault.recall.superseded import does_supersede, find_contradicting, order_by_validity, stated_at
from memvault.storage.vault.context import VaultContext
from tests.conftest import START

COUNT = 6
NUMBERS = st.integers(0, COUNT - 1)
LINKS = st.sets(st.tuples(NUMBERS, NUMBERS), max_size=5)


def id_of(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def memories(ages: Sequence[int], superseding: set[tuple[int, int]]) -> list[Memory]:
    """Memories so many days old; of each pair the lower number supersedes the higher, so that nothing goes round."""
    found = []
    for number in range(COUNT):
        by = tuple(f"[[note-{min(pair)}]]" for pair in sorted(superseding) if max(pair) == number != min(pair))
        made = START - timedelta(days=ages[number])
        found.append(
            Memory(
                id=id_of(number),
                path=f"2-memories/note-{number}.md",
                place=Place.MEMORIES,
                title=f"Note {number}",
                created=made,
                last_accessed=made,
                more={"superseded_by": by} if by else {},
            )
        )
    return found


def make_context(known: Sequence[Memory], against: set[tuple[int, int]]) -> VaultContext:
    """Return a context whose index knows these memories and contradictions, and no edits."""
    pairs = {(id_of(one), id_of(other)) for one, other in against if one != other}
    by_id = {memory.id: memory for memory in known}

    def contradicting_ids(id_: str) -> list[str]:
        return sorted({*(b for a, b in pairs if a == id_), *(a for a, b in pairs if b == id_)})

    index = SimpleNamespace(
        contradicting_ids=contradicting_ids,
        contradicted_among=lambda ids: frozenset(id_ for id_ in ids if contradicting_ids(id_)),
        memory_by_id=by_id.get,
        last_edit=lambda _id: None,
    )
    return cast("VaultContext", cast("Any", SimpleNamespace(index=index)))


@given(
    ages=st.lists(st.integers(0, 400), min_size=COUNT, max_size=COUNT, unique=True),
    order=st.permutations(range(COUNT)),
    superseding=LINKS,
    against=LINKS,
)
def test_order_by_validity_puts_successors_and_newer_contradictions_first(
    ages: list[int], order: list[int], superseding: set[tuple[int, int]], against: set[tuple[int, int]]
) -> None:
    known = memories(ages, superseding)
    at = make_context(known, against)
    found = order_by_validity(at, [known[number] for number in order])
    assert sorted(memory.id for memory in found) == sorted(memory.id for memory in known)
    place = {memory.id: number for number, memory in enumerate(found)}
    for memory in known:
        for other in known:
            if other.id != memory.id and does_supersede(other, memory):
                assert place[other.id] < place[memory.id]
        for other in find_contradicting(at, memory):
            newer, older = sorted((memory, other), key=lambda one: stated_at(at, one), reverse=True)
            assert place[newer.id] < place[older.id]


@given(order=st.permutations(range(COUNT)))
def test_order_stays_without_contradictions(order: list[int]) -> None:
    known = memories(range(COUNT), set())
    wanted = [known[number] for number in order]
    assert order_by_validity(make_context(known, set()), wanted) == wanted


@given(order=st.permutations(range(COUNT)), one=NUMBERS, other=NUMBERS)
def test_a_pair_that_contradicts_stands_together_where_the_better_hit_stood(
    order: list[int], one: int, other: int
) -> None:
    known = memories(range(COUNT), set())
    found = order_by_validity(make_context(known, {(one, other)}), [known[number] for number in order])
    places = sorted(found.index(known[number]) for number in {one, other})
    assert places[0] == min(order.index(one), order.index(other))
    assert places[-1] == places[0] + len(places) - 1
