"""Forget for good: a memory, and all that was ever made of it, taken out of everything that memvault keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memvault.core.plan import Plan
from memvault.core.query import ANY
from memvault.core.secrets.erase import FORGOTTEN, Erase
from memvault.core.secrets.screens import normal
from memvault.errors import MemvaultError
from memvault.memories.remember import read_at
from memvault.privacy.purge import files as kept
from memvault.privacy.purge import records, transcripts
from memvault.privacy.purge.files import Beginnings
from memvault.privacy.purge.subject import Subject, subject
from memvault.privacy.purge.transcripts import naming, session
from memvault.storage import pauses
from memvault.storage.census import let_go_of_records
from memvault.storage.journal import exchanges, tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_is_person
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.transcripts.search import archive

# What was forgotten for good elsewhere, or by a process that was killed, taken out here too: by its marks alone.

_MOST_KNOWN = 20_000


def is_due(bench: Bench) -> bool:
    """Whether something was marked as purged since this machine last took out what is marked."""
    if bench.state is None:
        return False
    standing = tombstones.standing_purges(bench)
    is_new = bool(standing) and _obeyed(bench.state) != _fingerprint(standing)
    return is_new or tombstones.is_to_go(bench) is not None


def obey(bench: Bench) -> None:
    """Take what is marked out of all that this machine keeps.

    Notes are for people to change: only those go that a person named, and a purge that was killed left.
    """
    eraser = tombstones.eraser_of(bench.vault.ledger)  # what cannot be read now is obeyed when it can be
    if eraser is None:
        return
    is_purged = tombstones.is_purged(bench)
    erase = lru_cache(_MOST_KNOWN)(eraser)  # records say the same again and again
    with bench.vault.locked():
        transcripts.about_known(bench.state, is_purged)
        kept.obeyed(bench, eraser)
        transcripts.obeyed(bench, archive(bench), eraser)
        for path in (*records.records(bench), *records.logs(bench.state)):
            records.obeyed(path, erase, is_purged)
        let_go_of_records(bench)
        for thrown in _thrown(bench, eraser, is_purged):
            files.remove(bench.vault.root / thrown)
        kept.finish(bench)


def note(bench: Bench) -> None:
    """Put down that all that is marked by now is taken out here."""
    if bench.state is not None:
        files.make_folder(bench.state)
        files.overwrite(bench.state / tombstones.OBEYED, _fingerprint(tombstones.standing_purges(bench)))


def renew(bench: Bench) -> None:
    """Write every block anew, as by marks alone nobody knows which shows it; what they were is kept for undo no more.

    One that cannot be written stops nothing: `claude-md` says what is wrong with it.
    """
    kept.all_renewed(bench)
    if eraser := tombstones.eraser_of(bench.vault.ledger):
        kept.obeyed(bench, eraser)


def _thrown(bench: Bench, eraser: Erase, is_purged: records.IsPurged) -> Iterator[str]:
    """What lies in the trash of it; of notes without an id what says nothing else."""
    for path in bench.vault.trash():
        memory = read_at(bench, path)
        if memory and (is_purged(memory.id) if memory.id else _says_no_more(memory.body or "", eraser)):
            yield path


def _says_no_more(text: str, eraser: Erase) -> bool:
    return bool(text.strip()) and not normal(eraser(text).replace(FORGOTTEN, ""))


def _obeyed(state: Path) -> bytes:
    try:
        return files.read(state / tombstones.OBEYED)
    except (MemvaultError, FileNotFoundError):
        return b""


def _fingerprint(standing: Iterable[str]) -> bytes:
    return files.digest(json.dumps(sorted(standing)).encode()).encode()


_TELLING = 12  # letters of a title that tells by itself what was forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What was taken out, and where the same still stands."""

    id: str
    title: str
    notes: tuple[str, ...]  # that are gone
    turns: int  # of conversations that say less now
    lines: int  # of journals, ledgers and logs that are gone
    kept: int  # files that were kept for undo, and are gone
    left: tuple[str, ...]  # other notes that say the same: a person's own, to change or to forget too
    linking: tuple[str, ...]  # other notes that link to it, or name its title
    talks: tuple[str, ...] = ()  # conversations that are gone as a whole
    unseen: tuple[str, ...] = ()  # conversations with parts that cannot be looked through
    blocks: tuple[str, ...] = ()  # that could not be written anew, and may still show it
    dry_run: bool = False


def purge(
    bench: Bench, ref: str, *, state: Path, is_session: bool = False, dry_run: bool = False
) -> tuple[Purged, Subject]:
    """Take a memory, or a conversation with all that came of it, out of everything.

    Killed half-way, it is finished by naming it again, or by the next upkeep.
    """
    check_is_person(bench, "has a memory forgotten for good")
    found = session(bench, ref) if is_session else subject(bench, ref)
    left = {"left": tuple(_left(bench, found)), "linking": tuple(_linking(bench, found))}
    if dry_run:
        return _told(found, **left, dry_run=True), found
    # First of all, so that nothing learns it again while it is being taken out.
    if found.talk:
        pauses.keep(state, found.talk, is_gone=True)  # its agent knows nothing of this, and may go on
    store = archive(bench)
    cut = tuple(transcripts.cut_short(store, found))
    going = (*kept.names(bench, found.notes), *found.talks)
    tombstones.lay(bench, (*found.marked, *cut), own=found.texts, ids=found.ids, turns=found.turns, notes=going)
    with bench.vault.locked():
        copies = kept.forgotten(bench, found)
        gone = sum(records.purged(path, found) for path in records.records(bench))
        said = transcripts.purged(bench, store, found, cut)
        gone += exchanges.purge(state, texts=found.texts, session=found.talk)
        gone += sum(records.purged(path, found) for path in records.logs(state))
        records.purged_pages(state, found.talk)
        let_go_of_records(bench)
        # The notes go last: as long as one is there, it can be named again.
        kept.remove(bench, found.notes)
        tombstones.removed(bench)
    apply_one(Plan("purge", ()), bench)  # that it was done is no secret; of what, nothing tells
    return _told(found, turns=said.turns, lines=gone, kept=copies, **left, unseen=said.unseen), found


def finish(bench: Bench, found: Subject) -> tuple[str, ...]:
    """What can be done only when nothing gives it back: the blocks that show it; those that could not be written."""
    failed = kept.renewed(bench, found)
    kept.forgotten(bench, found)  # what the blocks were is kept for undo, too
    note(bench)
    return failed


def _left(bench: Bench, found: Subject) -> Iterable[str]:
    cut = Beginnings.of(found.marked)
    for memory in bench.catalogue.memories(ANY):
        text = "" if memory.path in found.notes else bench.text(memory)
        is_said = found.is_said_in(text) or cut.are_broken_off_in(text)
        if is_said or any(said in text for said in found.spoken):
            yield memory.path


def _linking(bench: Bench, found: Subject) -> Iterable[str]:
    yield from naming(bench, found)
    if found.talk:  # a conversation's title is a few words of everybody's
        return
    for memory in bench.catalogue.memories(ANY):
        if memory.path not in found.notes and found.is_shown_in(bench.text(memory), least=_TELLING):
            yield memory.path


def _told(found: Subject, **counted: object) -> Purged:
    given = {"turns": 0, "lines": 0, "kept": 0, "left": (), "linking": (), "unseen": (), **counted}
    return Purged(id=found.id, title=found.title, notes=found.notes, talks=found.talks, **given)  # type: ignore[arg-type]  # by their names
