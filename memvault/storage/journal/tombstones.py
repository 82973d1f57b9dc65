"""Marks of what was forgotten or refused: laid, looked for, and lifted again."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.plan import LedgerNote, PlanChange
from memvault.core.secrets.erase import (
    MOST,
    Erase,
    WordRuns,
    erase_forgotten,
    known_parts,
    known_spellings,
    normalize_text,
    text_parts,
    word_runs,
)
from memvault.core.secrets.screens import normalize_content
from memvault.errors import MarksUnknown, MemvaultError
from memvault.storage.journal.ledger import Ledger, LedgerDecisions
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.text.dates.dates import write_moment
from memvault.transcripts.model.erased import IsPurgedTurn, is_unique_id

if TYPE_CHECKING:
    from memvault.transcripts.model.erased import ExpiryLookup

OBEYED_FILE = "purged"  # in this machine's state: holds a fingerprint of the marks that were obeyed here
PURGE = "purge"  # why a text is marked that is to be nowhere any more
_ANY = "-"
_AGAIN = "it may be known again"
_RUN = "\x01"  # before the words of a sentence, so that their mark is no text's
_ID = "\x02"  # before an id of a memory or a conversation, likewise
_TURN = "\x03"  # before that of a turn; behind its conversation's, unless it is one that is nobody else's
_NOTE = "\x05"  # before what a note is known by
_PURGING = b'"purging"'
_PURGING_MARK = rb'"e"\s*:\s*"purging"\s*,\s*"mac"\s*:\s*"([0-9a-f]{64})"'
_RUNS, _PURGES, _EXPIRED = b'"words":', b'"purge"', b'"expired"'
_A_SECOND = timedelta(seconds=1)
_MOST_KNOWN = 20_000  # words of which the weight is not asked twice

Standing = Mapping[str, tuple[int, int]]
_MARK = rb'"mac"\s*:\s*"([0-9a-f]{64})"'


def read_ledgers(context: VaultContext) -> list[bytes]:
    """Every ledger as it stands; MarksUnknown where marks may be missing, as far as this machine can tell."""
    ledger = context.vault.ledger
    told = [data for _, data in ledger.read_all()]
    obeyed = context.state / OBEYED_FILE if context.state else None
    if obeyed and os.path.lexists(obeyed) and not any(_PURGES in data for data in told):
        raise MarksUnknown(path=ledger.folder, reason=f"things were forgotten for good, as {obeyed} says")
    return told


def tombstone_changes(context: VaultContext, texts: Iterable[str], *, why: str) -> Iterator[PlanChange]:
    """What marks some texts as not to be learnt again; a mark that stands is not laid twice, so no undo lifts it."""
    read_ledgers(context)
    decisions = context.vault.ledger.decisions(whole=True)  # first: a new key would not open what an old one marked
    context.vault.ledger.make_key(os.urandom(32), context.now)
    dead = decisions.purged_macs if why == PURGE else decisions.tombstones
    for mac in _text_marks(context.vault.ledger, texts):
        if mac not in dead:
            entry = {"e": "tombstone", "mac": mac, "why": why}
            yield LedgerNote(entry, "not to be learnt again", {"e": "lift", "mac": mac})


def purge_texts(
    context: VaultContext,
    texts: Iterable[str],
    *,
    own_texts: Iterable[str] = (),
    ids: Iterable[str] = (),
    turns: Iterable[tuple[str, str]] = (),
    notes: Iterable[str] = (),
) -> None:
    """Mark some texts as purged at once, as no operation that could be taken back; of own ones each sentence, too.

    With them it is said which notes are to go, until `removed` says that they went. So are the ids, by which other
    machines know what is theirs to take out, and those of turns (conversation, turn), which may say too little to be
    known by it.
    """
    entries = [
        change.entry for change in tombstone_changes(context, texts, why=PURGE) if isinstance(change, LedgerNote)
    ]
    ledger, decisions = context.vault.ledger, context.vault.ledger.decisions()
    macs, weigh, standing = ledger.mac_function(), _word_weights(ledger, 0), decisions.runs
    named = (*(_ID + id_ for id_ in ids), *(_turn_name(talk, turn) for talk, turn in turns))
    marks = dict.fromkeys(macs(name)[0] for name in named)
    entries += [{"e": "tombstone", "mac": mac, "why": PURGE} for mac in marks if mac not in decisions.purged_macs]
    for run, count in {run: count for text in own_texts for run, count in word_runs(text).items()}.items():
        mac = macs(_RUN + run)[0]
        if mac not in standing:
            total = sum(map(weigh, run.split(" "))) % MOST
            entries.append({"e": "tombstone", "mac": mac, "why": PURGE, "words": count, "sum": total})
    entries += [{"e": "purging", "mac": macs(_NOTE + name)[0]} for name in notes]
    ledger.append(entries, context.now)


def note_notes_removed(context: VaultContext) -> None:
    """Say that all the notes are gone which were to go."""
    context.vault.ledger.append([{"e": "purged", "mac": mac} for mac in _unfinished_purges(context)], context.now)


def pending_purge(context: VaultContext) -> Callable[[str], bool] | None:
    """What tells of the name of a note whether a purge on this device was to remove it; None where all were done."""
    still, macs = _unfinished_purges(context), context.vault.ledger.mac_function()
    return (lambda name: any(mac in still for mac in macs(_NOTE + name))) if still else None


def past_purges(context: VaultContext) -> Callable[[str], bool] | None:
    """The same of every purge that was ever done on this device; None where none was."""
    ledger, own = context.vault.ledger, context.vault.device
    told = [
        data
        for data in map(_read_or_empty, (path for _, path in ledger.ledger_files() if path.stem == own))
        if _PURGING in data
    ]
    gone = {mac.decode() for data in told for mac in re.findall(_PURGING_MARK, data)}
    macs = ledger.mac_function()
    return (lambda name: any(mac in gone for mac in macs(_NOTE + name))) if gone else None


def _unfinished_purges(context: VaultContext) -> frozenset[str]:
    ledger, own = context.vault.ledger, context.vault.device
    # A long ledger takes its time to fold, and in most vaults nothing was ever purged.
    if not any(_file_contains(path, _PURGING) for _, path in ledger.ledger_files()):
        return frozenset()
    return frozenset(mac for mac, device in ledger.decisions().unfinished_purges.items() if device == own)


def _text_marks(ledger: Ledger, texts: Iterable[str]) -> tuple[str, ...]:
    """Each text's marks: as it stands, which every program obeys, and undressed; under the first key."""
    forms = dict.fromkeys(form for text in texts for form in (normalize_content(text), normalize_text(text)) if form)
    return tuple(dict.fromkeys(ledger.text_macs(form)[0] for form in forms))


