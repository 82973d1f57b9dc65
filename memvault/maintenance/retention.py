"""What memvault keeps beside the notes: how much of it, since when, until when; and what goes when its time is over."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memvault.core.plan import Plan
from memvault.errors import MemvaultError, OutsideVault
from memvault.maintenance.rules.policy import (
    CONVERSATION_DAYS_SETTING,
    LOG_DAYS_SETTING,
    ORIGINAL_DAYS_SETTING,
    TRASH_DAYS_SETTING,
)
from memvault.privacy.purge.records import amend_lines
from memvault.storage.file_digests import FILE as CENSUS
from memvault.storage.file_digests import drop_digests
from memvault.storage.journal import runs, tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.journal.runs import ExpiryResult
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import SEALED, TRASH
from memvault.system import files
from memvault.text.dates.dates import read_moment
from memvault.transcripts.archive.originals import SealedFiles
from memvault.transcripts.search import open_archive

# What the person said, or was told, in the logs of this machine. Those by which trust is decided never age.
_LOGS = ("interactions.jsonl", "interactions.old.jsonl", "injected.jsonl", "injected.old.jsonl")
_TOOL_LOGS = ("observed.jsonl", "observed.old.jsonl")
_HOOK_LOGS = ("hooks.log", "hooks.old.log")  # of all vaults of this machine
# By which sessions are known, and how far they were followed.
_SESSION_FILES = (
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
class StoreInfo:
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
class ExpiredConversation:
    """A conversation that did not grow for so long: up to when it went, and all files of it."""

    id: str
    until: datetime
    files: tuple[Path, ...]


# -- what is kept


def list_stores(context: VaultContext) -> tuple[StoreInfo, ...]:
    """Return every store that holds more than the notes themselves do, and until when it is kept."""
    return (*_vault_stores(context), *_machine_stores(context))


def _vault_stores(context: VaultContext) -> Iterator[StoreInfo]:
    vault, days = context.vault, context.settings.integer
    undo = f"{days('undo.keep_days')} days, and within {days('undo.keep_megabytes'):,} MB"
    rows: tuple[tuple[str, Path, str, tuple[str, ...]], ...] = (
        ("trash", vault.root / TRASH, _describe_days(days(TRASH_DAYS_SETTING)), (TRASH_DAYS_SETTING,)),
        ("undo", vault.undo, undo, ("undo.keep_days", "undo.keep_megabytes")),
        ("journals", vault.state / "journal", "for good: uses are counted by them", ()),
        ("ledgers", vault.state / "ledger", "for good: decisions stand by them", ()),
        ("private memories", vault.root / vault.layout.private, "for good", ()),
    )
    for name, folder, until, settings in rows:
        yield _store_info(name, folder, context, files.list_files(vault.root, folder), until, settings)
    for name, ending, setting in (
        ("conversations", ".jsonl.gz", CONVERSATION_DAYS_SETTING),
        ("sealed originals", SEALED, ORIGINAL_DAYS_SETTING),
    ):
        found, until = _archived_files(context, ending), _describe_days(days(setting))
        yield _store_info(name, _transcript_folder(context), context, found, until, (setting,))


def _machine_stores(context: VaultContext) -> Iterator[StoreInfo]:
    state = context.state or context.vault.root / "none" / "of" / "it"
    days, by_size = context.settings.integer(LOG_DAYS_SETTING), "the oldest go when there are many"
    log_days = f"{days:,} days, and {by_size}" if days else by_size
    rows: tuple[tuple[str, Path, Sequence[str], str, tuple[str, ...]], ...] = (
        ("exchanges and injections", state, _LOGS, log_days, (LOG_DAYS_SETTING,)),
        ("what agents did", state, _TOOL_LOGS, log_days, (LOG_DAYS_SETTING,)),
        ("upkeep log", state, _RUN_LOGS, log_days, (LOG_DAYS_SETTING,)),
        ("census", state, (CENSUS,), "one line for each file, as long as that is there", ()),
        ("marks of sessions", state, _SESSION_FILES, by_size, ()),
        ("hook log", state.parent.parent, _HOOK_LOGS, "the oldest go by size", ()),
    )
    for name, folder, names, until, settings in rows:
        yield _store_info(name, folder, context, _existing_files(folder, names), until, settings)


_RUN_LOGS = (runs.LOG, f"{runs.LOG}.1")


def _describe_days(days: int) -> str:
    return f"{days:,} days" if days else "for good, unless you set how long"


def _store_info(
    name: str, folder: Path, context: VaultContext, paths: Iterable[Path], until: str, settings: tuple[str, ...]
) -> StoreInfo:
    stats = []
    for path in paths:
        with suppress(OSError):  # removed meanwhile, so kept no more
            stats.append(path.stat())
    times = [datetime.fromtimestamp(stat.st_mtime, tz=UTC) for stat in stats]
    return StoreInfo(
        store=name,
        where=context.vault.relative_path(folder) or str(folder),
        files=len(stats),
        size=sum(stat.st_size for stat in stats),
        first=min(times, default=None),
        last=max(times, default=None),
        until=until,
        settings=settings,
    )


def _archived_files(context: VaultContext, ending: str) -> Iterator[Path]:
    found = files.list_files(context.vault.root, _transcript_folder(context))
    return (path for path in found if path.name.endswith(ending))


def _transcript_folder(context: VaultContext) -> Path:
    return context.vault.root / context.vault.layout.transcripts


def _existing_files(state: Path, names: Sequence[str]) -> Iterator[Path]:
    return (state / name for name in names if (state / name).is_file())


# -- what goes


def expire(context: VaultContext, *, dry_run: bool = False) -> ExpiryResult:
    """Remove what was kept for as long as the person set. What has no limit is never removed.

    What cannot be removed is told, and stops nothing else.
    """
    if dry_run:
        return ExpiryResult(files=tuple(_display_name(context, path) for path in _find_due(context)[0]))
    with context.vault.lock_vault():
        paths, talks = _find_due(context)
        # First, so that nothing takes one in again that was just there.
        tombstones.mark_expired(context, {talk.id: talk.until for talk in talks})
        refused = dict(_remove_files(context, paths))
        refused.update(_trim_logs(context, _oldest_kept(context, LOG_DAYS_SETTING)))
    gone = tuple(name for path in paths if (name := _display_name(context, path)) not in refused)
    drop_digests(context, frozenset(gone))
    if gone:
        apply_one(Plan("let-go", ()), context)  # that something went is told; it cannot be taken back
    return ExpiryResult(files=gone, refused=tuple(refused.items()))


def _remove_files(context: VaultContext, paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Remove some files; yield those that stay, and why."""
    for path in paths:
        try:
            if not files.is_in_place(context.vault.root, path):  # a link came in its way since it was found
                raise OutsideVault(path=_display_name(context, path))
            files.remove_file(path)
        except MemvaultError as error:
            why = error.data.get("reason", "a link leads there")
            yield _display_name(context, path), f"kept for as long as you set, it cannot be removed: {why}"
    for folder in sorted({path.parent for path in paths}):
        with suppress(MemvaultError):  # at worst a power cut brings back what goes another day
            files.sync_folder(folder)


