"""The figures of a vault: counts, weights, use, what fades, what happened, what it is about."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation, OperationStep
from memvault.core.weight import MemoryUse, effective_weight, falls_below
from memvault.maintenance import report as figures
from memvault.maintenance.report import WeighedMemory

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


def memory(name: str = "a", **given: object) -> Memory:
    values = {
        "id": f"id-{name}",
        "path": f"2-memories/{name}.md",
        "place": Place.MEMORIES,
        "title": name.upper(),
        "created": NOW - timedelta(days=40),
        "last_accessed": NOW - timedelta(days=40),
    }
    return Memory(**{**values, **given})  # type: ignore[arg-type]


def weighed(name: str = "a", *, weight: float = 0.5, idle: float = 0, uses: int = 0, **given: object) -> WeighedMemory:
    found = memory(name, weight=weight, **given)
    use = MemoryUse(uses, NOW - timedelta(days=idle))
    return WeighedMemory(found, use, effective_weight(found, use, NOW), falls_below(found, use, 0.3))


def test_groups_count_and_weigh_every_memory_once() -> None:
    rows = [
        weighed("a", weight=0.4),
        weighed("b", weight=0.8, kind="episodic"),
        weighed("c", weight=0.6, place=Place.IDENTITY, status="stale"),
    ]
    assert figures.group_memories(rows, lambda row: figures.TIERS[row.memory.tier], figures.TIERS) == (
        figures.WeightGroup("identity", 1, 0.6),
        figures.WeightGroup("memories", 2, 0.6),
    )
    assert [(group.name, group.count) for group in figures.group_memories(rows, lambda row: row.memory.kind)] == [
        ("semantic", 2),
        ("episodic", 1),
    ]
    assert [(group.name, group.count) for group in figures.group_memories(rows, lambda row: row.memory.status)] == [
        ("active", 2),
        ("stale", 1),
    ]


@pytest.mark.parametrize(
    ("days", "band"),
    [
        (-3, "under a week"),
        (0, "under a week"),
        (7, "a week to a month"),
        (364, "3 months to a year"),
        (9999, "over a year"),
    ],
)
def test_ages_are_told_from_the_day_a_memory_was_made(days: int, band: str) -> None:
    rows = [weighed(created=NOW - timedelta(days=days))]
    assert figures.by_age(rows, NOW) == (figures.WeightGroup(band, 1, 0.5),)


def test_touches_are_counted_in_the_period_and_ever() -> None:
    counts = [(date(2025, 12, 1), 5), (date(2026, 1, 23), 2), (date(2026, 1, 29), 5), (date(2026, 3, 1), 9)]
    found = figures.count_uses(counts, NOW, days=7)
    assert (found.ever, found.in_period, found.per_day, found.per_week) == (21, 7, 1, 7)
    assert [day.count for day in found.days] == [2, 5]


def test_about_to_fade_is_what_crosses_the_threshold_soon_in_the_order_in_which_it_does() -> None:
    later, soon = weighed("later", weight=0.36), weighed("soon", weight=0.33)
    others = [
        weighed("strong", weight=0.9),
        weighed("marked", weight=0.2, status="stale"),
        weighed("pinned", weight=0.33, pinned=True),
        weighed("exempt", weight=0.33, decay_eligible=False),
        weighed("archived", weight=0.33, place=Place.ARCHIVED),
        weighed("noted", weight=0.33, place=Place.FOREIGN, status="archived"),
        weighed("detail", weight=0.33, place=Place.DEEP),
    ]
    below = weighed("below", weight=0.2, idle=1)
    assert figures.about_to_fade([later, *others, soon, below], NOW) == [below, soon, later]


# -- what happened


def step(name: str, *rules: str, do: str = "rewrite", why: str = "") -> OperationStep:
    return OperationStep(do, f"2-memories/{name}.md", id=f"id-{name}", rules=rules, why=why)


def operation(*steps: OperationStep, verb: str = "maintain", state: str = "done", at: datetime = NOW) -> Operation:
    return Operation(op=f"op-{at:%d}-{verb}", verb=verb, at=f"{at:%Y-%m-%dT%H:%M:%SZ}", steps=steps, state=state)


def told(*operations: Operation, days: int = 30) -> figures.ReportHistory:
    return figures.list_history(operations, [memory("a"), memory("b")], NOW - timedelta(days=days))


def test_history_tells_what_each_rule_did() -> None:
    found = told(operation(step("a", "touches", "decay", "stale", why="0.29"), step("b", "revive")))
    assert [(event.what, event.title, event.why) for event in found.faded] == [("went stale", "A", "0.29")]
    assert [(event.what, event.title) for event in found.returned] == [("revived", "B")]


def test_archived_memories_are_not_counted_as_stale_too() -> None:
    assert [event.what for event in told(operation(step("a", "stale", "archive", do="move"))).faded] == ["archived"]


def test_one_memory_counts_once_for_one_run() -> None:
    run = operation(step("a", "archive"), step("a", "archive", do="move"))
    assert len(told(run).faded) == 1


def test_a_merge_is_told_as_what_it_made() -> None:
    run = operation(step("a", "consolidate", do="create"), step("b", "consolidate", do="move"))
    assert [(event.what, event.title) for event in told(run).merged] == [("merged", "A")]


def test_undone_interrupted_or_old_operations_are_not_counted() -> None:
    stale = step("a", "stale")
    past = operation(stale, at=NOW - timedelta(days=31))
    assert told(operation(stale, state="undone"), operation(stale, state="begun"), past) == figures.ReportHistory()


def test_forgotten_memories_are_counted_without_a_name() -> None:
    gone = operation(OperationStep("move", "2-memories/secret.md", ".trash/secret.md"), verb="forget")
    found = told(gone, operation(step("secret", "archive", why="it is secret")))
    assert found.forgotten == 1
    assert [(event.title, event.path, event.why) for event in found.faded] == [("", "", "")]


def test_an_operation_whose_date_cannot_be_read_stops_nothing() -> None:
    odd = Operation(op="x", verb="maintain", at="some day", steps=(step("a", "stale"),))
    assert len(told(odd, operation(step("b", "stale"))).faded) == 1
