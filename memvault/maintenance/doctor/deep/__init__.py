"""The deep look: every byte that memvault keeps against what the records say it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep import notes
from memvault.maintenance.doctor.deep import records as books
from memvault.maintenance.doctor.deep.run import LET_GO, Deep, Opens
from memvault.maintenance.doctor.finding import Finding
from memvault.storage import census
from memvault.storage.journal.jsonl import Record

__all__ = ["ACCEPTED", "DEEP", "Deep", "Opens", "accept", "settled"]

DEEP: tuple[tuple[str, Callable[[Deep], Iterator[Finding]]], ...] = (
    ("damaged", notes.damaged),
    ("missing", notes.missing),
    ("gone", notes.gone),
    ("records-whole", books.grown),
    ("records-agree", books.half_told),
    ("undo-bytes", books.undo_store),
    ("turns", notes.turns),
    ("sealed", notes.sealed),
)

# The checks of which a person may say that what they find is meant, or lost for good.
ACCEPTED = frozenset({"damaged", "missing", "sealed", "records-whole", "records-agree"})


def settled(deep: Deep, *, accepted: bool) -> None:
    """Put down what is sound now; what is not stays as it was when it was, until it is again or is accepted."""
    missed = {*deep.tally.damaged, *(() if accepted else deep.tally.missing)}
    meant = {path: replace(line, meant=True) for path, line in deep.doubtful.items() if accepted}
    kept = {
        path: line
        for path, line in deep.before.items()
        if path in missed or deep.vault.exists(path) or (census.grows(path) and not accepted)
    }
    with suppress(MemvaultError):  # no place for it is no reason not to tell what was found
        census.keep(deep.survey.bench, {**kept, **deep.fresh, **meant})


def accept(deep: Deep) -> frozenset[str]:
    """Take it as meant that the missing notes are nowhere, and the damaged ones as they are: told of no more.

    What records lack is written down as lost.
    """
    entries: list[Record] = [{"e": LET_GO, "path": path} for path in deep.tally.missing]
    entries += [entry for told in deep.lacking.values() for entry in told]
    deep.vault.ledger.append(entries, deep.survey.bench.now)
    return frozenset((*deep.tally.missing, *deep.doubtful, *deep.lacking))
