"""Bring the catalogue up to what the files say: compare, and take in what differs."""

from __future__ import annotations

from datetime import datetime, tzinfo

from memvault.index.catalogue import Catalogue, Diff
from memvault.vault.store import Vault


def freshen(vault: Vault, catalogue: Catalogue, *, now: datetime, zone: tzinfo) -> Diff:
    """Take every difference between the vault and the catalogue in; nothing in the vault's notes is written."""
    diff = catalogue.diff(vault.listing())
    if diff:
        with catalogue.lock():  # whoever had it before may have taken the same in: so look again
            diff = catalogue.diff(vault.listing())
            _take_in(vault, catalogue, diff, now=now, zone=zone)
    for name, offset, touches in vault.journal.touches_since(catalogue.offsets()):
        catalogue.take_in_touches(name, offset, [(touch.id, touch.who, touch.at) for touch in touches])
    return diff


def _take_in(vault: Vault, catalogue: Catalogue, diff: Diff, *, now: datetime, zone: tzinfo) -> None:
    from memvault.verbs.intake import Intake  # most recalls find nothing new, and need no reader of notes

    intake = Intake(vault, catalogue, diff, now=now, zone=zone)
    catalogue.take_in(diff, intake.cards(), fallback_id=intake.fallback_id)
    intake.keep_decisions()
