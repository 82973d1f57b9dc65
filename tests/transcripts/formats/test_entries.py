"""A large JSON document is told piece by piece, the same however its bytes arrive, and bad places do not stop it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from memvault.transcripts.formats.entries import (
    JsonEvent,
    JsonItem,
    ObjectEnd,
    ObjectMember,
    ObjectStart,
    parse_entries,
)
from memvault.transcripts.model.record import UnreadableEntry

TURNS = frozenset({"turns"})
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
members = st.dictionaries(
    st.text(max_size=5).filter(lambda name: name not in ("turns", "conversations")), values, max_size=3
)
talks = st.lists(
    st.tuples(members, st.lists(values, max_size=4) | st.dictionaries(st.text(), values, max_size=4)), max_size=3
)


def events(data: bytes, size: int = 1 << 20, longest: int = 1 << 20) -> list[JsonEvent]:
    return list(parse_entries((data[at : at + size] for at in range(0, len(data), size)), inner=TURNS, longest=longest))


def told(data: bytes, **sizes: int) -> Iterator[tuple[str, object]]:
    for event in events(data, **sizes):
        match event:
            case ObjectMember():
                yield event.name, event.value
            case JsonItem():
                yield f"turn {event.key}", json.loads(event.data)
            case ObjectStart() | ObjectEnd() | UnreadableEntry():
                yield type(event).__name__, None


@given(talks=talks, size=st.integers(1, 40), indent=st.sampled_from([None, 1]), escaped=st.booleans())
def test_entries_are_parsed_in_order(
    talks: list[tuple[dict[str, object], object]], size: int, indent: int | None, escaped: bool
) -> None:
    whole = [{**rest, "turns": turns} for rest, turns in talks]
    expected: list[tuple[str, object]] = []
    for rest, turns in talks:
        keyed = turns.items() if isinstance(turns, dict) else [("", turn) for turn in turns]  # type: ignore[attr-defined]
        expected += [
            ("ObjectStart", None),
            *rest.items(),
            *((f"turn {key}", turn) for key, turn in keyed),
            ("ObjectEnd", None),
        ]
    spellings = [json.dumps(whole, indent=indent, ensure_ascii=escaped), json.dumps({"conversations": whole})]
    listed, wrapped = (list(told(spelling.encode("utf-8", "surrogatepass"), size=size)) for spelling in spellings)
    in_lines = list(told("\n".join(map(json.dumps, whole)).encode(), size=size))
    assert listed == in_lines == expected
    assert wrapped == [("ObjectStart", None), *expected, ("ObjectEnd", None)]


@given(talks=talks.filter(bool), data=st.data())
def test_truncated_document_is_reported_and_earlier_entries_are_whole(
    talks: list[tuple[dict[str, object], object]], data: st.DataObject
) -> None:
    whole = json.dumps([{**rest, "turns": turns} for rest, turns in talks]).encode()
    cut = data.draw(st.integers(1, len(whole) - 1))
    before = [event for event in events(whole) if not isinstance(event, ObjectStart | ObjectEnd)]
    *begun, last = events(whole[:cut])
    assert isinstance(last, UnreadableEntry)
    assert last.why == "it is cut short"
    assert begun.count(ObjectStart()) == begun.count(ObjectEnd())
    found = [event for event in begun if not isinstance(event, ObjectStart | ObjectEnd)]
    assert found == before[: len(found)]


def test_stray_values_are_reported_and_skipped() -> None:
    found = events(b'[1, "two", {"id": "a", "turns": [1]}, tru, {"id": "b", 7, "turns": 3, }]] , {"id": "c"}')
    assert [event.value for event in found if isinstance(event, ObjectMember)] == ["a", "b", 3, "c"]
    assert sum(isinstance(event, UnreadableEntry) for event in found) == 5


def test_overlong_value_is_reported_and_skipped() -> None:
    data = json.dumps([{"id": "a", "note": "x" * 300, "turns": ["short", "y" * 300, "last"]}]).encode()
    found = events(data, size=50, longest=100)
    assert [event.data for event in found if isinstance(event, JsonItem)] == [b'"short"', b'"last"']
    assert [event.why for event in found if isinstance(event, UnreadableEntry)] == ["it is longer than 16 MB"] * 2


def test_any_bytes_are_parsed_without_error() -> None:
    for rubbish in (
        b"",
        b"\xef\xbb\xbf",
        b"\x00\xff" * 40,
        b"]]}}",
        b"{" * 1000,
        b'{"a"',
        b'"',
        b"\\",
        b'{"turns":',
        b'{"turns":[}',
        b"[{]",
    ):
        assert all(
            isinstance(event, ObjectStart | ObjectEnd | UnreadableEntry | ObjectMember | JsonItem)
            for event in events(rubbish, size=3)
        )
