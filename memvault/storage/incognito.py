"""Which sessions were incognito, or are forgotten for good: kept as hashes that tell nobody which."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system import files

_FILE = "incognito.jsonl"
_SALT = 16  # bytes, drawn for each


def keep(state: Path, session: str, *, is_gone: bool = False) -> None:
    """Keep a session's hash, once; of one that was forgotten for good, that it was."""
    if not session or _telling(_kept(state, gone_only=is_gone))(session):
        return
    salt = os.urandom(_SALT)
    told = {"salt": salt.hex(), "hash": _hash(session, salt), **({"gone": True} if is_gone else {})}
    files.make_folder(state)
    files.append(state / _FILE, json.dumps(told).encode() + b"\n", durable=True)


def hidden_sessions(state: Path) -> Callable[[str], bool] | None:
    """What tells whether a session was incognito; None where none ever was.

    Where that cannot be read, every session may have been.
    """
    return _known(state, gone_only=False)


def gone_sessions(state: Path) -> Callable[[str], bool] | None:
    """What tells whether a session was forgotten for good here, so that nothing names it again; likewise."""
    return _known(state, gone_only=True)


def is_gone(state: Path, session: str) -> bool:
    """Whether a session was forgotten for good on this machine; where that cannot be read, it is an error.

    What is written now would else lack the session, and nobody would hear why.
    """
    return bool(session) and _telling(_kept(state, gone_only=True))(session)


def _known(state: Path, *, gone_only: bool) -> Callable[[str], bool] | None:
    try:
        rows = _kept(state, gone_only=gone_only)
    except MemvaultError:
        return bool
    return _telling(rows) if rows else None


def _kept(state: Path, *, gone_only: bool) -> Sequence[tuple[bytes, str]]:
    path = state / _FILE
    with files.plainly(path):
        data = files.read(path) if path.exists() else b""
    return [(salt, kept) for salt, kept, is_gone in _rows(data) if is_gone or not gone_only]


def _telling(rows: Sequence[tuple[bytes, str]]) -> Callable[[str], bool]:
    @cache
    def is_hidden(session: str) -> bool:
        return bool(session) and any(_hash(session, salt) == kept for salt, kept in rows)

    return is_hidden


def _rows(data: bytes) -> Iterator[tuple[bytes, str, bool]]:
    for line in data.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line)
            yield bytes.fromhex(told["salt"]), str(told["hash"]), told.get("gone") is True


def _hash(session: str, salt: bytes) -> str:
    from hashlib import blake2b  # deferred: it is a slow import, and few have a session to hide

    return blake2b(session.casefold().encode(errors="replace"), salt=salt, digest_size=16).hexdigest()
