"""No note, however hostile, crashes the process or holds it up."""

from __future__ import annotations

import time

import pytest

from memvault.storage.frontmatter import PlainScalar, Refusal, parse, patch

LONG = 64_000
# Reading takes at most 50 ms on an idle machine (the stress run counts); what would be quadratic takes seconds.
LIMIT = 0.4

HOSTILE = {
    "brackets 64,000 deep": "k: " + "[" * LONG,
    "braces 64,000 deep": "k: " + "{" * LONG,
    "lists 25,000 deep": "k:\n" + "- " * 25_000,
    "keys 350 deep": "".join(" " * depth + "a:\n" for depth in range(350)),
    "question marks": "? " * 32_000,
    "billion laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
    "an alias of itself": "a: &a [*a]\nb: *a\n",
    "20,000 keys": "a:\n" * 20_000,
    "7,000 bad keys": "".join(f"k{n}: @v\n" for n in range(7000)),
    "7,000 tabbed keys": "".join(f"k{n}:\tv\n" for n in range(7000)),
    "5,000 stray lines": "".join(f"k{n}: a\nb\n" for n in range(5000)),
    "30,000 items": "k:\n" + "-\n" * 30_000,
    "a long flow list": "k: [" + "a," * 31_000 + "]",
    "anchors": "k: [" + "&a " * 20_000,
    "tabs": "k:" + "\t" * LONG + "v",
    "spaces": "k: a" + " " * LONG + "b\t",
    "tabs and hashes": "k: @" + "\t#" * 30_000,
    "hashes": "k: a" + " #" * 30_000,
    "quotes": 'k: "' + '\\"' * 30_000,
    "unclosed quotes": "k: " + "'" * LONG,
    "block scalars": "k: |\n" * 12_000,
    "colons": "k" + ": " * 30_000,
    "tags": "k: !\n" * 12_000,
    "directives": "%\n" * 30_000,
    "empty lines": "\n" * LONG,
    "carriage returns": "\r" * LONG,
    "nothing but NUL": "\0" * LONG,
    "byte order marks": "\ufeffk: v\n" * 8000,
    "a huge key": "x" * LONG + ": v",
    "folded quotes": 'k: "a\n' + " b\n" * 20_000 + '"',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.points(quick=8)
def test_a_hostile_note_is_read_in_bounded_time_with_its_body(name: str) -> None:
    raw = b"---\n" + HOSTILE[name].encode() + b"\n---\nbody\n"

    took = []
    for _ in range(2):
        began = time.process_time()
        block = parse(raw)
        took.append(time.process_time() - began)

    assert block.body.endswith(b"body\n")
    assert min(took) < LIMIT


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.points(quick=10)
def test_a_hostile_note_is_changed_exactly_or_not_at_all(name: str) -> None:
    raw = b"---\n" + HOSTILE[name].encode() + b"\n---\nbody\n"

    try:
        new = patch(raw, {"brand_new": PlainScalar("1")})
    except Refusal:
        new = raw
    else:
        assert new in (
            raw.removesuffix(b"---\nbody\n") + b"brand_new: 1\n---\nbody\n",
            b"---\nbrand_new: 1\n---\n" + raw,
        )


@pytest.mark.parametrize("head", [b"---\ntitle: x\n---\n", b"---\n", b"", b"---\ntitle: x\n"])
def test_a_file_of_10_mb_is_not_read_through(head: bytes) -> None:
    raw = head + b"\nword " * 1_700_000

    began = time.process_time()
    block = parse(raw)

    assert time.process_time() - began < LIMIT
    assert block.raw is raw


def test_the_nesting_that_kills_libyaml_is_reported() -> None:
    block = parse(b"---\ntitle: x\ndeep: " + b"[" * 25_000 + b"]" * 25_000 + b"\nweight: 1\n---\nbody\n")

    assert block.problem is not None
    assert block.problem.reason == "it is nested more than 32 deep"
    assert block.problem.line == 3
    assert (block.fields["title"], block.fields["weight"]) == ("x", "1")
    assert block.body == b"body\n"


def test_a_bomb_stays_small() -> None:
    block = parse(f"---\n{HOSTILE['billion laughs']}---\n".encode())

    assert len(str(block.fields)) < 20_000
