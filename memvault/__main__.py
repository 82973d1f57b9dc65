"""The front door: answers `--version` at once, and hands everything else to the command line."""

from __future__ import annotations

import gc
import os
import sys

from memvault import __version__


def main() -> None:
    """Run the command line with this process's arguments, and end the process with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"memvault {__version__}\n")
        return
    # What a command makes while it starts lives until it ends: looking for garbage among it took a tenth of the time.
    gc.set_threshold(50_000)
    try:
        from memvault.surfaces.cli.process import run_here  # deferred: `--version` pays for none of it

        _leave(run_here(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


def _leave(code: int) -> None:
    """End the process at once: all files are closed by now, and taking modules apart took a fifth of the time."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads any more, as behind `| head`
        os._exit(code or 1)
    os._exit(code)


if __name__ == "__main__":
    main()
