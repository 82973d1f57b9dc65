"""The managed block in somebody's file: it alone is replaced, whatever the file looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.errors import BadBlock
from memvault.text.managed_block import BEGIN, END, find_block, write_block

BLOCK = f"{BEGIN}\none\ntwo\n{END}"
OTHER = f"{BEGIN}\nthree\n{END}"
BOM = b"\xef\xbb\xbf"

line = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20).filter(
    lambda text: not text.lstrip("\ufeff").startswith("<!-- memvault:")
)
files = st.tuples(
    st.sampled_from([b"", BOM]), st.lists(line, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans()
).map(lambda parts: parts[0] + (parts[2].join(parts[1]) + (parts[2] if parts[3] and parts[1] else "")).encode())


@given(files, files)
def test_everything_outside_stays_byte_for_byte(before: bytes, after: bytes) -> None:
    eol = b"\r\n" if b"\r\n" in before + after else b"\n"
    opening = before if before in (b"", BOM) or before.endswith(b"\n") else before + eol
    whole = opening + BLOCK.encode().replace(b"\n", eol) + eol + after
    changed = write_block(whole, OTHER, path="x")
    found = find_block(changed, path="x")
    assert found is not None
    assert changed[: found.start] == opening
    assert changed[found.end :] == eol + after
    assert changed[found.start : found.end].replace(b"\r\n", b"\n").decode() == OTHER
    assert write_block(changed, OTHER, path="x") == changed
    assert write_block(changed, BLOCK, path="x") == write_block(whole, BLOCK, path="x")


@given(files)
def test_a_file_without_a_block_gets_it_at_its_end(data: bytes) -> None:
    with_it = write_block(data, BLOCK, path="x")
    assert with_it.startswith(data)
    assert write_block(with_it, BLOCK, path="x") == with_it
    assert find_block(with_it, path="x") is not None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", BLOCK + "\n"),
        (b"Mine.\n", f"Mine.\n\n{BLOCK}\n"),
        (b"Mine.", f"Mine.\n\n{BLOCK}\n"),
        (b"Mine.\n\n", f"Mine.\n\n{BLOCK}\n"),
        (b"Mine.\r\n", f"Mine.\n\n{BLOCK}\n".replace("\n", "\r\n")),
        (BOM + b"Mine.\n", f"\ufeffMine.\n\n{BLOCK}\n"),
    ],
)
def test_one_blank_line_stands_before_it(data: bytes, expected: str) -> None:
    assert write_block(data, BLOCK, path="x") == expected.encode()


def test_only_a_new_file_gets_a_preamble() -> None:
    assert write_block(b"", BLOCK, preamble="---\na: b\n---\n\n", path="x").startswith(b"---\na: b\n---\n\n<!--")
    assert b"---" not in write_block(b"Mine.\n", BLOCK, preamble="---\n", path="x").replace(BLOCK.encode(), b"")


def test_text_after_the_end_mark_stays() -> None:
    assert write_block(f"{BLOCK} mine\n".encode(), OTHER, path="x") == f"{OTHER} mine\n".encode()


def test_a_mark_that_does_not_begin_its_line_is_text() -> None:
    assert find_block(f"  {BEGIN}\nsee `{END}`\n".encode(), path="x") is None


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        (f"a\n{BEGIN}\nb\n", 2, "does not end"),
        (f"a\n{END}\n", 2, "has not begun"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2, "second block begins"),
        (f"{BLOCK}\n{BLOCK}\n", 5, "second begin mark"),
        (f"{BLOCK}\n{END}\n", 5, "second end mark"),
        (f"{END}\n{BEGIN}\n", 1, "has not begun"),
    ],
)
def test_ambiguous_marks_are_refused_with_their_line(text: str, at: int, said: str) -> None:
    with pytest.raises(BadBlock, match=rf"{said}.*\(line {at}\)"):
        write_block(text.encode(), OTHER, path="x")