def find_tombstones(context: VaultContext, text: str) -> tuple[str, ...]:
    """The marks by which a text, or a part of it, is known as forgotten or refused; none where it may be learnt.

    Where they cannot all be read, MarksUnknown: what may have been forgotten is not stored.
    """
    ledger, told = context.vault.ledger, read_ledgers(context)
    if not ledger.text_macs(_ANY):  # nothing was ever forgotten here
        return ()
    # A long ledger takes its time to fold, and most texts were never forgotten: so look for the marks alone first.
    held = {mac.decode() for data in told for mac in re.findall(_MARK, data)}
    found = (
        [mac for mac in _spelling_macs(ledger, (*text_parts(text), *known_parts(text))) if mac in held] if held else []
    )
    if not found and not any(_RUNS in data for data in told):
        return ()
    decisions = ledger.decisions(whole=True)
    found += _find_runs(ledger, decisions.runs, text)
    # Of what was only let go, a sentence within another text may be said again; of what was purged, nothing may.
    whole = set(_spelling_macs(ledger, text_parts(text))) & decisions.tombstones
    return tuple(mac for mac in dict.fromkeys(found) if mac in whole or mac in decisions.purged_macs)


def _find_runs(ledger: Ledger, standing: Standing, text: str) -> Iterator[str]:
    """The marks of sentences that stand in a text, within others of its sentences too."""
    for key, made in enumerate(_run_finders(ledger, standing)):
        macs = ledger.mac_function()
        yield from (macs(_RUN + run)[key] for _, _, run in made.find_in(text))


def _run_finders(ledger: Ledger, standing: Standing) -> tuple[WordRuns, ...]:
    """What finds the sentences that were marked, for each key."""
    sums: dict[int, set[int]] = {}
    for count, total in standing.values():
        sums.setdefault(count, set()).add(total)
    macs = ledger.mac_function()

    def make_finder(key: int) -> WordRuns:
        return WordRuns(sums, _word_weights(ledger, key), lambda run: macs(_RUN + run)[key] in standing)

    return tuple(make_finder(key) for key in range(len(macs(_ANY)))) if standing else ()


def _word_weights(ledger: Ledger, key: int) -> Callable[[str], int]:
    macs = ledger.mac_function()
    return lru_cache(_MOST_KNOWN)(lambda word: int(macs(word)[key][:8], 16))


def purge_eraser(context: VaultContext) -> Erase | None:
    """What takes out of a text all that was purged; None where nothing ever was, MarksUnknown where none can tell."""
    read_ledgers(context)
    return ledger_eraser(context.vault.ledger, whole=True)


def ledger_eraser(ledger: Ledger, *, whole: bool = False) -> Erase | None:
    """The same, by the marks that can be read in a ledger, which may be another machine's."""
    if whole:
        ledger.read_all()
    if not ledger.text_macs(_ANY):
        return None
    decisions = ledger.decisions(whole=whole)
    if not decisions.purged_macs:
        return None
    every = _run_finders(ledger, decisions.runs)
    is_forgotten = partial(is_marked, ledger, decisions.purged_macs)

    def erase(text: str) -> str:
        text = erase_forgotten(text, is_forgotten)
        for made in every:
            text = made.erase_from(text)
        return text

    return erase


def purged_marks(context: VaultContext) -> frozenset[str]:
    """The marks of all that is to be nowhere any more."""
    paths = [path for _, path in context.vault.ledger.ledger_files()]
    # A long ledger takes its time to fold, and in most vaults nothing was ever purged.
    return frozenset(
        context.vault.ledger.decisions().purged_macs if any(_file_contains(path, _PURGES) for path in paths) else ()
    )


