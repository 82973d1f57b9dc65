"""The command line as a process: its real streams made safe for any text and any reader."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from memvault.cli.main import run
from memvault.cli.outlet import outlet, told
from memvault.errors import NotPrinted


def run_here(argv: Sequence[str]) -> int:
    """Carry a command line out on this process's own streams."""
    stdout, stderr = outlet(_safe(sys.stdout), "stdout"), outlet(_safe(sys.stderr), "stderr")
    try:
        code = run(argv, stdin=sys.stdin, stdout=stdout, stderr=stderr)
        stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        _stop_up(stdout)
        return 0
    except NotPrinted as error:
        code = told(error)
        _stop_up(stdout)
        _stop_up(stderr)
    return code


def _stop_up(stream: TextIO) -> None:
    """What Python still holds back must go nowhere, or it complains about the stream on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _safe(stream: TextIO | None) -> TextIO:
    """The stream, made so that no text can break the printing of it: what it cannot show is spelled out."""
    if stream is None:  # closed by whoever started us
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - it stands for a stream of the process
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        # A pipe on Windows would otherwise speak the console's old code page, which no other program expects.
        encoding = "utf-8" if sys.platform == "win32" and not stream.isatty() else None
        reconfigure(encoding=encoding, errors="backslashreplace")
    return stream
