"""One note changed on two machines: their bytes become one note's, and what contradicts is kept beside it."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memvault.core.ids import derive_id
from memvault.storage import frontmatter
from memvault.storage.merging.merge_note import NoteContext, merge_note
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
