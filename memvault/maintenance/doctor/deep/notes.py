"""Every note's bytes against what the records and this machine know of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep.scan import ACCEPT_HINT, DeepScan, is_in_trash
from memvault.maintenance.doctor.finding import DoctorFinding
from memvault.memories.quarantine import list_waiting
from memvault.storage.file_digests import FileDigest, other_paths
from memvault.system import files
from memvault.transcripts.archive.read import LOST, Transcript
from memvault.transcripts.search import open_archive

_SEALED = ".age"
_EMPTY = files.digest(b"")
_BLOCK = 512  # bytes: where a disk or a power cut breaks a file off, it is at the end of so many


def check_damaged(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find notes whose bytes changed as no editor changes them."""
    for sight in _read_notes(deep_scan):
        deep_scan.count_file()
        known = deep_scan.journaled.versions_of(sight.path, sight.id)
        try:
            why = _find_damage(deep_scan, sight, known)
        except (MemvaultError, OSError) as error:
            why = f"it cannot be read through: {error}"
        if why:
            deep_scan.tally.damaged.append(sight.path)
            way_back = deep_scan.restore_advice(
                sight.path, sight.id, known | {line.sha for line in _other_versions(deep_scan, sight)}
            )
            yield DoctorFinding(
                severity="error",
                path=sight.path,
                sentence=f"This note looks damaged: {why}.",
                advice=f"{way_back} {ACCEPT_HINT}" if sight.path in deep_scan.doubtful else way_back,
            )


@dataclass(frozen=True, slots=True)
class _ReadNote:
    """A note as it was read: where it lies, whose it is, which version it is, and in what it is written."""

    path: str
    id: str
    version: str
    encoding: str


def _read_notes(deep_scan: DeepScan) -> Iterator[_ReadNote]:
    """Yield every note, those that wait in quarantine too."""
    for note in deep_scan.vault_scan.notes:
        version = (
            files.digest(files.read_file(deep_scan.vault.absolute_path(note.path)))
            if note.is_clipped
            else note.memory.version
        )
        yield _ReadNote(note.path, note.memory.id, version, note.encoding)
    for memory in list_waiting(deep_scan.vault_scan.context):
        yield _ReadNote(memory.path, memory.id, memory.version, "utf-8")


def _find_damage(deep_scan: DeepScan, sight: _ReadNote, known: set[str]) -> str:
    """Return why a note must be damaged; empty where it is as somebody meant it, and then it is counted."""
    stat = (deep_scan.vault.root / sight.path).stat()
    line = FileDigest(sight.version, stat.st_size, stat.st_mtime_ns)
    if sight.version == deep_scan.journaled.last_version(sight.path, sight.id):
        deep_scan.tally.as_written += 1
    elif why := _changed_silently(deep_scan, sight, line, known):
        deep_scan.doubtful[sight.path] = line
        return why
    elif known:
        deep_scan.tally.edited.append(sight.path)
    else:
        deep_scan.tally.own.append(sight.path)
    deep_scan.sound[sight.path] = replace(line, meant=_is_accepted(deep_scan, line, sight.path))
    return ""


def _is_accepted(deep_scan: DeepScan, line: FileDigest, path: str) -> bool:
    before = deep_scan.before.get(path)
    return before is not None and before.meant and before.sha == line.sha


def _other_versions(deep_scan: DeepScan, sight: _ReadNote) -> list[FileDigest]:
    """Return what this machine saw of the note when it was otherwise than it is."""
    return [line for line in deep_scan.witnesses(sight.path) if line.sha and line.sha != sight.version]


def _changed_silently(deep_scan: DeepScan, sight: _ReadNote, line: FileDigest, known: set[str]) -> str:
    others = _other_versions(deep_scan, sight)
    if line.sha in known or not (known or others) or _is_accepted(deep_scan, line, sight.path):
        return ""  # put back by hand; or never seen before, and then there is nothing to hold it against
    if any(other.mtime == line.mtime for other in others):
        return "its bytes are others than they were, and the time of its last change is the same"
    if line.sha == _EMPTY:
        return "it is empty, and it was not"
    if sight.encoding == "binary":
        return "it holds zero bytes, as a power cut leaves them"
    return _find_cut(deep_scan, sight, known | {other.sha for other in others})


def _find_cut(deep_scan: DeepScan, sight: _ReadNote, versions: set[str]) -> str:
    """Return how it breaks off as no person would: within a letter, or at a block's end within a longer line."""
    data = files.read_file(deep_scan.vault.absolute_path(sight.path))
    if sight.encoding == "unknown" and _ends_in_a_letter(data):
        return "it ends in the middle of a letter"
    if data.endswith(b"\n") or len(data) % _BLOCK:
        return ""
    for _, kept in deep_scan.find_copies(sight.id, versions):
        if len(kept) > len(data) and kept.startswith(data) and kept[len(data) : len(data) + 1] not in b"\r\n":
            return "it ends in the middle of a line that once went on"
    return ""


