"""Fields are read generously, written in one form, and what is somebody else's is left to them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.fields import (
    Plain,
    count,
    flag,
    moment,
    names,
    number,
    number_text,
    one_of,
    references,
    tags,
    texts,
    written,
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
    (count, "0", 0),
    (count, "007", 7),
    (moment, "2026-01-29T03:00:00Z", THREE),
    (moment, "2026-01-29T11:00:00+08:00", THREE),
    (moment, "2026-01-29T11:00:00+0800", THREE),
    (moment, "2026-01-29 03:00", THREE),
    (moment, "2026-01-29T03:00:00.25Z", THREE.replace(microsecond=250_000)),
    (moment, "2026-01-29", THREE.replace(hour=0)),
    (one_of("active", "stale"), " Active ", "active"),
    (texts, "one", ("one",)),
    (texts, [" a ", "", None, "b", "a"], ("a", "b")),
    (texts, [["a"]], ("[[a]]",)),
    (texts, [[["a"]], "b"], ("[[a]]", "b")),
    (texts, "", ()),
    (texts, None, ()),
    (texts, [], ()),
    (names, ["[[Sara Uy]]", "Noor"], ("Sara Uy", "Noor")),
    (names, [["Sara Uy"]], ("Sara Uy",)),
    (names, ["Noor", "[[Noor]]"], ("Noor",)),
    (tags, "#home, garden  #tea", ("home", "garden", "tea")),
    (tags, ["#home", "##tea", "#"], ("home", "tea")),
    (references, {"session": "s-1", "artifacts": ["a", "b"], "empty": ""}, {"session": ("s-1",), "artifacts": ("a", "b")}),
    (references, "a/b.py", {"artifacts": ("a/b.py",)}),
    (references, ["a", "b"], {"artifacts": ("a", "b")}),
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
    (count, "-1"),
    (count, "1.5"),
    (count, "many"),
    (count, "²"),
    (count, "9" * 5_000),
    (flag, "maybe"),
    (flag, "2"),
    (flag, ["true"]),
    (moment, "soon"),
    (moment, "2026-02-30"),
    (moment, ["2026-01-29"]),
    (STATUS, "done"),
    (FIELDS["type"].read, "book"),
    (texts, {"a": "map"}),
    (texts, [{"a": "map"}]),
    (names, {"a": "map"}),
    (tags, {"a": "map"}),
    (references, None),
]


@pytest.mark.parametrize(
    ("read", "raw", "value"), GENEROUS, ids=lambda part: getattr(part, "__qualname__", repr(part)[:40])
)
def test_what_was_meant_is_read(read, raw, value) -> None:  # type: ignore[no-untyped-def]
    assert read(raw, UTC) == value


@pytest.mark.parametrize(
    ("read", "raw"), SOMEBODY_ELSES, ids=lambda part: getattr(part, "__qualname__", repr(part)[:40])
)
def test_what_does_not_fit_is_somebody_elses(read, raw) -> None:  # type: ignore[no-untyped-def]
    assert read(raw, UTC) is None


@pytest.mark.parametrize("spelling", ["true", "yes", "on", "y", "1"])
def test_yes_in_every_spelling(spelling: str) -> None:
    assert flag(spelling, UTC) is flag(spelling.upper(), UTC) is True


@pytest.mark.parametrize("spelling", ["false", "no", "off", "n", "0"])
def test_no_in_every_spelling(spelling: str) -> None:
    assert flag(spelling, UTC) is flag(spelling.title(), UTC) is False


def test_a_date_without_an_offset_is_local() -> None:
    east = timezone(timedelta(hours=8))
    assert moment("2026-01-29T11:00", east) == moment("2026-01-29 11:00:00", east) == THREE
    assert moment("2026-01-29", east) == datetime(2026, 1, 28, 16, tzinfo=UTC)


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
    text = number_text(value)
    assert abs(float(text) - value) <= 0.00005 + 1e-12
    assert len(text) <= 6
    assert not text.endswith(".")
    assert "e" not in text


@pytest.mark.parametrize(("value", "text"), [(0.8, "0.8"), (1.0, "1"), (0.0, "0"), (0.618, "0.618"), (-2.0, "-2"), (100.0, "100")])  # fmt: skip
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert number_text(value) == text


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
        case Plain(text):
            return frontmatter.Plain(text)
        case str() | list():
            return value
        case _:
            return {name: in_file(part) for name, part in value.items()}


@given(VALUES)
def test_what_is_written_into_a_note_is_read_back_as_it_was(row) -> None:  # type: ignore[no-untyped-def]
    name, value = row
    note = frontmatter.compose({name: in_file(written(value))}, "body")
    found = FIELDS[name].read(frontmatter.parse(note).fields.get(name), UTC)
    assert found == value or (value == {} and not found)


def test_each_field_stands_in_the_table_once_and_says_what_it_means() -> None:
    assert {name: row.name for name, row in FIELDS.items()} == {name: name for name in FIELDS}
    assert all(row.meaning for row in FIELDS.values())
