"""What memvault keeps beside the notes: how much of it, since when, until when; and what goes when its time is over."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memvault import files
from memvault.core.dates import read_moment
from memvault.core.plan import Plan
from memvault.errors import MemvaultError
from memvault.vault.layout import TRASH
from memvault.vault.sealed.shelf import SEALED, Shelf
from memvault.verbs import runs, tombstones
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench
from memvault.verbs.census import FILE as CENSUS
from memvault.verbs.census import let_go
from memvault.verbs.conversations import archive
from memvault.verbs.purge.lines import amended

# What the person said, or was told, in the logs of this machine. Those by which trust is decided never age.
_LOGS = ("interactions.jsonl", "interactions.old.jsonl", "injected.jsonl", "injected.old.jsonl")
_DEEDS = ("observed.jsonl", "observed.old.jsonl")
TRASH_DAYS, TALK_DAYS, ORIGINAL_DAYS, LOG_DAYS = (
    "keep.trash_days",
    "keep.conversations_days",
    "keep.originals_days",
    "keep.logs_days",
)
EXPIRED = "expired"  # why a conversation is marked that was kept for as long as the person wants


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
class Due:
    """What has been kept for as long as the person wants."""

    files: tuple[Path, ...]
    talks: tuple[str, ...]  # ids of the conversations among them


# -- what is kept


def kept(bench: Bench) -> tuple[Kept, ...]:
    """Every store that holds more than the notes themselves do, and until when it is kept."""
    vault, days = bench.vault, bench.settings.whole
    talks, state = vault.root / vault.layout.transcripts, bench.state or vault.root / "none"
    undo_days, undo_mega = days("undo.keep_days"), days("undo.keep_megabytes")
    undo = f"{undo_days} days, and within {undo_mega:,} MB"
    return (
        _store("trash", vault.root / TRASH, bench, _until(days(TRASH_DAYS)), (TRASH_DAYS,)),
        _store("undo", vault.undo, bench, undo, ("undo.keep_days", "undo.keep_megabytes")),
        _store("journals", vault.state / "journal", bench, "for good: uses are counted by them"),
        _store("ledgers", vault.state / "ledger", bench, "for good: decisions stand by them"),
        _told("conversations", talks, bench, _talk_files(talks), _until(days(TALK_DAYS)), (TALK_DAYS,)),
        _told("sealed originals", talks, bench, _sealed_files(talks), _until(days(ORIGINAL_DAYS)), (ORIGINAL_DAYS,)),
        _told("exchanges and injections", state, bench, _named(state, _LOGS), _sized(bench), (LOG_DAYS,)),
        _told("what agents did", state, bench, _named(state, _DEEDS), _sized(bench), (LOG_DAYS,)),
        _told("upkeep log", state, bench, _named(state, _RUNS), _sized(bench), (LOG_DAYS,)),
        _told("census", state, bench, _named(state, (CENSUS,)), "one line for each file, as long as that is there"),
        _told("marks of sessions", state, bench, _others(state), "the oldest go when there are many"),
    )


_RUNS = (runs.LOG, f"{runs.LOG}.1")


def _until(days: int) -> str:
    return f"{days:,} days" if days else "for good, unless you set how long"


def _sized(bench: Bench) -> str:
    days = bench.settings.whole(LOG_DAYS)
    by_size = "the oldest go when there are many"
    return f"{days:,} days, and {by_size}" if days else by_size


def _store(name: str, folder: Path, bench: Bench, until: str, settings: tuple[str, ...] = ()) -> Kept:
    return _told(name, folder, bench, _inside(folder), until, settings)


def _told(
    name: str, folder: Path, bench: Bench, paths: Iterable[Path], until: str, settings: tuple[str, ...] = ()
) -> Kept:
    stats = [path.stat() for path in paths]
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


def _inside(folder: Path) -> Iterator[Path]:
    found = folder.rglob("*") if folder.is_dir() else ()
    return (path for path in sorted(found) if path.is_file() and not path.is_symlink())


def _talk_files(talks: Path) -> Iterator[Path]:
    return (path for path in _inside(talks) if path.name.endswith(".jsonl.gz"))


def _sealed_files(talks: Path) -> Iterator[Path]:
    return (path for path in _inside(talks) if path.name.endswith(SEALED))


def _named(state: Path, names: Sequence[str]) -> Iterator[Path]:
    return (state / name for name in names if (state / name).is_file())


def _others(state: Path) -> Iterator[Path]:
    known = (*_LOGS, *_DEEDS, *_RUNS, CENSUS)
    return (path for path in _inside(state) if path.name not in known)


# -- what goes


def expire(bench: Bench, *, dry_run: bool = False) -> tuple[str, ...]:
    """Let go of what has been kept for as long as the person set, and of nothing for which they set nothing."""
    if not any(bench.settings.whole(name) for name in (TRASH_DAYS, TALK_DAYS, ORIGINAL_DAYS, LOG_DAYS)):
        return ()
    if dry_run:
        return _named_in(bench, due(bench).files)
    with bench.vault.locked():
        found = due(bench)
        for id_ in found.talks:  # first, so that nothing takes one in again that was there a moment ago
            tombstones.lay_for_conversation(bench, id_, why=EXPIRED)
        for path in found.files:
            files.remove(path)
        for folder in {path.parent for path in found.files}:
            files.sync_folder(folder)
        _age(bench, _oldest(bench, LOG_DAYS))
    let_go(bench, frozenset(_named_in(bench, found.files)))
    if found.files:
        apply_one(Plan("let-go", ()), bench)  # that something went is told; it cannot be taken back
    return _named_in(bench, found.files)


def due(bench: Bench) -> Due:
    """What of the trash, the conversations and the sealed originals is older than it may become."""
    talks = dict(_ended(bench, _oldest(bench, TALK_DAYS)))
    found = (*_emptied(bench, _oldest(bench, TRASH_DAYS)), *_unsealed(bench, _oldest(bench, ORIGINAL_DAYS)))
    beside = [path for paths in talks.values() for path in paths]
    every = dict.fromkeys(path for path in (*found, *beside) if path.exists())
    return Due(files=tuple(every), talks=tuple(talks))


def _oldest(bench: Bench, name: str) -> datetime | None:
    days = bench.settings.whole(name)
    return bench.now - timedelta(days=days) if days else None


def _emptied(bench: Bench, oldest: datetime | None) -> Iterator[Path]:
    thrown = _thrown(bench) if oldest else {}
    for path in _inside(bench.vault.root / TRASH) if oldest else ():
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
    """When a file came into the trash: of what a person threw there, the system knows when that was."""
    stat = path.stat()
    seen = datetime.fromtimestamp(max(stat.st_mtime, stat.st_ctime), tz=UTC)
    return thrown.get(bench.vault.relative(path) or "", seen)


def _ended(bench: Bench, oldest: datetime | None) -> Iterator[tuple[str, list[Path]]]:
    """Conversations that did not grow since, with all that lies beside them."""
    store = archive(bench)
    for path, _ in store.listing() if oldest else ():
        there = store.open(path)
        if oldest is None or _written(there.talk.path) >= oldest:
            continue
        try:
            id_ = there.head().id
        except MemvaultError:
            continue  # what cannot be read is for the doctor, and may yet be mended
        sealed = Shelf(bench.vault.root, bench.vault.layout).of(id_, path)
        yield id_, [*sealed, there.side.path, there.talk.path]


def _unsealed(bench: Bench, oldest: datetime | None) -> Iterator[Path]:
    talks = bench.vault.root / bench.vault.layout.transcripts
    return (path for path in _sealed_files(talks) if oldest and _written(path) < oldest)


def _age(bench: Bench, oldest: datetime | None) -> None:
    if oldest is None or bench.state is None:
        return
    for path in _named(bench.state, (*_LOGS, *_DEEDS, *_RUNS)):
        amended(path, lambda line: _voided(line, oldest))


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


def _named_in(bench: Bench, paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(bench.vault.relative(path) or path.name for path in paths)
