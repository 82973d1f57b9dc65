"""The front door: answers `--version` at once, and hands everything else to the command line."""

from __future__ import annotations

import gc
import os
import sys

from memvault import __version__

# A command starts, answers and ends; looking through all its objects for garbage, again and again on the way in
# and once more on the way out, takes a sixth of the time of a recall. One that runs long still gets there.
_OBJECTS_WORTH_A_LOOK = 200_000


def main() -> None:
    """Run the command line with this process's arguments, and end the process with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"memvault {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"]:
        from memvault.surfaces.hooks.door import main as hook  # deferred: an agent waits for it

        hook(sys.argv[2:])
        return
    gc.set_threshold(_OBJECTS_WORTH_A_LOOK, 10, 10)
    try:
        from memvault.surfaces.cli.process import run_here  # deferred: `--version` pays for none of it

        sys.exit(run_here(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()


if __name__ == "__main__":
    # `python -m` looks for modules in the current folder first: in a vault, its files would be run for Python's own.
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - as Python itself writes it
        del sys.path[0]
    main()
