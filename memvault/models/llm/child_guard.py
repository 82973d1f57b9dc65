"""Start a program as a child, end as it ended, and end it with all it started once memvault is gone."""

# Run by its path, as a process of its own between memvault and the program: so it imports nothing of ours.

from __future__ import annotations

import _thread
import os
import signal
import sys
from contextlib import suppress

NOT_STARTED = 126


def run_guarded(held: int, words: list[str]) -> int:
    """Run a program as one's own child, and tell memvault the error number where that is impossible."""
    os.set_inheritable(held, False)
    try:
        # Python ignores these, and the program would inherit that.
        program = os.posix_spawn(words[0], words, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    except OSError as error:
        os.write(held, str(error.errno).encode())
        return NOT_STARTED
    for number in (0, 1):  # that the program closes its own must be noticed at the other end
        os.close(number)
    _thread.start_new_thread(_end_group_on_close, (held,))
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    return code if code >= 0 else 128 - code


def _end_group_on_close(held: int) -> None:
    """End the whole group when the other end is let go of: the system does that for whoever ends, in whatever way."""
    os.read(held, 1)
    with suppress(OSError):  # the empty folder that memvault made for the program, and cannot remove any more
        os.rmdir(os.getcwd())  # noqa: PTH106, PTH109 - pathlib would take as long to import as all the rest
    os.killpg(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    os._exit(run_guarded(int(sys.argv[1]), sys.argv[2:]))
