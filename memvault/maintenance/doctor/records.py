"""Checks of what memvault keeps beside the notes: journals and ledgers, the index, leftovers, what is kept for undo."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from memvault.core.query import Filters
from memvault.errors import DamagedIndex, MarksUnknown, MemvaultError, Unwritable
from memvault.maintenance.doctor.notes import LEEWAY
from memvault.maintenance.doctor.scan import KILO, VaultScan
from memvault.storage.finding import Chore, DoctorFinding, shell_command
from memvault.storage.index.index import Index
from memvault.storage.journal import journal as records
from memvault.storage.journal import ledger, tombstones
from memvault.storage.journal.recover import recover_vault
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE
from memvault.storage.vault.listing import is_text
from memvault.system import files
from memvault.text.dates.dates import read_moment

_LOGS = (f"{STATE}/journal/", f"{STATE}/ledger/")


def check_lines(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find lines of the journal and the ledger that cannot be read."""
    for path in _record_paths(scan):
        try:
            data = files.read_file(scan.vault.root / path)
        except MemvaultError as error:
            yield DoctorFinding(
                severity="error",
                path=path,
                sentence=f"It cannot be read: {error.data['reason']}.",
                advice="Give yourself the right to read it, or bring it back from a copy.",
            )
            continue
        written = sum(bool(line.strip()) for line in data.split(b"\n"))
        lost = written - sum(1 for _ in records.parse_lines(data))
        if lost:
            yield DoctorFinding(
                # One line cut short is what a power cut leaves behind.
                severity="note" if lost == 1 else "warning",
                path=path,
                sentence=f"{lost} of its {written} lines cannot be read; such lines are passed over.",
                advice="If you have a copy from before, add the lines that are missing.",
            )


