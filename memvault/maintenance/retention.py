"""What memvault keeps beside the notes: how much of it, since when, until when; and what goes when its time is over."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memvault.core.plan import Plan
from memvault.errors import MemvaultError, OutsideVault
from memvault.privacy.private.originals import SEALED, Shelf
from memvault.privacy.purge.records import amended
from memvault.storage.census import FILE as CENSUS
from memvault.storage.census import let_go
from memvault.storage.journal import runs, tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.journal.runs import LetGo
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH
from memvault.system import files
from memvault.text.dates.dates import read_moment
from memvault.transcripts.search import archive

# What the person said, or was told, in the logs of this machine. Those by which trust is decided never age.
_LOGS = ("interactions.jsonl", "interactions.old.jsonl", "injected.jsonl", "injected.old.jsonl")
_DEEDS = ("observed.jsonl", "observed.old.jsonl")
TRASH_DAYS, TALK_DAYS, ORIGINAL_DAYS, LOG_DAYS = (
    "keep.trash_days",
    "keep.conversations_days",
    "keep.originals_days",
    "keep.logs_days",
)
_HOOKS = ("hooks.log", "hooks.old.log")  # of all vaults of this machine
# By which sessions are known, and how far they were followed.
_MARKS = (
    "tainted.jsonl",
    "tainted.old.jsonl",
    "ended.jsonl",
    "paused.jsonl",
    "incognito.jsonl",
    "ingested.json",
    "progress.json",
    "tasks.json",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One store: what is in it, how much, from when, until when, and which settings say so."""

    store: str
    where: str
    files: int
    size: int
    first: datetime | None
    last: datetime | None
    until: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A conversation that did not grow for so long: up to when it went, and all files of it."""

    id: str
    until: datetime
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What has been kept for as long as the person wants."""

    files: tuple[Path, ...]
    talks: tuple[Ended, ...]


# -- what is kept


def kept(bench: Bench) -> tuple[Kept, ...]:
    """Every store that holds more than the notes themselves do, and until when it is kept."""
    vault, days = bench.vault, bench.settings.whole
    talks, state = _talks(bench), bench.state or vault.root / "none" / "of" / "it"
    undo_days, undo_mega = days("undo.keep_days"), days("undo.keep_megabytes")
    undo = f"{undo_days} days, and within {undo_mega:,} MB"
    return (
        _store("trash", vault.root / TRASH, bench, _until(days(TRASH_DAYS)), (TRASH_DAYS,)),
        _store("undo", vault.undo, bench, undo, ("undo.keep_days", "undo.keep_megabytes")),
        _store("journals", vault.state / "journal", bench, "for good: uses are counted by them"),
        _store("ledgers", vault.state / "ledger", bench, "for good: decisions stand by them"),
        _store("private memories", vault.root / vault.layout.private, bench, "for good"),
        _told("conversations", talks, bench, _talk_files(bench), _until(days(TALK_DAYS)), (TALK_DAYS,)),
        _told("sealed originals", talks, bench, _sealed_files(bench), _until(days(ORIGINAL_DAYS)), (ORIGINAL_DAYS,)),
        _told("exchanges and injections", state, bench, _named(state, _LOGS), _sized(bench), (LOG_DAYS,)),
        _told("what agents did", state, bench, _named(state, _DEEDS), _sized(bench), (LOG_DAYS,)),
        _told("upkeep log", state, bench, _named(state, _RUNS), _sized(bench), (LOG_DAYS,)),
        _told("census", state, bench, _named(state, (CENSUS,)), "one line for each file, as long as that is there"),
        _told("marks of sessions", state, bench, _named(state, _MARKS), "the oldest go when there are many"),
        _told("hook log", state.parent.parent, bench, _named(state.parent.parent, _HOOKS), "the oldest go by size"),
    )


_RUNS = (runs.LOG, f"{runs.LOG}.1")


def _until(days: int) -> str:
    return f"{days:,} days" if days else "for good, unless you set how long"


def _sized(bench: Bench) -> str:
    days = bench.settings.whole(LOG_DAYS)
    by_size = "the oldest go when there are many"
    return f"{days:,} days, and {by_size}" if days else by_size


def _store(name: str, folder: Path, bench: Bench, until: str, settings: tuple[str, ...] = ()) -> Kept:
    return _told(name, folder, bench, files.below(bench.vault.root, folder), until, settings)


def _told(
    name: str, folder: Path, bench: Bench, paths: Iterable[Path], until: str, settings: tuple[str, ...] = ()
) -> Kept:
    stats = list(_stats(paths))
    times = [datetime.fromtimestamp(stat.st_mtime, tz=UTC) for stat in stats]
    return Kept(
        store=name,
        where=bench.vault.relative(folder) or str(folder),
        files=len(stats),
        size=sum(stat.st_size for stat in stats),
        first=min(times, default=None),
        last=max(times, default=None),
        until=until,
        settings=settings,
    )


def _stats(paths: Iterable[Path]) -> Iterator[os.stat_result]:
    for path in paths:
        with suppress(OSError):  # it went meanwhile, and is kept no more
            yield path.stat()


def _talk_files(bench: Bench) -> Iterator[Path]:
    return (path for path in files.below(bench.vault.root, _talks(bench)) if path.name.endswith(".jsonl.gz"))


def _sealed_files(bench: Bench) -> Iterator[Path]:
    return (path for path in files.below(bench.vault.root, _talks(bench)) if path.name.endswith(SEALED))


def _talks(bench: Bench) -> Path:
    return bench.vault.root / bench.vault.layout.transcripts


def _named(state: Path, names: Sequence[str]) -> Iterator[Path]:
    return (state / name for name in names if (state / name).is_file())


# -- what goes


