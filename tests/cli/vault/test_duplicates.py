"""Going through likely duplicates at a terminal: what the person types is what is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Line, Ran
from tests.conftest import Clock

PAIRS = {
    "Sara's dentist": "Sara's dentist is Dr. Moss on Quay Street, phone 555-0101. She goes twice a year.",
    "Dr. Moss": "Sara's dentist is Dr. Moss on Quay Street. She goes twice a year and likes him.",
    "The boat house": "The boat house key hangs behind the green door in the hall. Ask Noor before you take it.",
    "Key": "The boat house key hangs behind the green door. Ask Noor before you take it, she keeps the list.",
}

Reviewer = Callable[..., Ran]


@pytest.fixture
def review(line: Line, clock: Clock) -> Reviewer:
    """Runs `memvault duplicates --review` at a terminal where somebody types these keys."""
    line("init", ".")
    for title, text in PAIRS.items():
        line("remember", text, "--title", title, "--kind", "semantic")
        clock.pass_(days=1)

    return lambda keys, *words: line("duplicates", "--review", *words, typed=keys)


def waiting(line: Line) -> int:
    found: int = line("duplicates", "--json").json["result"]["total"]
    return found


def archived() -> list[str]:
    return sorted(path.name[11:] for path in Path("3-raw/archived").glob("*.md"))


def test_each_pair_is_shown_with_what_it_would_become(review: Reviewer, line: Line) -> None:
    ran = review("q\n")
    assert ran.code == 0
    assert "Merged they would say:" in ran.out
    assert ran.out.count("555-0101") + ran.out.count("boat house key") >= 2
    assert "1 of 2: [m]erge, [k]eep both, [s]kip or [q]uit?" in ran.err
    assert waiting(line) == 2


def test_merge_and_keep_settle_a_pair_and_the_rest_waits(review: Reviewer, line: Line) -> None:
    ran = review("m\nk\n")
    assert "Merged 1, kept 1 pair apart, left 0 for another time." in ran.err
    assert len(archived()) == 2
    assert waiting(line) == 0
    assert "Nothing is said twice here." in review("").err


def test_skipping_changes_nothing_and_so_does_a_closed_terminal(review: Reviewer, line: Line) -> None:
    for keys in ("s\n\n", "", "q\n"):
        assert "left 2 for another time" in review(keys).err
    assert archived() == []
    assert waiting(line) == 2


def test_an_answer_that_is_none_is_asked_for_again(review: Reviewer) -> None:
    ran = review("yes please\nMERGE\nq\n")
    assert ran.err.count("1 of 2: ") == 2
    assert len(archived()) == 2


def test_undo_takes_back_what_was_decided_last(review: Reviewer, line: Line) -> None:
    review("s\nm\n")
    line("undo")
    assert archived() == []
    assert waiting(line) == 2


def test_a_dry_run_does_none_of_it(review: Reviewer, line: Line) -> None:
    assert "This was a dry run" in review("m\nk\n", "--dry-run").err
    assert archived() == []
    assert waiting(line) == 2


def test_what_became_of_a_memory_takes_its_place_in_later_pairs(line: Line, review: Reviewer) -> None:
    line("remember", f"{PAIRS['Dr. Moss']} His practice has a lift.", "--title", "The lift", "--kind", "semantic")
    pairs = waiting(line)
    assert pairs >= 3
    ran = review("m\n" * pairs)
    assert ran.code == 0
    assert line("vault", "list", "--tier", "2", "--json").json["result"]["total"] == 2


def test_elsewhere_than_at_a_terminal_it_says_how(line: Line, review: Reviewer) -> None:
    for words in (("duplicates", "--review"), ("duplicates", "--review", "--json")):
        ran = line(*words, stdin=b"m\n")
        assert ran.code == 2
        assert "--merge A B" in ran.out + ran.err
