"""On notes of every style: a change touches its own key's lines, or is refused and touches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from memvault.storage.frontmatter import ParsedNote, PlainScalar, Refusal, RemovedKey, Setting, compose, parse, patch
from memvault.storage.frontmatter.outline import read_outline
from memvault.storage.frontmatter.scalars import read_plain_fields
from tests.stress.frontmatter import CORPUS, KEYS, PIECES, SETTINGS, TEXTS, fault, note, run, seeds, verdict

NOTES = sorted(CORPUS.glob("*.md"))
CHANGES: tuple[Mapping[str, Setting | RemovedKey], ...] = (
    *({"title": "A new title: with a colon"}, {"weight": PlainScalar("0.7")}, {"weight": RemovedKey()}),
    *({"tags": ["a", "brand new"]}, {"tags": []}, {"refs.session": "s-1"}, {"brand_new": "x"}),
)

# Where not even a new key may be written; every other note takes one.
UNTOUCHABLE = {
    *("bad-indent", "braces", "conflict-markers", "cr-cr-lf", "list-between-fences", "lone-cr", "prose-between-fences"),
    *("stray-line", "tab-indent", "templater-multiline", "toml", "unclosed-bracket", "unclosed-quote", "unterminated"),
}


def name(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", NOTES, ids=name)
def test_one_change_touches_only_its_key(path: Path) -> None:
    raw = path.read_bytes()

    for change in CHANGES:
        for key, setting in change.items():
            assert verdict(raw, key, setting) in ("same", "changed", "refused"), (key, setting)


@pytest.mark.parametrize("path", NOTES, ids=name)
def test_every_key_can_be_set_to_what_it_holds_without_a_byte_changed(path: Path) -> None:
    raw = path.read_bytes()

    for key, value in parse(raw).fields.items():
        if isinstance(value, str):
            assert patch(raw, {key: value}) is raw


@pytest.mark.parametrize("path", NOTES, ids=name)
def test_each_key_is_changed_alone_and_back_again(path: Path) -> None:
    raw = path.read_bytes()
    for key, value in parse(raw).fields.items():
        if not isinstance(value, str) or "." in key:
            continue
        try:
            new = patch(raw, {key: "changed"})
        except Refusal:
            continue
        assert fault(raw, new, key) == ""
        assert parse(patch(new, {key: value})).fields == parse(raw).fields


@pytest.mark.parametrize("path", NOTES, ids=name)
def test_a_new_key_comes_and_goes_without_a_trace(path: Path) -> None:
    raw = path.read_bytes()
    try:
        new = patch(raw, {"brand_new": "x"})
    except Refusal:
        assert path.stem in UNTOUCHABLE
        assert not parse(raw).editable
        return

    assert path.stem not in UNTOUCHABLE
    if parse(raw).has_fence:
        assert patch(new, {"brand_new": RemovedKey()}) == raw
    else:
        assert new.endswith(parse(raw).body)


# -- the laws: reading never fails, and a patch changes what was asked for or nothing

FRONTMATTERS = st.builds(
    lambda lines, eol: f"---\n{''.join(lines)}---\nbody\n".replace("\n", eol).encode(),
    st.lists(st.sampled_from(PIECES) | st.text(alphabet="ab:-#'\"[]{}|&* \n\t", max_size=12), max_size=7),
    st.sampled_from(["\n", "\r\n"]),
)


@given(st.binary(max_size=200) | st.binary(max_size=80).map(lambda noise: b"---\n" + noise + b"\n---\n"))
@example(b"---\n\xef\xbb\xbfa: b\n---\n")
@example(b"---\n\x00\n---\n")
def test_any_bytes_are_read(raw: bytes) -> None:
    block = parse(raw)

    assert raw.endswith(block.body)
    assert block.raw is raw
    assert block.editable or block.problem is not None or block.has_fence


@given(
    st.dictionaries(st.sampled_from(["a", "b", "tags", "12"]), st.sampled_from(TEXTS), min_size=1),
    st.sampled_from(TEXTS),
)
def test_what_is_patched_in_reads_back(fields: dict[str, Setting], text: str) -> None:
    key = next(iter(fields))

    new = patch(compose(fields, "body"), {key: text, "new": [text, "x"], "w": PlainScalar("0.5")})

    assert dict(parse(new).fields) == {**fields, key: text, "new": [text, "x"], "w": "0.5"}


@given(FRONTMATTERS, st.sampled_from(KEYS), st.sampled_from(SETTINGS))
def test_a_change_made_twice_is_made_once(raw: bytes, key: str, setting: Setting) -> None:
    try:
        once = patch(raw, {key: setting})
    except Refusal:
        return

    assert patch(once, {key: setting}) == once


def test_a_short_run_of_the_long_one() -> None:
    counts, faults = run(inputs=300, seed=0)

    assert faults == []
    assert counts["changed"] > 50


# -- with libyaml or without it, by the fast path or by YAML: every reader sees the same note

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