def _find_due(context: VaultContext) -> tuple[list[Path], list[ExpiredConversation]]:
    """Return what of the trash, the originals and the conversations is older than it may become, and the latter."""
    talks = list(_due_conversations(context, _oldest_kept(context, CONVERSATION_DAYS_SETTING)))
    oldest = _oldest_kept(context, ORIGINAL_DAYS_SETTING)
    found = (
        *_due_trash(context, _oldest_kept(context, TRASH_DAYS_SETTING)),
        *(path for path in _archived_files(context, SEALED) if oldest and _modified_at(path) < oldest),
    )
    every = dict.fromkeys((*found, *(path for talk in talks for path in talk.files)))
    return [path for path in every if path.exists()], talks


def _oldest_kept(context: VaultContext, name: str) -> datetime | None:
    days = context.settings.integer(name)
    return context.now - timedelta(days=days) if days else None


def _due_trash(context: VaultContext, oldest: datetime | None) -> Iterator[Path]:
    trash_times = _trash_times(context) if oldest else {}
    for path in files.list_files(context.vault.root, context.vault.root / TRASH) if oldest else ():
        with suppress(FileNotFoundError):  # the person empties it at this moment
            if oldest and _trashed_at(context, path, trash_times) < oldest:
                yield path


def _trash_times(context: VaultContext) -> dict[str, datetime]:
    """Return when memvault put each file into the trash."""
    found: dict[str, datetime] = {}
    for operation in context.vault.log.operations():
        for step in operation.steps:
            moment = read_moment(operation.at)
            if step.do == "move" and step.to.startswith(f"{TRASH}/") and moment:
                found.setdefault(step.to, moment)  # the newest comes first
    return found


