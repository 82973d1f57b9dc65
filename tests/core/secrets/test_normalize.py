"""The same text in other dress is the same; what changes its meaning makes it another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.secrets.erase import known_spellings, normalize_text, text_parts
from memvault.core.secrets.screens import normalize_content

FACT = "The gauge at Hollin falls dry, so move it to the pier."


@pytest.mark.parametrize(
    "dressed",
    [
        f"- {FACT}",
        f"  * {FACT}",
        f"1. {FACT}",
        f"12) {FACT}",
        f"> - [ ] {FACT}",
        f"## {FACT}",
        f'"{FACT}"',
        f"„{FACT}“",
        f"**{FACT}**",
        f"— {FACT}",
        f"({FACT[:-1]})",
        FACT[:-1],
        f"{FACT[:-1]}!",
        f"{FACT}…",
        FACT.replace(",", ""),
        FACT.replace(" so ", "\n  so "),
        FACT.upper(),
        FACT.replace("dry", "`dry`"),
    ],
)
def test_dress_makes_no_other_text(dressed: str) -> None:
    assert normalize_text(dressed) == normalize_text(FACT)
    assert normalize_text(FACT) in known_spellings(dressed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It freezes at -5 degrees", "It freezes at 5 degrees"),
        ("Use version 3.5 of it", "Use version 35 of it"),
        ("Take a > b", "Take a < b"),
        ("Write it in C++", "Write it in C"),
        ("Ilse does it", "Ilse does not do it"),
        ("The 3rd of May", "The 4th of May"),
        ("See foo-bar for it", "See foobar for it"),
    ],
)
def test_normalize_keeps_what_changes_the_meaning(one: str, other: str) -> None:
    assert not set(known_spellings(one)) & set(known_spellings(other))


def test_a_mark_of_before_is_met_by_what_only_lost_its_list_mark() -> None:
    assert normalize_content(FACT) in known_spellings(f"- {FACT}")
    assert normalize_content(FACT) in known_spellings(FACT[:-1])


def test_a_text_has_its_paragraphs_and_lines_as_parts_and_no_mere_word() -> None:
    text = f"Notes\n\n- One thing.\n- {FACT}\n\nAnother paragraph\nof two lines."
    found = text_parts(text)
    assert found[0] == text
    assert {f"- {FACT}", "Another paragraph\nof two lines.", "Another paragraph"} < set(found)
    assert "Notes" not in found


@given(st.text(max_size=200))
def test_normalize_is_idempotent(text: str) -> None:
    assert normalize_text(normalize_text(text)) == normalize_text(text)