def _ends_in_a_letter(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


# -- what is nowhere


def check_missing(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find notes that the records know, and that are nowhere."""
    there = {note.memory.id for note in deep_scan.vault_scan.notes} | _trashed_ids(deep_scan)
    versions = {note.memory.version for note in deep_scan.vault_scan.notes}
    for path, (version, id_, _) in sorted(deep_scan.journaled.last_left.items()):
        is_there = os.path.lexists(deep_scan.vault.root / path) or id_ in there or version in versions
        if is_there or not _is_note(deep_scan, path) or deep_scan.journaled.is_accepted_gone(path):
            continue
        deep_scan.tally.missing.append(path)
        yield DoctorFinding(
            severity="warning",
            path=path,
            sentence="The records know this note, and it is nowhere: it was deleted, or lost.",
            advice=f"{deep_scan.restore_advice(path, id_, {version})} If you deleted it yourself, "
            "`memvault doctor --deep --accept` takes it as meant.",
        )


def check_gone(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find notes that were made by hand, and what was sealed, that went: told once."""
    names = {note.entry.name for note in deep_scan.vault_scan.notes} | {
        path.rpartition("/")[2] for path in deep_scan.vault.trash_paths()
    }
    known = (path for path in sorted(deep_scan.before) if path.endswith(_SEALED) or _is_note(deep_scan, path))
    for path in known:
        is_there = os.path.lexists(deep_scan.vault.root / path) or path.rpartition("/")[2] in names
        if not is_there and path not in deep_scan.journaled.last_left:
            yield DoctorFinding(
                severity="note",
                path=path,
                sentence="This file lay here when it was last looked at, and does not any more.",
                advice=f"{deep_scan.restore_advice(path, '', {deep_scan.before[path].sha})} This is told once.",
            )


def _is_note(deep_scan: DeepScan, path: str) -> bool:
    is_shut = any(path.startswith(folder) for folder in deep_scan.vault_scan.unlisted_folders)
    return not is_in_trash(path) and not is_shut and deep_scan.vault.place_of(path) is not None


def _trashed_ids(deep_scan: DeepScan) -> set[str]:
    from memvault.memories.remember import read_memory  # deferred: only where something is missed

    found = (read_memory(deep_scan.vault_scan.context, path) for path in deep_scan.vault.trash_paths())
    return {memory.id for memory in found if memory and memory.id}


# The archive of conversations, member by member, and what is sealed.

_INGEST_ADVICE = (
    "Where its source is still there, `memvault ingest FILE` adds what is missing; else a backup may have it."
)
_BINARY = b"age-encryption.org/v1\n"
_MAC, _NONCE, _TAG, _CHUNK = b"--- ", 16, 16, 64 * 1024
_HEADER = 64 * 1024  # no header of a few recipients is longer


def check_turns(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find conversations of which turns are gone, though all that is left can be read."""
    learnt = deep_scan.vault.ledger.decisions().learned_turns
    store = open_archive(deep_scan.vault_scan.context)
    for path, _ in store.list_conversations():
        deep_scan.count_file()
        try:
            why = _missing_turns(store.open_transcript(path), learnt)
        except MemvaultError:
            continue  # the look before this one says so
        if why:
            yield DoctorFinding(severity="error", path=path, sentence=f"{why}.", advice=_INGEST_ADVICE)


def _missing_turns(there: Transcript, learnt: dict[str, int]) -> str:
    turn_count, lost, ids = 0, 0, set()
    for turn in there.read_turns():
        turn_count += 1
        lost += turn.id.startswith(LOST)
        ids.add(hash(turn.id))
    if lost:
        return f"{lost} of its {turn_count} turns are gone from the middle of it"
    looked_at = learnt.get(there.read_head().id, 0)
    if turn_count < looked_at:
        return f"It had {looked_at} turns when memories were made of them, and has {turn_count}: its end is gone"
    groundless = sum(any(hash(turn) not in ids for turn in fact.turns) for fact in there.read_facts())
    return f"{groundless} of its facts stand on turns that are not there" if groundless else ""


# -- what is sealed


def check_sealed(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find sealed files that nobody could open any more; with the key at hand each is opened."""
    for path in (path for path in other_paths(deep_scan.vault) if path.endswith(".age")):
        deep_scan.count_file()
        full = deep_scan.vault.root / path
        try:
            data, stamp = files.read_stamped(full)
            line = FileDigest(files.digest(data), stamp.size, stamp.mtime_ns)
        except MemvaultError as error:
            why, meant = str(error), ""
        else:
            line = replace(line, meant=_is_accepted_line(line, deep_scan.before.get(path)))
            why, meant = "" if line.meant else _sealed_damage(deep_scan, path, data, line), ACCEPT_HINT
            known = deep_scan.doubtful if why else deep_scan.sound
            known[path] = line
        if why:
            yield DoctorFinding(
                severity="error",
                path=path,
                sentence=f"This sealed file is damaged: {why}.",
                advice=f"{deep_scan.restore_advice(path, '', set())} {meant}".rstrip(),
            )


def _is_accepted_line(line: FileDigest, before: FileDigest | None) -> bool:
    """Return whether a person has said of these very bytes that they are."""
    return before is not None and before.meant and before.sha == line.sha


def _sealed_damage(deep_scan: DeepScan, path: str, data: bytes, line: FileDigest) -> str:
    return _broken_format(data) or _silent_change(line, deep_scan.before.get(path)) or deep_scan.open_sealed(path, data)


def _silent_change(line: FileDigest, before: FileDigest | None) -> str:
    is_silent = before is not None and before.sha != line.sha and before.mtime == line.mtime
    return "its bytes are others than they were, and the time of its last change is the same" if is_silent else ""


def _broken_format(data: bytes) -> str:
    """Return what of age's format is broken, as far as it is seen without a key."""
    if not data.startswith(_BINARY):
        return "" if data.startswith(b"-----BEGIN AGE") else "it does not begin as sealed files do"
    at = data.find(b"\n" + _MAC, 0, _HEADER)
    end = data.find(b"\n", at + 1)
    if at < 0 or end < 0 or b"\n-> " not in data[: at + 1]:
        return "its header is not whole"
    left = (len(data) - end - 1 - _NONCE) % (_CHUNK + _TAG)
    return "it is cut short" if len(data) - end - 1 < _NONCE + _TAG or 0 < left < _TAG else ""