def _trashed_at(context: VaultContext, path: Path, trash_times: dict[str, datetime]) -> datetime:
    """Return when a file came into the trash, the latest that anything tells.

    What memvault threw there may have been taken out since, and another of its name thrown there by hand: then the
    system knows when that was.
    """
    stat = path.stat()
    times = [stat.st_mtime, stat.st_ctime]
    if sys.platform == "win32":  # which does not tell when a file was moved, but when its folder changed
        times.append(path.parent.stat().st_mtime)
    seen = datetime.fromtimestamp(max(times), tz=UTC)
    return max(seen, trash_times.get(_display_name(context, path), seen))


def _due_conversations(context: VaultContext, oldest: datetime | None) -> Iterator[ExpiredConversation]:
    """Yield the conversations that have not grown since then."""
    store = open_archive(context)
    for path, _ in (
        store.list_conversations()
        if oldest and files.is_in_place(context.vault.root, _transcript_folder(context))
        else ()
    ):
        there = store.open_transcript(path)
        try:
            written = _modified_at(there.turns_file.path)
            if oldest is None or written >= oldest:
                continue
            id_ = there.read_head().id
            last_said = max((turn.time for turn in there.read_turns() if turn.time), default=written)
        except (MemvaultError, FileNotFoundError):
            continue  # what cannot be read is for the doctor, and may yet be mended
        sealed = SealedFiles(context.vault.root, context.vault.layout).sealed_files(id_, path)
        yield ExpiredConversation(
            id=id_, until=last_said, files=(*sealed, there.facts_file.path, there.turns_file.path)
        )


def _trim_logs(context: VaultContext, oldest: datetime | None) -> Iterator[tuple[str, str]]:
    """Blank the lines that are too old in this machine's logs; yield the logs that could not be changed, and why."""
    if oldest is None or context.state is None:
        return
    for path in _existing_files(context.state, (*_LOGS, *_TOOL_LOGS, *_RUN_LOGS)):
        try:
            amend_lines(path, lambda line: _blank_line(line, oldest))
        except MemvaultError as error:
            yield str(path), f"lines kept for as long as you set cannot be taken out: {error.data.get('reason', error)}"


def _blank_line(line: bytes, oldest: datetime) -> bytes | None:
    """Return blanks in place of a line that is too old. Nothing moves: others may be appending to the file."""
    try:
        entry = json.loads(line)
        at = str(entry.get("t", "")) if isinstance(entry, dict) else ""
    except ValueError:
        at = line.decode("utf-8", "replace").partition(" ")[0]
    moment = read_moment(at) if at else None
    return b" " * len(line) if moment is not None and moment < oldest else None


def _modified_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)


def _display_name(context: VaultContext, path: Path) -> str:
    return context.vault.relative_path(path) or path.name
