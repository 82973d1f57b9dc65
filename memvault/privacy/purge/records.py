"""Purge lines of journals, ledgers, logs and state pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memvault.core.ids import is_id
from memvault.core.secrets.erase import FORGOTTEN_MARK, Erase
from memvault.errors import MemvaultError
from memvault.privacy.purge.subject import PurgeSubject
from memvault.storage.journal.chain import append_gone, is_chained, line_digest, read_lines
from memvault.storage.vault.context import VaultContext
from memvault.system import files

IsPurged = Callable[[str], bool]  # of a memory's id

_ENDINGS, _NAMES = (".jsonl", ".log"), ("recent",)
_ROUNDS = 3  # a log may be rotated or rewritten at the same moment
_PLACES = ("path", "to", "from")
# Events about a session alone; None for logs of this machine. Other events belong to a memory.
_OF_SESSIONS = (None, "learnt", "confirm", "verdict")
FORGOTTEN_STEP = "forgotten"  # the action of a purged step; the others keep their numbers


def record_files(context: VaultContext) -> Iterator[Path]:
    """Return every device's journal and ledger; only a purge removes anything from them."""
    return (path for _, path in (*context.vault.journal.journal_files(), *context.vault.ledger.ledger_files()))


def log_files(state: Path | None) -> list[Path]:
    """Return the log files of this machine's state."""
    every = state.rglob("*") if state and state.is_dir() else ()
    return sorted(path for path in every if (path.name.endswith(_ENDINGS) or path.name in _NAMES) and path.is_file())


def amend_records(context: VaultContext, change: Callable[[bytes], bytes | None]) -> int:
    """Amend the lines of every device's journal and ledger; the chain of the operation log says it was by intent."""
    count = 0
    for path in record_files(context):
        log = [line for line, entry in read_lines(files.read_file(path)) if is_chained(entry)]
        gone = {line_digest(line): line_digest(fresh) for line in log if (fresh := change(line)) is not None}
        append_gone(context.vault.journal, gone, context.now)
        count += amend_lines(path, change)
    return count


def purge_records(context: VaultContext, subject: PurgeSubject) -> int:
    """Purge the lines of every device's journal and ledger; return how many."""
    return amend_records(context, lambda line: _purge_line(line, subject))


def purge_lines(path: Path, subject: PurgeSubject) -> int:
    """Blank the lines about the subject, and remove it from others; return how many. Its marks stay.

    Nothing is moved: a concurrent append loses nothing, and offsets stay valid.
    """
    return amend_lines(path, lambda line: _purge_line(line, subject))


def amend_lines(path: Path, change: Callable[[bytes], bytes | None]) -> int:
    """Replace lines in place, padded to their length, for which `change` returns new text; return how many."""
    count = 0
    for _ in range(_ROUNDS):
        try:
            data = files.read_file(path)
        except FileNotFoundError:
            return count
        changes, at = [], 0
        for line in data.split(b"\n"):
            fresh = change(line) if line.strip() else None
            if fresh is not None:
                changes.append((at, fresh))
            at += len(line) + 1
        if not changes:
            return count
        files.overwrite_spans(path, changes)
        count += len(changes)
    return count


def _purge_line(line: bytes, subject: PurgeSubject) -> bytes | None:
    """Return the replacement of a line, of the same length; None where it does not change."""
    if not subject.may_be_in_text(line.decode("utf-8", "replace")):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        is_named = not subject.names.isdisjoint(line.decode("utf-8", "replace").split())
        return b" " * len(line) if is_named or subject.is_in_bytes(line) else None
    if not isinstance(record, dict):
        return b" " * len(line) if subject.is_in_bytes(line) else None
    if record.get("e") in ("tombstone", "lift") and "mac" in record:
        return None
    fresh = _step_stub(record) if _is_about_subject(record, subject) else _without_subject(record, subject)
    return None if fresh == record else _fit_line(fresh, len(line))


def purge_marked_line(line: bytes, eraser: Erase, is_purged: IsPurged) -> bytes | None:
    """Return a line without what was ever marked, on any machine; None where it does not change."""
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        text = line.decode("utf-8", "replace")
        return b" " * len(line) if eraser(text) != text else None
    is_own = is_purged(str(record.get("id", ""))) or _is_of_session(record, is_purged)
    session = record.get("session")
    is_hidden = isinstance(session, str) and session and is_purged(session)
    rest = {**record, "session": FORGOTTEN_MARK} if is_hidden else record
    # Most texts are ids, times and paths.
    fresh = _step_stub(record) if is_own else _map_texts(rest, lambda text: eraser(text) if " " in text else text)
    return None if fresh == record else _fit_line(fresh, len(line))


