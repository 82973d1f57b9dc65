"""Texts united without losing anything they say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.similarity.merge_memories import text_keys, unite_texts
from memvault.text.sentence.outline import plain_text, read_pieces

PORTAL = """# Portal

Portal validation needs two reviewers. Sara owns it.

## Setup

Run `make all`.

- one
- two

| port | open |
|---|---|
| 80 | yes |

## Tests

They run in CI.
"""


def said(text: str) -> set[str]:
    return {plain_text(piece.text) for piece in read_pieces(text)}


def test_additions_are_noted_below_the_fullest_text() -> None:
    assert unite_texts(["Sara likes tea. She lives in Oslo.", "Sara likes tea. Her dog is called Miso."]) == (
        "Sara likes tea. She lives in Oslo.\n\n## Also noted\n\n- Her dog is called Miso.\n"
    )


def test_the_fullest_text_stays_as_it_is_down_to_its_spaces() -> None:
    base = "  One thing.   Another  thing, said\ttwice.  \n\n\n* an item\n"
    assert unite_texts(["One thing.", base]) == base
    assert unite_texts([base, "A third thing is new."]).startswith(base)


def test_first_of_equal_texts_is_the_base() -> None:
    assert unite_texts(["One thing is so!", "One thing is so."]) == "One thing is so!"


def test_an_addition_goes_under_its_own_heading() -> None:
    other = "# Portal\n\nAsk Noor before a release.\n\n## Setup\n\nThen wait for the mail.\n\n- three\n"
    lines = unite_texts([PORTAL, other]).split("\n")
    assert lines.index("Ask Noor before a release.") < lines.index("## Setup")
    assert lines.index("## Setup") < lines.index("Then wait for the mail.") < lines.index("## Tests")
    assert lines.index("## Setup") < lines.index("- three") < lines.index("## Tests")
    assert "## Also noted" not in lines


def test_a_row_goes_into_its_table_and_a_new_table_comes_whole() -> None:
    other = "## Setup\n\n| port | open |\n|---|---|\n| 81 | no |\n\n| host | who |\n|---|---|\n| a | Sara |\n"
    result = unite_texts([PORTAL, other])
    assert "| 80 | yes |\n| 81 | no |\n" in result
    assert "| host | who |\n|---|---|\n| a | Sara |" in result


def test_a_heading_that_is_new_keeps_its_sentences_together() -> None:
    assert unite_texts([PORTAL, "## Deploy\n\nUse the train. Tell the team in good time."]).endswith(
        "\n\n## Also noted\n\n### Deploy\n\n- Use the train.\n- Tell the team in good time.\n"
    )


def test_code_is_kept_as_it_stands() -> None:
    code = "```python\ndef f():\n    return 1\n```"
    assert code in unite_texts([PORTAL, f"Run this:\n\n{code}"])
    assert unite_texts([f"{PORTAL}\n{code}\n", code]) == f"{PORTAL}\n{code}\n"


def test_code_that_is_not_closed_does_not_swallow_what_is_added() -> None:
    result = unite_texts(["One. Two. Three.\n\n```\nmake all", "Something else is said here."])
    assert "something else is said here" in said(result)
    assert "make all\n```\n" in result


def test_nested_items_keep_what_they_are_nested_in() -> None:
    result = unite_texts(["- Servers\n  - alpha\n  - beta\n- Clients\n  - x\n", "- Servers\n  - gamma\n"])
    assert text_keys("- Servers\n  - gamma\n") <= text_keys(result)
    assert "- Servers\n    - gamma" in result


def test_the_same_short_words_under_another_heading_are_something_else() -> None:
    result = unite_texts(["## Dev\n\nPort 80.\n\n## Prod\n\nPort 81.\n", "## Prod\n\nPort 80.\n"])
    assert result.index("Port 80.", result.index("## Prod")) > 0


def test_links_that_differ_are_both_kept() -> None:
    result = unite_texts(["See [the page](https://x.example/a).", "See [the page](https://x.example/b)."])
    assert "https://x.example/a" in result
    assert "https://x.example/b" in result


def test_a_ticked_box_is_not_an_open_one() -> None:
    result = unite_texts(["- [ ] call Ilse", "- [x] call Ilse"])
    assert "- [ ] call Ilse" in result
    assert "- [x] call Ilse" in result


def test_a_second_merge_adds_to_the_same_section() -> None:
    once = unite_texts(["Alpha is the first of them all. Beta is the second one.", "Gamma came third in the race."])
    twice = unite_texts([once, "Delta came fourth in the race.", "## Notes\n\nEpsilon came last of all."])
    assert twice.count("## Also noted") == 1
    assert twice.endswith(
        "- Gamma came third in the race.\n- Delta came fourth in the race.\n\n### Notes\n\n- Epsilon came last of all.\n"
    )


def test_other_scripts_lose_nothing() -> None:
    result = unite_texts(
        ["用户喜欢简短的回答。", "用户喜欢简短的回答。他住在上海市中心附近。", "Ответ сначала, причины потом."]
    )
    assert said(result) >= {"用户喜欢简短的回答", "他住在上海市中心附近", "ответ сначала, причины потом"}


# -- laws

words = st.sampled_from(
    "alpha beta gamma It She 80 two Server Port は 猫が好き never [[note]] `code` https://x.y/Z **bold**".split()
)
phrases = st.lists(words, min_size=1, max_size=7).map(" ".join)
sentences = st.tuples(phrases, st.sampled_from([".", "!", "?", ":", ""])).map("".join)
paragraphs = st.lists(sentences, min_size=1, max_size=3).map(" ".join)
bullets = st.sampled_from(["- ", "* ", "1. ", "2) ", "  - ", "    - ", "- [ ] ", "- [x] "])
lists = st.lists(st.tuples(bullets, paragraphs).map("".join), min_size=1, max_size=4).map("\n".join)
rows = st.tuples(phrases, phrases).map(lambda cells: f"| {cells[0]} | {cells[1]} |")
tables = st.tuples(st.sampled_from(["| a | b |", "| x | y |"]), st.lists(rows, max_size=3)).map(
    lambda table: "\n".join([table[0], "|---|---|", *table[1]])
)
code = st.lists(phrases, min_size=1, max_size=3).map(lambda lines: "\n".join(["```py", *lines, "```"]))
headings = st.tuples(
    st.sampled_from(["# ", "## ", "### "]), st.sampled_from(["Setup", "Notes", "Also noted", "Portal"])
).map("".join)
parts = st.one_of(
    paragraphs, lists, tables, code, headings, paragraphs.map("> {}".format), st.just("---"), st.just("```\nopen")
)
documents = st.lists(parts, max_size=7).map("\n\n".join)
wild = st.text(alphabet="ab. \n-#>|`*1:[]()~xäは。!?\t", max_size=60)


@given(st.lists(st.one_of(documents, wild), min_size=1, max_size=3))
def test_everything_that_was_said_stands_in_the_union(texts: list[str]) -> None:
    result = said(unite_texts(texts))
    for text in texts:
        assert said(text) <= result


@given(st.lists(st.one_of(documents, wild), min_size=1, max_size=3))
def test_a_text_that_went_in_adds_nothing_again(texts: list[str]) -> None:
    result = unite_texts(texts)
    for text in texts:
        assert unite_texts([result, text]) == result


@given(st.lists(documents, min_size=2, max_size=3))
def test_every_line_of_the_base_stands_in_its_order(texts: list[str]) -> None:
    base = max(texts, key=lambda text: len(text_keys(text)))
    lines = iter(unite_texts(texts).split("\n"))
    assert all(line in lines for line in base.split("\n") if line.strip())


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_endings_are_no_difference(ending: str) -> None:
    base = re.sub("\n", ending, PORTAL)
    assert unite_texts([base, PORTAL]) == base
