"""Weights: what decays, what does not, and by how much."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.core.weight import (
    MODELS,
    WEIGHTED,
    Decay,
    MemoryUse,
    effective_weight,
    falls_below,
    use_boost,
    weighted_model,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def memory(**given: object) -> Memory:
    known = {
        "id": "a" * 8,
        "path": "2-memories/x.md",
        "place": Place.MEMORIES,
        "title": "x",
        "created": NOW,
        "last_accessed": NOW,
        "weight": 0.8,
    }
    return Memory(**{**known, **given})  # type: ignore[arg-type]


def used(days_ago: float, count: int = 0) -> MemoryUse:
    return MemoryUse(count, NOW - timedelta(days=days_ago))


@pytest.mark.parametrize(
    ("given", "use", "expected"),
    [
        ({}, used(0), 0.8),
        ({}, used(10), 0.8 * 0.99**10),
        ({}, used(10, 5), 0.8 * 0.99**10 + 0.1),
        ({}, used(0, 40), 1.0),  # never above 1
        ({}, used(500, 15), 0.8 * 0.99**500 + 0.3),  # the boost alone holds the stale threshold
        ({"emotional_flag": True}, used(500), 0.8 * 0.8),
        ({"pinned": True}, used(500), 1.0),
        ({"decay_eligible": False}, used(500), 0.8),
        ({"place": Place.IDENTITY}, used(500), 0.8),
        ({"base_weight": 0.5}, used(1), 0.5 * 0.99),
        ({}, used(-30), 0.8),  # a date in the future raises nothing
        ({"more": {"due": NOW + timedelta(days=3)}}, used(100), 0.8),
        ({"more": {"due": NOW - timedelta(days=3)}}, used(100), 0.8 * 0.99**100),
        ({"more": {"due": NOW + timedelta(days=3), "state": "completed"}}, used(100), 0.8 * 0.99**100),
    ],
)
def test_the_weighted_model_says_what_the_format_says(
    given: dict[str, object], use: MemoryUse, expected: float
) -> None:
    assert effective_weight(memory(**given), use, NOW) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("kind", "half_life"), [("episodic", 7), ("semantic", 90), ("procedural", 180), ("working", 1)]
)
def test_the_biomimetic_model_halves_what_is_left_in_one_half_life(kind: str, half_life: float) -> None:
    faint = memory(kind=kind, weight=0.0)
    assert effective_weight(faint, used(half_life), NOW, decay=Decay("biomimetic")) == pytest.approx(0.5)
    assert effective_weight(faint, used(3 * half_life), NOW, decay=Decay("biomimetic")) == pytest.approx(0.125)


def test_biomimetic_memories_are_consolidated_by_use_and_slowed_by_feeling() -> None:
    faint = memory(kind="episodic", weight=0.0)
    once, often = used(21, 2), used(21, 3)
    plain = effective_weight(faint, once, NOW, decay=Decay("biomimetic"))
    assert plain == pytest.approx(0.125 * (1 + 0.1 * math.log(3)))
    assert effective_weight(faint, often, NOW, decay=Decay("biomimetic")) == pytest.approx(
        0.125 * 2 * (1 + 0.1 * math.log(4))
    )
    felt = effective_weight(
        memory(kind="episodic", weight=0.0, emotional_flag=True), used(14), NOW, decay=Decay("biomimetic")
    )
    assert felt == pytest.approx(0.5)


memories = st.builds(
    memory,
    weight=st.floats(0, 1),
    base_weight=st.none() | st.floats(0, 1),
    emotional_flag=st.booleans(),
    pinned=st.booleans(),
    kind=st.sampled_from(["episodic", "semantic", "procedural", "prospective", "working", "of-my-own"]),
)


@given(memories, st.integers(0, 10_000), st.floats(-4000, 4000), st.floats(0, 4000), st.sampled_from(sorted(MODELS)))
def test_a_weight_stays_between_0_and_1_and_never_rises_by_waiting(
    one: Memory, count: int, days: float, longer: float, model: str
) -> None:
    use = used(days, count)
    now = effective_weight(one, use, NOW, decay=Decay(model))
    later = effective_weight(one, use, NOW + timedelta(days=longer), decay=Decay(model))
    assert 0.0 <= later <= now <= 1.0


@given(st.floats(0, 1), st.floats(0, 1000))
def test_decay_is_the_same_in_one_step_or_in_many(weight: float, days: float) -> None:
    one = memory(weight=weight)
    whole = weighted_model(one, used(days), NOW)
    half = weighted_model(one, used(days / 2), NOW)
    assert whole == pytest.approx(half * 0.99 ** (days / 2), abs=1e-9)


# -- when it will be


TICK = timedelta(seconds=2)


@given(memories, st.integers(0, 40), st.floats(0, 2000), st.floats(0.01, 1), st.sampled_from(sorted(MODELS)))
def test_the_moment_of_falling_below_is_the_one_between_above_and_below(
    one: Memory, count: int, days: float, threshold: float, model: str
) -> None:
    use = used(days, count)
    moment = falls_below(one, use, threshold, decay=Decay(model))
    if moment is None or moment.year > 9000:
        far = NOW + timedelta(days=900_000)
        assert effective_weight(one, use, far, decay=Decay(model)) >= threshold - 1e-9
        return
    assert moment >= use.last
    assert effective_weight(one, use, moment + TICK, decay=Decay(model)) <= threshold + 1e-9
    if moment > use.last:
        assert effective_weight(one, use, moment - TICK, decay=Decay(model)) >= threshold - 1e-9


@pytest.mark.parametrize("model", sorted(MODELS))
@pytest.mark.parametrize(
    "given",
    [{"pinned": True}, {"place": Place.IDENTITY}, {"decay_eligible": False}],
    ids=["pinned", "Tier 0", "exempt"],
)
def test_memory_exempt_from_decay_never_falls_below(given: dict[str, object], model: str) -> None:
    assert falls_below(memory(**given), used(0), 0.3, decay=Decay(model)) is None


def test_a_reminder_falls_below_no_sooner_than_its_day() -> None:
    due = NOW + timedelta(days=500)
    assert falls_below(memory(more={"due": due}), used(0), 0.3) == due
    assert falls_below(memory(more={"due": due, "state": "completed"}), used(0), 0.3) == falls_below(memory(), used(0), 0.3)  # fmt: skip
    soon = memory(more={"due": NOW + timedelta(days=1)})
    assert falls_below(soon, used(0), 0.3) == falls_below(memory(), used(0), 0.3)


def test_fifteen_uses_hold_a_memory_above_the_threshold_for_good() -> None:
    assert falls_below(memory(weight=0.5), used(0, 15), 0.3) is None
    assert falls_below(memory(weight=0.5), used(0, 14), 0.3) is not None


def test_a_moment_beyond_the_calendar_is_the_last_one() -> None:
    late = MemoryUse(0, datetime.max.replace(tzinfo=UTC) - timedelta(days=3))
    assert falls_below(memory(), late, 0.3) == datetime.max.replace(tzinfo=UTC)


@given(st.floats(0, 1), st.integers(0, 40))
def test_base_for_a_weight_gives_that_weight_now(weight: float, count: int) -> None:
    base = MODELS["weighted"].base_for(weight, count, WEIGHTED)
    found = effective_weight(memory(weight=base), used(0, count), NOW)
    assert found == pytest.approx(max(weight, use_boost(count)))


def test_the_constants_of_both_models_are_settings() -> None:
    given = Settings({"decay.daily": 0.9, "decay.use_boost": 0.1, "decay.use_boost_most": 0.2})
    assert effective_weight(memory(weight=0.5), used(2, count=5), NOW, decay=given.decay) == pytest.approx(
        0.5 * 0.9**2 + 0.2
    )
    given = Settings({"decay.model": "biomimetic", "decay.importance_boost": 0.0, "decay.half_life_scale": 2.0})
    once = effective_weight(memory(kind="episodic", weight=0.9), used(14), NOW, decay=given.decay)
    assert once == pytest.approx(0.5)