def expire(bench: Bench, *, dry_run: bool = False) -> LetGo:
    """Let go of what has been kept for as long as the person set, and of nothing for which they set nothing.

    What cannot be removed is told, and stops nothing else.
    """
    if not any(bench.settings.whole(name) for name in (TRASH_DAYS, TALK_DAYS, ORIGINAL_DAYS, LOG_DAYS)):
        return LetGo()
    if dry_run:
        return LetGo(files=tuple(_name(bench, path) for path in due(bench).files))
    with bench.vault.locked():
        found = due(bench)
        # First, so that nothing takes one in again that was just there.
        tombstones.lay_lapsed(bench, {talk.id: talk.until for talk in found.talks})
        refused = dict(_removed(bench, found.files))
        refused.update(_age(bench, _oldest(bench, LOG_DAYS)))
    gone = tuple(name for path in found.files if (name := _name(bench, path)) not in refused)
    let_go(bench, frozenset(gone))
    if gone:
        apply_one(Plan("let-go", ()), bench)  # that something went is told; it cannot be taken back
    return LetGo(files=gone, refused=tuple(refused.items()))


def _removed(bench: Bench, paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Remove some files; those that stay, and why."""
    for path in paths:
        try:
            if not files.in_place(bench.vault.root, path):  # a link came in its way since it was found
                raise OutsideVault(path=_name(bench, path))
            files.remove(path)
        except MemvaultError as error:
            why = error.data.get("reason", "a link leads there")
            yield _name(bench, path), f"kept for as long as you set, it cannot be removed: {why}"
    for folder in sorted({path.parent for path in paths}):
        with suppress(MemvaultError):  # at worst a power cut brings back what goes another day
            files.sync_folder(folder)


def due(bench: Bench) -> Due:
    """What of the trash, the conversations and the sealed originals is older than it may become."""
    talks = tuple(_ended(bench, _oldest(bench, TALK_DAYS)))
    found = (*_emptied(bench, _oldest(bench, TRASH_DAYS)), *_unsealed(bench, _oldest(bench, ORIGINAL_DAYS)))
    every = dict.fromkeys((*found, *(path for talk in talks for path in talk.files)))
    return Due(files=tuple(path for path in every if path.exists()), talks=talks)


def _oldest(bench: Bench, name: str) -> datetime | None:
    days = bench.settings.whole(name)
    return bench.now - timedelta(days=days) if days else None


def _emptied(bench: Bench, oldest: datetime | None) -> Iterator[Path]:
    thrown = _thrown(bench) if oldest else {}
    for path in files.below(bench.vault.root, bench.vault.root / TRASH) if oldest else ():
        with suppress(FileNotFoundError):  # the person empties it at this moment
            if oldest and _put_there(bench, path, thrown) < oldest:
                yield path


def _thrown(bench: Bench) -> dict[str, datetime]:
    """When memvault put each file into the trash."""
    found: dict[str, datetime] = {}
    for operation in bench.vault.log.operations():
        for step in operation.steps:
            moment = read_moment(operation.at)
            if step.do == "move" and step.to.startswith(f"{TRASH}/") and moment:
                found.setdefault(step.to, moment)  # the newest comes first
    return found


def _put_there(bench: Bench, path: Path, thrown: dict[str, datetime]) -> datetime:
    """When a file came into the trash, the latest that anything tells.

    What memvault threw there may have been taken out since, and another of its name thrown there by hand: then the
    system knows when that was.
    """
    stat = path.stat()
    times = [stat.st_mtime, stat.st_ctime]
    if sys.platform == "win32":  # which does not tell when a file was moved, but when its folder changed
        times.append(path.parent.stat().st_mtime)
    seen = datetime.fromtimestamp(max(times), tz=UTC)
    return max(seen, thrown.get(_name(bench, path), seen))


def _ended(bench: Bench, oldest: datetime | None) -> Iterator[Ended]:
    """Conversations that did not grow since."""
    store = archive(bench)
    for path, _ in store.listing() if oldest and files.in_place(bench.vault.root, _talks(bench)) else ():
        there = store.open(path)
        try:
            written = _written(there.talk.path)
            if oldest is None or written >= oldest:
                continue
            id_ = there.head().id
            said = max((turn.time for turn in there.turns() if turn.time), default=written)
        except (MemvaultError, FileNotFoundError):
            continue  # what cannot be read is for the doctor, and may yet be mended
        sealed = Shelf(bench.vault.root, bench.vault.layout).of(id_, path)
        yield Ended(id=id_, until=said, files=(*sealed, there.side.path, there.talk.path))


def _unsealed(bench: Bench, oldest: datetime | None) -> Iterator[Path]:
    return (path for path in _sealed_files(bench) if oldest and _written(path) < oldest)


def _age(bench: Bench, oldest: datetime | None) -> Iterator[tuple[str, str]]:
    """Take the lines that are too old out of the logs of this machine; the logs that stay as they are, and why."""
    if oldest is None or bench.state is None:
        return
    for path in _named(bench.state, (*_LOGS, *_DEEDS, *_RUNS)):
        try:
            amended(path, lambda line: _voided(line, oldest))
        except MemvaultError as error:
            yield str(path), f"lines kept for as long as you set cannot be taken out: {error.data.get('reason', error)}"


def _voided(line: bytes, oldest: datetime) -> bytes | None:
    """Blanks in the place of a line that is too old; nothing is moved, as others may be adding to the file."""
    try:
        told = json.loads(line)
        at = str(told.get("t", "")) if isinstance(told, dict) else ""
    except ValueError:
        at = line.decode("utf-8", "replace").partition(" ")[0]
    moment = read_moment(at) if at else None
    return b" " * len(line) if moment is not None and moment < oldest else None


def _written(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)


def _name(bench: Bench, path: Path) -> str:
    return bench.vault.relative(path) or path.name
