"""Purge lines of journals, ledgers, logs and state pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memvault.core.ids import is_id
from memvault.core.secrets.erase import FORGOTTEN_MARK, Erase
from memvault.errors import MemvaultError
from memvault.privacy.purge.subject import PurgeSubject
from memvault.storage.vault.context import VaultContext
from memvault.system import files

IsPurged = Callable[[str], bool]  # of a memory's id

_ENDINGS, _NAMES = (".jsonl", ".log"), ("recent",)
_ROUNDS = 3  # a log may be rotated or rewritten at the same moment
_PLACES = ("path", "to", "from")
# Events about a session alone; None for logs of this machine. Other events belong to a memory.
_OF_SESSIONS = (None, "learnt", "confirm", "verdict")
FORGOTTEN_STEP = "forgotten"  # the action of a purged step; the others keep their numbers


def is_log(name: str) -> bool:
    """Return whether a state file has a line for each event."""
    return name.endswith(_ENDINGS) or name in _NAMES


def record_files(context: VaultContext) -> Iterator[Path]:
    """Return every device's journal and ledger; only a purge removes anything from them."""
    return (path for _, path in (*context.vault.journal.journal_files(), *context.vault.ledger.ledger_files()))


def log_files(state: Path | None) -> list[Path]:
    """Return the log files of this machine's state."""
    every = state.rglob("*") if state and state.is_dir() else ()
    return sorted(path for path in every if is_log(path.name) and path.is_file())


def purge_lines(path: Path, found: PurgeSubject) -> int:
    """Blank the lines about the subject, and remove it from others; return how many. Its marks stay.

    Nothing is moved: a concurrent append loses nothing, and offsets stay valid.
    """
    return amend_lines(path, lambda line: _purge_line(line, found))


def purge_marked_lines(path: Path, eraser: Erase, is_purged: IsPurged) -> int:
    """Purge everything that was ever marked, on any machine."""
    return amend_lines(path, lambda line: _purge_marked_line(line, eraser, is_purged))


def amend_lines(path: Path, change: Callable[[bytes], bytes | None]) -> int:
    """Replace lines in place, padded to their length, for which `change` returns new text; return how many."""
    count = 0
    for _ in range(_ROUNDS):
        try:
            data = files.read_file(path)
        except FileNotFoundError:
            return count
        changes = tuple(_line_changes(data, change))
        if not changes:
            return count
        files.overwrite_spans(path, changes)
        count += len(changes)
    return count


def _line_changes(data: bytes, change: Callable[[bytes], bytes | None]) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in data.split(b"\n"):
        fresh = change(line) if line.strip() else None
        if fresh is not None:
            yield at, fresh
        at += len(line) + 1


def _purge_line(line: bytes, found: PurgeSubject) -> bytes | None:
    """Return the replacement of a line, of the same length; None where it does not change."""
    if not found.may_be_in_text(line.decode("utf-8", "replace")):
        return None
    try:
        told = json.loads(line)
    except ValueError:
        is_about = found.is_in_bytes(line) or any(
            name in line.decode("utf-8", "replace").split() for name in found.names
        )
        return b" " * len(line) if is_about else None
    if not isinstance(told, dict):
        return b" " * len(line) if found.is_in_bytes(line) else None
    if told.get("e") in ("tombstone", "lift") and "mac" in told:
        return None
    fresh = _step_stub(told) if _is_about_subject(told, found) else _without_subject(told, found)
    return None if fresh == told else _fit_line(fresh, len(line))


def _purge_marked_line(line: bytes, eraser: Erase, is_purged: IsPurged) -> bytes | None:
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        text = line.decode("utf-8", "replace")
        return b" " * len(line) if eraser(text) != text else None
    is_own = is_purged(str(told.get("id", ""))) or _is_of_session(told, is_purged)
    fresh = _step_stub(told) if is_own else _erase_value(_without_session(told, is_purged), eraser)
    return None if fresh == told else _fit_line(fresh, len(line))


