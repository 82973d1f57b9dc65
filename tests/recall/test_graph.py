"""A walk from the hits over what they share: where it comes, how often, and where it never comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.recall.graph import walk_graph

Graph = dict[str, set[str]]  # which ties each item has


def walk(graph: Graph, hits: dict[str, float], **given: float) -> dict[str, float]:
    sharing = {tie: sorted(item for item in graph if tie in graph[item]) for ties in graph.values() for tie in ties}
    return walk_graph(hits, lambda item: [(tie, 1.0) for tie in sorted(graph[item])], sharing.__getitem__, **given)  # type: ignore[arg-type]


def test_walk_reaches_only_what_shares_a_tie() -> None:
    found = walk({"hit": {"Sara"}, "friend": {"Sara"}, "stranger": {"Tom"}}, {"hit": 1.0})
    assert found["friend"] > 0
    assert "stranger" not in found


def test_memories_that_share_more_are_nearer() -> None:
    graph = {"hit": {"Sara", "tea"}, "both": {"Sara", "tea"}, "one": {"Sara"}}
    found = walk(graph, {"hit": 1.0})
    assert found["both"] > found["one"]


def test_ties_of_many_memories_weigh_less() -> None:
    graph: Graph = {"hit": {"rare", "common"}, "by rare": {"rare"}}
    graph |= {f"by common {number}": {"common"} for number in range(9)}
    found = walk(graph, {"hit": 1.0})
    assert found["by rare"] > 2 * found["by common 1"]


def test_two_steps_lead_to_what_no_hit_shares() -> None:
    graph = {"hit": {"Sara"}, "between": {"Sara", "harbour"}, "behind": {"harbour"}}
    assert walk(graph, {"hit": 1.0})["behind"] > 0
    assert "behind" not in walk(graph, {"hit": 1.0}, rounds=1)


def test_a_hit_without_ties_keeps_what_it_has() -> None:
    assert walk({"alone": set()}, {"alone": 3.0}) == pytest.approx({"alone": 1.0})


def test_without_hits_nobody_walks() -> None:
    assert walk({"one": {"tie"}}, {}) == {}
    assert walk({"one": {"tie"}}, {"one": 0.0}) == {}


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("xyz")), min_size=1),
    st.floats(0, 1),
    st.integers(1, 6),
)
def test_the_walk_is_somewhere_at_all_times(graph: Graph, alpha: float, rounds: int) -> None:
    found = walk(graph, dict.fromkeys(graph, 1.0), alpha=alpha, rounds=rounds)
    assert sum(found.values()) == pytest.approx(1.0)
    assert all(value >= 0 for value in found.values())


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("xyz")), min_size=2))
def test_walk_without_steps_stays_at_the_hits(graph: Graph) -> None:
    hit = sorted(graph)[0]
    assert walk(graph, {hit: 1.0}, alpha=0.0)[hit] == pytest.approx(1.0)
