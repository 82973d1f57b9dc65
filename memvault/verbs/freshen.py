"""Bring the catalogue up to what the files say: compare, and take in what differs."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError
from memvault.index.catalogue import Catalogue, Diff
from memvault.index.pasts import Told
from memvault.vault.news import news_since
from memvault.vault.store import Vault

if TYPE_CHECKING:
    from memvault.vault.parts import Part

KILO = 1024


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


def freshen_part(vault: Vault, catalogue: Catalogue, part: Part, *, now: datetime, zone: tzinfo) -> Diff:
    """As `freshen`, where it is known that nothing outside one part of the vault differs.

    A catalogue that was never compared with the whole vault, or was repaired since, is brought up to all of it.
    """
    if catalogue.is_whole():
        _take_news(vault, catalogue, now)
        diff = _part_diff(vault, catalogue, part)
        if not diff:
            return diff
        with catalogue.lock():
            if catalogue.is_whole():
                diff = _part_diff(vault, catalogue, part)
                _take_in(vault, catalogue, diff, now=now, zone=zone)
                return diff
    return freshen(vault, catalogue, now=now, zone=zone)


def _part_diff(vault: Vault, catalogue: Catalogue, part: Part) -> Diff:
    from memvault.vault.parts import PartWalk  # deferred: only who watches a vault knows which part differs

    walk, below = PartWalk(vault), part.outermost()
    notes = {path: walk.note(path) for path in part.apart()}
    diff = catalogue.diff_part(notes, walk.listing(below), below=below)
    for path, key in notes.items():
        if key is not None and catalogue.key_of(path) == key and not _says_the_same(vault, catalogue, path):
            diff.compare_one(path, key, (-1, *key[1:]))
    vault.linked = (vault.linked - diff.gone) | walk.linked
    return diff


def _says_the_same(vault: Vault, catalogue: Catalogue, path: str) -> bool:
    """Whether a note of which something was heard is word for word the known one.

    Clocks of file systems tick slowly: two saves in one tick, of one size, leave the same stat key.
    """
    known = catalogue.find(path)
    try:
        version = vault.note(path, limit=vault.settings.whole("index.max_kilobytes") * KILO).version
    except MemvaultError:
        version = ""
    return bool(known) and known[0].version == version


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