def _is_of_session(told: Mapping[str, object], is_purged: IsPurged) -> bool:
    """Return whether a line is about a session alone: an event of a remaining memory is that memory's."""
    names = ("talk", "session") if told.get("e") in _OF_SESSIONS else ()
    return any(is_purged(id_) for name in names if isinstance(id_ := told.get(name), str) and id_)


def _without_session(told: Mapping[str, object], is_purged: IsPurged) -> Mapping[str, object]:
    session = told.get("session")
    is_one = isinstance(session, str) and session and is_purged(session)
    return {**told, "session": FORGOTTEN_MARK} if is_one else told


def _erase_value(value: object, eraser: Erase) -> object:
    match value:
        case str():
            return eraser(value) if " " in value else value  # most are ids, times and paths
        case list():
            return [_erase_value(one, eraser) for one in value]
        case dict():
            return {name: _erase_value(one, eraser) for name, one in value.items()}
        case _:
            return value


def _step_stub(told: Mapping[str, object]) -> object:
    """Return a stub: an operation counts its steps, so a purged one still is one."""
    if told.get("e") != "step":
        return {}
    return {name: told[name] for name in ("t", "e", "op", "n") if name in told} | {"do": FORGOTTEN_STEP}


def _fit_line(fresh: object, length: int) -> bytes:
    for attempt in (fresh, _drop_marks(fresh), {}):
        text = json.dumps(attempt, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) <= length:
            return text.ljust(length)
    return b" " * length


def _drop_marks(value: object) -> object:
    match value:
        case str():
            return value.replace(FORGOTTEN_MARK, "")
        case list():
            return [_drop_marks(one) for one in value]
        case dict():
            return {name: _drop_marks(one) for name, one in value.items()}
        case _:
            return value


def _is_about_subject(told: Mapping[str, object], found: PurgeSubject) -> bool:
    """Return whether a line is about the subject only."""
    if found.talk and _is_of_session(told, lambda id_: id_ == found.talk):
        return True
    if told.get("id") or told.get("pair"):
        pair = told.get("pair")
        return told.get("id") in found.ids or (isinstance(pair, list) and any(id_ in found.ids for id_ in pair))
    if (str(told.get("op", "")), str(told.get("path", "")), str(told.get("to", ""))) in found.history.steps:
        return True
    inner = (told.get("entry"), told.get("inverse"))
    if any(isinstance(one, dict) and _is_about_subject(one, found) for one in inner):
        return True
    return any(told.get(place) in found.names for place in _PLACES)


def _without_subject(value: object, found: PurgeSubject) -> object:
    """Return a value without the subject."""
    match value:
        case str():
            return _text_without(value, found)
        case list():
            return [_without_subject(one, found) for one in value if not _is_subject_item(one, found)]
        case dict():
            return {name: _without_subject(one, found) for name, one in value.items() if name not in found.ids}
        case _:
            return value


def _is_subject_item(one: object, found: PurgeSubject) -> bool:
    if isinstance(one, dict):
        return _is_about_subject(one, found) or (
            isinstance(entry := one.get("entry"), dict) and _is_about_subject(entry, found)
        )
    return isinstance(one, str) and (one in found.ids or one in found.names)


def _text_without(text: str, found: PurgeSubject) -> str:
    if text in found.names:
        return FORGOTTEN_MARK
    for id_ in found.ids:
        text = text.replace(id_, FORGOTTEN_MARK)
    return found.erase_text(text)


# What state files in JSON say about a purged session.

_ENDING = ".json"


def purge_pages(state: Path, session: str) -> None:
    """Remove a session from every JSON page of this machine's state."""
    for path in _state_pages(state) if session else ():
        try:
            told = json.loads(files.read_file(path))
        except (MemvaultError, ValueError):
            continue  # not one of our files
        fresh = _page_without(told, session)
        if fresh != told:
            files.overwrite_file(path, json.dumps(fresh).encode())


def _state_pages(state: Path) -> Iterator[Path]:
    found = state.rglob(f"*{_ENDING}") if state.is_dir() else ()
    return (path for path in sorted(found) if path.is_file())


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
