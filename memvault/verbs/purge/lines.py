"""Lines of records and logs that tell of what was forgotten for good."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memvault import files
from memvault.verbs.purge.subject import Subject

_ENDINGS, _NAMES = (".jsonl", ".log"), ("recent",)


def is_log(name: str) -> bool:
    """Whether a file of this machine's state has a line for each thing it tells."""
    return name.endswith(_ENDINGS) or name in _NAMES


def purged(path: Path, found: Subject) -> int:
    """Take out the lines that name it or say any of it; how many there were. Marks of what is forgotten stay."""
    try:
        data = files.read(path)
    except FileNotFoundError:
        return 0
    kept = [line for line in data.splitlines(keepends=True) if not _tells(line, found)]
    gone = data.count(b"\n") - b"".join(kept).count(b"\n")
    if len(b"".join(kept)) != len(data):
        files.overwrite(path, b"".join(kept), mode=path.stat().st_mode & 0o777)
    return gone


def _tells(line: bytes, found: Subject) -> bool:
    try:
        told = json.loads(line)
    except ValueError:
        return found.is_in(line)
    if isinstance(told, dict) and told.get("e") in ("tombstone", "lift") and "mac" in told:
        return False
    return any(found.names_it(text) or found.is_said_in(text) for text in _texts(told))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one)
        case dict():
            for name, one in value.items():
                yield str(name)
                yield from _texts(one)
