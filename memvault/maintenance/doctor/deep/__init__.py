"""The deep look: every byte that memvault keeps against what the records say it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep import notes
from memvault.maintenance.doctor.deep import records as books
from memvault.maintenance.doctor.deep.scan import LET_GO, DeepScan, OpenSealed
from memvault.maintenance.doctor.finding import DoctorFinding
from memvault.storage import file_digests
from memvault.storage.journal.jsonl import JsonRecord

__all__ = ["ACCEPTABLE_CHECKS", "DEEP_CHECKS", "DeepScan", "OpenSealed", "accept_findings", "save_digests"]

DEEP_CHECKS: tuple[tuple[str, Callable[[DeepScan], Iterator[DoctorFinding]]], ...] = (
    ("damaged", notes.check_damaged),
    ("missing", notes.check_missing),
    ("gone", notes.check_gone),
    ("records-whole", books.check_grown),
    ("records-agree", books.check_incomplete_operations),
    ("undo-bytes", books.check_undo_bytes),
    ("turns", notes.check_turns),
    ("sealed", notes.check_sealed),
)

# The checks of which a person may say that what they find is meant, or lost for good.
ACCEPTABLE_CHECKS = frozenset({"damaged", "missing", "sealed", "records-whole", "records-agree"})


def save_digests(deep_scan: DeepScan, *, is_accepted: bool) -> None:
    """Save the digests of sound files; keep the old ones of damaged files until they are sound or accepted."""
    missed = {*deep_scan.tally.damaged, *(() if is_accepted else deep_scan.tally.missing)}
    meant = {path: replace(line, meant=True) for path, line in deep_scan.doubtful.items() if is_accepted}
    kept = {
        path: line
        for path, line in deep_scan.before.items()
        if path in missed or deep_scan.vault.exists(path) or (file_digests.is_append_only(path) and not is_accepted)
    }
    with suppress(MemvaultError):  # no place for it is no reason not to tell what was found
        file_digests.write_file_digests(deep_scan.vault_scan.context, {**kept, **deep_scan.sound, **meant})


def accept_findings(deep_scan: DeepScan) -> frozenset[str]:
    """Record that missing notes are meant to be gone, damaged ones are as meant, and lost lines are lost.

    What records lack is written down as lost.
    """
    entries: list[JsonRecord] = [{"e": LET_GO, "path": path} for path in deep_scan.tally.missing]
    entries += [entry for losses in deep_scan.lacking.values() for entry in losses]
    deep_scan.vault.ledger.append(entries, deep_scan.vault_scan.context.now)
    return frozenset((*deep_scan.tally.missing, *deep_scan.doubtful, *deep_scan.lacking))
