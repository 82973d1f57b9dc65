"""Writing is exact: the lines of the changed keys change, as little as they can, and nothing else does."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import pytest

from memvault.storage.frontmatter import PlainScalar, Refusal, RemovedKey, Setting, parse, patch, rewrite
from memvault.storage.frontmatter.edit import TextEdit
from tests.stress.frontmatter import CORPUS

GONE = RemovedKey()


def diff(old: bytes, new: bytes) -> str:
    """The lines that went and came, without their line breaks."""
    lines = difflib.ndiff(old.decode().splitlines(), new.decode().splitlines())
    return "\n".join(line[0] + line[2:] for line in lines if line[0] in "+-")


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        # scalars: the value's own span, its quotes kept
        ("comments-everywhere", {"weight": PlainScalar("0.7")}, "-weight: 0.5 # by hand\n+weight: 0.7 # by hand"),
        (
            "comments-everywhere",
            {"title": "Fix: x"},
            '-title: Deploying   # shown in the sidebar\n+title: "Fix: x"   # shown in the sidebar',
        ),
        ("spacing", {"weight": PlainScalar("0.7")}, "-weight:    0.35\n+weight:    0.7"),
        ("spacing", {"status": "stale"}, "-status   : active\n+status   : stale"),
        ("double-quoted", {"title": "Plain"}, '-title: "Quotes: the \\"double\\" kind"\n+title: "Plain"'),
        ("double-quoted", {"weight": PlainScalar("0.7")}, '-weight: "0.5"\n+weight: "0.7"'),
        ("single-quoted", {"title": "isn't"}, "-title: 'It''s a single quote'\n+title: 'isn''t'"),
        ("single-quoted", {"title": "two\nlines"}, "-title: 'It''s a single quote'\n+title: \"two\\nlines\""),
        ("obsidian-empty-values", {"title": "Now"}, "-title:\n+title: Now"),
        ("obsidian-empty-values", {"status": "active"}, "-status:   \n+status: active   "),
        ("yaml-1-1-surprises", {"country": "SE"}, "-country: NO\n+country: SE"),
        ("yaml-1-1-surprises", {"time": "13:45"}, '-time: 12:30\n+time: "13:45"'),
        ("yaml-1-1-surprises", {"tilde": "~"}, '-tilde: ~\n+tilde: "~"'),
        ("keys-of-all-kinds", {"2026": "b"}, "-2026: a year\n+2026: b"),
        ("keys-of-all-kinds", {"quoted: key": "w"}, '-"quoted: key": v\n+"quoted: key": w'),
        ("keys-of-all-kinds", {"dg.publish": PlainScalar("false")}, "-dg.publish: true\n+dg.publish: false"),
        ("emoji", {"title": "🎯"}, "-title: 🚀 launch 👩‍👩‍👧 day\n+title: 🎯"),
        ("jekyll", {"title": "Bye"}, '-title:  "Welcome to Jekyll!"\n+title:  "Bye"'),
        ("value-on-next-line", {"title": "New"}, "-  Below its key\n+  New"),
        ("plain-over-lines", {"title": "New"}, "+title: New\n-title: A title that\n-  goes on here\n-  and here"),
        (
            "block-literal",
            {"summary": "short"},
            "+summary: short\n-summary: |-\n-    four spaces\n-      and six\n-\n-    # not a comment",
        ),
        ("tab-after-colon", {"weight": PlainScalar("0.7")}, "-weight:\t0.5\n+weight:\t0.7"),
        # new keys
        ("memory-as-written", {"project": "portal"}, "+project: portal"),
        (
            "memory-as-written",
            {"due": PlainScalar("2026-02-01"), "state": "pending"},
            "+due: 2026-02-01\n+state: pending",
        ),
        ("memory-as-written", {"refs.session": "2f1e"}, "+refs:\n+  session: 2f1e"),
        ("memory-as-written", {"people": ["Sara Uy", "[[Ana]]"]}, '+people: [Sara Uy, "[[Ana]]"]'),
        ("obsidian-properties", {"people": ["Sara Uy"]}, "+people:\n+  - Sara Uy"),
        ("obsidian-dedented-list", {"people": ["Sara Uy"]}, "+people:\n+- Sara Uy"),
        ("obsidian-empty-values", {"tags": ["a"]}, "-tags:\n+tags: [a]"),
        ("indented-keys", {"project": "x"}, "+  project: x"),
        ("comment-only", {"title": "x"}, "+title: x"),
        ("empty-frontmatter", {"title": "x"}, "+title: x"),
        ("dots-close", {"status": "stale"}, "+status: stale"),
        ("block-keep", {"status": "stale"}, "+status: stale"),
        ("no-body", {"status": "stale"}, "+status: stale"),
        # lists, item by item
        (
            "memory-as-written",
            {"tags": ["validation", "portal", "new"]},
            "-tags: [validation, portal]\n+tags: [validation, portal, new]",
        ),
        ("memory-as-written", {"tags": ["new", "portal"]}, "-tags: [validation, portal]\n+tags: [new, portal]"),
        ("spacing", {"tags": ["a", "c", "d", "e"]}, "-tags:      [a,b , c  ,d]\n+tags:      [a,c  ,d,e]"),
        ("flow-list-tight", {"tags": ["a", "b", "c", "d"]}, "-tags: [a,b,c]\n+tags: [a,b,c,d]"),
        ("flow-list-tight", {"empty": ["x"], "blank": ["z"]}, "-empty: []\n+empty: [x]\n-blank: [ ]\n+blank: [z]"),
        ("flow-list-over-lines", {"tags": ["alpha", "gamma"]}, "-  beta,"),
        ("flow-list-over-lines", {"tags": ["alpha", "beta", "gamma", "delta"]}, "-  gamma\n+  gamma,\n+  delta"),
        ("flow-list-trailing-comma", {"tags": ["alpha", "beta", "c"]}, "+    c,"),
        ("double-quoted", {"tags": ["one", "two", "three"]}, '-tags: ["one", "two"]\n+tags: ["one", "two", "three"]'),
        (
            "mixed-quoted-list",
            {"tags": ["plain", "single"]},
            "-tags: [plain, \"double\", 'single', \"a, b\"]\n+tags: [plain, 'single']",
        ),
        ("obsidian-properties", {"tags": ["books", "to-read", "x"]}, "+  - x"),
        ("obsidian-properties", {"tags": ["x", "books", "to-read"]}, "+  - x"),
        ("obsidian-properties", {"tags": ["to-read"]}, "-  - books"),
        ("obsidian-properties", {"tags": ["books", "done"]}, "-  - to-read\n+  - done"),
        ("obsidian-properties", {"tags": []}, "-tags:\n+tags: []\n-  - books\n-  - to-read"),
        ("obsidian-links", {"related": ["[[Going places]]", "[[New]]"]}, '-  - "[[Maps|the maps]]"\n+  - "[[New]]"'),
        ("comments-everywhere", {"tags": ["ops", "deploy", "x"]}, "+  - x"),
        ("comments-everywhere", {"tags": ["deploy"]}, "-  - ops   # important"),
        ("multiline-items", {"steps": ["first line goes on", "last"]}, "-  - |\n-    literal\n-    item"),
        ("list-of-lists", {"weight": PlainScalar("0.7")}, "-weight: 0.5\n+weight: 0.7"),
        ("null-items", {"tags": ["a", "b"]}, "-  -\n-  - ~\n+  - b"),
        ("hash-tags-in-brackets", {"tags": ["#a", "b"]}, '-tags: [#a, #b]\n+tags: ["#a", b]'),
        ("comma-tags", {"tags": ["a", "b"]}, "-tags: a, b, c\n+tags: [a, b]"),
        # mappings, key by key
        ("nested-refs-block", {"refs.session": "new"}, "-  session: 2f1e\n+  session: new"),
        (
            "nested-refs-block",
            {"refs.deep_context": "b.md"},
            "-  deep_context: deep-context/portal.md   # the long story\n+  deep_context: b.md   # the long story",
        ),
        ("nested-refs-block", {"refs.artifacts": ["report.pdf", "x"]}, "-    - notes.txt\n+    - x"),
        ("nested-refs-block", {"refs.extra": "e"}, "+  extra: e"),
        ("nested-refs-block", {"refs.session": GONE}, "-  session: 2f1e"),
        ("nested-refs-wide-indent", {"refs.extra": "e"}, "+      extra: e"),
        (
            "nested-refs-flow",
            {"refs.session": "no"},
            '-refs: {session: 2f1e, deep_context: deep-context/portal.md, artifacts: [report.pdf, notes.txt]}\n+refs: {session: "no", deep_context: deep-context/portal.md, artifacts: [report.pdf, notes.txt]}',
        ),
        (
            "nested-refs-flow",
            {"refs.deep_context": GONE},
            "-refs: {session: 2f1e, deep_context: deep-context/portal.md, artifacts: [report.pdf, notes.txt]}\n+refs: {session: 2f1e, artifacts: [report.pdf, notes.txt]}",
        ),
        ("nested-refs-empty", {"refs.session": "s"}, "+  session: s"),
        ("nested-refs-empty", {"other.session": "s"}, "-other: {}\n+other: {session: s}"),
        (
            "nested-refs-block",
            {"refs": {"session": "new", "deep_context": "deep-context/portal.md"}},
            "-  session: 2f1e\n+  session: new\n-  artifacts:\n-    - report.pdf\n-    - notes.txt",
        ),
        # keys going away
        ("comments-everywhere", {"created": GONE}, "-created: 2026-01-29   # a Thursday"),
        ("obsidian-properties", {"tags": GONE}, "-tags:\n-  - books\n-  - to-read"),
        ("block-literal", {"summary": GONE}, "-summary: |-\n-    four spaces\n-      and six\n-\n-    # not a comment"),
        ("block-keep", {"summary": GONE}, "-summary: |+\n-  kept"),
        (
            "nested-refs-block",
            {"refs": GONE},
            "-refs:\n-  session: 2f1e\n-  deep_context: deep-context/portal.md   # the long story\n-  artifacts:\n-    - report.pdf\n-    - notes.txt",
        ),
        # lines that YAML rejects
        ("colon-in-title", {"weight": PlainScalar("0.7")}, "-weight: 0.5\n+weight: 0.7"),
        ("colon-in-title", {"title": "Fix: the lexer"}, '-title: Fix: the parser\n+title: "Fix: the lexer"'),
        ("placeholders", {"weight": PlainScalar("0.7")}, "-weight: 0.5\n+weight: 0.7"),
        ("duplicate-keys", {"weight": PlainScalar("0.7")}, "-weight: 0.5\n+weight: 0.7"),
        # several at once
        (
            "memory-as-written",
            {"weight": PlainScalar("0.8"), "tags": ["portal"], "triggers": GONE, "x": "z"},
            "-weight: 0.9\n+weight: 0.8\n-tags: [validation, portal]\n-triggers: [going places]\n+tags: [portal]\n+x: z",
        ),
    ],
)
def test_only_these_lines_change(name: str, changes: Mapping[str, Setting | RemovedKey], expected: str) -> None:
    raw = (CORPUS / f"{name}.md").read_bytes()

    new = patch(raw, changes)

    assert diff(raw, new) == expected
    assert parse(new).body == parse(raw).body


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("anchors", {"base": "x"}, "anchor"),
        ("anchors", {"weight": "x"}, "alias"),
        ("anchors", {"list": GONE}, "anchor"),
        ("tags-of-yaml", {"title": "x"}, "tag"),
        ("duplicate-keys", {"title": "x"}, "more than once"),
        ("duplicate-in-refs", {"refs.session": "x"}, "more than once"),
        ("question-marks", {"title": "x"}, "does not begin a line"),
        ("braces", {"weight": "x"}, "braces"),
        ("block-with-comment", {"summary": "x"}, "comment"),
        ("flow-list-trailing-comma", {"tags": ["beta"]}, "comment"),
        ("comments-everywhere", {"tags": "x"}, "comment"),
        ("unclosed-quote", {"weight": "x"}, "broken"),
        ("unclosed-bracket", {"weight": "x"}, "broken"),
        ("stray-line", {"weight": "x"}, "broken"),
        ("templater-multiline", {"weight": "x"}, "broken"),
        ("unterminated", {"weight": "x"}, "no closing"),
        ("toml", {"weight": "x"}, "TOML"),
        ("lone-cr", {"weight": "x"}, "carriage return"),
        ("prose-between-fences", {"weight": "x"}, "no list of keys"),
        ("colon-in-title", {"title.x": "y"}, "other than a mapping"),
        ("memory-as-written", {"tags.x": "y"}, "other than a mapping"),
        ("memory-as-written", {"refs": {"a": "b"}, "refs.c": "d"}, "more than one way"),
        ("memory-as-written", {"k" * 2000: "v"}, "too long"),
        ("memory-as-written", {"title": "x" * 70_000}, "could not be read any more"),
    ],
)
def test_what_cannot_be_proven_is_refused_with_its_reason(
    name: str, changes: Mapping[str, Setting | RemovedKey], reason: str
) -> None:
    with pytest.raises(Refusal) as refused:
        patch((CORPUS / f"{name}.md").read_bytes(), changes)

    assert reason in refused.value.reason


def test_a_refusal_names_the_line() -> None:
    with pytest.raises(Refusal) as refused:
        patch(b"---\nid: 1\ntitle: &t x\n---\n", {"title": "y"})

    assert refused.value.line == 3


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("title: x\n", {"title": "x"}),
        ("title: 'x'\n", {"title": "x"}),
        ("weight: 0.5\n", {"weight": PlainScalar("0.5")}),
        ("answer: no\n", {"answer": "no"}),
        ("tags: [a, b]\n", {"tags": ["a", "b"]}),
        ("tags:\n  - a\n  - b\n", {"tags": ["a", "b"]}),
        ("tags: a\n", {"tags": ["a"]}),
        ("tags:\n", {"tags": []}),
        ("refs: {a: b}\n", {"refs": {"a": "b"}}),
        ("refs:\n  a: b\n", {"refs.a": "b"}),
        ("title: x\n", {"other": GONE, "refs.a": GONE}),
        ("title: &t x\n", {"title": "x"}),
        ("title: Fix: x\n", {"title": "Fix: x"}),
        ("title: x\n", {}),
    ],
)
def test_what_is_so_already_changes_no_byte(text: str, changes: Mapping[str, Setting | RemovedKey]) -> None:
    raw = f"---\n{text}---\nbody\n".encode()

    assert patch(raw, changes) is raw


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("body", ["", "x", "# H\n\ntext\n", "\n---\n\nrule first\n"])
def test_a_note_without_frontmatter_gets_one_before_its_untouched_body(eol: str, bom: str, body: str) -> None:
    body = body.replace("\n", eol)
    used = eol if "\n" in body else "\n"
    raw = (bom + body).encode()

    new = patch(raw, {"title": "x", "tags": ["a"]})

    assert new == f"{bom}---{used}title: x{used}tags: [a]{used}---{used}{body}".encode()


def test_a_body_that_is_no_utf_8_gets_no_frontmatter() -> None:
    with pytest.raises(Refusal, match="UTF-8"):
        patch(b"Caf\xe9", {"title": "x"})


def test_windows_line_breaks_stay() -> None:
    raw = b"---\r\ntags:\r\n  - a\r\nw: 1\r\n---\r\nbody\r\n"

    new = patch(raw, {"tags": ["a", "b"], "w": PlainScalar("2"), "refs.s": "x"})

    assert new == b"---\r\ntags:\r\n  - a\r\n  - b\r\nw: 2\r\nrefs:\r\n  s: x\r\n---\r\nbody\r\n"


def test_the_last_key_of_a_mapping_takes_the_mapping_with_it() -> None:
    assert patch(b"---\nrefs:\n  a: b\nw: 1\n---\n", {"refs.a": GONE}) == b"---\nw: 1\n---\n"


def test_removing_an_anchored_value_that_others_use_is_refused() -> None:
    with pytest.raises(Refusal):
        patch(b"---\na: {x: &x 1}\nb: *x\n---\n", {"a": GONE})


def test_half_a_surrogate_pair_is_not_written() -> None:
    assert parse(patch(b"---\nt: x\n---\n", {"t": "a\ud83d"})).fields == {"t": "a\ufffd"}


@pytest.mark.parametrize(
    "text",
    [
        *("t: z\n# lost\nw: 1\n", "t: z\nw: 1\n", "t: z\n# kept\nw: 1 \n", "t: z\n# kept\nw:  1\n"),
        *("t: z\n# kept\nw: 2\n", "t: zz\n# kept\nw: 1\n"),
    ],
)
def test_a_patch_that_would_change_more_than_asked_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b"---\nt: x\n# kept\nw: 1\n---\n"
    monkeypatch.setattr(rewrite, "edits_for", lambda *_: [TextEdit(0, 17, text)])

    with pytest.raises(Refusal):
        patch(raw, {"t": "z"})


def test_a_patch_that_changes_only_what_was_asked_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewrite, "edits_for", lambda *_: [TextEdit(0, 17, "t:   z\n# kept\nw: 1\n")])

    assert patch(b"---\nt: x\n# kept\nw: 1\n---\n", {"t": "z"}) == b"---\nt:   z\n# kept\nw: 1\n---\n"
