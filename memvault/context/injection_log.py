"""The log of injections on this machine: what a model was given unasked, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError
from memvault.system import files

if TYPE_CHECKING:
    from memvault.core.memory import Memory
    from memvault.storage.vault.context import VaultContext

_FILE, _BEFORE = "injected.jsonl", "injected.old.jsonl"
_FULL = 200_000  # bytes: then the log is rotated, and the previous one is deleted


SESSION_START = "SessionStart"
_GOES_ON = ("resume", "")  # sources of a session that still has what it was given


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRecord:
    """One injection, or the start of a session, even where nothing was given at it."""

    at: datetime
    session: str = ""
    agent: str = ""  # the client that was given it; empty in lines of before
    event: str = ""
    project: str = ""
    ids: tuple[str, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    tokens: int = 0
    source: str = ""  # how the session started, at its start
    marks: Mapping[str, str] = field(default_factory=dict)  # by id, the version of the text that the model has
    also: tuple[str, ...] = ()  # what was given besides memories
    topics: tuple[str, ...] = ()  # of the prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedMemory:
    """One memory of an injection, and why it was there; `memory` is None where it is gone since."""

    id: str
    why: str
    memory: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionDetails:
    """An injection with its memories as they are now."""

    injection: InjectionRecord
    given: tuple[InjectedMemory, ...]


def append_record(state: Path, record: InjectionRecord) -> None:
    """Append an injection to the log; a log that cannot be written is no reason to inject nothing."""
    own = {row.name: getattr(record, row.name) for row in fields(record) if row.name != "at"}
    data = {"t": record.at.isoformat(), **own}
    with suppress(MemvaultError, OSError):
        files.append_line(state / _FILE, json.dumps(data, ensure_ascii=False).encode() + b"\n", full=_FULL)


def last_records(state: Path, session: str = "", *, limit: int = 1) -> tuple[InjectionRecord, ...]:
    """Return the last injections, of one session or of any, the newest first; all if `limit` is 0."""
    found: list[InjectionRecord] = []
    for name in (_FILE, _BEFORE):
        found += [row for row in _read_log(state / name, session) if not session or row.session == session]
        if limit and len(found) >= limit:
            break
    return tuple(found[:limit] if limit else found)


def already_injected(state: Path, session: str) -> dict[str, str]:
    """Return what a session was given since it began or was last compacted: marks by id."""
    given: dict[str, str] = {}
    for row in last_records(state, session, limit=0) if session else ():
        for id_ in (*row.ids, *row.marks):
            given.setdefault(id_, row.marks.get(id_, ""))
        if row.event == SESSION_START and row.source not in _GOES_ON:
            break
    return given


def last_injections(context: VaultContext, session: str = "", *, limit: int = 1) -> tuple[InjectionDetails, ...]:
    """Return the last injections with the memories that they gave."""
    assert context.state is not None
    context.refresh()
    data = [row for row in last_records(context.state, session, limit=0) if row.ids or row.also]
    known = context.index.memory_by_id
    return tuple(
        InjectionDetails(
            injection=row,
            given=tuple(
                InjectedMemory(id=id_, why=row.why.get(id_, ""), memory=known(id_.partition(":")[0])) for id_ in row.ids
            ),
        )
        for row in (data[:limit] if limit else data)
    )


def _read_log(path: Path, session: str = "") -> Iterator[InjectionRecord]:
    """Yield the log's rows of a session, the newest first; unreadable rows are skipped."""
    if not path.exists():
        return
    named = json.dumps(session, ensure_ascii=False).encode(errors="replace") if session else b""
    with suppress(MemvaultError):
        data = files.read_file(path)
        # Most rows are of other sessions, and need not be looked at.
        for line in _lines_with(named, data) if named else reversed(data.splitlines()):
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                yield _read_record(line)


def _lines_with(named: bytes, data: bytes) -> Iterator[bytes]:
    """Yield the lines that contain something, the last first."""
    end = len(data)
    while (at := data.rfind(named, 0, end)) >= 0:
        end = data.rfind(b"\n", 0, at) + 1
        behind = data.find(b"\n", at)
        yield data[end : len(data) if behind < 0 else behind]


@lru_cache(maxsize=2_048)  # the daemon reads the same rows at every event
def _read_record(line: bytes) -> InjectionRecord:
    data = json.loads(line)
    return InjectionRecord(
        at=datetime.fromisoformat(str(data["t"])),
        session=str(data["session"]),
        agent=str(data.get("agent", "")),
        event=str(data["event"]),
        project=str(data["project"]),
        ids=tuple(map(str, data["ids"])),
        why={str(id_): str(reason) for id_, reason in data["why"].items()},
        tokens=int(data["tokens"]),
        source=str(data.get("source", "")),
        marks={str(id_): str(mark) for id_, mark in data.get("marks", {}).items()},
        also=tuple(map(str, data.get("also", ()))),
        topics=tuple(map(str, data.get("topics", ()))),
    )
