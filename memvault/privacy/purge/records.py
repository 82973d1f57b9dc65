"""Lines of records and logs that tell of what was forgotten for good."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN, Erase
from memvault.errors import MemvaultError
from memvault.privacy.purge.subject import Subject
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.transcripts.model.erased import is_everywhere_one

IsPurged = Callable[[str], bool]  # of a memory's id

_ENDINGS, _NAMES = (".jsonl", ".log"), ("recent",)
_ROUNDS = 3  # a log may be put aside, or written anew, at the same moment
_PLACES = ("path", "to", "from")
# What is only told of a session: logs of this machine have no events. All else in a journal is a memory's, too.
_OF_SESSIONS = (None, "learnt", "confirm", "verdict")
GONE = "forgotten"  # what a step does of which nothing is known any more; the others keep their numbers


def is_log(name: str) -> bool:
    """Whether a file of this machine's state has a line for each thing it tells."""
    return name.endswith(_ENDINGS) or name in _NAMES


def records(bench: Bench) -> Iterator[Path]:
    """Every device's journal and ledger; nothing but this takes anything out of them."""
    return (path for _, path in (*bench.vault.journal.paths(), *bench.vault.ledger.paths()))


def logs(state: Path | None) -> list[Path]:
    """What this machine noted of its own runs on the vault."""
    every = state.rglob("*") if state and state.is_dir() else ()
    return sorted(path for path in every if is_log(path.name) and path.is_file())


def purged(path: Path, found: Subject) -> int:
    """Make void the lines that are about it, and take it out of others; how many there were. Marks of it stay.

    Nothing is moved: whoever appends at that moment loses nothing, and places in the file stay what they are.
    """
    return amended(path, lambda line: _fresh(line, found))


def obeyed(path: Path, eraser: Erase, is_purged: IsPurged) -> int:
    """The same for all that was ever marked, wherever that was done."""
    return amended(path, lambda line: _obeyed(line, eraser, is_purged))


def amended(path: Path, change: Callable[[bytes], bytes | None]) -> int:
    """Put something as long in the place of lines, for all that a change gives something else for; how many."""
    count = 0
    for _ in range(_ROUNDS):
        try:
            data = files.read(path)
        except FileNotFoundError:
            return count
        changes = tuple(_changes(data, change))
        if not changes:
            return count
        files.amend(path, changes)
        count += len(changes)
    return count


def _changes(data: bytes, change: Callable[[bytes], bytes | None]) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in data.split(b"\n"):
        fresh = change(line) if line.strip() else None
        if fresh is not None:
            yield at, fresh
        at += len(line) + 1


def _fresh(line: bytes, found: Subject) -> bytes | None:
    """What stands in a line's place, as long as it was; None where it has nothing of it."""
    if not found.may_be_in(line.decode("utf-8", "replace")):
        return None
    try:
        told = json.loads(line)
    except ValueError:
        is_about = found.is_in(line) or any(name in line.decode("utf-8", "replace").split() for name in found.names)
        return b" " * len(line) if is_about else None
    if not isinstance(told, dict):
        return b" " * len(line) if found.is_in(line) else None
    if told.get("e") in ("tombstone", "lift") and "mac" in told:
        return None
    fresh = _stub(told) if _is_own(told, found) else _without(told, found)
    return None if fresh == told else _fitted(fresh, len(line))


def _obeyed(line: bytes, eraser: Erase, is_purged: IsPurged) -> bytes | None:
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        text = line.decode("utf-8", "replace")
        return b" " * len(line) if eraser(text) != text else None
    is_own = is_purged(str(told.get("id", ""))) or _is_of_session(told, is_purged)
    fresh = _stub(told) if is_own else _erased(_named_no_more(told, is_purged), eraser)
    return None if fresh == told else _fitted(fresh, len(line))


def _is_of_session(told: Mapping[str, object], is_purged: IsPurged) -> bool:
    """Whether a line tells of a session alone: what happened in it to a memory that stays is that memory's."""
    names = ("talk", "session") if told.get("e") in _OF_SESSIONS else ()
    return any(is_purged(id_) for name in names if isinstance(id_ := told.get(name), str) and id_)


