"""The person's switch: when, where and in which session nothing is to be remembered or injected by itself."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from memvault.errors import Incognito, MemvaultError, NothingToDo, Paused
from memvault.system import files

# Every hook asks this first, so nothing is imported here that it does not need anyway.

INCOGNITO = "MEMVAULT_INCOGNITO"
_FILE = "paused.jsonl"
_FULL = 60_000  # bytes: then what is over is left out
_ON = frozenset(("1", "true", "yes", "on"))


class PauseScope(NamedTuple):
    """Of what nothing is remembered: of everything, of one project, or of one session."""

    of: str = "everything"  # everything, project or session
    name: str = ""

    @property
    def description(self) -> str:
        """As it is told."""
        return "everywhere" if self.of == "everything" else f"for the {self.of} {self.name}"


EVERYTHING = PauseScope()


@dataclass(frozen=True, slots=True)
class PausePeriod:
    """A stretch of time in which memvault was told to keep quiet."""

    scope: PauseScope
    since: datetime
    until: datetime | None = None  # None: until somebody ends it
    incognito: bool = False  # the whole session is: nobody ends that but by ending it

    def refusal(self) -> Paused:
        """What refuses to store anything by itself meanwhile."""
        return Incognito(scope=self.scope.description) if self.incognito else Paused(scope=self.scope.description)

    def is_active(self, at: datetime) -> bool:
        """Whether it holds at a moment."""
        return self.since <= at and not self.is_over(at)

    def is_over(self, at: datetime) -> bool:
        """Whether it has ended before a moment."""
        return self.until is not None and self.until <= at

    def applies_to(self, project: str, session: str, at: datetime) -> bool:
        """Whether it holds for what is done in a project and a session at a moment."""
        named = {"project": project, "session": session}.get(self.scope.of, "")
        return named.casefold() == self.scope.name.casefold() and self.is_active(at)


def is_paused(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> bool:
    """Whether nothing is to be remembered or injected by itself."""
    return active_pause(state, project, session, now, environment) is not None


def is_incognito(environment: Mapping[str, str] | None) -> bool:
    """Whether the assistant was started with the word that nothing of this session is to be kept."""
    return (environment or {}).get(INCOGNITO, "").strip().lower() in _ON


def active_pause(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> PausePeriod | None:
    """The pause that holds for a project and a session at a moment, if there is one."""
    if is_incognito(environment):
        return PausePeriod(PauseScope("session", session or "incognito"), now, incognito=True)
    return next((quiet for quiet in read_pauses(state) if quiet.applies_to(project, session, now)), None)


def check_not_paused(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> None:
    """Refuse what is done by itself while memvault was told to keep quiet."""
    if found := active_pause(state, project, session, now, environment):
        raise found.refusal()


def read_pauses(state: Path) -> tuple[PausePeriod, ...]:
    """Every pause that is known, those that are over too, the oldest first.

    A file that cannot be read counts as a pause: it may say that there is one.
    """
    path = state / _FILE
    try:
        if not path.exists():
            return ()
        data = files.read_file(path)
    except (MemvaultError, OSError):
        return (PausePeriod(EVERYTHING, datetime.min.replace(tzinfo=UTC)),)
    return tuple(_fold_pauses(_parse_entries(data)))


def active_pauses(state: Path, now: datetime) -> tuple[PausePeriod, ...]:
    """The pauses that hold at a moment, whatever for."""
    return tuple(quiet for quiet in read_pauses(state) if quiet.is_active(now))


# -- the switch


def start_pause(
    state: Path, scope: PauseScope, *, now: datetime, span: timedelta | None = None, dry_run: bool = False
) -> PausePeriod:
    """Keep quiet from now on, for a time or until it is ended; of two pauses of the same, the later says how long."""
    quiet = PausePeriod(scope, now, None if span is None else now + span)
    if not dry_run:
        _append_entry(state, _entry_of(quiet), now)
    return quiet


def end_pauses(
    state: Path, scopes: Iterable[PauseScope] = (), *, now: datetime, everything: bool = False, dry_run: bool = False
) -> tuple[PausePeriod, ...]:
    """End the pauses of some scopes, or all; gives those that were ended."""
    wanted = [PauseScope(scope.of, scope.name.casefold()) for scope in scopes]
    ended = tuple(
        quiet
        for quiet in active_pauses(state, now)
        if everything or PauseScope(quiet.scope.of, quiet.scope.name.casefold()) in wanted
    )
    if not ended:
        raise NothingToDo(reason="Nothing of that is paused.")
    for quiet in ended if not dry_run else ():
        _append_entry(
            state, {"e": "resume", "of": quiet.scope.of, "name": quiet.scope.name, "at": now.isoformat()}, now
        )
    return ended


def _append_entry(state: Path, entry: Mapping[str, str], now: datetime) -> None:
    path = state / _FILE
    files.make_folder(state)
    files.append_line(path, _encode_line(entry), durable=True)
    if path.stat().st_size > _FULL:
        # A session's pause is never dropped: its transcript may be taken in long after.
        lasting = (quiet for quiet in read_pauses(state) if quiet.scope.of == "session" or not quiet.is_over(now))
        files.overwrite_file(path, b"".join(_encode_line(_entry_of(quiet)) for quiet in lasting))


def _entry_of(quiet: PausePeriod) -> Mapping[str, str]:
    until = {} if quiet.until is None else {"until": quiet.until.isoformat()}
    return {"e": "pause", "of": quiet.scope.of, "name": quiet.scope.name, "at": quiet.since.isoformat(), **until}


def _encode_line(entry: Mapping[str, str]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _parse_entries(data: bytes) -> Iterator[tuple[str, PauseScope, datetime, datetime | None]]:
    """What each line says; one that cannot be read says nothing."""
    for line in data.splitlines():
        try:
            told = json.loads(line)
            until = datetime.fromisoformat(told["until"]) if "until" in told else None
            yield told["e"], PauseScope(str(told["of"]), str(told["name"])), datetime.fromisoformat(told["at"]), until
        except (ValueError, KeyError, TypeError):
            continue


def _fold_pauses(entries: Iterable[tuple[str, PauseScope, datetime, datetime | None]]) -> list[PausePeriod]:
    found: list[PausePeriod] = []
    for what, scope, at, until in entries:
        for place, quiet in enumerate(found):
            if quiet.scope == scope and quiet.is_active(at):
                found[place] = PausePeriod(scope, quiet.since, at)
        if what == "pause":
            found.append(PausePeriod(scope, at, until))
    return found


# Which sessions were incognito, or are forgotten for good: kept as hashes that tell nobody which.

_INCOGNITO_FILE = "incognito.jsonl"
_SALT = 16  # bytes, drawn for each


def hide_session(state: Path, session: str, *, is_gone: bool = False) -> None:
    """Keep a session's hash, once; of one that was forgotten for good, that it was."""
    if not session or _match_hashes(_read_hashes(state, gone_only=is_gone))(session):
        return
    salt = os.urandom(_SALT)
    told = {"salt": salt.hex(), "hash": _hash_session(session, salt), **({"gone": True} if is_gone else {})}
    files.make_folder(state)
    files.append_line(state / _INCOGNITO_FILE, json.dumps(told).encode() + b"\n", durable=True)


