"""What stands between <private> and </private> goes nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>secret</private> b", "a  b"),
        ("a <PRIVATE>secret</Private> b", "a  b"),
        ("a < private >secret</ private > b", "a  b"),
        ("a <Private\t>secret< / PRIVATE> b", "a  b"),
        ("a < private>secret b", "a "),
        ("a <private>one\ntwo</private> b <private>three</private> c", "a  b  c"),
        ("a <private>never closed\nto the end", "a "),
        ("<private></private>", ""),
        ("a </private> b", "a </private> b"),
        ("1 < 2 and <b>bold</b>", "1 < 2 and <b>bold</b>"),
        ("no span", "no span"),
    ],
)
def test_private_spans_are_left_out(text: str, left: str) -> None:
    assert strip_private(text) == left


@pytest.mark.parametrize(
    ("text", "unclosed"),
    [
        ("a <private>b", True),
        ("a < Private >b</private >c< private>d", True),
        ("a <private>b</ private>", False),
        ("a </private>", False),
        ("a < b", False),
        ("a", False),
    ],
)
def test_a_span_that_never_ends_is_known(text: str, *, unclosed: bool) -> None:
    assert has_unclosed_private(text) is unclosed


WORDS = st.text("abc <>/\n", max_size=30)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_the_rest_is_kept_and_nothing_private_is(parts: list[tuple[str, str]]) -> None:
    text = "".join(f"{said}<private>X{secret}X</private>" for said, secret in parts)
    assert strip_private(text) == "".join(said for said, _ in parts)


@given(st.text("<>/private XY", max_size=60))
def test_no_opening_is_left_over(text: str) -> None:
    assert "X" not in strip_private(f"{text}<private>X").replace(text, "")
    assert strip_private(strip_private(text + "<private>X")).count("<private>") == 0


def test_a_private_span_stays_in_the_note_and_out_of_everything_else(vault: Memvault) -> None:
    (vault.root / "note.md").write_text("Tea is fine. <private>Xanadu lies west.</private>\n")
    assert not vault.recall("Xanadu").hits
    assert vault.recall("tea").hits
    assert b"Xanadu" in (vault.root / "note.md").read_bytes()
    remembered = vault.remember("The key is <private>Xanadu</private> under the mat.")
    written = [path.read_bytes() for path in vault.root.rglob("*") if path.is_file() and path.name != "note.md"]
    assert remembered.memory.body == "The key is  under the mat."
    assert not [data for data in written if b"Xanadu" in data]
