"""The fields of a memory that was changed on two machines: the table of the format, row by row."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memvault.storage.merging.merge_note import LastUses, merge_fields

MAY, JUNE, JULY = (datetime(2026, month, 3, tzinfo=UTC) for month in (5, 6, 7))
OURS_LATER, THEIRS_LATER = LastUses(JULY, JUNE), LastUses(JUNE, JULY)


def one(name: str, before: Any, ours: Any, theirs: Any, used: LastUses = OURS_LATER) -> Any:
    """What a field becomes; the word `contested` where nobody may pick."""
    sides = [{} if value is None else {name: value} for value in (before, ours, theirs)]
    found = merge_fields(sides[0], sides[1], sides[2], used)
    return "contested" if found.contested else found.changes.get(name, ours)


@pytest.mark.parametrize(
    ("name", "before", "ours", "theirs", "becomes"),
    [
        ("created", MAY, JULY, JUNE, JUNE),
        ("last_accessed", MAY, JUNE, JULY, JULY),
        ("access_count", 3, 5, 9, 9),
        ("base_weight", 0.5, 0.9, 0.6, 0.9),
        ("priority", 1, 2.0, 4.0, 4.0),
        ("pinned", None, True, False, True),
        ("pinned", None, False, True, True),
        ("decay_eligible", None, True, False, False),
        ("source", "user", "agent", "web", "web"),
        ("source", "user", "import", "agent", "import"),
        ("state", "pending", "completed", "active", "completed"),
        ("state", "pending", "completed", "cancelled", "cancelled"),
        ("tags", ("a", "b"), ("a", "b", "mine"), ("b", "theirs"), ("b", "mine", "theirs")),
        ("people", (), ("Maja",), ("Tom",), ("Maja", "Tom")),
        ("title", "Boat", "The boat", "A boat", "contested"),
        ("due", MAY, JUNE, JULY, "contested"),
        ("condition", "rain", "snow", "hail", "contested"),
        ("task", "old", "ours", "theirs", "ours"),
    ],
)
def test_merge_fields_applies_the_rule_of_each_field(
    name: str, before: Any, ours: Any, theirs: Any, becomes: Any
) -> None:
    assert one(name, before, ours, theirs) == becomes


def test_a_field_removed_on_one_side_is_gone_unless_the_other_changed_it() -> None:
    assert one("task", "here", "here", None) is None
    assert one("task", "here", "changed", None) == "changed"
    assert one("task", "here", None, "changed") == "changed"


def test_other_fields_are_those_of_the_side_used_later_and_on_a_tie_the_greater() -> None:
    assert one("mood", "x", "calm", "wild", THEIRS_LATER) == "wild"
    assert one("mood", "x", "calm", "wild", OURS_LATER) == "calm"
    assert one("mood", "x", "calm", "wild", LastUses(JUNE, JUNE)) == "wild"
    assert one("mood", "x", "wild", "calm", LastUses(None, None)) == "wild"


def test_references_are_merged_key_by_key() -> None:
    before = {"artifacts": ("a.py", "b.py"), "session": ("one",)}
    ours = {"artifacts": ("a.py",), "session": ("one",)}
    theirs = {"artifacts": ("a.py", "b.py", "c.py"), "deep_context": ("d.md",), "session": ("one",)}
    assert one("refs", before, ours, theirs) == {
        "artifacts": ("a.py", "c.py"),
        "session": ("one",),
        "deep_context": ("d.md",),
    }


def test_without_a_base_nothing_counts_as_taken_away() -> None:
    found = merge_fields(None, {"tags": ("a",), "task": "ours"}, {"tags": ("b",), "mood": "calm"}, OURS_LATER)
    assert dict(found.changes) == {"tags": ("a", "b"), "mood": "calm"}


def test_a_value_that_is_somebody_elses_is_not_measured() -> None:
    assert one("priority", 1.0, "high", 3.0, THEIRS_LATER) == 3.0
    assert one("last_accessed", MAY, "yesterday", JULY, OURS_LATER) == "yesterday"


NAMES = ("title", "created", "pinned", "access_count", "state", "source", "task", "mood", "due")
VALUES = some.sampled_from([None, "a", "b", "pending", "web", "user", True, False, 1, 2, MAY, JUNE])
SIDES = some.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)).map(
    lambda side: {name: value for name, value in side.items() if value is not None}
)


@given(SIDES, SIDES, SIDES, some.sampled_from([OURS_LATER, THEIRS_LATER, LastUses(MAY, MAY)]))
def test_merged_fields_are_the_same_on_both_machines(base: Any, ours: Any, theirs: Any, used: LastUses) -> None:
    here = merge_fields(base, ours, theirs, used)
    there = merge_fields(base, theirs, ours, LastUses(used.theirs, used.ours))
    assert here.contested == there.contested or sorted(here.contested) == sorted(there.contested)
    for name in set(NAMES) - set(here.contested):
        assert here.changes.get(name, ours.get(name)) == there.changes.get(name, theirs.get(name))


@given(SIDES, SIDES)
def test_merging_fields_again_changes_nothing(base: Any, theirs: Any) -> None:
    first = merge_fields(base, base, theirs, OURS_LATER)
    assert {name: value for name, value in {**base, **first.changes}.items() if value is not None} == theirs
    assert not merge_fields(theirs, theirs, theirs, OURS_LATER).changes
