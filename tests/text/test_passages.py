"""Passages and sentences: where a body may be cut, and where never."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.markdown import Passage, find_sentences, split_passages

SENTENCE = "Nine short words make one sentence that is here. "
LINES = st.sampled_from(
    [
        "",
        " ",
        "# One",
        "## Two",
        "text",
        "Title",
        "===",
        "---",
        "- item",
        "  - inner",
        "1. first",
        "| a | b |",
        "```py",
        "```",
        "~~~~",
        "> quote",
        SENTENCE * 3,
        "word " * 90,
        "東京。" * 30,
        "長い" * 120,
        "x" * 700,
        "a, b; " * 60,
        "…",
        "\r",
    ]
)
BODIES = st.one_of(st.lists(LINES, max_size=30).map("\n".join), st.text(max_size=300))


def cut(body: str) -> list[str]:
    return [body[passage.start : passage.end] for passage in split_passages(body)]


def words(text: str) -> int:
    return len(text.split())


# -- where passages begin and end


def test_a_short_body_is_one_passage() -> None:
    body = "\n\nA note.\n\n- with\n- a list\n\n```\ncode\n```\n"

    assert split_passages(body) == (Passage(2, len(body) - 1, ""),)


@pytest.mark.parametrize("body", ["", "  \n\t\n", "\u3000\r\n"])
def test_a_blank_body_has_none(body: str) -> None:
    assert split_passages(body) == ()


def test_a_short_body_has_the_headings_that_all_of_it_is_under() -> None:
    assert split_passages("# A\n## B\none\n## C\ntwo\n")[0].heading == "A"
    assert split_passages("# A\n## B\none\n")[0].heading == "A > B"
    assert split_passages("before\n# A\none\n")[0].heading == ""


def test_long_prose_is_cut_between_sentences() -> None:
    passages = cut(SENTENCE * 40)

    assert len(passages) > 3
    for passage in passages:
        assert passage.startswith("Nine short")
        assert passage.endswith("is here.")
        assert 40 <= words(passage) <= 80


def test_paragraphs_of_good_length_are_passages() -> None:
    paragraphs = [SENTENCE.strip().replace("Nine", str(number)) + " " + SENTENCE * 5 for number in range(4)]

    assert cut("\n\n".join(paragraphs)) == [paragraph.strip() for paragraph in paragraphs]


def test_a_short_rest_joins_the_passage_before_it() -> None:
    assert [words(passage) for passage in cut(SENTENCE * 18)] == [72, 90]


def test_headings_start_passages_and_are_their_context() -> None:
    long = SENTENCE * 6
    body = f"{long}\n# Setup\n## Linux\n{long}\n\n{long}\n## Mac ##\n{long}\n\nHistory\n=======\n{long}"

    found = [(passage.heading, body[passage.start : passage.end].split("\n")[0]) for passage in split_passages(body)]

    assert found == [
        ("", long.strip()),
        ("Setup > Linux", "# Setup"),
        ("Setup > Linux", long.strip()),
        ("Setup > Mac", "## Mac ##"),
        ("History", "History"),
    ]


def test_a_heading_in_code_is_no_heading() -> None:
    body = f"# Real\n{SENTENCE * 6}\n```sh\n# not a heading\n{SENTENCE * 6}\n```\n#tag is no heading\n"

    assert {passage.heading for passage in split_passages(body)} == {"Real"}


@pytest.mark.parametrize(
    "block",
    [
        "- item one\n- item two that\n  goes on\n- item three",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```py\nx = 1\n\ny = 2\n```",
        "~~~\n```\nstill inside\n~~~",
    ],
)
def test_lists_tables_and_code_are_not_torn(block: str) -> None:
    items = block.split("\n- ") if block.startswith("-") else [block]
    for filler in range(1, 12):
        passages = cut(f"{SENTENCE * filler}\n\n{block}\n\n{SENTENCE * 12}")

        assert all(any(item in passage for passage in passages) for item in items)


def test_a_long_table_is_cut_between_rows() -> None:
    rows = [f"| row {number} | {'value ' * 8}|" for number in range(40)]

    assert [row for passage in cut("\n".join(rows)) for row in passage.split("\n")] == rows


def test_a_long_sentence_is_cut_after_a_clause() -> None:
    passages = cut("so we went on and on and then further, " * 20)

    assert len(passages) > 1
    assert all(passage.endswith("further,") for passage in passages)


def test_cjk_passages_are_measured_in_characters() -> None:
    passages = cut("これは長い日記です。" * 60 + "\n" + "読点で、" * 100)

    assert all(80 <= len(passage) <= 200 for passage in passages)
    assert all(passage[-1] in "。、" for passage in passages)


def test_text_without_any_space_is_cut_anyway() -> None:
    assert max(len(passage) for passage in cut("x" * 50_000)) <= 2_000


@given(BODIES)
def test_passages_hold_all_text_once_and_in_order(body: str) -> None:
    at = 0
    for passage in split_passages(body):
        assert at <= passage.start < passage.end
        assert not body[at : passage.start].strip()
        assert not body[passage.start].isspace()
        assert not body[passage.end - 1].isspace()
        at = passage.end
    assert not body[at:].strip()


@given(BODIES)
def test_no_passage_is_much_too_long(body: str) -> None:
    assert all(words(passage) <= 110 for passage in cut(body))


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "word ", ".", ". ", ". A", "\n", " ", "# a\n", "#", "- a\n", "| a\n", "`", "```\n", "a\n=\n", "、"),
        *(".)", "\n  "),
    ],
)
@pytest.mark.points(quick=4)
def test_hostile_bodies_take_time_in_proportion(unit: str) -> None:
    def seconds(size: int) -> float:
        body = unit * (size // len(unit))
        start = time.process_time()
        split_passages(body)
        return time.process_time() - start

    assert min(seconds(40_000) for _ in range(2)) < 24 * max(seconds(5_000), 0.005)


# -- sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Smith met J. R. Hill, e.g. at no. 5 (cf. fig. 3). So do I. Yes.", None),
        ("It costs 3.50 at example.org. Really.", ["It costs 3.50 at example.org.", "Really."]),
        ('Wait... what? "Go!" she said. (Fine.) End', None),
        ("Yahoo! is a name. approx. five", ["Yahoo! is a name. approx. five"]),
        ("天気は晴れです。そうですか？「はい。」行こう", ["天気は晴れです。", "そうですか？", "「はい。」", "行こう"]),
        ("A line\nthat goes on\n\nNext", ["A line\nthat goes on", "Next"]),
        (
            "# Head\nText.\n- one. Two\n- three\n| a |\n| b |",
            ["# Head", "Text.", "- one.", "Two", "- three", "| a |", "| b |"],
        ),
        ("1. First thing\n2. Second", ["1. First thing", "2. Second"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_stops(text: str, expected: list[str] | None) -> None:
    special = {
        "Dr": ["Dr. Smith met J. R. Hill, e.g. at no. 5 (cf. fig. 3).", "So do I.", "Yes."],
        "Wa": ["Wait... what?", '"Go!" she said.', "(Fine.)", "End"],
    }
    assert [text[start:end] for start, end in find_sentences(text)] == (expected or special.get(text[:2], []))


@given(BODIES)
def test_sentences_hold_all_text_once_and_in_order(body: str) -> None:
    at = 0
    for start, end in find_sentences(body):
        assert at <= start < end
        assert not body[at:start].strip()
        at = end
    assert not body[at:].strip()
