"""File names: readable, unique, and the same on every system."""

from __future__ import annotations

from datetime import date
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.file_names import free_file_name, name_key, portability_problem, slugify

DAY = date(2026, 1, 29)
TITLES = st.one_of(
    st.text(max_size=60), st.text(st.characters(), max_size=400), st.sampled_from(["con", "a" * 500, "नमस्ते" * 60, "."])
)


def free(_name: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        *(("Going places", "going-places"), ("Sara's café: plan (v2.7.5)!", "saras-café-plan-v2-7-5")),
        *(("Über die Straße", "über-die-straße"), ("Привет, мир", "привет-мир"), ("日本語のメモ", "日本語のメモ")),
        *(("पहला हिन्दी नोट", "पहला-हिन्दी-नोट"), ("../../etc/passwd", "etc-passwd"), ("a\u202eb\x00c", "ab-c")),
        *(("cafe\u0301", "café"), ("[[x|y]]#z^1", "x-y-z-1"), ("CON", "con-"), ("🎉 …", "untitled")),
        ("", "untitled"),
    ],
)
def test_slug_says_what_the_title_says(title: str, expected: str) -> None:
    assert slugify(title) == expected


def test_a_long_title_is_cut_between_words() -> None:
    assert slugify("word " * 50) == "-".join(["word"] * 12)


@given(TITLES)
def test_a_slug_is_portable_and_stable(title: str) -> None:
    made = slugify(title)

    assert portability_problem(made) is None
    assert slugify(made) == made
    assert normalize("NFC", made) == made


@given(TITLES, st.integers(min_value=0, max_value=12))
def test_a_file_name_is_portable_short_and_free(title: str, others: int) -> None:
    taken: set[str] = set()
    for _ in range(others):
        taken.add(name_key(free_file_name(DAY, title, taken=lambda name: name_key(name) in taken)))
    name = free_file_name(DAY, title, taken=lambda name: name_key(name) in taken)

    assert len(taken) == others
    assert name_key(name) not in taken
    assert portability_problem(name) is None
    assert len(name) <= 80
    assert len(name.encode()) <= 120


def test_file_names_carry_the_day_and_count_up() -> None:
    assert free_file_name(DAY, "Going places", taken=free) == "2026-01-29-going-places.md"
    assert free_file_name(DAY, "Going places", taken={"2026-01-29-going-places.md"}.__contains__).endswith(
        "-places-2.md"
    )


@pytest.mark.parametrize(("one", "other"), [("Note.md", "note.MD"), ("caf\u00e9", "cafe\u0301"), ("STRASSE", "straße")])
def test_names_that_some_system_takes_for_one_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("", "empty"),
        (".hidden", "dot"),
        ("note.", "dot"),
        ("note ", "space"),
        ("a:b", "':'"),
        ("a/b", "'/'"),
        ("a#b", "links"),
        ("a\tb", "system"),
        ("a\u202eb", "u202e"),
        ("a\udcffb", "system"),
        ("nul.txt", "Windows"),
        ("COM1", "Windows"),
        ("cafe\u0301", "NFC"),
        ("é" * 200, "longer"),
    ],
)
def test_portable_says_why_not(name: str, because: str) -> None:
    assert because in (portability_problem(name) or "")


@pytest.mark.parametrize("name", ["note.md", "2026-01-29-going-places.md", "日本", "می\u200cخواهم", "console", "a.b.c"])
def test_ordinary_names_are_portable(name: str) -> None:
    assert portability_problem(name) is None
