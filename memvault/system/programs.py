"""Find other programs on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping


def find_program(name: str, environment: Mapping[str, str]) -> str | None:
    """Return where a program lies, or None where there is none.

    Only whole paths in PATH are searched. Windows, and a PATH with a dot in it, would also look into the current
    folder, which may be a vault with anything in it.
    """
    if os.path.dirname(name):  # noqa: PTH120 - a name, which pathlib would change
        return name if _is_program(name) else None
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):  # noqa: PTH117
            for ending in _endings(name, environment):
                if _is_program(path := os.path.join(folder, name + ending)):  # noqa: PTH118
                    return path
    return None


def _endings(name: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    if os.name != "nt":
        return ("",)
    endings = tuple(environment.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").lower().split(";"))
    return ("", *endings) if name.lower().endswith(endings) else endings


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113
