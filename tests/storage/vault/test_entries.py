"""What stands in a folder: as it was put down, and with a mark that is another as soon as anything is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memvault.storage.vault.listing import StatKey
from tests.storage.index.cards import entries_of

NUMBER = st.integers(0, 2**63 - 1)
NAME = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=6)
FOLDER = st.dictionaries(NAME, st.tuples(NUMBER, NUMBER, NUMBER, NUMBER), max_size=5)


@given(held=FOLDER)
def test_what_was_put_down_comes_back_in_the_order_of_names(held: dict[str, StatKey]) -> None:
    entries = entries_of(held.items())
    assert list(entries) == sorted(held.items())
    assert len(entries) == len(held)


@given(one=FOLDER, other=FOLDER)
def test_two_folders_have_one_mark_only_if_they_hold_the_same(
    one: dict[str, StatKey], other: dict[str, StatKey]
) -> None:
    marks = [b"".join(entries_of(sorted(held.items())).digest_parts()) for held in (one, other)]
    assert (marks[0] == marks[1]) == (one == other)


def test_many_notes_have_the_mark_that_they_had_in_one_piece() -> None:
    entries = entries_of((f"{number}.md", (number, 1, 2, 3)) for number in range(10_000))
    whole = "\0".join((str(len(entries)), *entries.names)).encode() + entries.keys
    assert b"".join(entries.digest_parts()) == whole