def check_tombstones(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Check that every tombstone can be read."""
    try:
        tombstones.read_ledgers(scan.context)
    except MarksUnknown as error:
        path = Path(str(error.data["path"]))
        yield DoctorFinding(
            severity="error",
            path=scan.vault.relative_path(path) or str(path),
            sentence=f"The tombstones cannot be read, so nothing new is stored: {error.data['reason']}.",
            advice="Bring it back from a copy, another machine or git (`git log -- .memvault/ledger`). Where there is "
            f"none, {_tombstone_advice(path)}; then what was forgotten may be learnt again.",
        )


def check_returned(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes that were purged and are here: restored, or left by a purge that was killed elsewhere."""
    is_purged = tombstones.purged_ids(scan.context)
    for note in scan.notes:
        if note.memory.id and is_purged(note.memory.id):
            yield DoctorFinding(
                severity="warning",
                path=note.path,
                sentence="It was purged, and it is here: it was brought back, or a purge was interrupted.",
                advice=f"{shell_command('vault', 'purge', note.memory.id)} takes it out; so does upkeep after a kill.",
            )


def _tombstone_advice(path: Path) -> str:
    if path.name == ledger.KEY:
        return "take the lines that say `tombstone` out of the ledgers"
    return "take the damaged lines out" if path.suffix else "move away the key, and the file that says so"


def check_future_entries(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find entries of the journal and the ledger that are dated in the future."""
    latest = scan.context.now + LEEWAY
    for path in _record_paths(scan):
        try:
            entries = records.parse_lines(files.read_file(scan.vault.root / path))
        except MemvaultError:
            continue  # `lines` says so
        moments = [when for entry in entries if (when := read_moment(str(entry.get("t", ""))))]
        ahead = [when for when in moments if when > latest]
        if ahead:
            yield DoctorFinding(
                severity="warning",
                path=path,
                sentence=f"{len(ahead)} of its entries are dated in the future, as late as {max(ahead):%Y-%m-%d}.",
                advice="Check the clocks of that device and of this one. Such entries count as of now.",
            )


def _record_paths(scan: VaultScan) -> list[str]:
    """Return the journals and ledgers of all devices."""
    found = (entry for entry in scan.entries if entry.path.startswith(_LOGS))
    return [entry.path.rstrip("/") for entry in found if entry.name.endswith(".jsonl")]


def check_writable(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Check that this device can go on writing its journal and ledger."""
    state = scan.vault.state
    month = f"{scan.context.now:%Y-%m}.jsonl"
    own = (state / "journal" / scan.vault.device / month, state / "ledger" / f"{scan.vault.device}.jsonl")
    for path in own:
        obstacle = _find_obstacle(path)
        if obstacle is not None:
            yield DoctorFinding(
                severity="warning",
                path=scan.vault.relative_path(obstacle) or str(obstacle),
                sentence=f"Nothing can be written to it, so {_lost_records(path)} will be forgotten.",
                advice="Give yourself the right to write to it; if something else has taken its place, move that away.",
            )


def _lost_records(path: Path) -> str:
    return "what is decided" if path.parent.name == "ledger" else "what is used and done"


def _find_obstacle(path: Path) -> Path | None:
    """Return what is in the way of appending to a file: the file itself, or the nearest folder above it that exists."""
    if os.path.lexists(path):
        return None if path.is_file() and os.access(path, os.W_OK) else path
    folder = next(parent for parent in path.parents if os.path.lexists(parent))
    return None if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK) else folder


# Checks of the index: it knows the notes as they are, and its search index knows what its rows know.

_ADVICE = "`memvault vault reindex` builds the index again from the files; nothing is lost with it."


def check_index(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find where the index disagrees with the files, or with itself."""
    yield from [
        _index_finding(problem, paths) for problem, paths in _index_differences(scan) if paths
    ] or _row_differences(scan)


def _index_differences(scan: VaultScan) -> Iterator[tuple[str, list[str]]]:
    index = scan.context.index
    diff = index.compare_listing(scan.vault.list_folders())
    # What has changed since the last command is no disagreement: the next one takes it in.
    waiting = {path for path, _ in diff.paths_to_read()} | set(diff.gone)
    known = {memory.path: memory.version for memory in index.memories(Filters())}
    seen = {note.path: note.memory.version for note in scan.notes}
    settled = sorted(path for path in seen.keys() - waiting if is_text(path))
    yield "The index does not know this note", [path for path in settled if path not in known]
    stale = [path for path in settled if known.get(path, seen[path]) != seen[path]]
    yield "The index knows this note otherwise than it is", stale
    gone = known.keys() - seen.keys() - waiting - scan.unread_notes.keys()
    yield "The index knows this note, and it is gone", sorted(gone)


def _row_differences(scan: VaultScan) -> list[DoctorFinding]:
    """Check that the index rows and the search index hold the same notes."""
    rows, words = scan.context.index.row_and_backend_numbers()
    if rows == words:
        return []
    return [
        _index_finding(f"The index holds {len(rows)} notes, and its search {len(words)}; they are not the same", [])
    ]


def _index_finding(problem: str, paths: list[str]) -> DoctorFinding:
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    return DoctorFinding(
        severity="error",
        path=paths[0] if paths else "",
        sentence=f"{problem}{more}.",
        advice=_ADVICE,
        chore=REBUILD_INDEX,
    )


def rebuild_index(context: VaultContext) -> None:
    """Empty the index and fill it again; raise DamagedIndex if it does not let go of something."""
    with context.index.lock():
        context.index.update_notes(context.index.compare_listing(()), (), fallback_id=str)
    if any(context.index.row_and_backend_numbers()):
        raise DamagedIndex(path=context.index.folder, reason="it holds what belongs to no note")
    context.refresh()


REBUILD_INDEX = Chore("build the index again from the files", rebuild_index)


def check_set_aside(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find damaged indexes that were set aside."""
    for folder in _folders_set_aside(scan.context.index):
        yield DoctorFinding(
            severity="note",
            path=str(folder),
            sentence="A damaged index was set aside here when a new one was built.",
            advice="Delete the folder.",
            chore=Chore("remove the damaged index that was set aside", _clear_set_aside),
        )


def _folders_set_aside(index: Index) -> list[Path]:
    """Return the folders beside the index that hold what it was before it was damaged."""
    return sorted(index.folder.parent.glob(f"{index.folder.name}.*"))


def _clear_set_aside(context: VaultContext) -> None:
    for folder in _folders_set_aside(context.index):
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise Unwritable(path=folder, reason="something in it cannot be removed")


# Checks of what lies around the notes: leftovers, late writes, interrupted operations, the undo store.


def check_leftovers(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find temporary files of writers that were killed."""
    suspect = {entry.folder for entry in scan.entries if entry.name.startswith(".mv-") and entry.is_file}
    for folder in sorted(suspect):
        found = files.orphaned_files(scan.vault.root / folder)
        if found:
            count = f"{len(found)} temporary file{'' if len(found) == 1 else 's'}"
            yield DoctorFinding(
                severity="warning",
                path=f"{folder}{found[0].name}",
                sentence=f"A writer was killed here and left {count}; the notes themselves are whole.",
                advice="Delete what is called .mv-….tmp in that folder.",
                chore=Chore("remove what the killed writer left", _clear_leftovers, (folder,)),
            )


def _finish_interrupted(context: VaultContext) -> None:
    with context.vault.lock_vault():
        recover_vault(context.vault, context.now)


_FINISH = Chore("settle what was interrupted and bring late writes back", _finish_interrupted)


def check_late_writes(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find text that an editor saved into a file after memvault had replaced it."""
    # With nothing old enough to be let go of, settling only looks.
    for late in scan.vault.late_writes(older_than_ns=0, now_ns=0):
        yield DoctorFinding(
            severity="warning",
            path=scan.vault.relative_path(late.path) or str(late.path),
            sentence="An editor saved into it just after memvault had changed it; that text is kept aside.",
            advice="The next command that writes brings it back, into the note or beside it.",
            chore=_FINISH,
        )


def check_interrupted(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find operations of this device that were begun and never ended."""
    for operation in scan.vault.log.recent_own():
        if operation.state != "begun":
            continue
        paths = [step.path for step in operation.steps if step.path]
        yield DoctorFinding(
            severity="warning",
            path=paths[0] if paths else "",
            sentence=f"The operation {operation.op} ({operation.verb}) was interrupted.",
            advice="The next command that writes settles it; `memvault vault log` then shows what of it was done.",
            chore=_FINISH,
        )


def check_undo_store(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find bytes kept for undo that take more room than their setting allows."""
    allowed = scan.vault.settings.integer("undo.keep_megabytes") * KILO * KILO
    store = scan.vault.relative_path(scan.vault.undo) or ""
    # What is held for late writes lies there too, and is not part of what the setting speaks of.
    kept = sum(entry.size for entry in scan.entries if _is_undo_file(entry.path, store) and entry.is_file)
    if kept > allowed:
        yield DoctorFinding(
            severity="warning",
            path=f"{store}/",
            sentence=f"What is kept for undo takes {kept / KILO / KILO:.1f} MB; undo.keep_megabytes allows "
            f"{allowed // KILO // KILO}.",
            advice="Delete the oldest folders in it (what they hold cannot be undone then), or raise the setting.",
            chore=Chore("let go of the oldest bytes kept for undo", _shrink_undo),
        )


def _is_undo_file(path: str, store: str) -> bool:
    return path.startswith(f"{store}/") and path.removeprefix(f"{store}/")[:1].isdigit()


def _clear_leftovers(context: VaultContext, folder: str) -> None:
    with context.vault.lock_vault():
        for path in files.orphaned_files(context.vault.root / folder):
            files.remove_file(path)


def _shrink_undo(context: VaultContext) -> None:
    with context.vault.lock_vault():
        context.vault.log.shrink_to(keep_bytes=context.settings.integer("undo.keep_megabytes") * KILO * KILO)
