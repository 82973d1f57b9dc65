"""The laws: reading never fails, and a patch changes what was asked for or nothing."""

from __future__ import annotations

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from memvault.storage.frontmatter import PlainScalar, Refusal, Setting, compose, parse, patch
from tests.stress.frontmatter import KEYS, PIECES, SETTINGS, TEXTS, change, note, run, seeds, verdict

FRONTMATTERS = st.builds(
    lambda lines, eol: f"---\n{''.join(lines)}---\nbody\n".replace("\n", eol).encode(),
    st.lists(st.sampled_from(PIECES) | st.text(alphabet="ab:-#'\"[]{}|&* \n\t", max_size=12), max_size=7),
    st.sampled_from(["\n", "\r\n"]),
)
FINE = ("same", "changed", "refused")


@given(st.binary(max_size=200) | st.binary(max_size=80).map(lambda noise: b"---\n" + noise + b"\n---\n"))
@example(b"---\n\xef\xbb\xbfa: b\n---\n")
@example(b"---\n\x00\n---\n")
def test_any_bytes_are_read(raw: bytes) -> None:
    block = parse(raw)

    assert raw.endswith(block.body)
    assert block.raw is raw
    assert block.editable or block.problem is not None or block.has_fence


@given(
    st.binary(max_size=80).map(lambda noise: b"---\n" + noise + b"\n---\nbody\n"),
    st.sampled_from(KEYS),
    st.sampled_from(SETTINGS),
)
def test_random_bytes_are_changed_exactly_or_not_at_all(raw: bytes, key: str, setting: Setting) -> None:
    assert verdict(raw, key, setting) in FINE


@given(FRONTMATTERS, st.sampled_from(KEYS), st.sampled_from(SETTINGS))
def test_invented_frontmatter_is_changed_exactly_or_not_at_all(raw: bytes, key: str, setting: Setting) -> None:
    assert verdict(raw, key, setting) in FINE


@given(st.integers(0, 2**32))
def test_mutated_notes_are_changed_exactly_or_not_at_all(seed: int) -> None:
    random = Random(seed)
    raw = note(random, seeds())

    assert verdict(raw, *change(random, raw)) in FINE


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
