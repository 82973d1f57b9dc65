"""Forget for good: a memory, and all that was ever made of it, taken out of everything that memvault keeps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memvault import files
from memvault.core.plan import Plan
from memvault.core.query import ANY
from memvault.verbs import interactions, tombstones
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench
from memvault.verbs.conversations import archive
from memvault.verbs.purge import blocks, lines, talks
from memvault.verbs.purge.subject import Subject, subject


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
    unseen: tuple[str, ...]  # conversations with parts that cannot be looked through
    dry_run: bool = False


def purge(bench: Bench, ref: str, *, state: Path, dry_run: bool = False) -> tuple[Purged, Subject]:
    """Take a memory out of everything; killed half-way, it is there still, and is purged by doing it again."""
    found = subject(bench, ref)
    left = tuple(_left(bench, found))
    if dry_run:
        return _told(found, left=left, dry_run=True), found
    # First of all, so that nothing learns it again while it is being taken out.
    tombstones.lay(bench, found.marked, why=tombstones.PURGE)
    with bench.vault.locked():
        kept = _forget_kept(bench, found)
        gone = sum(lines.purged(path, found) for path in _records(bench))
        said = talks.purged(bench, archive(bench), found)
        gone += interactions.purge(state, texts=found.texts) + sum(lines.purged(path, found) for path in _logs(state))
        # The notes go last: as long as one is there, it can be named again.
        for path in found.notes:
            (bench.vault.root / path).unlink(missing_ok=True)
            files.sync_folder((bench.vault.root / path).parent)
    apply_one(Plan("purge", ()), bench)  # that it was done is no secret; of what, nothing tells
    return _told(found, turns=said.turns, lines=gone, kept=kept, left=left, unseen=said.unseen), found


def finish(bench: Bench, found: Subject) -> tuple[str, ...]:
    """What can be done only when nothing gives it back: the blocks that show it; those that could not be written."""
    failed = blocks.renewed(bench, found)
    _forget_kept(bench, found)  # what the blocks were is kept for undo, too
    return failed


def _forget_kept(bench: Bench, found: Subject) -> int:
    """Bytes that undo or a late editor's save would bring back."""
    gone = 0
    for path in sorted(bench.vault.undo.rglob("*")) if bench.vault.undo.is_dir() else ():
        if path.is_file() and found.is_in(files.read(path)):
            path.unlink()
            gone += 1
    return gone


def _records(bench: Bench) -> Iterable[Path]:
    """Every device's journal and ledger; the one thing that takes lines out of them."""
    for _, path in (*bench.vault.journal.paths(), *bench.vault.ledger.paths()):
        yield path


def _logs(state: Path) -> Iterable[Path]:
    """What this machine noted of its own runs on the vault."""
    found = [path for path in state.rglob("*") if lines.is_log(path.name) and path.is_file()] if state.is_dir() else []
    return sorted(found)


def _left(bench: Bench, found: Subject) -> Iterable[str]:
    for memory in bench.catalogue.memories(ANY):
        if memory.path not in found.notes and found.is_said_in(bench.text(memory)):
            yield memory.path


def _told(found: Subject, **counted: object) -> Purged:
    given = {"turns": 0, "lines": 0, "kept": 0, "left": (), "unseen": (), **counted}
    return Purged(id=found.id, title=found.title, notes=found.notes, **given)  # type: ignore[arg-type]  # by their names
