"""The command line as a process: its real streams made safe for any text, a closed pipe taken quietly."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from memvault.surfaces.cli.entry import run


def run_here(argv: Sequence[str]) -> int:
    """Carry a command line out on this process's own streams."""
    for stream in (sys.stdout, sys.stderr):
        _make_safe(stream)
    try:
        code = run(argv, stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough, as `head` does. What Python still holds back must go nowhere,
        # or it complains about the closed pipe on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _make_safe(stream: TextIO) -> None:
    """No text may break the printing of it: what a terminal cannot show is spelled out."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:
        return
    # A pipe on Windows would otherwise speak the console's old code page, which no other program expects.
    encoding = "utf-8" if sys.platform == "win32" and not stream.isatty() else None
    reconfigure(encoding=encoding, errors="backslashreplace")
