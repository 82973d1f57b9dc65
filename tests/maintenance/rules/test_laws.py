"""What holds for every history: however often upkeep runs, it ends the same, and it never asks for the same twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from memvault.core.plan import MoveFile
from memvault.core.weight import Decay, current_use, use_boost
from memvault.maintenance.rules import MaintenancePolicy
from tests.maintenance.rules.histories import History, every, history
from tests.maintenance.rules.shelf import ALL, FADING, START, STATED, Shelf, day, memory

HISTORIES = range(max(48, settings().max_examples // 10))
Schedule = tuple[Callable[[Shelf, datetime], object], list[datetime]]


def schedules(days: int, seed: int) -> dict[str, Schedule]:
    """Ways to keep the same vault, which all end with a run on the last day."""
    dice, hour = Random(seed), timedelta(hours=1)
    often = [moment for start in every(9, days) for moment in (start, start, start + hour) if moment <= day(days)]
    return {
        "daily": (Shelf.run, every(1, days)),
        "weekly": (Shelf.run, every(7, days, first=0.3)),
        "monthly": (Shelf.run, every(30.4, days)),
        "now and then": (Shelf.run, [*sorted(day(dice.uniform(0, days)) for _ in range(12)), day(days)]),
        "several times a day": (Shelf.run, often),
        "daily, but only when something is due": (Shelf.run_if_due, every(1, days)),
    }


def check_path_independence(one: History, seed: int, names: list[str]) -> None:
    once = one.lived(Shelf.run, [day(one.days)]).standing()
    for name in names:
        runs, moments = schedules(one.days, seed)[name]
        assert one.lived(runs, moments).standing() == once, f"history {seed}, {name}"


@given(st.integers(0, 2**40), st.booleans(), st.sampled_from(list(schedules(30, 0))))
def test_any_history_gives_the_same_result_however_often_maintenance_runs(seed: int, edits: bool, name: str) -> None:
    check_path_independence(history(seed, edits=edits), seed, [name])


def test_it_does_not_matter_how_often_upkeep_runs_where_numbers_follow_the_status() -> None:
    daily, once = (Shelf.of([memory(weight=0.5)], policy=MaintenancePolicy(write="status")) for _ in range(2))
    for number in range(70):
        if number == 60:  # it has been stale for nine days
            daily.touch("one", day(60))
        daily.run(day(number))
    once.touch("one", day(60))
    once.run(day(69))
    assert once.standing() == daily.standing()


def test_a_history_that_once_ended_otherwise() -> None:
    """A weight off the grid, with a base, that went stale and came back to its cell, where numbers follow the status."""
    check_path_independence(history(300197, edits=False), 300197, ["daily"])


def test_a_second_run_at_the_same_time_finds_nothing_to_do() -> None:
    for seed in HISTORIES:
        one = history(seed)
        shelf = one.lived(Shelf.run, every(20, one.days))
        for later in (timedelta(0), timedelta(0), timedelta(seconds=1)):
            assert shelf.run(day(one.days) + later).changes == (), f"history {seed}"


def test_maintenance_changes_no_weight_that_recall_sees() -> None:
    for seed in HISTORIES:
        one = history(seed)
        shelf = one.lived(Shelf.run, [day(one.days / 2)])
        before = {id_: shelf.weight(id_, day(one.days)) for id_ in shelf.memories}
        shelf.run(day(one.days))
        for id_, found in shelf.memories.items():
            if found.status != "archived":
                assert shelf.weight(id_, day(one.days)) == pytest.approx(before[id_], abs=1e-3), (
                    f"history {seed}, {id_}"
                )


@pytest.mark.points(only=True)
def test_the_weight_is_the_one_the_format_gives_and_the_file_alone_gives_the_same() -> None:
    for seed in HISTORIES:
        one = history(seed, edits=False)
        if one.policy.decay.model == "biomimetic":
            continue
        shelf, now = one.lived(Shelf.run, every(5, one.days)), day(one.days)
        for start in one.memories:
            if shelf.memories[start.id].status == "archived":
                continue
            touches = [event for event in one.events if event.id == start.id]
            expected = by_the_format(start, len(touches), now, one)
            assert shelf.weight(start.id, now) == pytest.approx(expected, abs=1e-4), f"history {seed}, {start.id}"


def by_the_format(start: Memory, touches: int, now: datetime, one: History) -> float:
    """The weighted model, put down once more from its page."""
    last = max([start.last_accessed, *(until for _, until in one.shelf_after().past(start.id).uses)])
    days = max(0.0, (now - min(last, now)).total_seconds() / 86_400)
    due = start.more.get("due")
    waits = isinstance(due, datetime) and due > now and start.more["state"] == "pending"
    decay = 1.0 if waits or not start.decay_eligible else 0.99**days
    decay = max(decay, 0.8) if start.emotional_flag else decay
    base = start.weight if start.base_weight is None else start.base_weight
    return 1.0 if start.pinned else min(base * decay + min(0.02 * (start.access_count + touches), 0.3), 1.0)


# -- Tier 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.points(only=True)
def test_nothing_flutters_between_tier_1_and_tier_2(seed: int) -> None:
    dice = Random(seed)
    shelf = Shelf.of([memory(f"m{number:02}") for number in range(40)], rules=FADING | {"hot"})
    rates = {id_: dice.choice((0, 0.05, 0.1, 0.3, 0.6)) for id_ in shelf.memories}
    raised: dict[str, int] = {}
    moves = 0
    for number in range(100):
        for id_, rate in rates.items():
            if dice.random() < rate:
                shelf.touch(id_, day(number + 0.3))
        for change in shelf.run(day(number + 0.5)).changes:
            if not isinstance(change, MoveFile) or "hot" not in change.about.rules:
                continue
            moves += 1
            if change.to.startswith("1-hot/"):
                raised[change.about.id] = number
            else:
                assert number - raised[change.about.id] >= 7, f"{change.about.id} went up and down again"
        held = [one for one in shelf.memories.values() if one.place is Place.HOT]
        assert len(held) <= 20, "each is a kilobyte, near enough"
    assert 10 <= moves <= 3 * len(shelf.memories)


# -- clocks


def test_clocks_that_jump_raise_no_weight_and_archive_nothing_that_is_in_use() -> None:
    for seed in HISTORIES:
        dice, one = Random(seed), history(seed, edits=False)
        shelf = one.shelf()
        for event in one.events:
            event.happen(shelf)
        for _ in range(10):
            now = day(dice.uniform(-400, 400))
            shelf.run(now)
            for id_, found in shelf.memories.items():
                use = current_use(found, shelf.past(id_), now, decay=one.policy.decay)
                assert use.last <= now or use.last == found.last_accessed <= now
                if one.policy.decay.model == "weighted" and not found.pinned:
                    assert shelf.weight(id_, now) <= min(found.base + use_boost(use.count), 1.0) + 1e-4, (
                        f"history {seed}"
                    )


@pytest.mark.parametrize("model", ["weighted", "biomimetic"])
@pytest.mark.parametrize("ahead", [1, 400, 40_000, 2_900_000])
def test_a_date_in_the_future_counts_as_now(ahead: float, model: str) -> None:
    future = day(ahead)
    one = memory(last_accessed=future, created=future, weight=0.9, kind="working")
    shelf = Shelf.of([one], policy=MaintenancePolicy(decay=Decay(model)), rules=ALL - {"prune", "expire"})
    for number in (0, 0.5, 1):
        shelf.run(day(number))
    assert (shelf.memories["one"].status, shelf.memories["one"].path) == ("active", one.path)
    assert shelf.memories["one"].last_accessed == future, "nobody knows better"


def test_uses_in_the_future_are_counted_and_no_more() -> None:
    shelf = Shelf.of([memory(weight=0.5)])
    shelf.touch("one", day(9_000))
    shelf.run(day(1))
    assert (shelf.memories["one"].access_count, shelf.memories["one"].last_accessed) == (1, START)
    assert shelf.weight("one", day(1)) == pytest.approx(0.52)


def test_counts_are_never_lowered_whatever_the_clock_says() -> None:
    for seed in HISTORIES:
        dice, one = Random(seed), history(seed)
        shelf, seen = one.shelf(), {found.id: found.access_count for found in one.memories}
        for event in one.events:
            event.happen(shelf)
            shelf.run(event.at + timedelta(days=dice.choice((0, 1, -365))))
            for id_, found in shelf.memories.items():
                assert found.access_count >= seen[id_], f"history {seed}"
                seen[id_] = found.access_count


# -- what is never written


@pytest.mark.parametrize("place", [Place.IDENTITY, Place.DEEP, Place.QUARANTINE, Place.ARCHIVED])
@pytest.mark.parametrize("model", ["weighted", "biomimetic"])
def test_maintenance_never_writes_fields_that_are_not_its_own(place: Place, model: str) -> None:
    status = "archived" if place is Place.ARCHIVED else "active"
    one = memory(place=place, path="where/one.md", weight=0.05, status=status)
    shelf = Shelf.of([one], policy=MaintenancePolicy(decay=Decay(model)), rules=ALL - {"prune"})
    for number in (1, 40, 400):
        shelf.touch("one", day(number))
        assert shelf.run(day(number + 0.5)).changes == ()


@pytest.mark.parametrize("write", ["grid", "status", "never"])
def test_pinned_memories_keep_their_place_and_status(write: str) -> None:
    one = memory(pinned=True, weight=0.1)
    shelf = Shelf.of([one], policy=MaintenancePolicy(write=write))
    for number in (1, 100, 1000):
        shelf.run(day(number))
    found = shelf.memories["one"]
    assert (found.path, found.status, found.base) == (one.path, "active", 0.1)


def test_only_the_weight_of_a_pinned_memory_is_written_once() -> None:
    shelf = Shelf.of([memory(pinned=True, weight=0.1)])
    shelf.run(day(1))
    assert (shelf.memories["one"].weight, shelf.memories["one"].base, shelf.memories["one"].status) == (
        1,
        0.1,
        "active",
    )
    assert shelf.run(day(400)).changes == ()


def test_only_the_status_is_written_if_numbers_never_are() -> None:
    for seed in HISTORIES:
        one = history(seed, edits=False)
        shelf = History(one.memories, one.events, one.days, MaintenancePolicy(write="never")).lived(
            Shelf.run, every(11, one.days)
        )
        for before in one.memories:
            after = shelf.memories[before.id]
            same = ("weight", "base_weight", "access_count", "last_accessed", "pinned")
            assert [getattr(after, name) for name in same] == [getattr(before, name) for name in same]


def test_fields_that_a_file_does_not_state_are_not_added() -> None:
    bare = memory(weight=0.5, stated=("id", "title"))
    shelf = Shelf.of([bare])
    shelf.touch("one", day(3))
    shelf.run(day(50))
    assert shelf.memories["one"].stated == bare.stated
    full = Shelf.of([memory(weight=0.5)])
    full.run(day(50))
    assert set(full.memories["one"].stated) - set(STATED) == {"base_weight"}
