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


class Scope(NamedTuple):
    """Of what nothing is remembered: of everything, of one project, or of one session."""

    of: str = "everything"  # everything, project or session
    name: str = ""

    @property
    def words(self) -> str:
        """As it is told."""
        return "everywhere" if self.of == "everything" else f"for the {self.of} {self.name}"


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Quiet:
    """A stretch of time in which memvault was told to keep quiet."""

    scope: Scope
    since: datetime
    until: datetime | None = None  # None: until somebody ends it
    incognito: bool = False  # the whole session is: nobody ends that but by ending it

    def refusal(self) -> Paused:
        """What refuses to store anything by itself meanwhile."""
        return Incognito(scope=self.scope.words) if self.incognito else Paused(scope=self.scope.words)

    def holds(self, at: datetime) -> bool:
        """Whether it holds at a moment."""
        return self.since <= at and not self.is_over(at)

    def is_over(self, at: datetime) -> bool:
        """Whether it has ended before a moment."""
        return self.until is not None and self.until <= at

    def covers(self, project: str, session: str, at: datetime) -> bool:
        """Whether it holds for what is done in a project and a session at a moment."""
        named = {"project": project, "session": session}.get(self.scope.of, "")
        return named.casefold() == self.scope.name.casefold() and self.holds(at)


def is_paused(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> bool:
    """Whether nothing is to be remembered or injected by itself."""
    return quiet_now(state, project, session, now, environment) is not None


def is_incognito(environment: Mapping[str, str] | None) -> bool:
    """Whether the assistant was started with the word that nothing of this session is to be kept."""
    return (environment or {}).get(INCOGNITO, "").strip().lower() in _ON


def quiet_now(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> Quiet | None:
    """The pause that holds for a project and a session at a moment, if there is one."""
    if is_incognito(environment):
        return Quiet(Scope("session", session or "incognito"), now, incognito=True)
    return next((quiet for quiet in pauses(state) if quiet.covers(project, session, now)), None)


def check_not_paused(
    state: Path, project: str, session: str, now: datetime, environment: Mapping[str, str] | None = None
) -> None:
    """Refuse what is done by itself while memvault was told to keep quiet."""
    if found := quiet_now(state, project, session, now, environment):
        raise found.refusal()


def pauses(state: Path) -> tuple[Quiet, ...]:
    """Every pause that is known, those that are over too, the oldest first.

    A file that cannot be read counts as a pause: it may say that there is one.
    """
    path = state / _FILE
    try:
        if not path.exists():
            return ()
        data = files.read(path)
    except (MemvaultError, OSError):
        return (Quiet(EVERYTHING, datetime.min.replace(tzinfo=UTC)),)
    return tuple(_folded(_entries(data)))


def standing(state: Path, now: datetime) -> tuple[Quiet, ...]:
    """The pauses that hold at a moment, whatever for."""
    return tuple(quiet for quiet in pauses(state) if quiet.holds(now))


# -- the switch


def pause(state: Path, scope: Scope, *, now: datetime, span: timedelta | None = None, dry_run: bool = False) -> Quiet:
    """Keep quiet from now on, for a time or until it is ended; of two pauses of the same, the later says how long."""
    quiet = Quiet(scope, now, None if span is None else now + span)
    if not dry_run:
        _note(state, _entry(quiet), now)
    return quiet


def resume(
    state: Path, scopes: Iterable[Scope] = (), *, now: datetime, everything: bool = False, dry_run: bool = False
) -> tuple[Quiet, ...]:
    """End the pauses of some scopes, or all; gives those that were ended."""
    wanted = [Scope(scope.of, scope.name.casefold()) for scope in scopes]
    ended = tuple(
        quiet
        for quiet in standing(state, now)
        if everything or Scope(quiet.scope.of, quiet.scope.name.casefold()) in wanted
    )
    if not ended:
        raise NothingToDo(reason="Nothing of that is paused.")
    for quiet in ended if not dry_run else ():
        _note(state, {"e": "resume", "of": quiet.scope.of, "name": quiet.scope.name, "at": now.isoformat()}, now)
    return ended


def _note(state: Path, entry: Mapping[str, str], now: datetime) -> None:
    path = state / _FILE
    files.make_folder(state)
    files.append(path, _line(entry), durable=True)
    if path.stat().st_size > _FULL:
        # A session's pause is never dropped: its transcript may be taken in long after.
        lasting = (quiet for quiet in pauses(state) if quiet.scope.of == "session" or not quiet.is_over(now))
        files.overwrite(path, b"".join(_line(_entry(quiet)) for quiet in lasting))


def _entry(quiet: Quiet) -> Mapping[str, str]:
    until = {} if quiet.until is None else {"until": quiet.until.isoformat()}
    return {"e": "pause", "of": quiet.scope.of, "name": quiet.scope.name, "at": quiet.since.isoformat(), **until}


def _line(entry: Mapping[str, str]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _entries(data: bytes) -> Iterator[tuple[str, Scope, datetime, datetime | None]]:
    """What each line says; one that cannot be read says nothing."""
    for line in data.splitlines():
        try:
            told = json.loads(line)
            until = datetime.fromisoformat(told["until"]) if "until" in told else None
            yield told["e"], Scope(str(told["of"]), str(told["name"])), datetime.fromisoformat(told["at"]), until
        except (ValueError, KeyError, TypeError):
            continue


def _folded(entries: Iterable[tuple[str, Scope, datetime, datetime | None]]) -> list[Quiet]:
    found: list[Quiet] = []
    for what, scope, at, until in entries:
        for place, quiet in enumerate(found):
            if quiet.scope == scope and quiet.holds(at):
                found[place] = Quiet(scope, quiet.since, at)
        if what == "pause":
            found.append(Quiet(scope, at, until))
    return found


# Which sessions were incognito, or are forgotten for good: kept as hashes that tell nobody which.

_INCOGNITO_FILE = "incognito.jsonl"
_SALT = 16  # bytes, drawn for each


def keep(state: Path, session: str, *, is_gone: bool = False) -> None:
    """Keep a session's hash, once; of one that was forgotten for good, that it was."""
    if not session or _telling(_kept(state, gone_only=is_gone))(session):
        return
    salt = os.urandom(_SALT)
    told = {"salt": salt.hex(), "hash": _hash(session, salt), **({"gone": True} if is_gone else {})}
    files.make_folder(state)
    files.append(state / _INCOGNITO_FILE, json.dumps(told).encode() + b"\n", durable=True)


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
    path = state / _INCOGNITO_FILE
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
