"""Checks of the journal and the ledger: every line can be read, none is from the future, and more can be added."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.core.query import Filters
from memvault.errors import MarksUnknown, MemvaultError
from memvault.maintenance.doctor.finding import ClearSetAside, DoctorFinding, RebuildIndex, shell_command
from memvault.maintenance.doctor.notes import LEEWAY
from memvault.maintenance.doctor.scan import VaultScan
from memvault.storage.index.index import Index
from memvault.storage.journal import jsonl as records
from memvault.storage.journal import ledger, tombstones
from memvault.storage.vault.layout import STATE
from memvault.storage.vault.listing import is_text
from memvault.system import files
from memvault.text.dates.dates import read_moment
from memvault.transcripts.archive.read import LOST, Transcript
from memvault.transcripts.search import open_archive

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
                advice=f"{shell_command('forget', '--purge', note.memory.id)} takes it out; "
                "so does upkeep after a kill.",
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

_ADVICE = "`memvault reindex` builds the index again from the files; nothing is lost with it."


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
        chore=RebuildIndex(),
    )


def check_set_aside(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find damaged indexes that were set aside."""
    for folder in folders_set_aside(scan.context.index):
        yield DoctorFinding(
            severity="note",
            path=str(folder),
            sentence="A damaged index was set aside here when a new one was built.",
            advice="Delete the folder.",
            chore=ClearSetAside(),
        )


def folders_set_aside(index: Index) -> list[Path]:
    """Return the folders beside the index that hold what it was before it was damaged."""
    return sorted(index.folder.parent.glob(f"{index.folder.name}.*"))


# Checks of the archive of conversations: each can be read from end to end, and no turn of it is gone.

_MOST_SHOWN = 3
_INGEST_ADVICE = "where the source is still there, `memvault ingest FILE` adds what is missing."


def check_conversations(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find conversations of which a part cannot be read, or turns are gone though all that is left can be."""
    learned = scan.vault.ledger.decisions().learned_turns
    store = open_archive(scan.context)
    for path, _ in store.list_conversations():
        trouble, missing = _read_through(store.open_transcript(path), learned)
        if trouble:
            more = f" (and {len(trouble) - _MOST_SHOWN} more)" if len(trouble) > _MOST_SHOWN else ""
            yield DoctorFinding(
                severity="error",
                path=path,
                sentence=f"A part of this conversation cannot be read: {'; '.join(trouble[:_MOST_SHOWN])}{more}.",
                advice="The rest is found as before. If you have a copy from before, put it in its place; "
                + _INGEST_ADVICE,
            )
        elif missing:
            advice = f"If you have a copy from before, put it in its place; {_INGEST_ADVICE}"
            yield DoctorFinding(check="turns", severity="error", path=path, sentence=f"{missing}.", advice=advice)


def _read_through(transcript: Transcript, learned: Mapping[str, int]) -> tuple[list[str], str]:
    """Return what of a conversation cannot be read, and which of its turns are gone."""
    try:
        ids = [turn.id for turn in transcript.read_turns()]
        facts = list(transcript.read_facts())
        looked_at = learned.get(transcript.read_head().id, 0)
    except MemvaultError as error:
        return [str(error)], ""
    known = set(ids)
    groundless = sum(not known.issuperset(fact.turns) for fact in facts)
    if lost := sum(id_.startswith(LOST) for id_ in ids):
        missing = f"{lost} of its {len(ids)} turns are gone from the middle of it"
    elif len(ids) < looked_at:
        missing = f"It had {looked_at} turns when memories were made of them, and has {len(ids)}: its end is gone"
    else:
        missing = f"{groundless} of its facts stand on turns that are not there" if groundless else ""
    return transcript.damage, missing
