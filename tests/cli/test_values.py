"""How the values on a command line are read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memvault.cli.find.batch import parse_question
from memvault.cli.memories.edit import change_tags, parse_fields
from memvault.cli.options import check_choices, split_values
from memvault.errors import BadInput
from memvault.text.dates.dates import parse_since

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
EAST = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-20", datetime(2026, 1, 20, tzinfo=UTC)),
        ("2026-01-20T10:00:00+02:00", datetime(2026, 1, 20, 8, tzinfo=UTC)),
        ("12h", NOW - timedelta(hours=12)),
        ("7d", NOW - timedelta(days=7)),
        ("2 weeks", NOW - timedelta(days=14)),
        ("3m", NOW - timedelta(days=90)),
        ("1Y", NOW - timedelta(days=365)),
        ("today", datetime(2026, 1, 29, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 1, 28, tzinfo=UTC)),
    ],
)
def test_a_time_may_be_a_date_a_span_or_a_word(text: str, expected: datetime) -> None:
    assert parse_since(text, NOW, UTC) == expected


def test_today_begins_where_the_person_lives() -> None:
    late = datetime(2026, 1, 29, 20, 0, tzinfo=UTC)  # the next morning in the east
    assert parse_since("today", late, EAST) == datetime(2026, 1, 30, tzinfo=EAST)


@pytest.mark.parametrize("text", ["", "someday", "99999y", "-3d", "2026-13-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_since(text, NOW, UTC)


def test_options_may_be_repeated_or_hold_several() -> None:
    assert split_values(["a, b", "c", "a", " ,"]) == ("a", "b", "c")
    assert split_values(None) == ()


def test_a_word_out_of_a_few_may_be_written_in_capitals() -> None:
    assert check_choices(["Hot,IDENTITY"], "the tier", ("hot", "identity")) == {"hot", "identity"}
    with pytest.raises(BadInput):
        check_choices(["warm"], "the tier", ("hot", "identity"))


def test_fields_are_read_by_their_own_rules() -> None:
    assert parse_fields(
        ["due=2026-02-14", "priority=2", "pinned=yes", "tags=a,#b", "steps=first, then second", "steps=third"], UTC
    ) == {
        "due": datetime(2026, 2, 14, tzinfo=UTC),
        "priority": 2,
        "pinned": True,
        "tags": ("a", "b"),
        "steps": ("first, then second", "third"),
    }


@pytest.mark.parametrize(
    "pair", ["nonsense", "colour=red", "id=5f0c", "priority=9", "due=someday", "kind=feeling", "status=lost", "weight="]
)
def test_a_field_that_cannot_be_set_so_is_refused(pair: str) -> None:
    with pytest.raises(BadInput):
        parse_fields([pair], UTC)


def test_tags_are_added_and_taken_away_in_place() -> None:
    assert change_tags(["#d", "a"], ["B"])["tags"].apply_to(("a", "b", "c")) == ("a", "c", "d")
    assert not change_tags([], [])


@pytest.mark.parametrize(
    ("line", "id_", "error"),
    [
        ('{"id": 1, "query": "tea"}', 1, ""),
        ('{"query": "tea"}', None, ""),
        ("tea", None, "not JSON"),
        ("[]", None, "not an object"),
        ('{"id": "x"}', "x", "no text under `query`"),
        ('{"id": "x", "query": 3}', "x", "no text under `query`"),
    ],
)
def test_a_line_of_a_batch(line: str, id_: object, error: str) -> None:
    asked = parse_question(line)
    assert asked.id == id_
    assert error in asked.error
    assert bool(asked.error) == bool(error)
