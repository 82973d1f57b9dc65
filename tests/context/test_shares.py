"""Shares of a budget: each kind has its own, a query moves them, nothing is wasted and nothing is exceeded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memvault.context.gather import rate_relevance
from memvault.context.shares import ContextOffer, choose_offers, divide_budget, find_shifts
from memvault.core.kinds import KINDS
from memvault.core.kinds.kind import Kind
from memvault.core.weight import MemoryUse

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


def recency(days: float) -> float:
    return rate_relevance(weight=0, use=MemoryUse(0, NOW - timedelta(days=days)), similarity=0, now=NOW).recency


def access(count: int) -> float:
    return rate_relevance(weight=0, use=MemoryUse(count, NOW), similarity=0, now=NOW).access


def test_recency_is_whole_today_half_after_a_week_and_a_tenth_after_a_month() -> None:
    assert [round(recency(days) / 10, 2) for days in (0, 7, 30)] == [1.0, 0.5, 0.1]
    assert recency(-3) == 10  # a clock that was wrong gives nobody an advantage


def test_access_counts_on_a_logarithmic_scale_that_is_full_at_fifty() -> None:
    assert (access(0), access(50), access(5_000)) == (0, 10, 10)
    assert access(7) > 5


def test_the_parts_count_three_two_one_and_four_tenths() -> None:
    found = rate_relevance(weight=0.8, use=MemoryUse(50, NOW), similarity=0.5, now=NOW)
    assert (found.importance, found.recency, found.access, found.similarity) == (8, 10, 10, 5)
    assert found.total == pytest.approx(8 * 0.3 + 10 * 0.2 + 10 * 0.1 + 5 * 0.4)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("the flood of January", {"episodic": 2000, "semantic": 3000, "prospective": 1000, "procedural": 2000}),
        ("what are my tasks", {"episodic": 2000, "semantic": 2500, "prospective": 1500, "procedural": 2000}),
        ("How do I change it?", {"episodic": 1500, "semantic": 3000, "prospective": 1000, "procedural": 2500}),
        ("how to do my todo", {"episodic": 1500, "semantic": 2500, "prospective": 1500, "procedural": 2500}),
    ],
)
def test_the_query_moves_five_hundred_tokens(query: str, wanted: dict[str, int]) -> None:
    assert divide_budget(KINDS, query, 8000) == wanted


@pytest.mark.parametrize(
    ("query", "targets"),
    [
        ("what's due this week", ["prospective"]),
        ("Welche Aufgaben sind noch offen?", ["prospective"]),
        ("quelles sont mes tâches", ["prospective"]),
        ("¿qué tareas tengo pendientes?", ["prospective"]),
        ("我有什么任务", ["prospective"]),
        ("steps to restore a backup", ["procedural"]),
        ("wie kann ich das sichern", ["procedural"]),
        ("comment faire une sauvegarde", ["procedural"]),
        ("¿cómo puedo desplegar?", ["procedural"]),
        ("バックアップの手順", ["procedural"]),
        ("백업 방법", ["procedural"]),
        ("the delay was due to rain", []),
        ("how many people came", []),
        ("who said so, and how is she", []),
        ("the footsteps of the multitasker", []),
        ("", []),
    ],
)
def test_tasks_and_ways_of_doing_are_told_by_their_words(query: str, targets: list[str]) -> None:
    assert [shift.target for shift in find_shifts(query)] == targets


def test_every_kind_keeps_a_share_of_a_small_budget() -> None:
    found = divide_budget(KINDS, "how to do my tasks", 400)
    assert min(found.values()) > 0
    assert sum(found.values()) <= 400


def test_a_kind_of_the_users_own_gets_what_it_was_given_and_all_the_others_less() -> None:
    recipe = Kind(name="recipe", heading="R", meaning="m", scope="global", half_life_days=90, share=0.5)
    found = divide_budget(KINDS.with_custom([recipe]), "soup", 8000)
    assert found["recipe"] == 2666
    assert sum(found.values()) <= 8000


# -- dealing out


@given(
    offered=some.lists(some.tuples(some.sampled_from("abc"), some.integers(1, 90)), max_size=30),
    budget=some.integers(0, 300),
)
def test_the_budget_holds_whatever_is_offered_and_nothing_that_would_fit_stays_out(
    offered: list[tuple[str, int]], budget: int
) -> None:
    dealt = choose_offers([ContextOffer(*each) for each in offered], {"a": budget * 0.6, "b": budget * 0.4}, budget)
    spent = sum(offered[number][1] for number in dealt.taken)
    assert spent == sum(dealt.used.values()) <= budget
    assert len(dealt.taken) + sum(dealt.left_out.values()) == len(offered)
    assert all(spent + cost > budget for number, (_, cost) in enumerate(offered) if number not in dealt.taken)
