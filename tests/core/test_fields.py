"""Fields are read generously, written in one form, and what is somebody else's is left to them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.fields import (
    ScalarValue,
    format_number,
    number,
    read_choice,
    read_count,
    read_date,
    read_flag,
    read_names,
    read_references,
    read_tags,
    read_texts,
    to_yaml_value,
)
from memvault.core.fields import text as text_field
from memvault.core.kinds import FIELDS
from memvault.storage import frontmatter

THREE = datetime(2026, 1, 29, 3, tzinfo=UTC)
SHARE = number(0.0, 1.0)
STATUS = FIELDS["status"].read

GENEROUS = [
    (text_field, "  a line  ", "a line"),
    (text_field, "12:30", "12:30"),
    (text_field, "no", "no"),
    (SHARE, "0", 0.0),
    (SHARE, " 0.5 ", 0.5),
    (SHARE, "1e-1", 0.1),
    (SHARE, ".25", 0.25),
    (SHARE, "1", 1.0),
    (number(-2, 2), "-1.5", -1.5),
    (read_count, "0", 0),
    (read_count, "007", 7),
    (read_date, "2026-01-29T03:00:00Z", THREE),
    (read_date, "2026-01-29T11:00:00+08:00", THREE),
    (read_date, "2026-01-29T11:00:00+0800", THREE),
    (read_date, "2026-01-29 03:00", THREE),
    (read_date, "2026-01-29T03:00:00.25Z", THREE.replace(microsecond=250_000)),
    (read_date, "2026-01-29", THREE.replace(hour=0)),
    (read_choice("active", "stale"), " Active ", "active"),
    (read_texts, "one", ("one",)),
    (read_texts, [" a ", "", None, "b", "a"], ("a", "b")),
    (read_texts, [["a"]], ("[[a]]",)),
    (read_texts, [[["a"]], "b"], ("[[a]]", "b")),
    (read_texts, "", ()),
    (read_texts, None, ()),
    (read_texts, [], ()),
    (read_names, ["[[Sara Uy]]", "Noor"], ("Sara Uy", "Noor")),
    (read_names, [["Sara Uy"]], ("Sara Uy",)),
    (read_names, ["Noor", "[[Noor]]"], ("Noor",)),
    (read_tags, "#home, garden  #tea", ("home", "garden", "tea")),
    (read_tags, ["#home", "##tea", "#"], ("home", "tea")),
    (read_references, {"session": "s-1", "artifacts": ["a", "b"], "empty": ""}, {"session": ("s-1",), "artifacts": ("a", "b")}),
    (read_references, "a/b.py", {"artifacts": ("a/b.py",)}),
    (read_references, ["a", "b"], {"artifacts": ("a", "b")}),
]  # fmt: skip

SOMEBODY_ELSES = [
    (text_field, ["a list"]),
    (text_field, {"a": "map"}),
    (text_field, "   "),
    (SHARE, "82"),
    (SHARE, "-0.1"),
    (SHARE, "nan"),
    (SHARE, "0_1"),
    (SHARE, "٠"),
    (SHARE, "inf"),
    (SHARE, "high"),
    (SHARE, ["0.5"]),
    (SHARE, ""),
    (read_count, "-1"),
    (read_count, "1.5"),
    (read_count, "many"),
    (read_count, "²"),
    (read_count, "9" * 5_000),
    (read_flag, "maybe"),
    (read_flag, "2"),
    (read_flag, ["true"]),
    (read_date, "soon"),
    (read_date, "2026-02-30"),
    (read_date, ["2026-01-29"]),
    (STATUS, "done"),
    (FIELDS["type"].read, "book"),
    (read_texts, {"a": "map"}),
    (read_texts, [{"a": "map"}]),
    (read_names, {"a": "map"}),
    (read_tags, {"a": "map"}),
    (read_references, None),
]


@pytest.mark.parametrize(
    ("read", "raw", "value"), GENEROUS, ids=lambda part: getattr(part, "__qualname__", repr(part)[:40])
)
def test_field_readers_take_generous_spellings(read, raw, value) -> None:  # type: ignore[no-untyped-def]
    assert read(raw, UTC) == value


@pytest.mark.parametrize(
    ("read", "raw"), SOMEBODY_ELSES, ids=lambda part: getattr(part, "__qualname__", repr(part)[:40])
)
def test_field_readers_leave_unfit_values_alone(read, raw) -> None:  # type: ignore[no-untyped-def]
    assert read(raw, UTC) is None


@pytest.mark.parametrize("spelling", ["true", "yes", "on", "y", "1"])
def test_yes_in_every_spelling(spelling: str) -> None:
    assert read_flag(spelling, UTC) is read_flag(spelling.upper(), UTC) is True


@pytest.mark.parametrize("spelling", ["false", "no", "off", "n", "0"])
def test_no_in_every_spelling(spelling: str) -> None:
    assert read_flag(spelling, UTC) is read_flag(spelling.title(), UTC) is False


def test_a_date_without_an_offset_is_local() -> None:
    east = timezone(timedelta(hours=8))
    assert read_date("2026-01-29T11:00", east) == read_date("2026-01-29 11:00:00", east) == THREE
    assert read_date("2026-01-29", east) == datetime(2026, 1, 28, 16, tzinfo=UTC)


JSONISH = st.recursive(
    st.none() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(name=st.sampled_from(sorted(FIELDS)), raw=JSONISH)
def test_no_value_whatever_breaks_a_reader(name: str, raw) -> None:  # type: ignore[no-untyped-def]
    value = FIELDS[name].read(raw, UTC)
    if isinstance(value, tuple):
        assert all(item.strip() for item in value)
        assert len(set(value)) == len(value)


@given(st.floats(0, 1))
def test_a_number_is_written_short_and_within_half_of_the_fourth_place(value: float) -> None:
    text = format_number(value)
    assert abs(float(text) - value) <= 0.00005 + 1e-12
    assert len(text) <= 6
    assert not text.endswith(".")
    assert "e" not in text


@pytest.mark.parametrize(("value", "text"), [(0.8, "0.8"), (1.0, "1"), (0.0, "0"), (0.618, "0.618"), (-2.0, "-2"), (100.0, "100")])  # fmt: skip
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert format_number(value) == text


LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Co"]), min_size=1, max_size=20).map(str.strip).filter(bool)  # fmt: skip
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
VALUES = st.one_of(
    st.tuples(st.just("title"), LINES),
    st.tuples(st.just("pinned"), st.booleans()),
    st.tuples(st.just("access_count"), st.integers(0, 999_999)),
    st.tuples(st.just("weight"), st.integers(0, 10_000).map(lambda part: part / 10_000)),
    st.tuples(st.just("created"), MOMENTS.map(lambda at: at.replace(microsecond=0))),
    st.tuples(st.just("triggers"), st.lists(LINES, max_size=4, unique=True).map(tuple)),
    st.tuples(st.just("refs"), st.dictionaries(st.sampled_from(["session", "artifacts"]), st.lists(LINES, min_size=1, max_size=3, unique=True).map(tuple), max_size=2)),
)  # fmt: skip


def in_file(value) -> frontmatter.Setting:  # type: ignore[no-untyped-def]
    match value:
        case ScalarValue(text):
            return frontmatter.PlainScalar(text)
        case str() | list():
            return value
        case _:
            return {name: in_file(part) for name, part in value.items()}


@given(VALUES)
def test_written_values_read_back_the_same(row) -> None:  # type: ignore[no-untyped-def]
    name, value = row
    note = frontmatter.compose({name: in_file(to_yaml_value(value))}, "body")
    found = FIELDS[name].read(frontmatter.parse(note).fields.get(name), UTC)
    assert found == value or (value == {} and not found)


def test_each_field_stands_in_the_table_once_and_says_what_it_means() -> None:
    assert {name: row.name for name, row in FIELDS.items()} == {name: name for name in FIELDS}
    assert all(row.meaning for row in FIELDS.values())