def _named_no_more(told: Mapping[str, object], is_purged: IsPurged) -> Mapping[str, object]:
    session = told.get("session")
    is_one = isinstance(session, str) and session and is_purged(session)
    return {**told, "session": FORGOTTEN} if is_one else told


def _erased(value: object, eraser: Erase) -> object:
    match value:
        case str():
            return eraser(value) if " " in value else value  # most are ids, times and paths
        case list():
            return [_erased(one, eraser) for one in value]
        case dict():
            return {name: _erased(one, eraser) for name, one in value.items()}
        case _:
            return value


def _stub(told: Mapping[str, object]) -> object:
    """An operation keeps count of its steps, so one that is gone still is one."""
    if told.get("e") != "step":
        return {}
    return {name: told[name] for name in ("t", "e", "op", "n") if name in told} | {"do": GONE}


def _fitted(fresh: object, length: int) -> bytes:
    for attempt in (fresh, _shortened(fresh), {}):
        text = json.dumps(attempt, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) <= length:
            return text.ljust(length)
    return b" " * length


def _shortened(value: object) -> object:
    match value:
        case str():
            return value.replace(FORGOTTEN, "")
        case list():
            return [_shortened(one) for one in value]
        case dict():
            return {name: _shortened(one) for name, one in value.items()}
        case _:
            return value


def _is_own(told: Mapping[str, object], found: Subject) -> bool:
    """Whether a line is about it, and about nothing else."""
    if found.talk and _is_of_session(told, lambda id_: id_ == found.talk):
        return True
    if told.get("id") or told.get("pair"):
        pair = told.get("pair")
        return told.get("id") in found.ids or (isinstance(pair, list) and any(id_ in found.ids for id_ in pair))
    if (str(told.get("op", "")), str(told.get("path", "")), str(told.get("to", ""))) in found.past.steps:
        return True
    inner = (told.get("entry"), told.get("inverse"))
    if any(isinstance(one, dict) and _is_own(one, found) for one in inner):
        return True
    return any(told.get(place) in found.names for place in _PLACES)


def _without(value: object, found: Subject) -> object:
    """What a line about something else says, without it."""
    match value:
        case str():
            return _said_without(value, found)
        case list():
            return [_without(one, found) for one in value if not _is_item(one, found)]
        case dict():
            return {name: _without(one, found) for name, one in value.items() if name not in found.ids}
        case _:
            return value


def _is_item(one: object, found: Subject) -> bool:
    if isinstance(one, dict):
        return _is_own(one, found) or (isinstance(entry := one.get("entry"), dict) and _is_own(entry, found))
    return isinstance(one, str) and (one in found.ids or one in found.names)


def _said_without(text: str, found: Subject) -> str:
    if text in found.names:
        return FORGOTTEN
    for id_ in found.ids:
        text = text.replace(id_, FORGOTTEN)
    return found.erased(text)


# What this machine knows of a session that was forgotten for good, in files that hold more than lines.

_ENDING = ".json"


def purged_pages(state: Path, session: str) -> None:
    """Take a session out of every page of this machine's state that names it; nothing where none is given."""
    for path in _pages(state) if session else ():
        try:
            told = json.loads(files.read(path))
        except (MemvaultError, ValueError):
            continue  # no page of ours
        fresh = _pages_without(told, session)
        if fresh != told:
            files.overwrite(path, json.dumps(fresh).encode())


def _pages(state: Path) -> Iterator[Path]:
    found = state.rglob(f"*{_ENDING}") if state.is_dir() else ()
    return (path for path in sorted(found) if path.is_file())


def _pages_without(value: object, session: str) -> object:
    match value:
        case list():
            return [_pages_without(one, session) for one in value if not _is_of(one, session)]
        case dict():
            left = {name: one for name, one in value.items() if not (_is_of(name, session) or _is_of(one, session))}
            return {name: _pages_without(one, session) for name, one in left.items()}
        case _:
            return value


def _is_of(value: object, session: str) -> bool:
    """Whether a value is the session's name, or what is known of it; so are files that are called by it."""
    if isinstance(value, str):
        return value == session or (is_everywhere_one(session) and session in value)
    return isinstance(value, dict) and value.get("session") == session