def _turn_name(talk: str, turn: str) -> str:
    if not turn:
        return _ID + talk
    return _TURN + (turn if is_unique_id(turn) else f"{talk}{_TURN}{turn}")


def purged_turns(context: VaultContext) -> IsPurgedTurn | None:
    """What tells of a turn, or of a conversation as a whole, whether it was purged; None where nothing ever was."""
    ledger, told = context.vault.ledger, read_ledgers(context)
    if not any(_PURGES in data for data in told):
        return None
    standing, macs = ledger.decisions(whole=True).purged_macs, ledger.mac_function()
    return lru_cache(_MOST_KNOWN)(lambda talk, turn: any(mac in standing for mac in macs(_turn_name(talk, turn))))


def expired_conversations(context: VaultContext) -> ExpiryLookup | None:
    """What tells up to when a conversation went as its time was over; None where none did.

    How long one is kept is this person's to say, whoever laid the mark: what they would keep still, or again, has not
    gone for them.
    """
    days = context.settings.integer("keep.conversations_days")
    ledger, told = context.vault.ledger, read_ledgers(context) if days else []
    if not any(_EXPIRED in data for data in told):
        return None
    ends, macs, oldest = (
        ledger.decisions(whole=True).expired_macs,
        ledger.mac_function(),
        context.now - timedelta(days=days),
    )

    def end_of(talk: str) -> datetime | None:
        known = (ends[mac] for mac in macs(_turn_name(talk, "")) if mac in ends)
        return max((moment for moment in known if moment < oldest), default=None)

    return lru_cache(_MOST_KNOWN)(end_of)


def mark_expired(context: VaultContext, ends: Mapping[str, datetime]) -> None:
    """Mark conversations, by their ids, as not to be taken in again up to when each went."""
    if not ends:
        return
    ledger = context.vault.ledger
    read_ledgers(context)
    ledger.make_key(os.urandom(32), context.now)
    known, macs = ledger.decisions(whole=True).expired_macs, ledger.mac_function()
    # To the second, as everything that is written: so to the next one.
    marks = {macs(_turn_name(id_, ""))[0]: (end + _A_SECOND).replace(microsecond=0) for id_, end in ends.items()}
    told = {mac: write_moment(end) for mac, end in marks.items() if mac not in known or known[mac] < end}
    ledger.append([{"e": "tombstone", "mac": mac, "why": "expired", "to": to} for mac, to in told.items()], context.now)


def purged_ids(context: VaultContext) -> Callable[[str], bool]:
    """What tells of the id of a memory or a conversation whether that was purged, on whatever machine."""
    standing, macs = purged_marks(context), context.vault.ledger.mac_function()
    return lru_cache(_MOST_KNOWN)(lambda id_: bool(standing) and any(mac in standing for mac in macs(_ID + id_)))


def is_marked(ledger: Ledger, standing: set[str], text: str) -> bool:
    """Whether a text as a whole is among the marks that stand."""
    return any(mac in standing for mac in _spelling_macs(ledger, (text,)))


def _spelling_macs(ledger: Ledger, texts: Iterable[str]) -> Iterator[str]:
    macs = ledger.mac_function()
    for form in dict.fromkeys(form for text in texts for form in known_spellings(text)):
        yield from macs(form)


def _file_contains(path: Path, words: bytes) -> bool:
    return words in _read_or_empty(path)


def _read_or_empty(path: Path) -> bytes:
    try:
        return files.read_file(path)
    except MemvaultError:
        return b""


def lift_marks(context: VaultContext, macs: Collection[str]) -> tuple[PlanChange, ...]:
    """What takes marks away because a person wants a text back, also of what was to be nowhere any more."""
    decisions = context.vault.ledger.decisions() if macs else None
    return tuple(_lift_change(decisions, mac) for mac in macs if decisions)


def lift_text_marks(context: VaultContext, texts: Iterable[str]) -> tuple[PlanChange, ...]:
    """What takes away every mark that stands for some texts as wholes, but for those of what was purged."""
    standing = context.vault.ledger.decisions().tombstones
    macs = dict.fromkeys(_spelling_macs(context.vault.ledger, texts))
    return tuple(
        LedgerNote({"e": "lift", "mac": mac}, _AGAIN, {"e": "tombstone", "mac": mac, "why": "forget"})
        for mac in macs
        if mac in standing
    )


def _lift_change(decisions: LedgerDecisions, mac: str) -> LedgerNote:
    if mac not in decisions.purged_macs:
        return LedgerNote({"e": "lift", "mac": mac}, _AGAIN, {"e": "tombstone", "mac": mac, "why": "forget"})
    run = decisions.runs.get(mac)
    told = {"words": run[0], "sum": run[1]} if run else {}
    back = {"e": "tombstone", "mac": mac, "why": PURGE, **told}
    return LedgerNote({"e": "lift", "of": PURGE, "mac": mac}, _AGAIN, back)
