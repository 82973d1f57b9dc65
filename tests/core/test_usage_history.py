"""What was noted of a memory outside its file, and what follows for now and for any day before."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.weight import (
    MODELS,
    NO_USAGE,
    Decay,
    MemoryUse,
    TypedValue,
    UsageHistory,
    current_use,
    effective_weight,
    use_at,
    use_boost,
    used_since,
)
from tests.maintenance.rules.shelf import START, day, memory


def used(*days: float) -> tuple[tuple[datetime, datetime], ...]:
    return tuple((day(number), day(number)) for number in days)


def test_use_without_a_history_is_that_of_the_file() -> None:
    one = memory(access_count=3, last_accessed=day(4))
    assert current_use(one, NO_USAGE, day(9)) == MemoryUse(3, day(4))
    assert current_use(one, NO_USAGE, day(2)) == MemoryUse(3, day(2)), "a date in the future counts as now"


@pytest.mark.parametrize(
    ("in_file", "baseline", "uses", "count"),
    [
        (0, None, 2, 2),
        (3, None, 2, 5),  # what was counted before there were journals
        (5, 3, 2, 5),  # the same, once the uses are in the file
        (5, 3, 4, 7),
        (9, 3, 2, 9),  # never lowered
    ],
)
def test_uses_are_counted_once(in_file: int, baseline: int | None, uses: int, count: int) -> None:
    past = UsageHistory(baseline=baseline, uses=used(*range(1, uses + 1)))
    assert current_use(memory(access_count=in_file), past, day(20)).count == count


def test_a_moment_that_has_passed_is_seen_as_it_was() -> None:
    one, past = memory(access_count=1), UsageHistory(baseline=1, uses=used(2, 4, 6))
    assert use_at(one, past, day(5)) == MemoryUse(3, day(4))
    assert use_at(one, past, day(1)) == MemoryUse(1, START)
    assert use_at(one, past, day(6)) == current_use(one, past, day(6))


def test_long_use_counts_up_to_the_moment() -> None:
    past = UsageHistory(uses=((day(2), day(2.2)),))
    assert use_at(memory(), past, day(2.1)).last == day(2)
    assert use_at(memory(), past, day(2.3)).last == day(2.2)


def test_a_typed_weight_stands_while_the_file_says_it() -> None:
    past = UsageHistory(weight=TypedValue(0.6, day(3)))
    assert current_use(memory(weight=0.6), past, day(9)) == MemoryUse(0, START, 0.6, day(3))
    assert current_use(memory(weight=0.5, base_weight=0.6), past, day(9)) == MemoryUse(0, START, None, day(3))
    assert current_use(memory(weight=0.6), past, day(9)).start == day(3)
    assert use_at(memory(weight=0.6), past, day(2)).base is None, "it was not typed yet"


@pytest.mark.parametrize("value", ["heavy", None, True])
def test_typed_value_that_is_no_number_is_ignored(value: object) -> None:
    found = current_use(memory(weight=0.6), UsageHistory(weight=TypedValue(value, day(3))), day(9))
    assert found.base is None


def test_a_use_is_what_happened_after_a_moment_and_before_now() -> None:
    one, now = memory(last_accessed=day(2)), day(10)
    assert used_since(one, NO_USAGE, day(1), now)
    assert not used_since(one, NO_USAGE, day(2), now)
    assert not used_since(one, UsageHistory(uses=used(11)), day(3), now), "what is dated ahead tells nothing"
    assert used_since(one, UsageHistory(uses=used(4, 11)), day(3), now)
    assert not used_since(one, UsageHistory(weight=TypedValue(0.5, day(3))), day(2), now), "to type a weight is no use"


TYPED = st.integers(1, 1000).map(lambda part: part / 1000)
USES = st.lists(st.floats(0, 300), max_size=30).map(lambda days: used(*sorted(days)))


@given(TYPED, USES, st.integers(0, 20), st.floats(0, 300), st.floats(0, 100))
def test_a_typed_weight_is_the_effective_one_and_fades_from_then_on(
    value: float, uses: tuple[tuple[datetime, datetime], ...], count: int, when: float, later: float
) -> None:
    before = tuple(use for use in uses if use[0] <= day(when))
    one, past = memory(weight=value, access_count=count), UsageHistory(uses=before, weight=TypedValue(value, day(when)))
    floor = use_boost(count + len(before))
    now = effective_weight(one, current_use(one, past, day(when)), day(when))
    assert now == pytest.approx(max(value, floor)), "the boost alone is the least there is"
    then = day(when + later)
    expected = max(value - floor, 0) * 0.99**later + floor
    assert effective_weight(one, current_use(one, past, then), then) == pytest.approx(expected)


@given(USES, st.floats(-50, 350), st.floats(-50, 350), st.sampled_from(sorted(MODELS)))
def test_use_never_shrinks_with_time_nor_lies_in_the_future(
    uses: tuple[tuple[datetime, datetime], ...], one: float, other: float, model: str
) -> None:
    past, sooner, later = UsageHistory(uses=uses), day(min(one, other)), day(max(one, other))
    before, after = (use_at(memory(), past, moment, decay=Decay(model=model)) for moment in (sooner, later))
    assert before.count <= after.count
    assert before.last <= after.last <= max(later, START)
    assert current_use(memory(), past, later).last <= later


@given(USES, st.floats(0, 400))
def test_folding_the_uses_into_the_file_changes_nothing(
    uses: tuple[tuple[datetime, datetime], ...], days: float
) -> None:
    now = day(days) + timedelta(seconds=1)
    seen = tuple(use for use in uses if use[1] <= now)
    use = current_use(memory(access_count=2), UsageHistory(uses=seen), now)
    folded = memory(access_count=use.count, last_accessed=use.last)
    assert current_use(folded, UsageHistory(baseline=2, uses=seen), now) == use
