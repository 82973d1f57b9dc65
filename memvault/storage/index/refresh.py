"""Bring the catalogue up to what the files say: compare, and take in what differs."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError, Unwritable
from memvault.storage.index.derived import Told
from memvault.storage.index.index import Catalogue, Diff, folder_of
from memvault.storage.journal.journal import news_since
from memvault.storage.vault.listing import StatKey, unsure
from memvault.storage.vault.vault import Vault
from memvault.system import files

if TYPE_CHECKING:
    from collections.abc import Callable

    from memvault.storage.vault.codec import Part

KILO = 1024
_LOOKS = 5  # until two are alike: who moves a note to and fro without end is not waited for


def freshen(vault: Vault, catalogue: Catalogue, *, now: datetime, zone: tzinfo) -> Diff:
    """Take every difference between the vault and the catalogue in; nothing in the vault's notes is written."""
    _take_news(vault, catalogue, now)  # first: what another machine saw a person do is not seen again here
    diff = _diff(vault, catalogue)
    if diff:
        with catalogue.lock():  # whoever had it before may have taken the same in: so look again
            diff = _diff(vault, catalogue)
            if not _take_in(vault, catalogue, diff, now=now, zone=zone):
                _find_moved(vault, catalogue, now=now, zone=zone)
        _take_news(vault, catalogue, now)
    return diff


def _find_moved(vault: Vault, catalogue: Catalogue, *, now: datetime, zone: tzinfo) -> None:
    """Look again while notes are gone by the time they are read: one that was moved is where it was not looked for."""
    for _ in range(_LOOKS):
        if _take_in(vault, catalogue, _diff(vault, catalogue), now=now, zone=zone):
            break


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
                if _take_in(vault, catalogue, diff, now=now, zone=zone, is_heard=True):
                    return diff
    return freshen(vault, catalogue, now=now, zone=zone)


def _diff(vault: Vault, catalogue: Catalogue) -> Diff:
    return _made_sure(vault, catalogue, catalogue.diff(vault.listing()))


def _made_sure(vault: Vault, catalogue: Catalogue, diff: Diff) -> Diff:
    """What differs, but for notes that were read too soon after they were saved, and say what they said then."""
    too_soon = set()
    for path, key in list(diff.changed.items()):
        if catalogue.key_of(path) != unsure(key) or not _says_the_same(vault, catalogue, path):
            continue
        del diff.changed[path]
        if files.may_change_unseen(key[1], key[2]):
            too_soon.add(folder_of(path))
        else:
            catalogue.make_sure_of(path, key)
    for folder in too_soon:
        diff.look_again(folder)
    return diff


def _part_diff(vault: Vault, catalogue: Catalogue, part: Part) -> Diff:
    from memvault.storage.vault.codec import PartWalk  # deferred: only who watches a vault knows which part differs

    walk, below = PartWalk(vault), part.outermost()
    notes = _steady(lambda: {path: walk.note(path) for path in part.apart()})
    diff = _made_sure(vault, catalogue, catalogue.diff_part(notes, walk.listing(below), below=below))
    for path, key in notes.items():
        if key is not None and catalogue.key_of(path) == key and not _says_the_same(vault, catalogue, path):
            diff.compare_one(path, key, (-1, *key[1:]))
    vault.linked = (vault.linked - diff.gone) | walk.linked
    return diff


def _steady(look: Callable[[], dict[str, StatKey | None]]) -> dict[str, StatKey | None]:
    """Notes as they are: what is moved during a look may be seen in neither place, but not so twice."""
    found = look()
    for _ in range(_LOOKS):
        if None not in found.values() or (again := look()) == found:
            break
        found = again
    return found


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
    with suppress(Unwritable):  # then uses are counted when the disk takes it
        _take_all_news(vault, catalogue, now)


def _take_all_news(vault: Vault, catalogue: Catalogue, now: datetime) -> None:
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


def _take_in(
    vault: Vault, catalogue: Catalogue, diff: Diff, *, now: datetime, zone: tzinfo, is_heard: bool = False
) -> bool:
    """Take some differences in; return whether all notes were still where they had been seen."""
    from memvault.storage.index.update import Intake  # most recalls find nothing new, and need no reader of notes

    intake = Intake(vault, catalogue, diff, now=now, zone=zone, is_heard=is_heard)
    catalogue.take_in(diff, intake.cards(), fallback_id=intake.fallback_id)
    intake.keep_decisions()
    return not intake.has_lost_notes
