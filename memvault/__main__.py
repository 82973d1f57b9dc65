"""The front door: answers `--version` at once, and hands everything else to the command line."""

from __future__ import annotations

import sys

from memvault import __version__


def main() -> None:
    """Run the command line with this process's arguments, and end the process with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"memvault {__version__}\n")
        return
    try:
        from memvault.surfaces.cli.process import run_here  # deferred: `--version` pays for none of it

        sys.exit(run_here(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
