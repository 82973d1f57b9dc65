"""The laws: reading never fails, and a patch changes what was asked for or nothing."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memvault.storage.frontmatter import PlainScalar, Refusal, Setting, compose, parse, patch
from tests.stress.frontmatter import KEYS, PIECES, SETTINGS, TEXTS, run

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
