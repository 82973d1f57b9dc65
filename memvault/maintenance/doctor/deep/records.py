"""Journals, ledgers and the undo store: nothing was cut off, nothing changed in place, nothing left half told."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep.scan import LOST, DeepScan
from memvault.maintenance.doctor.finding import DoctorFinding
from memvault.storage.file_digests import FileDigest, hash_prefix, is_append_only
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.jsonl import JsonRecord
from memvault.storage.vault.layout import STATE
from memvault.system import files

_COPY_ADVICE = (
    "Bring it back from a backup; another machine's copy has the lines that reached it (`memvault sync run`)."
)
_ACCEPT_ADVICE = "`memvault doctor --deep --accept` writes it down as lost for good, and it is told no more."
_UNDO_SHA = 32
_LEDGERS = f"{STATE}/ledger/"
_LONG = records.LONGEST_LINE // 2  # an entry that may have been cut to fit its line is not looked for


def check_grown(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find records and conversations that are shorter than they were, or other, though such files only grow."""
    for path, before in sorted(deep_scan.before.items()):
        if (
            is_append_only(path)
            and not os.path.lexists(deep_scan.vault.root / path)
            and not _is_renamed(deep_scan, before)
        ):
            _note_loss(deep_scan, path, {"path": path, "bytes": before.size})
            yield _loss_finding(path, "This file was here when it was last looked at, and is nowhere.")
    for path in _growing_files(deep_scan):
        deep_scan.count_file()
        try:
            found = _find_loss(deep_scan, path)
        except (MemvaultError, OSError) as error:
            found = f"It cannot be read through: {error}."
        if found:
            yield _loss_finding(path, found)


def _is_renamed(deep_scan: DeepScan, before: FileDigest) -> bool:
    """Return whether a file that nobody saw before begins with all that one held which is gone."""
    fresh = (deep_scan.vault.root / path for path in _growing_files(deep_scan) if path not in deep_scan.before)
    return any(path.stat().st_size >= before.size and hash_prefix(path, before.size) == before.sha for path in fresh)


def _growing_files(deep_scan: DeepScan) -> Iterator[str]:
    from memvault.storage.file_digests import other_paths  # deferred: a shallow look lists them otherwise

    return (path for path in other_paths(deep_scan.vault) if is_append_only(path))


def _find_loss(deep_scan: DeepScan, path: str) -> str:
    full, before = deep_scan.vault.root / path, deep_scan.before.get(path)
    stat = full.stat()
    zeros = files.read_file(full).count(b"\0") if path.endswith(".jsonl") else 0
    found = _find_shrinkage(full, before, stat.st_size)
    if not found and zeros > deep_scan.journaled.known_zeros.get(path, 0):
        found = f"It holds {zeros:,} zero bytes, as a power cut leaves them; the lines in them are lost."
    line = FileDigest(hash_prefix(full, stat.st_size), stat.st_size, stat.st_mtime_ns)
    (deep_scan.doubtful if found else deep_scan.sound)[path] = line
    if found:
        less = max(0, before.size - stat.st_size) if before else 0
        _note_loss(deep_scan, path, {"path": path, "bytes": less, "zeros": zeros})
    return found


def _find_shrinkage(full: Path, before: FileDigest | None, size: int) -> str:
    """Return what a file lacks of what it was; empty where it only grew."""
    if before is not None and size < before.size:
        return f"It is {before.size - size:,} bytes shorter than it was, and such a file only grows."
    if before is not None and hash_prefix(full, before.size) != before.sha:
        return "What it held when it was last looked at is not what it holds now, and such a file only grows."
    return ""


def _note_loss(deep_scan: DeepScan, path: str, *told: JsonRecord) -> None:
    """Note what a person may accept as lost. A conversation's name tells of it, so it goes into no ledger."""
    is_ours = path.startswith(f"{STATE}/")
    deep_scan.lacking.setdefault(path, []).extend({"e": LOST, **one} for one in told if is_ours)


def _loss_finding(path: str, sentence: str) -> DoctorFinding:
    return DoctorFinding(severity="error", path=path, sentence=sentence, advice=f"{_COPY_ADVICE} {_ACCEPT_ADVICE}")


# -- what one record tells of another


def check_incomplete_operations(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find operations whose beginning is gone, and journaled decisions that no ledger holds."""
    for name, path in deep_scan.vault.journal.journal_files():
        entries = records.read_readable(path)
        begun = {str(entry.get("op")) for entry in entries if entry.get("e") == "op"}
        told = (str(entry.get("op")) for entry in entries if entry.get("e") in ("step", "done"))
        orphans = sorted({op for op in told if op not in begun and not _begun_before(deep_scan, op, name)})
        orphans = [op for op in orphans if op not in deep_scan.journaled.accepted_lost]
        if orphans:
            of = deep_scan.vault.relative_path(path) or name
            _note_loss(deep_scan, of, *({"what": op} for op in orphans))
            yield _loss_finding(
                of,
                f"The beginning of {len(orphans)} operations is gone, of {orphans[0]} among them: lines were lost.",
            )
    yield from _lost_decisions(deep_scan)


def _begun_before(deep_scan: DeepScan, op: str, name: str) -> bool:
    """Return whether an operation may have begun in the last minutes of the month before."""
    return any(operation.op == op for operation in deep_scan.vault_scan.operations) or op[:6] > name[-7:].replace(
        "-", ""
    )


def _lost_decisions(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    held = Counter(
        _entry_key(entry) for _, path in deep_scan.vault.ledger.ledger_files() for entry in records.read_readable(path)
    )
    lost = [entry for entry in _announced_decisions(deep_scan) if _entry_key(entry) not in held]
    lost = [entry for entry in lost if _entry_digest(entry) not in deep_scan.journaled.accepted_lost]
    if lost:
        _note_loss(deep_scan, _LEDGERS, *({"what": _entry_digest(entry)} for entry in lost))
        example = " ".join(str(value) for name, value in lost[0].items() if name in ("e", "id", "field", "mac"))
        told = f"The journals tell of {len(lost)} decisions that no ledger holds ({example}): lines were lost."
        yield _loss_finding(_LEDGERS, told)


def _announced_decisions(deep_scan: DeepScan) -> Iterator[JsonRecord]:
    """Yield the decisions that operations made, as the journals tell them."""
    for operation in deep_scan.vault_scan.operations:
        for step in operation.steps if operation.state != "begun" else ():
            told: Iterable[JsonRecord | None] = (
                step.entry if step.do == "note" else None,
                *(one for one, _ in step.notes),
            )
            yield from (entry for entry in told if entry and len(json.dumps(entry)) < _LONG)


def _entry_key(entry: JsonRecord) -> str:
    return json.dumps({name: value for name, value in entry.items() if name != "t"}, sort_keys=True)


def _entry_digest(entry: JsonRecord) -> str:
    """Return what a decision is known by, as it may tell too much to be written down again."""
    return files.digest(_entry_key(entry).encode())


# -- what is kept for undo


def check_undo_bytes(deep_scan: DeepScan) -> Iterator[DoctorFinding]:
    """Find kept bytes that are not what their name says: undo would bring damage back."""
    for path in deep_scan.undo_versions.values():
        deep_scan.count_file()
        name = Path(path).name
        try:
            is_whole = len(name) != _UNDO_SHA or files.digest(files.read_file(deep_scan.vault.root / path)) == name
        except MemvaultError:
            is_whole = False
        if not is_whole:
            yield DoctorFinding(
                severity="error",
                path=path,
                sentence="What is kept here for undo is not what was put there.",
                advice="Undoing that operation would bring damage back: do not. A backup may have the bytes.",
            )
