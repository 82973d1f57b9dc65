"""Bring the catalogue up to what the files say: compare, and take in what differs."""

from __future__ import annotations

from datetime import datetime, tzinfo

from memvault.index.catalogue import Catalogue, Diff
from memvault.index.pasts import Told
from memvault.vault.news import news_since
from memvault.vault.store import Vault


def freshen(vault: Vault, catalogue: Catalogue, *, now: datetime, zone: tzinfo) -> Diff:
    """Take every difference between the vault and the catalogue in; nothing in the vault's notes is written."""
    _take_news(vault, catalogue, now)  # first: what another machine saw a person do is not seen again here
    diff = catalogue.diff(vault.listing())
    if diff:
        with catalogue.lock():  # whoever had it before may have taken the same in: so look again
            diff = catalogue.diff(vault.listing())
            _take_in(vault, catalogue, diff, now=now, zone=zone)
        _take_news(vault, catalogue, now)
    return diff


def _take_news(vault: Vault, catalogue: Catalogue, now: datetime) -> None:
    for name, offset, news in news_since(vault.journal, vault.ledger, catalogue.offsets()):
        told = Told(
            touches=[(touch.id, touch.who, touch.at) for touch in news.touches],
            wishes=news.wishes,
            counts=news.counts,
            confirmed=news.confirmed,
            followed=news.followed,
            practised=news.practised,
            archived=news.archived,
            uncounted=news.uncounted,
            now=now,
        )
        catalogue.take_in_news(name, offset, told)


def _take_in(vault: Vault, catalogue: Catalogue, diff: Diff, *, now: datetime, zone: tzinfo) -> None:
    from memvault.verbs.intake import Intake  # most recalls find nothing new, and need no reader of notes

    intake = Intake(vault, catalogue, diff, now=now, zone=zone)
    catalogue.take_in(diff, intake.cards(), fallback_id=intake.fallback_id)
    intake.keep_decisions()
