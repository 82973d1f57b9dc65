"""A new note says to every reader exactly what it was given."""

from __future__ import annotations

import frontmatter as python_frontmatter
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memvault.storage.frontmatter import PlainScalar, Refusal, Setting, compose, parse

KEYS = st.text(min_size=1, max_size=12).filter(lambda key: "." not in key)
AWKWARD = st.sampled_from(
    [
        *("", " ", "no", "Yes", "y", "on", "true", "null", "~", "1", "-1", "1e3", "0x1F", "0o17", "0b1", "1_000"),
        *(".5", "1.", "."),
        *(".inf", "-.INF", ".nan", "12:30", "190:20:30", "2026-01-29", "2026-01-29T03:00:00Z", "2026-1-2 3:04:05"),
        *("=", "<<"),
        *("- a", "-", "---", "...", "? q", ": x", "a: b", "a:", "a:b", "a #b", "#a", "a#b", "[a]", "{a}", "[[x]]"),
        *("{{t}}", "&a"),
        *("*a", "!a", "|", ">", "%a", "@a", "`a`", "'a'", '"a"', "it's", 'say "hi"', "a\\b", "a, b", "a]", "a}"),
        *(" a", "a "),
        *("two\nlines", "a\r\nb", "a\tb", "\x00", "\x7f", "\x85", "\u2028", "\ufeffa", "\ufffe", "é", "🚀", "👩‍👩‍👧"),
        *("日本語", "e6", "+"),
    ]
)
TEXTS = AWKWARD | st.text(max_size=20)
SETTINGS: st.SearchStrategy[Setting] = TEXTS | st.lists(TEXTS, max_size=4) | st.dictionaries(KEYS, TEXTS, max_size=3)


@given(st.dictionaries(KEYS | AWKWARD.filter(lambda key: "." not in key), SETTINGS, max_size=4), st.text(max_size=40))
def test_what_is_composed_reads_back_as_it_was(fields: dict[str, Setting], body: str) -> None:
    raw = compose(fields, body)

    block = parse(raw)
    assert list(block.fields.items()) == list(fields.items())
    assert block.problem is None
    assert block.body.decode() == (body if body.endswith("\n") or not body else f"{body}\n")


@given(st.dictionaries(KEYS, SETTINGS, max_size=4))
@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
def test_pyyaml_finds_the_same_strings(loader: type[yaml.SafeLoader], fields: dict[str, Setting]) -> None:
    block = parse(compose(fields, "body"))

    assert (yaml.load(block.raw[block.start : block.end].decode(), Loader=loader) or {}) == fields


@given(st.dictionaries(KEYS, SETTINGS, min_size=1, max_size=4))
def test_python_frontmatter_finds_the_same_strings(fields: dict[str, Setting]) -> None:
    post = python_frontmatter.loads(compose(fields, "body").decode())

    assert post.metadata == fields
    assert post.content == "body"


def test_a_whole_note() -> None:
    fields: dict[str, Setting] = {
        "id": "5f0c1c52",
        "title": "Fix: the parser",
        "created": PlainScalar("2026-01-29T03:00:00Z"),
        "weight": PlainScalar("0.8"),
        "pinned": PlainScalar("false"),
        "answer": "no",
        "mood": "🚀 up",
        "tags": ["validation", "a, b", "[[Note]]", "#x"],
        "triggers": [],
        "refs.session": "2f1e",
        "refs.artifacts": ["a.pdf"],
        "steps": [
            "first do this which takes a good while",
            "then do that with all the care that it needs and a little more besides",
        ],
    }

    assert compose(fields, "Text.\n\nMore.").decode() == (
        "---\n"
        "id: 5f0c1c52\n"
        'title: "Fix: the parser"\n'
        "created: 2026-01-29T03:00:00Z\n"
        "weight: 0.8\n"
        "pinned: false\n"
        'answer: "no"\n'
        "mood: 🚀 up\n"
        'tags: [validation, "a, b", "[[Note]]", "#x"]\n'
        "triggers: []\n"
        "refs:\n"
        "  session: 2f1e\n"
        "  artifacts: [a.pdf]\n"
        "steps:\n"
        "  - first do this which takes a good while\n"
        "  - then do that with all the care that it needs and a little more besides\n"
        "---\n"
        "Text.\n"
        "\n"
        "More.\n"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        *[
            (text, text)
            for text in (
                "a",
                "a b",
                "a:b",
                "a#b",
                "it's",
                "C:\\x",
                "é",
                "🚀",
                "x, y",
                "a [b]",
                "1st",
                "nope",
                "2026-01-29 meeting",
            )
        ],
        *[
            (text, f'"{text}"')
            for text in ("no", "1e3", "12:30", "2026-01-29", "null", "~", " a", "a ", "a: b", "a #b", "[[x]]")
        ],
        *[
            (text, f'"{text}"')
            for text in ("[a", "{a", "*a", "&a", "!a", "|a", ">a", "%a", "@a", "- a", "`a", "? a", "0x1f", "yes", "")
        ],
        ('say "hi"', 'say "hi"'),
        ('"hi"', "'\"hi\"'"),
        ("a\\b: c", "'a\\b: c'"),
        ("two\nlines", '"two\\nlines"'),
        ("a\u2028\ufeff\x00", '"a\\u2028\\uFEFF\\x00"'),
    ],
)
def test_text_is_quoted_only_where_a_reader_would_see_something_else(text: str, written: str) -> None:
    assert compose({"k": text}, "").decode() == f"---\nk: {written}\n---\n"


@pytest.mark.parametrize("text", ["a: b", "x #y", "", "two\nlines", "[a", "null"])
def test_a_plain_value_that_could_not_stand_is_quoted(text: str) -> None:
    assert parse(compose({"k": PlainScalar(text)}, "")).fields == {"k": text}


def test_half_a_surrogate_pair_does_not_stop_a_note() -> None:
    assert parse(compose({"t": "a\ud83d"}, "b\ude80")).body == "b\ufffd\n".encode()


@pytest.mark.parametrize("fields", [{"t": "x" * 70_000}, {"k" * 500: "v"}])
def test_what_would_not_read_back_is_refused(fields: dict[str, Setting]) -> None:
    with pytest.raises(Refusal):
        compose(fields, "")
