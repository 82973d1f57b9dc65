"""What a command gives back: data for a program, text for a person, and what is said besides."""

from __future__ import annotations

from collections.abc import Callable

from memvault.cli.output.terminal import Paper
from memvault.core.value import Frozen

Text = Callable[[Paper], str]


def nothing(_paper: Paper) -> str:
    """No text at all."""
    return ""


class Answer(Frozen):
    """A command's answer: `result` goes into the JSON envelope, `text` to stdout, `talk` to stderr."""

    result: object
    text: Text = nothing
    talk: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    exit_code: int = 0
