"""No note, however hostile, crashes the process or holds it up."""

from __future__ import annotations

import time

import pytest

from memvault.storage.frontmatter import PlainScalar, Refusal, parse, patch
from tests.hostile import FRONTMATTER

# Reading takes at most 50 ms on an idle machine (the stress run counts); what would be quadratic takes seconds.
LIMIT = 0.4


@pytest.mark.parametrize("name", FRONTMATTER)
@pytest.mark.points(quick=8)
def test_a_hostile_note_is_read_in_bounded_time_with_its_body(name: str) -> None:
    raw = b"---\n" + FRONTMATTER[name].encode() + b"\n---\nbody\n"

    took = []
    for _ in range(2):
        began = time.process_time()
        block = parse(raw)
        took.append(time.process_time() - began)

    assert block.body.endswith(b"body\n")
    assert min(took) < LIMIT


@pytest.mark.parametrize("name", FRONTMATTER)
@pytest.mark.points(quick=10)
def test_a_hostile_note_is_changed_exactly_or_not_at_all(name: str) -> None:
    raw = b"---\n" + FRONTMATTER[name].encode() + b"\n---\nbody\n"

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
    block = parse(f"---\n{FRONTMATTER['billion laughs']}---\n".encode())

    assert len(str(block.fields)) < 20_000
