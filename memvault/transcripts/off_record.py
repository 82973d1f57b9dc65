"""What was said while memvault was told to keep quiet: it does not get into the archive by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path

from memvault.storage.pauses import Quiet, hidden_sessions, pauses
from memvault.system import project as projects
from memvault.transcripts.model.record import Bad, Kept, Record, Start, moment, text_of
from memvault.transcripts.model.talk import Talk


def on_record(records: Iterable[Record], state: Path, start: Start) -> Iterator[Record]:
    """The records without what was said during a pause of everything, of their session or of their project."""
    quiets, hidden = pauses(state), hidden_sessions(state)
    if not quiets and hidden is None:
        yield from records
        return
    head, at = start.head, None
    for record in records:
        if isinstance(record, Talk):
            head = record
        elif isinstance(record, Kept):
            at = _time(record, start) or at
        # What cannot be read is of the time of what stands before it.
        if not isinstance(record, Kept | Bad) or not _is_off(record, head, at, quiets, hidden):
            yield record


def _is_off(
    record: Kept | Bad,
    head: Talk | None,
    at: datetime | None,
    quiets: tuple[Quiet, ...],
    hidden: Callable[[str], bool] | None,
) -> bool:
    folder = head.project if head and any(quiet.scope.of == "project" for quiet in quiets) else ""
    sessions = {head.id if head else "", *(_sessions(record) if isinstance(record, Kept) else ())}
    if hidden is not None and any(map(hidden, sessions)):
        return True
    return any(_holds(quiet, _project(folder), session, at) for quiet in quiets for session in sessions)


def _holds(quiet: Quiet, project: str, session: str, at: datetime | None) -> bool:
    # "Do not remember this conversation" is meant of all of it, whenever it is said.
    if quiet.scope.of == "session" and quiet.until is None:
        return quiet.covers(project, session, quiet.since)
    return at is not None and quiet.covers(project, session, at)


def _sessions(record: Kept) -> tuple[str, ...]:
    turn = record.turn.session if record.turn else ""
    return (turn, text_of(record.raw or {}, "sessionId"))


def _time(record: Kept, start: Start) -> datetime | None:
    if record.turn is not None and record.turn.time is not None:
        return record.turn.time
    return moment((record.raw or {}).get("timestamp"), start.zone)


@cache
def _project(folder: str) -> str:
    return projects.of(Path(folder)) if folder else ""
