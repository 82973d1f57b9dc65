"""A text in other words is taken only where it says what it said: order and joints may change, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.similarity.merge_memories import unite_texts
from memvault.maintenance.llm_wording import find_objection

SENTENCES = (
    "Sara prefers tea from Assam.",
    "The portal listens on port 8443.",
    "Backups of the portal run on 2026-03-02.",
    "The login code lives in src/auth/login.py and needs two reviewers.",
    "The kettle must not boil dry.",
    "Tom reviews every change unless Maja is away.",
    "Version 2.7.5 of the parser drops empty lines.",
    "Only Maja may open the net loft.",
)
WORDS = ("not", "never", "Ann", "7", "2026-05-01", "3.1.4", "/etc/hosts", "weekly", "if", "only", "https://example.org")

orders = st.permutations(SENTENCES)


@given(orders)
def test_sentences_that_stand_for_themselves_may_change_places(order: list[str]) -> None:
    assert find_objection("\n\n".join(SENTENCES), " ".join(order)) == ""


@given(orders, st.integers(0, len(SENTENCES) - 1))
def test_no_sentence_is_left_out(order: list[str], place: int) -> None:
    assert find_objection(" ".join(SENTENCES), " ".join(order[:place] + order[place + 1 :])) != ""


@given(st.integers(0, len(SENTENCES) - 1), st.sampled_from(WORDS), st.data())
def test_no_word_that_tells_something_comes_in(which: int, word: str, data: st.DataObject) -> None:
    told = SENTENCES[which].split()
    told.insert(data.draw(st.integers(1, len(told) - 1)), word)
    changed = " ".join((*SENTENCES[:which], " ".join(told), *SENTENCES[which + 1 :]))
    assert find_objection(" ".join(SENTENCES), changed) != ""


@given(st.integers(0, len(SENTENCES) - 1), st.data())
def test_no_word_that_tells_something_goes(which: int, data: st.DataObject) -> None:
    told = SENTENCES[which].rstrip(".").split()
    places = [place for place, word in enumerate(told) if word.casefold() not in ("the", "is", "a", "version")]
    del told[data.draw(st.sampled_from(places))]
    changed = " ".join((*SENTENCES[:which], f"{' '.join(told)}.", *SENTENCES[which + 1 :]))
    assert find_objection(" ".join(SENTENCES), changed) != ""


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5), st.lists(st.sampled_from(SENTENCES), max_size=5))
def test_merged_texts_that_equal_a_source_are_not_reworded(one: list[str], other: list[str]) -> None:
    text = unite_texts([" ".join(one), " ".join(other)])
    assert find_objection(text, text) == ""
    whole = find_objection(text, " ".join(dict.fromkeys((*one, *other))))
    assert whole == ""


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_are_compared(text: str, proposal: str) -> None:
    assert isinstance(find_objection(text, proposal), str)


TAKEN = [
    ("It rains a lot. The old roof leaks.", "The old roof leaks. It rains a lot.", False),
    ("The roof of tin leaks. It is old.", "The roof of tin leaks. It is old.", True),
    (
        "A roof of tin leaks. A loft of oak rots. It is old.",
        "A loft of oak rots. It is old. A roof of tin leaks.",
        True,
    ),
    (
        "A roof of tin leaks. A loft of oak rots. It is old.",
        "A loft of oak rots. A roof of tin leaks. It is old.",
        False,
    ),
    ("Use Redis here. Not there.", "Not there. Use Redis here.", False),
    # joined
    ("Sara drinks green tea. Sara keeps three cats.", "Sara drinks green tea and keeps three cats.", True),
    ("Sara drinks green tea. Tom keeps three cats.", "Sara drinks green tea and keeps three cats.", False),
    ("Sara drinks green tea. Tom keeps three cats.", "Sara drinks green tea, and Tom keeps three cats.", True),
    ("Sara drinks no tea. Sara keeps three cats.", "Sara drinks no tea and keeps three cats.", False),
    ("The pump must not run. The pump must leak.", "The pump must not run and leak.", False),
    ("The fan runs when it is hot. The pump runs daily.", "The fan runs when it is hot and the pump daily.", False),
    ("The fan runs if needed. The pump stops.", "The fan runs and the pump stops if needed.", False),
    # turned round, and only moved round
    ("Ann manages Bob directly.", "Bob manages Ann directly.", False),
    ("Tom gave Ann the map of Kiel.", "Ann gave Kiel the map of Tom.", False),
    ("In May the museum is closed.", "The museum is closed in May.", True),
    ("When it rains the roof leaks.", "The roof leaks when it rains.", False),  # "it" points to nothing, or to the roof
    # under headings
    ("## Test\n\nThe port is 80.\n\n## Live\n\nThe host is old.", "## Test\n\nThe port is 80. The host is old.", False),
    (
        "## Test\n\nThe port of tests is 8080.\n\n## Live\n\nThe port of guests is 9090.",
        "## Test\n\nThe port of guests is 9090.\n\n## Live\n\nThe port of tests is 8080.",
        False,
    ),
    ("The shop sells fresh bread.", "## Shop\n\nThe shop sells fresh bread.", False),
    # steps, rows, code
    ("1. Stop the old server.\n2. Copy all the data.", "1. Copy all the data.\n2. Stop the old server.", False),
    ("1. Stop the old server.\n2. Copy all the data.", "1. Stop the old server.\n2. Copy all the data.", True),
    ("1. Stop the old server.\n2. Copy all the data.", "Stop the old server and copy all the data.", False),
    ("```\nrm -r build\n```", "```\nrm -rf build\n```", False),
    ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 2 | 1 |", False),
    # what a reader sees and words do not tell
    ("The tea is green.", "The tea is **green**.", True),
    ("The tea is green.", "The tea is ~~green~~.", False),
    ("The <s>tea</s> is green. The pot is white.", "The <s>tea</s> is green. The <s>pot</s> is white.", False),
    ("The module calls __init__ twice.", "The module calls init twice.", False),
    ("The [[tea]] is green.", "The tea is green.", False),
    ("The tea is green.", "The tea is green. <!-- told to -->", False),
    ("The tea is green.", "The ![tea](http://example.org/a.png) is green.", False),
    ("The tea is green.", "The tea\u202e is green.", False),
    ("The tea is green.", "The tea is green?", False),
    ("May Polish the vase daily.", "May polish the vase daily.", False),
    ("The db is small. The database is small.", "The database is small.", True),
    ("", "Tea.", False),
    ("Tea is green.", "", False),
]


@pytest.mark.parametrize(("text", "proposal", "fits"), TAKEN)
def test_wordings_are_taken_only_if_they_say_the_same(text: str, proposal: str, fits: bool) -> None:
    assert (find_objection(text, proposal) == "") == fits
