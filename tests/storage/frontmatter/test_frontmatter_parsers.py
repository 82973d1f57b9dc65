"""With libyaml or without it, by the fast path or by YAML: every reader sees the same note."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memvault.storage.frontmatter import ParsedNote, parse
from memvault.storage.frontmatter.fast_read import read_plain_fields
from memvault.storage.frontmatter.outline import read_outline
from tests.stress.frontmatter import CORPUS, PIECES, note, seeds

NOTES = sorted(CORPUS.glob("*.md"))
LINES = st.sampled_from(
    [
        *PIECES,
        *("k: v\n", "k: \n", "k:\n", "  - a\n", "- a\n", "  k: v\n", "k: [a, b ]  # c\n", "k: ['a', \"b\"]\n"),
        "k: '\n",
        *("k: -1\n", "k: a: b\n", "k: a:b#c\n", "k: a #b\n", "k: ~\n", "k: [null]\n", "k: []\n", "# c\n", "\n"),
        "j: x\n",
        *("k : v\n", "k: -\n", "k: - a\n", "k: ''''\n", 'k: "\\""\n', "k:  v  \n", "k: é\n", "k: \u00a0\n"),
        "k: a\u2028\n",
    ]
)


def without_libyaml(raw: bytes) -> ParsedNote:
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(yaml, "CBaseLoader")
        return parse(raw)


@pytest.mark.skipif(not hasattr(yaml, "CBaseLoader"), reason="libyaml is not installed")
@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_both_parsers_read_the_same(path: Path) -> None:
    raw = path.read_bytes()

    assert parse(raw) == without_libyaml(raw)


@pytest.mark.skipif(not hasattr(yaml, "CBaseLoader"), reason="libyaml is not installed")
@given(st.integers(0, 2**32))
def test_both_parsers_read_the_same_of_mutated_notes(seed: int) -> None:
    raw = note(Random(seed), seeds())

    assert parse(raw) == without_libyaml(raw)


@given(st.lists(LINES, max_size=6).map("".join))
def test_where_the_fast_path_answers_it_answers_as_yaml_does(text: str) -> None:
    quick = read_plain_fields(text)

    if quick is not None:
        read = read_outline(text)
        assert list(read.fields.items()) == list(quick.items())
        assert read.trouble is None


@pytest.mark.parametrize(
    "name",
    [
        *("memory-as-written", "obsidian-properties", "obsidian-dedented-list", "comments-everywhere"),
        *("double-quoted", "crlf-bom"),
    ],
)
def test_ordinary_notes_take_the_fast_path(name: str) -> None:
    block = parse((CORPUS / f"{name}.md").read_bytes())

    assert read_plain_fields(block.raw[block.start : block.end].decode()) == block.fields
