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
from memvault.privacy.private.originals import SealedFiles
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
from memvault.transcripts.search import open_archive

# What the person said, or was told, in the logs of this machine. Those by which trust is decided never age.
_LOGS = ("interactions.jsonl", "interactions.old.jsonl", "injected.jsonl", "injected.old.jsonl")
_TOOL_LOGS = ("observed.jsonl", "observed.old.jsonl")
TRASH_DAYS, CONVERSATION_DAYS, ORIGINAL_DAYS, LOG_DAYS = (
    "keep.trash_days",
    "keep.conversations_days",
    "keep.originals_days",
    "keep.logs_days",
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DueFiles:
    """What has been kept for as long as the person wants."""

    files: tuple[Path, ...]
    talks: tuple[ExpiredConversation, ...]


# -- what is kept


def list_stores(context: VaultContext) -> tuple[StoreInfo, ...]:
    """Every store that holds more than the notes themselves do, and until when it is kept."""
    vault, days = context.vault, context.settings.integer
    talks, state = _transcript_folder(context), context.state or vault.root / "none" / "of" / "it"
    undo_days, undo_mega = days("undo.keep_days"), days("undo.keep_megabytes")
    undo = f"{undo_days} days, and within {undo_mega:,} MB"
    return (
        _folder_info("trash", vault.root / TRASH, context, _describe_days(days(TRASH_DAYS)), (TRASH_DAYS,)),
        _folder_info("undo", vault.undo, context, undo, ("undo.keep_days", "undo.keep_megabytes")),
        _folder_info("journals", vault.state / "journal", context, "for good: uses are counted by them"),
        _folder_info("ledgers", vault.state / "ledger", context, "for good: decisions stand by them"),
        _folder_info("private memories", vault.root / vault.layout.private, context, "for good"),
        _store_info(
            "conversations", talks, context, _conversation_files(context), *_kept_for(context, CONVERSATION_DAYS)
        ),
        _store_info("sealed originals", talks, context, _sealed_files(context), *_kept_for(context, ORIGINAL_DAYS)),
        *_list_logs(context, state),
    )


def _kept_for(context: VaultContext, setting: str) -> tuple[str, tuple[str]]:
    return _describe_days(context.settings.integer(setting)), (setting,)


def _list_logs(context: VaultContext, state: Path) -> tuple[StoreInfo, ...]:
    """Return the stores of what this machine keeps of its own runs."""
    return (
        _store_info(
            "exchanges and injections",
            state,
            context,
            _existing_files(state, _LOGS),
            _describe_log_days(context),
            (LOG_DAYS,),
        ),
        _store_info(
            "what agents did",
            state,
            context,
            _existing_files(state, _TOOL_LOGS),
            _describe_log_days(context),
            (LOG_DAYS,),
        ),
        _store_info(
            "upkeep log", state, context, _existing_files(state, _RUN_LOGS), _describe_log_days(context), (LOG_DAYS,)
        ),
        _store_info(
            "census",
            state,
            context,
            _existing_files(state, (CENSUS,)),
            "one line for each file, as long as that is there",
        ),
        _store_info(
            "marks of sessions",
            state,
            context,
            _existing_files(state, _SESSION_FILES),
            "the oldest go when there are many",
        ),
        _store_info(
            "hook log",
            state.parent.parent,
            context,
            _existing_files(state.parent.parent, _HOOK_LOGS),
            "the oldest go by size",
        ),
    )


_RUN_LOGS = (runs.LOG, f"{runs.LOG}.1")


def _describe_days(days: int) -> str:
    return f"{days:,} days" if days else "for good, unless you set how long"


def _describe_log_days(context: VaultContext) -> str:
    days = context.settings.integer(LOG_DAYS)
    by_size = "the oldest go when there are many"
    return f"{days:,} days, and {by_size}" if days else by_size


def _folder_info(
    name: str, folder: Path, context: VaultContext, until: str, settings: tuple[str, ...] = ()
) -> StoreInfo:
    return _store_info(name, folder, context, files.list_files(context.vault.root, folder), until, settings)


def _store_info(
    name: str, folder: Path, context: VaultContext, paths: Iterable[Path], until: str, settings: tuple[str, ...] = ()
) -> StoreInfo:
    stats = list(_file_stats(paths))
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


def _file_stats(paths: Iterable[Path]) -> Iterator[os.stat_result]:
    for path in paths:
        with suppress(OSError):  # it went meanwhile, and is kept no more
            yield path.stat()


def _conversation_files(context: VaultContext) -> Iterator[Path]:
    return (
        path
        for path in files.list_files(context.vault.root, _transcript_folder(context))
        if path.name.endswith(".jsonl.gz")
    )


def _sealed_files(context: VaultContext) -> Iterator[Path]:
    return (
        path for path in files.list_files(context.vault.root, _transcript_folder(context)) if path.name.endswith(SEALED)
    )


def _transcript_folder(context: VaultContext) -> Path:
    return context.vault.root / context.vault.layout.transcripts


def _existing_files(state: Path, names: Sequence[str]) -> Iterator[Path]:
    return (state / name for name in names if (state / name).is_file())


# -- what goes


def expire(context: VaultContext, *, dry_run: bool = False) -> ExpiryResult:
    """Let go of what has been kept for as long as the person set, and of nothing for which they set nothing.

    What cannot be removed is told, and stops nothing else.
    """
    if not any(context.settings.integer(name) for name in (TRASH_DAYS, CONVERSATION_DAYS, ORIGINAL_DAYS, LOG_DAYS)):
        return ExpiryResult()
    if dry_run:
        return ExpiryResult(files=tuple(_display_name(context, path) for path in find_due(context).files))
    with context.vault.lock_vault():
        found = find_due(context)
        # First, so that nothing takes one in again that was just there.
        tombstones.mark_expired(context, {talk.id: talk.until for talk in found.talks})
        refused = dict(_remove_files(context, found.files))
        refused.update(_trim_logs(context, _oldest_kept(context, LOG_DAYS)))
    gone = tuple(name for path in found.files if (name := _display_name(context, path)) not in refused)
    drop_digests(context, frozenset(gone))
    if gone:
        apply_one(Plan("let-go", ()), context)  # that something went is told; it cannot be taken back
    return ExpiryResult(files=gone, refused=tuple(refused.items()))


def _remove_files(context: VaultContext, paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Remove some files; those that stay, and why."""
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


def find_due(context: VaultContext) -> DueFiles:
    """What of the trash, the conversations and the sealed originals is older than it may become."""
    talks = tuple(_due_conversations(context, _oldest_kept(context, CONVERSATION_DAYS)))
    found = (
        *_due_trash(context, _oldest_kept(context, TRASH_DAYS)),
        *_due_originals(context, _oldest_kept(context, ORIGINAL_DAYS)),
    )
    every = dict.fromkeys((*found, *(path for talk in talks for path in talk.files)))
    return DueFiles(files=tuple(path for path in every if path.exists()), talks=talks)


def _oldest_kept(context: VaultContext, name: str) -> datetime | None:
    days = context.settings.integer(name)
    return context.now - timedelta(days=days) if days else None


def _due_trash(context: VaultContext, oldest: datetime | None) -> Iterator[Path]:
    thrown = _trash_times(context) if oldest else {}
    for path in files.list_files(context.vault.root, context.vault.root / TRASH) if oldest else ():
        with suppress(FileNotFoundError):  # the person empties it at this moment
            if oldest and _trashed_at(context, path, thrown) < oldest:
                yield path


def _trash_times(context: VaultContext) -> dict[str, datetime]:
    """When memvault put each file into the trash."""
    found: dict[str, datetime] = {}
    for operation in context.vault.log.operations():
        for step in operation.steps:
            moment = read_moment(operation.at)
            if step.do == "move" and step.to.startswith(f"{TRASH}/") and moment:
                found.setdefault(step.to, moment)  # the newest comes first
    return found


def _trashed_at(context: VaultContext, path: Path, thrown: dict[str, datetime]) -> datetime:
    """When a file came into the trash, the latest that anything tells.

    What memvault threw there may have been taken out since, and another of its name thrown there by hand: then the
    system knows when that was.
    """
    stat = path.stat()
    times = [stat.st_mtime, stat.st_ctime]
    if sys.platform == "win32":  # which does not tell when a file was moved, but when its folder changed
        times.append(path.parent.stat().st_mtime)
    seen = datetime.fromtimestamp(max(times), tz=UTC)
    return max(seen, thrown.get(_display_name(context, path), seen))


def _due_conversations(context: VaultContext, oldest: datetime | None) -> Iterator[ExpiredConversation]:
    """Conversations that did not grow since."""
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
            said = max((turn.time for turn in there.read_turns() if turn.time), default=written)
        except (MemvaultError, FileNotFoundError):
            continue  # what cannot be read is for the doctor, and may yet be mended
        sealed = SealedFiles(context.vault.root, context.vault.layout).sealed_files(id_, path)
        yield ExpiredConversation(id=id_, until=said, files=(*sealed, there.facts_file.path, there.turns_file.path))


def _due_originals(context: VaultContext, oldest: datetime | None) -> Iterator[Path]:
    return (path for path in _sealed_files(context) if oldest and _modified_at(path) < oldest)


def _trim_logs(context: VaultContext, oldest: datetime | None) -> Iterator[tuple[str, str]]:
    """Take the lines that are too old out of the logs of this machine; the logs that stay as they are, and why."""
    if oldest is None or context.state is None:
        return
    for path in _existing_files(context.state, (*_LOGS, *_TOOL_LOGS, *_RUN_LOGS)):
        try:
            amend_lines(path, lambda line: _blank_line(line, oldest))
        except MemvaultError as error:
            yield str(path), f"lines kept for as long as you set cannot be taken out: {error.data.get('reason', error)}"


def _blank_line(line: bytes, oldest: datetime) -> bytes | None:
    """Blanks in the place of a line that is too old; nothing is moved, as others may be adding to the file."""
    try:
        told = json.loads(line)
        at = str(told.get("t", "")) if isinstance(told, dict) else ""
    except ValueError:
        at = line.decode("utf-8", "replace").partition(" ")[0]
    moment = read_moment(at) if at else None
    return b" " * len(line) if moment is not None and moment < oldest else None


def _modified_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)


def _display_name(context: VaultContext, path: Path) -> str:
    return context.vault.relative_path(path) or path.name
