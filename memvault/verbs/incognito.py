"""Which sessions were incognito: kept as hashes that tell nobody which, so that none is taken in when it is over."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from memvault import files
from memvault.errors import MemvaultError

_FILE = "incognito.jsonl"
_SALT = 16  # bytes, drawn for each


def keep(state: Path, session: str) -> None:
    """Keep a session's hash, once."""
    known = hidden_sessions(state)
    if not session or (known is not None and known(session)):
        return
    salt = os.urandom(_SALT)
    told = {"salt": salt.hex(), "hash": _hash(session, salt)}
    files.make_folder(state)
    files.append(state / _FILE, json.dumps(told).encode() + b"\n", durable=True)


def hidden_sessions(state: Path) -> Callable[[str], bool] | None:
    """What tells whether a session was incognito; None where none ever was.

    Where that cannot be read, every session may have been.
    """
    path = state / _FILE
    if not path.exists():
        return None
    try:
        rows = tuple(_rows(files.read(path)))
    except MemvaultError:
        return bool

    @cache
    def is_hidden(session: str) -> bool:
        return bool(session) and any(_hash(session, salt) == kept for salt, kept in rows)

    return is_hidden


def _rows(data: bytes) -> Iterator[tuple[bytes, str]]:
    for line in data.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line)
            yield bytes.fromhex(told["salt"]), str(told["hash"])


def _hash(session: str, salt: bytes) -> str:
    from hashlib import blake2b  # deferred: it is a slow import, and few have a session to hide

    return blake2b(session.casefold().encode(errors="replace"), salt=salt, digest_size=16).hexdigest()
