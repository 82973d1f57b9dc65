"""Reading is generous: whatever a note looks like, its keys are found as plain text and its body is kept."""

from __future__ import annotations

import pytest

from memvault.storage.frontmatter import FrontmatterProblem, Value, parse


def fields(text: str) -> dict[str, Value]:
    return dict(parse(f"---\n{text}---\nbody\n".encode()).fields)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title: A plain title\n", {"title": "A plain title"}),
        (
            "a: no\nb: 12:30\nc: 1e3\nd: 2026-02-30\ne: 0777\n",
            {"a": "no", "b": "12:30", "c": "1e3", "d": "2026-02-30", "e": "0777"},
        ),
        ("a: 1.10\nb: NO\nc: true\nd: .5\n", {"a": "1.10", "b": "NO", "c": "true", "d": ".5"}),
        ("a:\nb: ~\nc: null\nd: ''\ne: \"\"\n", {"a": None, "b": None, "c": None, "d": "", "e": ""}),
        ("a: 'null'\nb: \"~\"\n", {"a": "null", "b": "~"}),
        ("tags: [a, b c, 'd, e', \"f\"]\n", {"tags": ["a", "b c", "d, e", "f"]}),
        ("tags: []\nmore: [ ]\n", {"tags": [], "more": []}),
        ("tags:\n  - a\n  - 'b'\n", {"tags": ["a", "b"]}),
        ("tags:\n- a\n- b # c\n", {"tags": ["a", "b"]}),
        ("refs:\n  session: s\n  deep: d\n", {"refs": {"session": "s", "deep": "d"}}),
        ("refs: {session: s, list: [a, b]}\n", {"refs": {"session": "s", "list": ["a", "b"]}}),
        ("a:\n  b:\n    - c: d\n", {"a": {"b": [{"c": "d"}]}}),
        ("a: |\n  two\n  lines\nb: >-\n  folded\n  text\n", {"a": "two\nlines\n", "b": "folded text"}),
        ('a: "q: \\"x\\" \\u00e9\\n"\n', {"a": 'q: "x" é\n'}),
        ('a: "\\ud83d\\ude80"\n', {"a": "🚀"}),
        ("a: x  # comment\nb: x#y\nc: https://e.org/#z\n", {"a": "x", "b": "x#y", "c": "https://e.org/#z"}),
        ('2026: x\nno: y\n"q: k": z\nschlüssel: ü\n', {"2026": "x", "no": "y", "q: k": "z", "schlüssel": "ü"}),
        ("link: [[Note]]\n", {"link": [["Note"]]}),
        ("a: &x [1, 2]\nb: *x\n", {"a": ["1", "2"], "b": ["1", "2"]}),
        ("a: !!int 3\nb: !mine x\n", {"a": "3", "b": "x"}),
        ("<<: {a: b}\nc: d\n", {"<<": {"a": "b"}, "c": "d"}),
        ("? [a, b]\n: c\n", {"[a, b]": "c"}),
        ("# only a comment\n\n", {}),
        ("", {}),
    ],
)
def test_values_are_read_as_the_text_they_are(text: str, expected: dict[str, Value]) -> None:
    block = parse(f"---\n{text}---\nbody\n".encode())

    assert list(block.fields.items()) == list(expected.items())
    assert block.problem is None
    assert block.has_fence
    assert block.body == b"body\n"


@pytest.mark.parametrize(
    ("text", "expected", "line"),
    [
        ("title: Fix: x\nw: 1\n", {"title": "Fix: x", "w": "1"}, 2),
        ("w: 1\ntags: [#a, #b]\n", {"w": "1", "tags": ["#a", "#b"]}, 3),
        ("w: 1\nat: @home\nt: x\n", {"w": "1", "at": "@home", "t": "x"}, 3),
        ("title: {{title}}\nw: 1\n", {"title": "{{title}}", "w": "1"}, 2),
        ("date: {{date}} {{time}}\nw: 1\n", {"date": "{{date}} {{time}}", "w": "1"}, 2),
        ("title: *very* new\nw: 1\n", {"title": "*very* new", "w": "1"}, 2),
        ("title: *nothing\nw: 1\n", {"title": "*nothing", "w": "1"}, 2),
        ('title: "Foo" and bar\nw: 1\n', {"title": '"Foo" and bar', "w": "1"}, 2),
        ("a: %x\nb: `code` c\n", {"a": "%x", "b": "`code` c"}, 2),
        ("title:\tx\nw: 1\n", {"title": "x", "w": "1"}, 2),
        ("refs:\n\tsession: s\nw: 1\n", {"refs": {"session": "s"}, "w": "1"}, 2),
        ("title: x\n   more: y\nw: 1\n", {"title": "x", "w": "1"}, 3),
        ("title: x\nstray line\nw: 1\n", {"title": "x", "w": "1"}, 3),
        ('title: "never closed\nw: 1\n', {"title": '"never closed', "w": "1"}, 2),
        ("tags: [a, b\nw: 1\n", {"tags": "[a, b", "w": "1"}, 2),
        ("tags:\n  - @a\n  - b\nw: 1\n", {"tags": ["@a", "b"], "w": "1"}, 2),
        ("t: a\nw: 1\nt: b\n", {"t": "b", "w": "1"}, 4),
        ("refs:\n  s: a\n  s: b\n", {"refs": {"s": "b"}}, 4),
        ("t: a\x01b\nw: 1\n", {"t": "a\x01b", "w": "1"}, 2),
        ("w: 1\n\ufefft: a\n", {"w": "1", "t": "a"}, 3),
        ("w: 1\rt: a\n", {"w": "1", "t": "a"}, 2),
    ],
)
def test_one_bad_line_is_reported_and_hides_no_other_key(text: str, expected: dict[str, Value], line: int) -> None:
    block = parse(f"---\n{text}---\nbody\n".encode())

    assert dict(block.fields) == expected
    assert block.problem is not None
    assert block.problem.line == line
    assert block.body == b"body\n"


