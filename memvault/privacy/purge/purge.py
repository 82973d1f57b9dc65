"""Forget for good: a memory, and all that was ever made of it, taken out of everything that memvault keeps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memvault.core.plan import Plan
from memvault.core.query import ANY
from memvault.privacy.purge import (
    blocks,
    kept,
    notes,
    obeying,
    pages,
)
from memvault.privacy.purge import (
    records as lines,
)
from memvault.privacy.purge import (
    transcripts as talks,
)
from memvault.privacy.purge.files import Beginnings
from memvault.privacy.purge.session import naming, session
from memvault.privacy.purge.subject import Subject, subject
from memvault.storage import incognito
from memvault.storage.census import let_go_of_records
from memvault.storage.journal import exchanges as interactions
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_is_person
from memvault.storage.vault.context import Bench
from memvault.transcripts.search import archive

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
        incognito.keep(state, found.talk, is_gone=True)  # its agent knows nothing of this, and may go on
    store = archive(bench)
    cut = tuple(talks.cut_short(store, found))
    going = (*notes.names(bench, found.notes), *found.talks)
    tombstones.lay(bench, (*found.marked, *cut), own=found.texts, ids=found.ids, turns=found.turns, notes=going)
    with bench.vault.locked():
        copies = kept.forgotten(bench, found)
        gone = sum(lines.purged(path, found) for path in lines.records(bench))
        said = talks.purged(bench, store, found, cut)
        gone += interactions.purge(state, texts=found.texts, session=found.talk)
        gone += sum(lines.purged(path, found) for path in lines.logs(state))
        pages.purged(state, found.talk)
        let_go_of_records(bench)
        # The notes go last: as long as one is there, it can be named again.
        notes.remove(bench, found.notes)
        tombstones.removed(bench)
    apply_one(Plan("purge", ()), bench)  # that it was done is no secret; of what, nothing tells
    return _told(found, turns=said.turns, lines=gone, kept=copies, **left, unseen=said.unseen), found


def finish(bench: Bench, found: Subject) -> tuple[str, ...]:
    """What can be done only when nothing gives it back: the blocks that show it; those that could not be written."""
    failed = blocks.renewed(bench, found)
    kept.forgotten(bench, found)  # what the blocks were is kept for undo, too
    obeying.note(bench)
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
