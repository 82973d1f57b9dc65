"""Pauses: when, where and in which session nothing is remembered or injected automatically."""

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

# Every hook asks this first, so nothing heavy is imported here.

INCOGNITO = "MEMVAULT_INCOGNITO"
_FILE = "paused.jsonl"
_FULL = 60_000  # bytes: then ended pauses are dropped
_ON = frozenset(("1", "true", "yes", "on"))


class PauseScope(NamedTuple):
    """What a pause covers: everything, one project, or one session."""

    of: str = "everything"  # everything, project or session
    name: str = ""

    @property
    def description(self) -> str:
        """Return the scope as messages show it."""
        return "everywhere" if self.of == "everything" else f"for the {self.of} {self.name}"

    @property
    def resume_command(self) -> str:
        """Return the command that ends a pause of it."""
        from shlex import quote  # deferred: nobody asks on a hot path

        return " ".join(("memvault agent resume", *((f"--{self.of}", quote(self.name)) if self.name else ())))


EVERYTHING = PauseScope()


@dataclass(frozen=True, slots=True)
class PausePeriod:
    """A period in which memvault was told to pause."""

    scope: PauseScope
    since: datetime
    until: datetime | None = None  # None: until it is ended
    incognito: bool = False  # the whole session is; only its end ends that

    def refusal(self) -> Paused:
        """Return the error that refuses automatic storing during the pause."""
        error = Incognito if self.incognito else Paused
        return error(scope=self.scope.description, command=self.scope.resume_command)

    def is_active(self, at: datetime) -> bool:
        """Return whether the pause is in force at a moment."""
        return self.since <= at and not self.is_over(at)

    def is_over(self, at: datetime) -> bool:
        """Return whether the pause ended before a moment."""
        return self.until is not None and self.until <= at

    def applies_to(self, project: str, session: str, at: datetime) -> bool:
        """Return whether the pause covers a project and a session at a moment."""
        named = {"project": project, "session": session}.get(self.scope.of, "")
        return named.casefold() == self.scope.name.casefold() and self.is_active(at)


