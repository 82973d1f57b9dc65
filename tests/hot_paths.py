"""What the commands that must be quick load, each as a process of its own.

`python -m tests.hot_paths --write` writes `tests/golden/hot_paths.txt` anew: review the difference.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTED = Path(__file__).with_name("golden") / "hot_paths.txt"
HEAVY = frozenset(
    {
        *("dataclasses", "email", "http.client", "importlib.metadata", "inspect", "logging", "multiprocessing"),
        *("numpy", "rich", "subprocess", "tempfile", "threading", "tomllib", "typer", "watchdog", "whoosh", "yaml"),
    }
)
# The first event of a session makes values of a few more kinds.
ALLOWED: Mapping[str, frozenset[str]] = {"hook": frozenset({"dataclasses", "inspect"})}
_EVENT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "one",
    "cwd": "/",
    "prompt": "Where do the gauges of the river stand?",
}
PATHS: Mapping[str, tuple[tuple[str, ...], bytes]] = {
    "version": (("--version",), b""),
    "recall": (("recall", "gauges"), b""),
    "hook": (("hook",), json.dumps(_EVENT).encode()),
}
# It ends by `os._exit`, or as any other process: what is loaded is told either way.
_PROGRAM = """
import atexit, os, sys
before = set(sys.modules)
end = os._exit
def tell(code=0):
    print(*(set(sys.modules) - before), file=sys.stderr, flush=True)
    end(code)
os._exit = tell
atexit.register(tell)
sys.argv[0] = "memvault"
from memvault.__main__ import main
main()
"""


def loaded(folder: Path) -> dict[str, frozenset[str]]:
    """The modules that each path loads, where nothing is new and no daemon answers."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("MEMVAULT", "CLAUDE", "XDG"))},
        "HOME": str(folder / "home"),
        "MEMVAULT_DIR": str(folder / "vault"),
        "MEMVAULT_NO_RESIDENT": "1",
        "PYTHONPATH": str(ROOT),
    }
    _run(environment, "init", str(folder / "vault"), "--sample")
    for words, data in PATHS.values():  # the first time looks through the packages, and takes the notes in
        _run(environment, *words, data=data)
    return {name: _run(environment, *words, data=data) for name, (words, data) in PATHS.items()}


def _run(environment: Mapping[str, str], *words: str, data: bytes = b"") -> frozenset[str]:
    # Where it is called matters: in a checkout, the project is looked for.
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *words],
        env=environment,
        cwd=Path(environment["MEMVAULT_DIR"]).parent,
        input=data,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return frozenset(done.stderr.decode().splitlines()[-1].split())


def ours(names: frozenset[str]) -> list[str]:
    """Those of memvault, in order."""
    return sorted(name for name in names if name.partition(".")[0] == "memvault")


def listed() -> dict[str, list[str]]:
    """What the list says."""
    found: dict[str, list[str]] = {}
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[next(reversed(found))].append(line.strip())
        elif line:
            found[line] = []
    return found


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        found = loaded(Path(name))
    text = "".join(
        "\n".join([path, *(f"  {module}" for module in ours(names))]) + "\n\n" for path, names in found.items()
    )
    LISTED.parent.mkdir(exist_ok=True)
    LISTED.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