def test_characters_that_break_lines_only_for_some_readers_are_plain_text() -> None:
    assert fields("t: a\u2028b\u0085c\u2029d\nw: 1\n") == {"t": "a\u2028b\u0085c\u2029d", "w": "1"}


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf"])
def test_line_breaks_and_mark_are_noticed(eol: str, bom: bytes) -> None:
    raw = bom + "---\ntitle: x\ntags:\n  - a\n---\n\nbody\n".replace("\n", eol).encode()

    block = parse(raw)

    assert dict(block.fields) == {"title": "x", "tags": ["a"]}
    assert (block.eol, block.bom, block.problem) == (eol, bool(bom), None)
    assert block.body == f"{eol}body{eol}".encode()


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"one line", b"# Heading\n\ntext: with colon\n", b"\n---\ntitle: too late\n---\n"),
        *(b"----\ntitle: x\n----\n", b"---", b"---\n", b"---\n\nprose after a rule\n"),
        *(b"---\n\nprose between rules\n\n---\nmore\n", b'{\n  "json": 1\n}\n'),
    ],
)
def test_a_note_without_frontmatter_is_all_body_and_may_get_one(raw: bytes) -> None:
    block = parse(raw)

    assert (block.has_fence, dict(block.fields), block.problem, block.editable) == (False, {}, None, True)
    assert block.body == raw


@pytest.mark.parametrize(
    "raw",
    [
        b"---\ntitle: never closed\n\ntext\n",
        b"---\n# comment\ntitle: never closed\n",
        b"---\ntitle: x\n" + b"filler: yes\n" * 6000 + b"---\n",
        b"+++\ntitle = 'x'\n+++\nbody\n",
        "---\ntitle: x\n---\nbody\n".encode("utf-16"),
        "---\ntitle: x\n---\nbody\n".encode("utf-16-le"),
        "---\ntitle: x\n---\nbody\n".encode("utf-16-be"),
        "---\ntitle: x\n---\nbody\n".encode("utf-32"),
        b"---\nJust a sentence.\n---\nbody\n",
        b"---\n- a\n- list\n---\nbody\n",
        b"---\n\nSaid: this was prose\nbetween two rules.\n\n---\nbody\n",
    ],
)
def test_what_only_looks_like_frontmatter_is_all_body_and_left_alone(raw: bytes) -> None:
    block = parse(raw)

    assert (block.has_fence, dict(block.fields), block.editable) == (False, {}, False)
    assert block.body == raw
    assert block.problem is not None


@pytest.mark.parametrize("closing", [b"---", b"---  \t", b"...", b"--- "])
@pytest.mark.parametrize("after", [b"", b"\n", b"\nbody\n---\nx: y\n---\n"])
def test_closing_fences(closing: bytes, after: bytes) -> None:
    block = parse(b"--- \ntitle: x\n" + closing + after)

    assert dict(block.fields) == {"title": "x"}
    assert block.body == after[1:]


def test_a_closing_fence_is_looked_for_within_64_kib() -> None:
    def note(size: int) -> bytes:
        return b"---\nt: " + b"x" * (size - 4) + b"\n---\nbody"

    assert parse(note(64 * 1024 - 8)).body == b"body"
    assert not parse(note(64 * 1024 + 8)).has_fence


def test_frontmatter_in_another_encoding_is_read_as_far_as_it_goes_and_reported() -> None:
    block = parse("---\nweight: 1\ntitle: Café\n---\nCafé\n".encode("latin-1"))

    assert block.fields["weight"] == "1"
    assert block.problem == FrontmatterProblem("its frontmatter is not UTF-8 text", 3)
    assert not block.editable
    assert block.body == "Café\n".encode("latin-1")


def test_a_body_in_another_encoding_does_not_matter() -> None:
    block = parse(b"---\ntitle: x\n---\nCaf\xe9 \x00\xff\n")

    assert (dict(block.fields), block.problem, block.editable) == ({"title": "x"}, None, True)
    assert block.body == b"Caf\xe9 \x00\xff\n"