def is_paused(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> bool:
    """Return whether nothing may be remembered or injected automatically."""
    return active_pause(state, project, session, now, environment) is not None


def is_incognito(environment: Mapping[str, str] | None) -> bool:
    """Return whether the assistant was started so that nothing of this session is kept."""
    return (environment or {}).get(INCOGNITO, "").strip().lower() in _ON


def active_pause(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> PausePeriod | None:
    """Return the pause in force for a project and a session, if there is one."""
    if is_incognito(environment):
        return PausePeriod(PauseScope("session", session or "incognito"), now, incognito=True)
    return next((quiet for quiet in read_pauses(state) if quiet.applies_to(project, session, now)), None)


def check_not_paused(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> None:
    """Refuse what is done automatically during a pause."""
    if found := active_pause(state, project, session, now, environment):
        raise found.refusal()


def read_pauses(state: Path) -> tuple[PausePeriod, ...]:
    """Return every known pause, the oldest first, ended ones included.

    A file that cannot be read counts as a pause: it may say that there is one.
    """
    path = state / _FILE
    try:
        if not path.exists():
            return ()
        data = files.read_file(path)
    except (MemvaultError, OSError):
        return (PausePeriod(EVERYTHING, datetime.min.replace(tzinfo=UTC)),)
    periods: list[PausePeriod] = []
    for what, scope, at, until in _parse_entries(data):
        for place, quiet in enumerate(periods):
            if quiet.scope == scope and quiet.is_active(at):
                periods[place] = PausePeriod(scope, quiet.since, at)
        if what == "pause":
            periods.append(PausePeriod(scope, at, until))
    return tuple(periods)


def active_pauses(state: Path, now: datetime) -> tuple[PausePeriod, ...]:
    """Return the pauses in force at a moment, of whatever scope."""
    return tuple(quiet for quiet in read_pauses(state) if quiet.is_active(now))


# -- starting and ending


def start_pause(
    state: Path, scope: PauseScope, *, now: datetime, span: timedelta | None = None, dry_run: bool = False
) -> PausePeriod:
    """Start a pause, for a time or until it is ended; of two of the same scope, the later decides the end."""
    quiet = PausePeriod(scope, now, None if span is None else now + span)
    if not dry_run:
        _append_entry(state, _entry_of(quiet), now)
    return quiet


def end_pauses(
    state: Path, scopes: Iterable[PauseScope] = (), *, now: datetime, everything: bool = False, dry_run: bool = False
) -> tuple[PausePeriod, ...]:
    """End the pauses of some scopes, or all, and return them."""
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
    files.append_line(path, _encode_line(entry), durable=True)
    if path.stat().st_size > _FULL:
        # A session's pause is never dropped: its transcript may be ingested long after.
        lasting = (quiet for quiet in read_pauses(state) if quiet.scope.of == "session" or not quiet.is_over(now))
        files.overwrite_file(path, b"".join(_encode_line(_entry_of(quiet)) for quiet in lasting))


def _entry_of(quiet: PausePeriod) -> Mapping[str, str]:
    until = {} if quiet.until is None else {"until": quiet.until.isoformat()}
    return {"e": "pause", "of": quiet.scope.of, "name": quiet.scope.name, "at": quiet.since.isoformat(), **until}


def _encode_line(entry: Mapping[str, str]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _parse_entries(data: bytes) -> Iterator[tuple[str, PauseScope, datetime, datetime | None]]:
    """Yield what each line says; unreadable lines are skipped."""
    for line in data.splitlines():
        try:
            row = json.loads(line)
            until = datetime.fromisoformat(row["until"]) if "until" in row else None
            yield row["e"], PauseScope(str(row["of"]), str(row["name"])), datetime.fromisoformat(row["at"]), until
        except (ValueError, KeyError, TypeError):
            continue


# Incognito and purged sessions, stored as salted hashes.

_INCOGNITO_FILE = "incognito.jsonl"
_SALT = 16  # random bytes for each


def hide_session(state: Path, session: str, *, is_gone: bool = False) -> None:
    """Store a session's hash, once; for a purged one, that it was purged."""
    if not session or _match_hashes(_read_hashes(state, gone_only=is_gone))(session):
        return
    salt = os.urandom(_SALT)
    data = {"salt": salt.hex(), "hash": _hash_session(session, salt), **({"gone": True} if is_gone else {})}
    files.append_line(state / _INCOGNITO_FILE, json.dumps(data).encode() + b"\n", durable=True)


def hidden_sessions(state: Path, *, gone_only: bool = False) -> Callable[[str], bool] | None:
    """Return a test of whether a session was incognito or purged, or only the latter; None where none ever was.

    Where that cannot be read, every session may have been.
    """
    try:
        rows = _read_hashes(state, gone_only=gone_only)
    except MemvaultError:
        return bool
    return _match_hashes(rows) if rows else None


def is_purged_session(state: Path, session: str) -> bool:
    """Return whether a session was purged on this machine; raises where that cannot be read.

    What is written now would else lack the session, and nobody would hear why.
    """
    return bool(session) and _match_hashes(_read_hashes(state, gone_only=True))(session)


def _read_hashes(state: Path, *, gone_only: bool) -> Sequence[tuple[bytes, str]]:
    path = state / _INCOGNITO_FILE
    with files.system_errors(path):
        data = files.read_file(path) if path.exists() else b""
    return [(salt, hash_) for salt, hash_, is_gone in _parse_hashes(data) if is_gone or not gone_only]


def _match_hashes(rows: Sequence[tuple[bytes, str]]) -> Callable[[str], bool]:
    @cache
    def is_hidden(session: str) -> bool:
        return bool(session) and any(_hash_session(session, salt) == kept for salt, kept in rows)

    return is_hidden


def _parse_hashes(data: bytes) -> Iterator[tuple[bytes, str, bool]]:
    for line in data.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            yield bytes.fromhex(row["salt"]), str(row["hash"]), row.get("gone") is True


def _hash_session(session: str, salt: bytes) -> str:
    from hashlib import blake2b  # deferred: slow to import and rarely needed

    return blake2b(session.casefold().encode(errors="replace"), salt=salt, digest_size=16).hexdigest()
