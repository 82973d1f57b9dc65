"""Purge a memory or a session: remove it, and everything made of it, from all that memvault keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from pathlib import Path

from memvault.core.plan import Plan
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.erase import FORGOTTEN_MARK, Erase
from memvault.core.secrets.screens import normalize_content
from memvault.errors import MemvaultError
from memvault.privacy.purge import kept_copies as kept
from memvault.privacy.purge import records, transcripts
from memvault.privacy.purge.kept_copies import SentenceBeginnings
from memvault.privacy.purge.subject import PurgeSubject, find_subject
from memvault.privacy.purge.transcripts import find_session, notes_naming
from memvault.privacy.purge.verify import VerifyResult, find_in_files, verify_purged
from memvault.storage import pauses
from memvault.storage.file_digests import drop_growing_files
from memvault.storage.journal import exchanges, tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import require_person
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import read_unindexed
from memvault.storage.written_files import list_written
from memvault.system import files, paths
from memvault.system.daemon import renew_daemon
from memvault.system.git import Git, is_work_tree
from memvault.system.memory_holders import renew_holders
from memvault.transcripts.search import open_archive

# Purges from other machines, and killed ones: applied here by their marks alone.

_MOST_KNOWN = 20_000


def apply_marked(context: VaultContext) -> VaultContext:
    """Purge what is marked, and return a context to go on with: with new indexes where anything was purged."""
    if not _has_marked(context):
        return context
    purge_marked(context)
    context = discard_derived(context)
    # Marks alone do not tell which block shows purged text. `claude-md` says what is wrong with one that stays.
    kept.rewrite_blocks(context)
    if eraser := tombstones.ledger_eraser(context.vault.ledger):
        kept.drop_marked_copies(context, eraser)  # the old blocks are kept for undo, too
    delete_reports(context)
    note_purged(context)
    list_remembering(context)
    return context


def _has_marked(context: VaultContext) -> bool:
    """Return whether something was marked as purged since this machine last removed what is marked."""
    if context.state is None:
        return False
    standing, known = tombstones.purged_marks(context), b""
    with suppress(MemvaultError, FileNotFoundError):
        known = files.read_file(context.state / tombstones.OBEYED_FILE)
    is_new = bool(standing) and known != _marks_fingerprint(standing)
    return is_new or tombstones.pending_purge(context) is not None


def discard_derived(context: VaultContext) -> VaultContext:
    """Have all that is derived made again: a database that lets go of a row may keep its bytes."""
    return context if context.discard_indexes is None else context.discard_indexes(list_derived(context))


def list_derived(context: VaultContext) -> tuple[Path, ...]:
    """Return whatever this machine has derived from the vault: indexes, also those set aside, and reports."""
    cache, own = paths.cache_folder(context.environment), context.vault.vault_file.id
    names = (("vaults", f"{own}-*"), ("talks", f"{own}-*"), ("reports", own[:8]))
    return tuple(path for kind, name in names for path in sorted((cache / kind).glob(name)))


def purge_marked(context: VaultContext) -> None:
    """Remove what is marked as purged from all that this machine keeps.

    Notes are for people to change: only those go that a person named and a killed purge left.
    """
    eraser = tombstones.ledger_eraser(context.vault.ledger)  # what cannot be read now is purged when it can be
    if eraser is None:
        return
    is_purged = tombstones.purged_ids(context)
    erase = lru_cache(_MOST_KNOWN)(eraser)  # records repeat themselves
    with context.vault.lock_vault():
        transcripts.hide_purged_sessions(context.state, is_purged)
        kept.drop_marked_copies(context, eraser)
        transcripts.purge_marked_turns(context, open_archive(context), eraser)
        records.amend_records(context, lambda line: records.purge_marked_line(line, erase, is_purged))
        for path in records.log_files(context.state):
            records.amend_lines(path, lambda line: records.purge_marked_line(line, erase, is_purged))
        drop_growing_files(context)
        for trashed in _marked_trash(context, eraser, is_purged):
            files.remove_file(context.vault.root / trashed)
        kept.finish_removal(context)


def note_purged(context: VaultContext) -> None:
    """Record that everything marked by now is removed here."""
    if context.state is not None:
        files.make_folder(context.state)
        files.overwrite_file(
            context.state / tombstones.OBEYED_FILE, _marks_fingerprint(tombstones.purged_marks(context))
        )


def _marked_trash(context: VaultContext, eraser: Erase, is_purged: records.IsPurged) -> Iterator[str]:
    """Yield the trashed notes that are marked; of notes without an id those that say nothing else."""
    for path in context.vault.trash_paths():
        if memory := read_unindexed(context, path):
            text = memory.body or ""
            is_empty = text.strip() and not normalize_content(eraser(text).replace(FORGOTTEN_MARK, ""))
            if is_purged(memory.id) if memory.id else is_empty:
                yield path


def _marks_fingerprint(standing: Iterable[str]) -> bytes:
    return files.digest(json.dumps(sorted(standing)).encode()).encode()


_PAGES = (".html", ".htm")
_TELLING = 12  # letters: a title of this length identifies the memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeResult:
    """What was removed, and where the same text still stands."""

    id: str
    title: str
    notes: tuple[str, ...]  # deleted notes
    turns: int  # redacted turns of conversations
    lines: int  # purged lines of journals, ledgers and logs
    kept: int  # deleted copies for undo
    left: tuple[str, ...]  # other notes with the same text: for the person to change or forget
    linking: tuple[str, ...]  # other notes that link to it, or name its title
    talks: tuple[str, ...] = ()  # deleted conversations
    unseen: tuple[str, ...] = ()  # conversations that could not be searched whole
    blocks: tuple[str, ...] = ()  # blocks that could not be rewritten, and may still show it
    reports: tuple[str, ...] = ()  # deleted reports, wherever they were written
    exports: tuple[str, ...] = ()  # exports and changed reports that still hold it
    dry_run: bool = False


def purge(
    context: VaultContext, ref: str, *, is_session: bool = False, verify: bool = False, dry_run: bool = False
) -> tuple[PurgeResult, VerifyResult | None]:
    """Take a memory out of everything that memvault keeps, for good; then, with `verify`, prove that it is gone.

    With `is_session` a conversation is named, and all that came out of it goes with it.
    """
    done, subject = purge_memory(context, ref, is_session=is_session, dry_run=dry_run)
    if dry_run:
        return done, None
    context = discard_derived(context)
    reports = delete_reports(context)
    exports = find_exports(context, subject)
    done = replace(done, blocks=finish_purge(context, subject), reports=reports, exports=exports)
    remembering = list_remembering(context)
    if not verify:
        return done, None
    assert context.state is not None
    # What could not be saved from an editor is no vault's: it lies beside what is known of them all.
    unsaved = paths.state_folder(context.environment) / "unsaved"
    root, places = context.vault.root, (context.state, unsaved, *list_derived(context))
    is_ours = is_work_tree(root) and not files.find_link_out(root / ".git")
    git = Git(root, context.environment) if is_ours else None
    found = verify_purged(context, subject, places=places, git=git, left=done.left)
    return done, replace(found, found=(*found.found, *remembering))


def delete_reports(context: VaultContext) -> tuple[str, ...]:
    """Delete the reports that are as they were written, wherever that was: they can be made again."""
    gone = [path for path, is_ours in list_written(context).items() if is_ours and path.suffix.casefold() in _PAGES]
    for path in gone:
        files.remove_file(path)
    return tuple(map(str, gone))


def find_exports(context: VaultContext, subject: PurgeSubject) -> tuple[str, ...]:
    """Return the written files that hold the subject, or its title: exports, and reports that somebody changed."""
    written = tuple(list_written(context))
    pages = (path for path in written if path.suffix.casefold() in _PAGES)
    named = [path for path in pages if subject.is_named_in(unescape(_read_page(path)), least=_TELLING)]
    return tuple(dict.fromkeys(map(str, (*find_in_files(context, subject, written), *named))))


def _read_page(path: Path) -> str:
    return files.read_file(path).decode("utf-8", "replace")


def list_remembering(context: VaultContext) -> tuple[str, ...]:
    """Have the processes start again that may hold what was purged in their memory; return those that do not."""
    daemon = (
        () if renew_daemon(context.environment) else ("the memory of the daemon (`memvault vault watch stop` ends it)",)
    )
    others = (
        f"the memory of process {number}, which has not started again" for number in renew_holders(context.environment)
    )
    return (*daemon, *others)


def purge_memory(
    context: VaultContext, ref: str, *, is_session: bool = False, dry_run: bool = False
) -> tuple[PurgeResult, PurgeSubject]:
    """Remove a memory, or a session with everything made of it, from all that memvault keeps.

    If it is killed half-way, naming it again or the next maintenance finishes it.
    """
    state = context.state
    assert state is not None
    require_person(context, "has a memory forgotten for good")
    subject = find_session(context, ref) if is_session else find_subject(context, ref)
    left = {"left": tuple(_notes_saying(context, subject)), "linking": tuple(_notes_linking(context, subject))}
    if dry_run:
        return _make_result(subject, **left, dry_run=True), subject
    # First, so that nothing learns it again meanwhile.
    if subject.talk:
        pauses.hide_session(state, subject.talk, is_gone=True)  # its agent does not know, and may go on
    store = open_archive(context)
    cut = tuple(transcripts.find_cut_titles(store, subject))
    names = dict.fromkeys(name for path in subject.notes for name in kept.note_names(context, path))
    marked, notes = (*subject.marked_texts, *cut), (*names, *subject.talks)
    tombstones.purge_texts(context, marked, own_texts=subject.texts, ids=subject.ids, turns=subject.turns, notes=notes)
    with context.vault.lock_vault():
        copies = kept.drop_copies(context, subject)
        gone = records.purge_records(context, subject)
        turns, unseen = transcripts.purge_turns(context, store, subject, cut)
        gone += exchanges.purge_exchanges(state, texts=subject.texts, session=subject.talk)
        gone += sum(records.purge_lines(path, subject) for path in records.log_files(state))
        records.purge_pages(state, subject.talk)
        drop_growing_files(context)
        # The notes go last: as long as one exists, it can be named again.
        kept.remove_notes(context, subject.notes)
        tombstones.note_notes_removed(context)
    apply_one(Plan("purge", ()), context)  # the log says that something was purged, not what
    return _make_result(subject, turns=turns, lines=gone, kept=copies, **left, unseen=unseen), subject


def finish_purge(context: VaultContext, subject: PurgeSubject) -> tuple[str, ...]:
    """Rewrite the blocks once nothing can restore the subject; return those that could not be written."""
    failed = kept.rewrite_blocks(context, subject)
    kept.drop_copies(context, subject)  # the old blocks are kept for undo, too
    note_purged(context)
    return failed


def _notes_saying(context: VaultContext, subject: PurgeSubject) -> Iterable[str]:
    cut = SentenceBeginnings.from_texts(subject.marked_texts)
    for memory in context.index.memories(NO_FILTERS):
        text = "" if memory.path in subject.notes else context.read_text(memory)
        is_said = subject.is_in_text(text) or cut.is_cut_in(text)
        if is_said or any(texts in text for texts in subject.long_turns):
            yield memory.path


def _notes_linking(context: VaultContext, subject: PurgeSubject) -> Iterable[str]:
    yield from notes_naming(context, subject)
    if subject.talk:  # a conversation's title is too common to search for
        return
    for memory in context.index.memories(NO_FILTERS):
        if memory.path not in subject.notes and subject.is_named_in(context.read_text(memory), least=_TELLING):
            yield memory.path


def _make_result(subject: PurgeSubject, **counted: object) -> PurgeResult:
    values = {"turns": 0, "lines": 0, "kept": 0, "left": (), "linking": (), "unseen": (), **counted}
    return PurgeResult(id=subject.id, title=subject.title, notes=subject.notes, talks=subject.talks, **values)  # type: ignore[arg-type]  # by their names