def incognito_sessions(state: Path) -> Callable[[str], bool] | None:
    """What tells whether a session was incognito; None where none ever was.

    Where that cannot be read, every session may have been.
    """
    return _session_test(state, gone_only=False)


def purged_sessions(state: Path) -> Callable[[str], bool] | None:
    """What tells whether a session was forgotten for good here, so that nothing names it again; likewise."""
    return _session_test(state, gone_only=True)


def is_purged_session(state: Path, session: str) -> bool:
    """Whether a session was forgotten for good on this machine; where that cannot be read, it is an error.

    What is written now would else lack the session, and nobody would hear why.
    """
    return bool(session) and _match_hashes(_read_hashes(state, gone_only=True))(session)


def _session_test(state: Path, *, gone_only: bool) -> Callable[[str], bool] | None:
    try:
        rows = _read_hashes(state, gone_only=gone_only)
    except MemvaultError:
        return bool
    return _match_hashes(rows) if rows else None


def _read_hashes(state: Path, *, gone_only: bool) -> Sequence[tuple[bytes, str]]:
    path = state / _INCOGNITO_FILE
    with files.system_errors(path):
        data = files.read_file(path) if path.exists() else b""
    return [(salt, kept) for salt, kept, is_gone in _parse_hashes(data) if is_gone or not gone_only]


def _match_hashes(rows: Sequence[tuple[bytes, str]]) -> Callable[[str], bool]:
    @cache
    def is_hidden(session: str) -> bool:
        return bool(session) and any(_hash_session(session, salt) == kept for salt, kept in rows)

    return is_hidden


def _parse_hashes(data: bytes) -> Iterator[tuple[bytes, str, bool]]:
    for line in data.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line)
            yield bytes.fromhex(told["salt"]), str(told["hash"]), told.get("gone") is True


def _hash_session(session: str, salt: bytes) -> str:
    from hashlib import blake2b  # deferred: it is a slow import, and few have a session to hide

    return blake2b(session.casefold().encode(errors="replace"), salt=salt, digest_size=16).hexdigest()
