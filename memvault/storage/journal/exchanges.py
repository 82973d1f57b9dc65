"""A short log of the recent exchanges with agents, on this machine, for a new session to continue from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from memvault.core.secrets.private_spans import strip_private
from memvault.errors import MemvaultError
from memvault.storage.pauses import read_pauses
from memvault.system import files

# One exchange between a person and an agent: question, answer, files.


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One exchange in short: both texts are cut, without secrets and private spans."""

    at: datetime
    session: str = ""
    project: str = ""
    asked: str = ""
    answered: str = ""
    files: tuple[str, ...] = ()  # files that the agent wrote meanwhile, relative to the project's folder
    did: tuple[str, ...] = ()  # its other actions, in short: "ran tests: failed"


_FILE, _BEFORE, _LOCK = "interactions.jsonl", "interactions.old.jsonl", "interactions.lock"
_FULL = 200_000  # bytes: then the log replaces the old one
_ASKED, _ANSWERED, _PATH, _FILES = 300, 500, 200, 20  # characters, and files, of one exchange
_LOOKED_AT = 8_000  # searched for secrets before cutting, as a cut secret is no longer recognized
_SAID = ("asked", "answered", "files", "did")
_WAIT_SECONDS = 2.0
_REDACTED = re.compile(r"\[redacted: [^\]\n]{1,60}\]")
_FEWEST_LETTERS = 12  # of a text to search for: a shorter one would match half the log


def record_exchange(state: Path, interaction: Interaction) -> bool:
    """Log an exchange, cut and redacted; return whether it held anything new."""
    data = _as_record(interaction)
    if not any(data[name] for name in _SAID):
        return False
    path = state / _FILE
    with suppress(MemvaultError, OSError):
        files.make_folder(state)
        with files.lock(state / _LOCK, wait=_WAIT_SECONDS):
            before = next((_as_record(one) for one in _read_log(path) if one.session == interaction.session), {})
            if all(before.get(name) == data[name] for name in _SAID):
                return False
            files.append_line(path, _encode_line(data), full=_FULL)
            return True
    return False


def latest_exchanges(state: Path, *, project: str = "", since: datetime | None = None) -> tuple[Interaction, ...]:
    """Return the last exchanges of a project, or of all, the newest first."""
    # "Do not remember this conversation" covers all of it, whenever it is said.
    off = {
        quiet.scope.name.casefold() for quiet in read_pauses(state) if quiet.scope.of == "session" and not quiet.until
    }
    return tuple(
        one
        for name in (_FILE, _BEFORE)
        for one in _read_log(state / name)
        if (not project or one.project.casefold() == project.casefold())
        and (since is None or one.at >= since)
        and one.session.casefold() not in off
    )


def purge_exchanges(state: Path, *, texts: Iterable[str] = (), session: str = "") -> int:
    """Delete the exchanges of a session and those that contain a text; return how many there were."""
    gone = 0
    if not any((state / name).exists() for name in (_FILE, _BEFORE)):
        return gone
    wanted = [folded for text in texts for folded in _text_forms(text) if len(folded) >= _FEWEST_LETTERS]
    if not (wanted or session):
        return gone
    with files.lock(state / _LOCK, wait=_WAIT_SECONDS):
        for name in (_FILE, _BEFORE):
            if (state / name).exists():
                gone += _purge_log(state / name, wanted, session)
    return gone


def _purge_log(path: Path, wanted: list[str], session: str) -> int:
    kept, gone = [], 0
    for one in reversed(list(_read_log(path))):
        if (session and one.session == session) or _says_any(one, wanted):
            gone += 1
        else:
            kept.append(_encode_line(_as_record(one)))
    if gone:
        files.overwrite_file(path, b"".join(kept))
    return gone


def _says_any(one: Interaction, wanted: list[str]) -> bool:
    """Return whether an exchange contains a text, or is itself a part of one."""
    texts = [_fold_text(text.removesuffix("…")) for text in (one.asked, one.answered)]
    whole = " ".join(texts)
    parts = [pieces for text in texts if sum(map(len, pieces := _REDACTED.split(text))) >= _FEWEST_LETTERS]
    return any(text in whole or any(all(piece in text for piece in pieces) for pieces in parts) for text in wanted)


def _text_forms(text: str) -> tuple[str, ...]:
    """Return a text as it may have been said, and as the log would hold it where it is short enough for that."""
    if len(text) > _ASKED + _ANSWERED:
        return (_fold_text(text),)
    from memvault.core.secrets.scan import redact_secrets  # deferred: reading the log does not need it

    return tuple(dict.fromkeys((_fold_text(text), _fold_text(redact_secrets(strip_private(text))))))


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold()


# -- lines


def _as_record(one: Interaction) -> dict[str, Any]:
    return {
        "t": one.at.isoformat(),
        "session": one.session,
        "project": one.project,
        "asked": _shorten(one.asked, _ASKED),
        "answered": _shorten(one.answered, _ANSWERED),
        "files": [_shorten(name, _PATH) for name in one.files[:_FILES]],
        "did": [_shorten(action, _PATH) for action in one.did[:_FILES]],
    }


def _shorten(text: str, most: int) -> str:
    """Return a text on one line, redacted and cut."""
    from memvault.core.secrets.scan import redact_secrets  # deferred: reading the log does not need it

    line = " ".join(redact_secrets(strip_private(text)[:_LOOKED_AT]).split())
    fit = line.encode(errors="replace").decode()  # half surrogate pairs cannot be written
    return fit if len(fit) <= most else f"{fit[: most - 1].rstrip()}…"


def _encode_line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def _read_log(path: Path) -> Iterator[Interaction]:
    """Yield the exchanges in a log, the newest first; unreadable lines are skipped."""
    if not path.exists():
        return
    with suppress(MemvaultError):
        for line in reversed(files.read_file(path).splitlines()):
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                yield _parse_line(line)


@lru_cache(maxsize=1_024)  # a process that runs on reads the same rows at every event
def _parse_line(line: bytes) -> Interaction:
    data = json.loads(line)
    return Interaction(
        at=datetime.fromisoformat(str(data["t"])),
        **{name: str(data[name]) for name in ("session", "project", "asked", "answered")},
        files=tuple(map(str, data["files"])),
        did=tuple(map(str, data["did"])),
    )
