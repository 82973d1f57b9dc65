"""Recalls that follow what hangs together: off unless wanted, and behind what words find."""

from __future__ import annotations

from typing import Any

import pytest

from memvault import Memvault
from memvault.core.query import Filters
from memvault.core.settings import Settings


@pytest.fixture
def filled(vault: Memvault) -> Memvault:
    vault.remember("The ferry leaves the harbour at seven.", title="ferry", people=("Sara Uy",), tags=("trip",))
    vault.remember("Bring the blue rucksack and two bottles.", title="packing", people=("Sara Uy",), tags=("trip",))
    vault.remember("Codes for the gate are changed monthly, see [[packing]].", title="gate")
    vault.remember("Boil eggs for seven minutes.", title="eggs", tags=("kitchen",))
    return vault


@pytest.fixture
def walking(filled: Memvault, open_vault: Any) -> Memvault:
    opened: Memvault = open_vault(filled.root, settings={"recall.graph": True})
    return opened


def titles(vault: Memvault, query: str, **given: Any) -> list[str]:
    return [hit.memory.title for hit in vault.recall(query, **given).hits]


def test_graph_is_off_outside_the_research_profile() -> None:
    assert not Settings().flag("recall.graph")
    assert Settings({"vault.profile": "research"}).flag("recall.graph")


@pytest.mark.points(only=True)
def test_graph_hits_come_behind_the_hits_of_words(filled: Memvault, walking: Memvault) -> None:
    assert titles(filled, "ferry harbour") == ["ferry"]
    assert titles(walking, "ferry harbour")[:2] == ["ferry", "packing"]
    assert "eggs" not in titles(walking, "ferry harbour")


def test_links_are_walked_both_ways(walking: Memvault) -> None:
    assert "packing" in titles(walking, "gate codes")
    assert "gate" in titles(walking, "blue rucksack")


def test_hit_by_graph_alone_is_weak(walking: Memvault) -> None:
    found = {hit.memory.title: hit for hit in walking.recall("ferry harbour").hits}
    assert found["packing"].weak
    assert titles(walking, "ferry harbour", min_similarity=0.4) == ["ferry"]


@pytest.mark.points(only=True)
def test_explain_names_what_ties_add(filled: Memvault, walking: Memvault) -> None:
    found = {hit.memory.title: hit for hit in walking.recall("ferry harbour").hits}
    assert found["packing"].graph > 0
    assert found["packing"].graph == pytest.approx(found["packing"].score)
    assert [hit.graph for hit in filled.recall("ferry harbour").hits] == [0.0]


def test_conditions_hold_for_what_hangs_together(walking: Memvault) -> None:
    assert titles(walking, "rucksack", filters=Filters(people=frozenset({"sara uy"}))) == ["packing", "ferry"]


@pytest.mark.points(only=True)
def test_graph_finds_nothing_without_hits_of_words(walking: Memvault) -> None:
    assert titles(walking, "zeppelin") == []


def test_a_threshold_of_the_settings_lets_the_nearest_neighbors_through(filled: Memvault, open_vault: Any) -> None:
    research = open_vault(filled.root, settings={"recall.graph": True, "recall.min_similarity": 0.3})
    found = titles(research, "ferry harbour")
    assert found[:2] == ["ferry", "packing"]
    assert "eggs" not in found


def test_a_context_holds_the_neighbors_of_what_it_is_about(filled: Memvault, walking: Memvault) -> None:
    assert "rucksack" not in filled.context("ferry harbour").text
    assert "rucksack" in walking.context("ferry harbour").text
