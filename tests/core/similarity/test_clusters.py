"""Which duplicates become one memory together."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from memvault.core.similarity.pairs import cluster_pairs


def never(_left: str, _right: str) -> bool:
    return False


def test_pairs_with_nothing_in_common_stay_apart() -> None:
    assert cluster_pairs([("a", "b"), ("c", "d")]) == [["a", "b"], ["c", "d"]]
    assert cluster_pairs([]) == []


def test_three_that_are_all_alike_go_together() -> None:
    assert cluster_pairs([("a", "b"), ("b", "c"), ("a", "c")]) == [["a", "b", "c"]]


def test_the_ends_of_a_chain_go_together_only_where_they_do_not_exclude_each_other() -> None:
    chain = [("a", "b"), ("b", "c")]
    assert cluster_pairs(chain, conflict=never) == [["b", "a", "c"]]
    assert cluster_pairs(chain, conflict=lambda left, right: (left, right) == ("a", "c")) == [["b", "a"]]
    assert cluster_pairs(chain) == [["b", "a"]]


def test_member_unlike_the_base_goes_to_another_cluster() -> None:
    pairs = [("a", "b"), ("a", "c"), ("a", "d"), ("d", "e"), ("e", "f")]
    assert cluster_pairs(pairs, conflict=never) == [["a", "b", "c", "d"], ["e", "f"]]


pairs = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")).map(lambda pair: (min(pair), max(pair))),
    max_size=14,
)


@given(pairs, pairs)
def test_every_member_is_like_the_base_and_none_excludes_another(
    alike: list[tuple[str, str]], apart: list[tuple[str, str]]
) -> None:
    duplicates = [pair for pair in alike if pair not in apart]
    found = cluster_pairs(duplicates, conflict=lambda left, right: (left, right) in apart)
    assert len({id_ for cluster in found for id_ in cluster}) == sum(map(len, found))
    for base, *members in found:
        assert members
        assert all((min(base, member), max(base, member)) in duplicates for member in members)
        assert not any((min(pair), max(pair)) in apart for pair in combinations(members, 2))


@given(pairs)
def test_the_order_of_pairs_makes_no_difference(found: list[tuple[str, str]]) -> None:
    turned = [(right, left) for left, right in reversed(found)]
    assert cluster_pairs(found, conflict=never) == cluster_pairs(turned, conflict=never)
