"""The command line as a process: its real streams made safe for any text, a closed pipe taken quietly."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from memvault.surfaces.cli.entry import run


def run_here(argv: Sequence[str]) -> int:
    """Carry a command line out on this process's own streams."""
    stdout, stderr = _safe(sys.stdout), _safe(sys.stderr)
    try:
        code = run(argv, stdin=sys.stdin, stdout=stdout, stderr=stderr)
        stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough, as `head` does. What Python still holds back must go nowhere,
        # or it complains about the closed pipe on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        return 0
    return code


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