def _is_of_session(record: Mapping[str, object], is_purged: IsPurged) -> bool:
    """Return whether a line is about a session alone: an event of a remaining memory is that memory's."""
    names = ("talk", "session") if record.get("e") in _OF_SESSIONS else ()
    return any(is_purged(id_) for name in names if isinstance(id_ := record.get(name), str) and id_)


def _map_texts(value: object, change: Callable[[str], str]) -> object:
    """Return a value with all of its texts changed."""
    match value:
        case str():
            return change(value)
        case list():
            return [_map_texts(one, change) for one in value]
        case dict():
            return {name: _map_texts(one, change) for name, one in value.items()}
        case _:
            return value


def _step_stub(record: Mapping[str, object]) -> object:
    """Return a stub: an operation counts its steps, so a purged one still is one."""
    if record.get("e") != "step":
        return {}
    return {name: record[name] for name in ("t", "e", "op", "n") if name in record} | {"do": FORGOTTEN_STEP}


def _fit_line(fresh: object, length: int) -> bytes:
    for attempt in (fresh, _map_texts(fresh, lambda text: text.replace(FORGOTTEN_MARK, "")), {}):
        text = json.dumps(attempt, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) <= length:
            return text.ljust(length)
    return b" " * length


def _is_about_subject(record: Mapping[str, object], subject: PurgeSubject) -> bool:
    """Return whether a line is about the subject only."""
    if subject.talk and _is_of_session(record, lambda id_: id_ == subject.talk):
        return True
    if record.get("id") or record.get("pair"):
        pair = record.get("pair")
        return record.get("id") in subject.ids or (isinstance(pair, list) and any(id_ in subject.ids for id_ in pair))
    if (str(record.get("op", "")), str(record.get("path", "")), str(record.get("to", ""))) in subject.history.steps:
        return True
    inner = (record.get("entry"), record.get("inverse"))
    if any(isinstance(one, dict) and _is_about_subject(one, subject) for one in inner):
        return True
    return any(record.get(place) in subject.names for place in _PLACES)


def _without_subject(value: object, subject: PurgeSubject) -> object:
    """Return a value without the subject."""
    match value:
        case str() if value in subject.names:
            return FORGOTTEN_MARK
        case str():
            for id_ in subject.ids:
                value = value.replace(id_, FORGOTTEN_MARK)
            return subject.erase_text(value)
        case list():
            return [_without_subject(one, subject) for one in value if not _is_subject_item(one, subject)]
        case dict():
            return {name: _without_subject(one, subject) for name, one in value.items() if name not in subject.ids}
        case _:
            return value


def _is_subject_item(one: object, subject: PurgeSubject) -> bool:
    if isinstance(one, dict):
        return _is_about_subject(one, subject)
    return isinstance(one, str) and (one in subject.ids or one in subject.names)


# What state files in JSON say about a purged session.

_ENDING = ".json"


def purge_pages(state: Path, session: str) -> None:
    """Remove a session from every JSON page of this machine's state."""
    pages = sorted(state.rglob(f"*{_ENDING}")) if session and state.is_dir() else []
    for path in filter(Path.is_file, pages):
        try:
            record = json.loads(files.read_file(path))
        except (MemvaultError, ValueError):
            continue  # not one of our files
        fresh = _page_without(record, session)
        if fresh != record:
            files.overwrite_file(path, json.dumps(fresh).encode())


def _page_without(value: object, session: str) -> object:
    match value:
        case list():
            return [_page_without(one, session) for one in value if not _is_about_session(one, session)]
        case dict():
            left = {
                name: one
                for name, one in value.items()
                if not (_is_about_session(name, session) or _is_about_session(one, session))
            }
            return {name: _page_without(one, session) for name, one in left.items()}
        case _:
            return value


def _is_about_session(value: object, session: str) -> bool:
    """Return whether a value is the session's id, a record of it, or a file named after it."""
    if isinstance(value, str):
        return value == session or (is_id(session) and session in value)
    return isinstance(value, dict) and value.get("session") == session
