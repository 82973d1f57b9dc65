"""Conditions: an empty one lets everything pass, and every one given narrows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memvault import Memvault
from memvault.core.memory import Place
from memvault.core.query import NO_FILTERS, Filters

ONE_EACH = [
    Filters(kinds=frozenset({"semantic"})),
    Filters(types=frozenset({"milestone"})),
    Filters(tags=frozenset({"tea"})),
    Filters(people=frozenset({"Noor"})),
    Filters(statuses=frozenset({"archived"})),
    Filters(tiers=frozenset({0, 1})),
    Filters(places=frozenset({Place.HOT})),
    Filters(pinned=True),
]


def titles(vault: Memvault, filters: Filters) -> list[str]:
    return sorted(row.memory.title for row in vault.list(filters).rows)


@pytest.mark.parametrize("filters", ONE_EACH, ids=lambda filters: next(n for n in filters.__slots__ if getattr(filters, n)))  # fmt: skip
def test_every_condition_leaves_some_out_and_says_that_it_is_one(filters: Filters, sample: Memvault) -> None:
    assert not filters.is_empty
    assert NO_FILTERS.is_empty
    everything = titles(sample, NO_FILTERS)
    assert len(titles(sample, filters)) < len(everything) == 17


def test_all_conditions_given_must_hold(vault: Memvault) -> None:
    vault.remember("One.", tags=("a", "b"), people=("Sara Uy",), pin=True)
    vault.remember("Two.", tags=("a",), people=("Sara Uy",))
    vault.remember("Three.", tags=("a", "b"), people=("Noor",))
    both = Filters(tags=frozenset({"a", "b"}))
    assert titles(vault, both) == ["One", "Three"]
    assert titles(vault, Filters(tags=frozenset({"a", "b"}), people=frozenset({"sara"}))) == ["One"]
    assert titles(vault, Filters(tags=frozenset({"#A"}))) == ["One", "Three", "Two"]
    assert titles(vault, Filters(pinned=False)) == ["Three", "Two"]
    assert titles(vault, Filters(pinned=True, people=frozenset({"Noor"}))) == []


def test_a_tag_stands_for_its_sub_tags_and_not_for_longer_words(vault: Memvault) -> None:
    vault.remember("One.", tags=("work/acme",))
    vault.remember("Two.", tags=("workshop",))
    assert titles(vault, Filters(tags=frozenset({"work"}))) == ["One"]


def test_since_means_made_or_used_since(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    one = vault.remember("One.")
    vault.remember("Two.")
    later = clock.pass_(days=10)
    vault.remember("Three.")
    since = Filters(since=later - timedelta(days=1))
    assert titles(vault, since) == ["Three"]
    vault.edit(one.memory.id, fields={"last_accessed": later - timedelta(hours=1)})
    assert titles(vault, since) == ["One", "Three"]
    assert titles(vault, Filters(since=later + timedelta(seconds=1))) == []
