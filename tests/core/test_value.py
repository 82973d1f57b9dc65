"""Values of our own do what frozen dataclasses with slots do, and are taken for them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.value import MutableRecord, Record, field, replace


class Point(Record):
    """Given by place or by name."""

    x: int
    y: int = 2
    seen: list[str] = field(default_factory=list)
    note: str = field(default="", metadata={"inner": True})

    @property
    def total(self) -> int:
        return self.x + self.y


class Named(Point, kw_only=True):
    """A special case with a field more."""

    name: str
    size: int = 1


class Tally(MutableRecord):
    """Filled bit by bit."""

    counts: dict[str, int] = field(default_factory=dict)
    total: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class AsDataclass:
    x: int
    y: int = 2
    seen: list[str] = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="", metadata={"inner": True})


@given(st.lists(st.integers(), max_size=3), st.dictionaries(st.sampled_from(["x", "y", "note", "z"]), st.integers()))
def test_record_takes_the_arguments_of_a_dataclass_and_no_others(args: list[Any], named: dict[str, Any]) -> None:
    try:
        other = AsDataclass(*args, **named)
    except TypeError:
        with pytest.raises(TypeError, match="Point takes x, y, seen, note"):
            Point(*args, **named)
    else:
        ours = Point(*args, **named)
        assert dataclasses.asdict(ours) == dataclasses.asdict(other)
        assert repr(ours) == repr(other).replace("AsDataclass", "Point")


def test_values_are_equal_by_what_they_hold_and_by_their_class() -> None:
    assert Point(1) == Point(x=1, y=2)
    assert Point(1) != Point(2)
    assert Named(1, name="a") == Named(1, name="a")
    assert Point(1) != AsDataclass(1)
    assert Named(1, name="") != Point(1)


def test_a_frozen_value_does_not_change_and_may_be_a_key() -> None:
    point = Point(1, seen=())  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    with pytest.raises(AttributeError):
        point.other = 1
    assert {point: 1}[Point(1, seen=())] == 1  # type: ignore[arg-type]


def test_mutable_record_changes_and_has_no_hash() -> None:
    tally = Tally()
    tally.total += 3
    tally.counts["a"] = 1
    assert tally == Tally({"a": 1}, 3)
    with pytest.raises(TypeError):
        hash(tally)
    with pytest.raises(AttributeError):
        tally.other = 1  # type: ignore[attr-defined]


def test_a_special_case_has_the_fields_of_what_it_is_a_case_of() -> None:
    named = Named(1, 5, name="here")
    assert (named.total, named.name, named.size) == (6, "here", 1)
    assert [row.name for row in dataclasses.fields(named)] == ["x", "y", "seen", "note", "name", "size"]
    with pytest.raises(TypeError, match="Named takes"):
        Named(1, 2, [], "", "here")  # type: ignore[call-arg]


def test_others_take_it_for_a_dataclass() -> None:
    assert dataclasses.is_dataclass(Point)
    rows = {row.name: row for row in dataclasses.fields(Point)}
    assert rows["x"].default is dataclasses.MISSING
    assert rows["y"].default == 2
    assert rows["seen"].default_factory is list
    assert rows["note"].metadata == {"inner": True}
    assert dataclasses.replace(Named(1, name="a"), name="b") == Named(1, name="b")


def test_a_value_is_replaced_in_part() -> None:
    assert replace(Point(1, note="kept"), x=3) == Point(3, note="kept")
    with pytest.raises(TypeError, match="Point takes"):
        replace(Point(1), z=1)


@pytest.mark.parametrize("value", [Point(1, seen=["a"]), Named(1, name="here"), Tally({"a": 1})])
def test_a_copy_is_equal(value: object) -> None:
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value


def made(name: str, default: object, kind: object) -> Any:
    """A class with one field, as its body would have it."""
    metaclass: Any = type(Record)
    return metaclass("Made", (Record,), {"__annotations__": {name: kind}, name: default})


def test_a_default_that_all_would_share_is_refused() -> None:
    with pytest.raises(TypeError, match="default_factory"):
        made("names", [], "list[str]")


def test_record_refuses_the_dataclass_decorator() -> None:
    class Special(Point):
        more: int = 0

    with pytest.raises(TypeError, match="leave out @dataclass"):
        dataclasses.dataclass(frozen=True)(Special)
