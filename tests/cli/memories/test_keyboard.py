"""Keys come one at a time, without Enter, and the terminal is left as it was."""

from __future__ import annotations

import io
import os
import sys

import pytest

from memvault.cli.memories.review_session import Keyboard


def test_keys_of_a_text_come_one_by_one_and_end() -> None:
    keyboard = Keyboard(io.StringIO("aj"))
    assert [keyboard.read_key() for _ in range(3)] == ["a", "j", ""]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_a_terminal_gives_each_key_at_once_and_arrows_as_j_and_k() -> None:
    import termios

    ours, theirs = os.openpty()
    try:
        before = termios.tcgetattr(theirs)
        with os.fdopen(theirs, encoding="utf-8", closefd=False) as stream, Keyboard(stream) as keyboard:
            os.write(ours, b"a\x1b[B\x1b[Aq\x04")
            assert [keyboard.read_key() for _ in range(5)] == ["a", "j", "k", "q", ""]
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(ours)
        os.close(theirs)


def test_an_interrupt_is_one() -> None:
    with pytest.raises(KeyboardInterrupt):
        Keyboard(io.StringIO("\x03")).read_key()
