"""One note changed on two machines: their bytes become one note's, and what contradicts is kept beside it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memvault.core.ids import derive_id
from memvault.storage import frontmatter
from memvault.storage.merging.merge_note import LastUses, NoteContext, merge_fields, merge_note
from memvault.system.files import digest

VAULT = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
OWN = "0d4f1a52-7b0e-4c8e-9f3d-2f7a0a7f5c11"
GROUND = NoteContext(path="2-memories/boat.md", vault_id=VAULT, zone=UTC)

BASE = f"""---
id: {OWN}
title: The boat   # hers, really
mood: 'calm'
tags:
  - boats
  - quay
created: 2026-05-03
last_accessed: 2026-05-03
access_count: 2
---

It lies at the quay.

Its sail is red.

It is for sale.
""".encode()


def edited(raw: bytes, *pairs: tuple[str, str]) -> bytes:
    for old, new in pairs:
        assert old.encode() in raw
        raw = raw.replace(old.encode(), new.encode())
    return raw


def test_one_sided_changes_are_taken_byte_for_byte() -> None:
    other = edited(BASE, ("red", "green"), ("# hers, really", "# his"))
    assert merge_note(BASE, BASE, other, GROUND).raw == other
    assert merge_note(BASE, other, BASE, GROUND).raw == other
    assert merge_note(BASE, other, other, GROUND).raw == other


def test_both_sides_changes_are_put_into_our_bytes() -> None:
    ours = edited(BASE, ("  - quay\n", "  - quay\n  - summer\n"), ("red", "green"))
    theirs = edited(
        BASE, ("access_count: 2", "access_count: 7"), ("2026-05-03\nacc", "2026-06-01\nacc"), ("sale", "rent")
    )
    found = merge_note(BASE, ours, theirs, GROUND)
    wanted = edited(
        ours, ("access_count: 2", "access_count: 7"), ("2026-05-03\nacc", "2026-06-01\nacc"), ("sale", "rent")
    )
    assert (found.raw, found.parked) == (wanted, None)


def test_line_endings_are_ours_and_no_change() -> None:
    ours = edited(BASE, ("red", "green")).replace(b"\n", b"\r\n")
    theirs = edited(BASE, ("sale", "rent"))
    found = merge_note(BASE, ours, theirs, GROUND)
    assert found.raw == edited(ours, ("sale", "rent"))


def test_fields_of_other_programs_are_merged_too() -> None:
    ours = edited(BASE, ("red", "green"))
    theirs = edited(BASE, ("mood: 'calm'", "mood: wild\ncssclasses: [wide, dark]"))
    fields = frontmatter.parse(merge_note(BASE, ours, theirs, GROUND).raw).fields
    assert (fields["mood"], fields["cssclasses"]) == ("wild", ["wide", "dark"])


def test_a_contradiction_is_kept_beside_ours_and_each_names_the_other() -> None:
    ours, theirs = edited(BASE, ("red", "green")), edited(BASE, ("red", "blue"), ("  - boats\n", "  - ships\n"))
    found = merge_note(BASE, ours, theirs, GROUND)
    parked_id = derive_id(VAULT, f"parked:{OWN}:{digest(theirs)}")
    assert (found.contested, found.parked_id) == (("text",), parked_id)
    mine, other = frontmatter.parse(found.raw), frontmatter.parse(found.parked or b"")
    assert "green" in mine.text
    assert "blue" in other.text
    assert (mine.fields["id"], other.fields["id"]) == (OWN, parked_id)
    assert (mine.fields["contested"], other.fields["contested"]) == ([parked_id], [OWN])
    assert mine.fields["tags"] == ["ships", "quay"]  # what can be merged is merged


def test_without_a_base_texts_that_differ_are_contested_and_lists_united() -> None:
    theirs = edited(BASE, ("sale", "rent"), ("  - quay\n", "  - water\n"))
    found = merge_note(None, BASE, theirs, GROUND)
    assert found.contested == ("text",)
    assert frontmatter.parse(found.raw).fields["tags"] == ["boats", "quay", "water"]
    assert merge_note(None, BASE, edited(BASE, ("count: 2", "count: 3")), GROUND).raw == edited(
        BASE, ("count: 2", "count: 3")
    )


def test_a_file_with_merge_markers_is_never_merged() -> None:
    ours = edited(BASE, ("It is", "<<<<<<< HEAD\nIt is"))
    found = merge_note(BASE, ours, edited(BASE, ("red", "blue")), GROUND)
    assert b"<<<<<<< HEAD" in found.raw
    assert b"blue" in (found.parked or b"")


def test_a_frontmatter_beyond_us_is_merged_as_text() -> None:
    base = b"---\ntitle: [open\nother: 1\nmore: 2\n---\nA text.\n\nMore of it.\n"
    ours, theirs = base.replace(b"A text", b"Our text"), base.replace(b"More of", b"All of")
    assert merge_note(base, ours, theirs, GROUND).raw == ours.replace(b"More of", b"All of")


@pytest.mark.parametrize(
    "theirs", [b"\xff\xfe\x00broken", b"", b"---\n{{bad\n---\nx", b"no frontmatter\n", b"\x00" * 40]
)
def test_no_version_is_lost_whatever_the_other_side_holds(theirs: bytes) -> None:
    ours = edited(BASE, ("red", "green"))
    found = merge_note(BASE, ours, theirs, GROUND)
    assert b"green" in found.raw
    kept = (found.raw, found.parked or b"")
    assert frontmatter.parse(theirs).text.strip() in "".join(frontmatter.parse(raw).text for raw in kept)


OTHER, THIRD = (f"{digit}d4f1a52-7b0e-4c8e-9f3d-2f7a0a7f5c11" for digit in "12")


def of(id_: str, raw: bytes, *pairs: tuple[str, str]) -> bytes:
    return edited(raw, (OWN, id_), *pairs)


@pytest.mark.parametrize("before", [OWN, OTHER, THIRD])
def test_two_memories_are_never_mixed_whatever_git_takes_for_what_was_before(before: str) -> None:
    base, ours = of(before, BASE), edited(BASE, ("red", "green"))
    theirs = of(OTHER, BASE, ("sale", "rent"))
    found = merge_note(base, ours, theirs, GROUND)
    assert {found.raw, found.parked} == {ours, theirs}
    assert frontmatter.parse(found.parked or b"").fields["id"] == found.parked_id
    assert found.raw == (theirs if before == OWN else ours)  # whose former name it was gives way


def test_another_memory_is_no_beginning_of_two_that_are_one() -> None:
    ours, theirs = edited(BASE, ("red", "green")), edited(BASE, ("  - quay\n", "  - water\n"))
    found = merge_note(of(OTHER, BASE), ours, theirs, GROUND)
    assert frontmatter.parse(found.raw).fields["tags"] == ["boats", "quay", "water"]
    assert b"red" in (found.parked or b"")


def test_a_note_to_which_both_gave_an_id_is_one_note() -> None:
    base = edited(BASE, (f"id: {OWN}\n", ""))
    ours, theirs = edited(BASE, ("red", "green")), of(OTHER, BASE, ("sale", "rent"))
    found = merge_note(base, ours, theirs, GROUND)
    assert found.parked is None
    assert all(part in found.raw for part in (b"green", b"rent"))


def test_nothing_is_written_into_a_note_that_is_not_ours() -> None:
    base, ours, theirs = (f"# Ideas\n\nPaint it {colour}.\n".encode() for colour in ("red", "green", "blue"))
    ground = NoteContext(path="ideas.md", vault_id=VAULT, zone=UTC, id=OWN, is_foreign=True)
    found = merge_note(base, ours, theirs, ground)
    assert found.raw == ours
    assert frontmatter.parse(found.parked or b"").fields == {"id": found.parked_id, "contested": [OWN]}


BODIES = some.lists(some.sampled_from(["It rains.", "It snows.", "A walk.", "Tea at four.", ""]), max_size=6)


@given(BODIES, BODIES, BODIES)
def test_no_line_of_either_side_is_lost_unless_a_side_took_it_out(
    base: list[str], one: list[str], two: list[str]
) -> None:
    raws = [
        f"---\nid: {OWN}\n---\n".encode() + "".join(f"{line}\n" for line in lines).encode()
        for lines in (base, one, two)
    ]
    found = merge_note(raws[0], raws[1], raws[2], GROUND)
    have = set(frontmatter.parse(found.raw).text.splitlines()) | set(
        frontmatter.parse(found.parked or b"").text.splitlines()
    )
    assert (set(one) | set(two)) - set(base) - {""} <= have


@given(some.binary(max_size=200), some.binary(max_size=200), some.binary(max_size=200))
def test_any_bytes_at_all_are_taken(base: bytes, ours: bytes, theirs: bytes) -> None:
    found = merge_note(base, ours, theirs, GROUND)
    assert found.raw or not ours or not theirs


# -- the fields of a memory that was changed on two machines: the table of the format, row by row

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
