"""What this machine knows of a session that was forgotten for good, in files that hold more than lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system import files
from memvault.transcripts.model.gone import is_everywhere_one

_ENDING = ".json"


def purged(state: Path, session: str) -> None:
    """Take a session out of every page of this machine's state that names it; nothing where none is given."""
    for path in _pages(state) if session else ():
        try:
            told = json.loads(files.read(path))
        except (MemvaultError, ValueError):
            continue  # no page of ours
        fresh = _without(told, session)
        if fresh != told:
            files.overwrite(path, json.dumps(fresh).encode())


def _pages(state: Path) -> Iterator[Path]:
    found = state.rglob(f"*{_ENDING}") if state.is_dir() else ()
    return (path for path in sorted(found) if path.is_file())


def _without(value: object, session: str) -> object:
    match value:
        case list():
            return [_without(one, session) for one in value if not _is_of(one, session)]
        case dict():
            left = {name: one for name, one in value.items() if not (_is_of(name, session) or _is_of(one, session))}
            return {name: _without(one, session) for name, one in left.items()}
        case _:
            return value


def _is_of(value: object, session: str) -> bool:
    """Whether a value is the session's name, or what is known of it; so are files that are called by it."""
    if isinstance(value, str):
        return value == session or (is_everywhere_one(session) and session in value)
    return isinstance(value, dict) and value.get("session") == session
