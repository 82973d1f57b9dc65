"""Plain lines are understood without typer, and exactly as typer understands them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.cli.argv import CommandCall, read_plain_call
from memvault.cli.commands import COMMANDS
from memvault.cli.parsing.parser import parse_argv
from memvault.errors import MemvaultError

WORDS = st.lists(st.text(alphabet="abcé日 '\"=.:/0", min_size=1, max_size=6), max_size=3)
COMMON = st.lists(st.sampled_from([["--json"], ["--no-color"], ["--vault", "v"]]), max_size=2)


@given(st.sampled_from(sorted(COMMANDS)), WORDS, COMMON, COMMON)
def test_what_is_understood_without_the_parser_is_what_the_parser_understands(
    name: str, words: list[str], before: list[list[str]], after: list[list[str]]
) -> None:
    argv = [
        *(word for option in before for word in option),
        name,
        *words,
        *(word for option in after for word in option),
    ]
    found = read_plain_call(argv)
    if found is not None:
        assert found == parse_argv(argv)


OPTIONS = st.sampled_from(
    "--limit -n --budget --kind --tag --person --since --tier --min-similarity --text --brief --json --vault --nowhere".split()
)
VALUES = st.sampled_from(["0", "5", "007", "1_0", "٣", "0.5", ".", "1e1", "-1", "a,b", "--json", "x=y", ""])


@given(st.sampled_from(["recall", "list", "show"]), st.lists(st.one_of(OPTIONS, VALUES, st.just("tea")), max_size=7))
def test_options_mean_what_they_mean_to_the_parser(name: str, words: list[str]) -> None:
    found = read_plain_call([name, *words])
    if found is not None:
        assert found == parse_argv([name, *words])


@pytest.mark.parametrize(
    "line",
    [
        "recall who reviews the portal",
        "--vault v recall tea",
        "show 5f0c",
        "remember Sara likes tea",
        "pin x --json",
        "recall tea --limit 5",
        "recall tea -n 5 --tag x --tag y --text",
        "recall tea --min-similarity 0.5 --since 3m",
    ],
)
def test_the_lines_people_type_are_plain(line: str) -> None:
    assert isinstance(read_plain_call(line.split()), CommandCall)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "recall",
        "recall tea --tag=x",
        "recall tea --tag --json x",
        "recall tea --limit many",
        "recall tea --limit 5 --limit 6",
        "recall tea --min-similarity 2",
        "recall tea --odd x",
        "recall tea --limit",
        "recall --tag x",
        "recall -- --odd",
        "recall -h",
        "list",
        "show a b",
        "nonsense x",
        "recall x --vault",
    ],
)
def test_every_other_line_is_for_the_parser(line: str) -> None:
    assert read_plain_call(line.split()) is None


@pytest.mark.parametrize("line", ["recall x --min-similarity 2", "recall x --limit -1"])
def test_a_bad_value_is_told_in_a_sentence(line: str) -> None:
    with pytest.raises(MemvaultError, match=r"it (must|cannot)"):
        parse_argv(line.split())
