"""Tombstones: keyed marks of what was forgotten or refused. Adds, finds and lifts them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path

from memvault.core.ids import is_id
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

OBEYED_FILE = "purged"  # in this machine's state folder: a fingerprint of the purges carried out here
PURGE = "purge"  # the reason of a purge's marks
_ANY = "-"
_AGAIN = "it may be known again"
_RUN = "\x01"  # prefix of a sentence's words, so that their mark differs from a text's
_ID = "\x02"  # prefix of the id of a memory or a conversation
_TURN = "\x03"  # prefix of a turn's id, which follows its conversation's unless it is globally unique
_NOTE = "\x05"  # prefix of a note's name
_PURGING = b'"purging"'
_PURGING_MARK = rb'"e"\s*:\s*"purging"\s*,\s*"mac"\s*:\s*"([0-9a-f]{64})"'
_RUNS, _PURGES, _EXPIRED = b'"words":', b'"purge"', b'"expired"'
_A_SECOND = timedelta(seconds=1)
_MOST_KNOWN = 20_000  # cached word weights

Standing = Mapping[str, tuple[int, int]]
_MARK = rb'"mac"\s*:\s*"([0-9a-f]{64})"'


def read_ledgers(context: VaultContext) -> list[bytes]:
    """Return every ledger; raise MarksUnknown where marks may be missing, as far as this machine can tell."""
    ledger = context.vault.ledger
    ledgers = [data for _, data in ledger.read_all()]
    marker = context.state / OBEYED_FILE if context.state else None
    if marker and os.path.lexists(marker) and not any(_PURGES in data for data in ledgers):
        raise MarksUnknown(path=ledger.folder, reason=f"things were forgotten for good, as {marker} says")
    return ledgers


def tombstone_changes(context: VaultContext, texts: Iterable[str], *, why: str) -> Iterator[PlanChange]:
    """Yield the changes that mark texts as not to be learned again; existing marks are not repeated."""
    read_ledgers(context)
    decisions = context.vault.ledger.decisions(whole=True)  # before the key: a new key would not match old marks
    context.vault.ledger.make_key(os.urandom(32), context.now)
    existing = decisions.purged_macs if why == PURGE else decisions.tombstones
    forms = dict.fromkeys(form for text in texts for form in (normalize_content(text), normalize_text(text)) if form)
    for mac in dict.fromkeys(context.vault.ledger.text_macs(form)[0] for form in forms):
        if mac not in existing:
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
    """Mark texts as purged at once, without an operation that could be undone; of own ones each sentence, too.

    The notes to remove are marked until `note_notes_removed`. Ids of memories, and of turns (conversation, turn), are
    marked so that other machines know what to erase.
    """
    entries = [
        change.entry for change in tombstone_changes(context, texts, why=PURGE) if isinstance(change, LedgerNote)
    ]
    ledger, decisions = context.vault.ledger, context.vault.ledger.decisions()
    macs, weigh, runs_known = ledger.mac_function(), _word_weights(ledger, 0), decisions.runs
    named = (*(_ID + id_ for id_ in ids), *(_turn_name(conversation, turn) for conversation, turn in turns))
    marks = dict.fromkeys(macs(name)[0] for name in named)
    entries += [{"e": "tombstone", "mac": mac, "why": PURGE} for mac in marks if mac not in decisions.purged_macs]
    for run, count in {run: count for text in own_texts for run, count in word_runs(text).items()}.items():
        mac = macs(_RUN + run)[0]
        if mac not in runs_known:
            total = sum(map(weigh, run.split(" "))) % MOST
            entries.append({"e": "tombstone", "mac": mac, "why": PURGE, "words": count, "sum": total})
    entries += [{"e": "purging", "mac": macs(_NOTE + name)[0]} for name in notes]
    ledger.append(entries, context.now)


def note_notes_removed(context: VaultContext) -> None:
    """Record that all notes of unfinished purges are gone."""
    context.vault.ledger.append([{"e": "purged", "mac": mac} for mac in _unfinished_purges(context)], context.now)


def has_purges(context: VaultContext) -> bool:
    """Return whether anything was ever purged, or is still to be: else nothing of it needs to be loaded."""
    return bool(purged_marks(context)) or pending_purge(context) is not None


def pending_purge(context: VaultContext) -> Callable[[str], bool] | None:
    """Return a test of whether a purge on this device is still to remove a note, by name; None where none is."""
    pending, macs = _unfinished_purges(context), context.vault.ledger.mac_function()
    return (lambda name: any(mac in pending for mac in macs(_NOTE + name))) if pending else None


def past_purges(context: VaultContext) -> Callable[[str], bool] | None:
    """Return a test of whether any purge on this device was to remove a note, by name; None where none was."""
    ledger, own = context.vault.ledger, context.vault.device
    ledgers = [
        data
        for data in map(_read_or_empty, (path for _, path in ledger.ledger_files() if path.stem == own))
        if _PURGING in data
    ]
    removed = {mac.decode() for data in ledgers for mac in re.findall(_PURGING_MARK, data)}
    macs = ledger.mac_function()
    return (lambda name: any(mac in removed for mac in macs(_NOTE + name))) if removed else None


def _unfinished_purges(context: VaultContext) -> frozenset[str]:
    unfinished = decisions.unfinished_purges if (decisions := _decisions_with(context, _PURGING)) else {}
    return frozenset(mac for mac, device in unfinished.items() if device == context.vault.device)


def purged_marks(context: VaultContext) -> frozenset[str]:
    """Return the marks of everything purged."""
    decisions = _decisions_with(context, _PURGES)
    return frozenset(decisions.purged_macs if decisions else ())


def _decisions_with(context: VaultContext, words: bytes) -> LedgerDecisions | None:
    """Return all decisions where any ledger has some words: folding a long one is slow, and most have none."""
    ledger = context.vault.ledger
    has_any = any(words in _read_or_empty(path) for _, path in ledger.ledger_files())
    return ledger.decisions() if has_any else None


def find_tombstones(context: VaultContext, text: str) -> tuple[str, ...]:
    """Return the marks by which a text, or a part of it, is known as forgotten; empty where it may be learned.

    Raises MarksUnknown where they cannot all be read: what may have been forgotten is not stored.
    """
    ledger, ledgers = context.vault.ledger, read_ledgers(context)
    if not ledger.text_macs(_ANY):  # nothing was ever forgotten here
        return ()
    # Folding a long ledger is slow, and most texts were never forgotten: so search the marks first.
    stored = {mac.decode() for data in ledgers for mac in re.findall(_MARK, data)}
    parts = (*text_parts(text), *known_parts(text)) if stored else ()
    found = [mac for mac in _spelling_macs(ledger, parts) if mac in stored]
    if not found and not any(_RUNS in data for data in ledgers):
        return ()
    decisions = ledger.decisions(whole=True)
    macs = ledger.mac_function()
    for key, finder in enumerate(_run_finders(ledger, decisions.runs)):  # also inside its other sentences
        found += [macs(_RUN + run)[key] for _, _, run in finder.find_in(text)]
    # A sentence of a forgotten text may appear in another text; one of a purged text may not.
    whole = set(_spelling_macs(ledger, text_parts(text))) & decisions.tombstones
    return tuple(mac for mac in dict.fromkeys(found) if mac in whole or mac in decisions.purged_macs)


def _run_finders(ledger: Ledger, standing: Standing) -> tuple[WordRuns, ...]:
    """Return what finds the marked sentences, for each key."""
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
    """Return a function that erases all purged text; None where nothing was purged, MarksUnknown where unknown."""
    read_ledgers(context)
    return ledger_eraser(context.vault.ledger, whole=True)


def ledger_eraser(ledger: Ledger, *, whole: bool = False) -> Erase | None:
    """Return the eraser for the marks that can be read in a ledger, which may be another machine's."""
    if whole:
        ledger.read_all()
    if not ledger.text_macs(_ANY):
        return None
    decisions = ledger.decisions(whole=whole)
    if not decisions.purged_macs:
        return None
    finders = _run_finders(ledger, decisions.runs)
    is_forgotten = partial(is_marked, ledger, decisions.purged_macs)

    def erase(text: str) -> str:
        text = erase_forgotten(text, is_forgotten)
        for finder in finders:
            text = finder.erase_from(text)
        return text

    return erase


def _turn_name(talk: str, turn: str) -> str:
    if not turn:
        return _ID + talk
    return _TURN + (turn if is_id(turn) else f"{talk}{_TURN}{turn}")


def purged_turns(context: VaultContext) -> Callable[[str, str], bool] | None:
    """Return a test of whether a turn or a whole conversation was purged; None where nothing was."""
    ledger, ledgers = context.vault.ledger, read_ledgers(context)
    if not any(_PURGES in data for data in ledgers):
        return None
    purged, macs = ledger.decisions(whole=True).purged_macs, ledger.mac_function()
    return lru_cache(_MOST_KNOWN)(
        lambda conversation, turn: any(mac in purged for mac in macs(_turn_name(conversation, turn)))
    )


def expired_conversations(context: VaultContext) -> Callable[[str], datetime | None] | None:
    """Return a function that tells up to when a conversation expired; None where none did.

    How long one is kept is this person's decision, whoever set the mark: what they still keep has not expired for them.
    """
    days = context.settings.integer("keep.conversations_days")
    ledger, ledgers = context.vault.ledger, read_ledgers(context) if days else []
    if not any(_EXPIRED in data for data in ledgers):
        return None
    ends, macs = ledger.decisions(whole=True).expired_macs, ledger.mac_function()
    oldest = context.now - timedelta(days=days)

    def end_of(conversation: str) -> datetime | None:
        ends_of = (ends[mac] for mac in macs(_turn_name(conversation, "")) if mac in ends)
        return max((moment for moment in ends_of if moment < oldest), default=None)

    return lru_cache(_MOST_KNOWN)(end_of)


def mark_expired(context: VaultContext, ends: Mapping[str, datetime]) -> None:
    """Mark conversations, by id, as not to be ingested again up to when each expired."""
    if not ends:
        return
    ledger = context.vault.ledger
    read_ledgers(context)
    ledger.make_key(os.urandom(32), context.now)
    known, macs = ledger.decisions(whole=True).expired_macs, ledger.mac_function()
    # Times are written in whole seconds: round up.
    marks = {macs(_turn_name(id_, ""))[0]: (end + _A_SECOND).replace(microsecond=0) for id_, end in ends.items()}
    new_marks = {mac: write_moment(end) for mac, end in marks.items() if mac not in known or known[mac] < end}
    ledger.append(
        [{"e": "tombstone", "mac": mac, "why": "expired", "to": to} for mac, to in new_marks.items()], context.now
    )


def purged_ids(context: VaultContext) -> Callable[[str], bool]:
    """Return a test of whether a memory or conversation was purged on any machine, by id."""
    purged, macs = purged_marks(context), context.vault.ledger.mac_function()
    return lru_cache(_MOST_KNOWN)(lambda id_: bool(purged) and any(mac in purged for mac in macs(_ID + id_)))


def is_marked(ledger: Ledger, standing: set[str], text: str) -> bool:
    """Return whether a whole text is among the given marks."""
    return any(mac in standing for mac in _spelling_macs(ledger, (text,)))


def _spelling_macs(ledger: Ledger, texts: Iterable[str]) -> Iterator[str]:
    macs = ledger.mac_function()
    for form in dict.fromkeys(form for text in texts for form in known_spellings(text)):
        yield from macs(form)


def _read_or_empty(path: Path) -> bytes:
    try:
        return files.read_file(path)
    except MemvaultError:
        return b""


def lift_marks(context: VaultContext, macs: Collection[str]) -> tuple[PlanChange, ...]:
    """Return the changes that lift marks because a person wants a text back, purged ones included."""
    decisions = context.vault.ledger.decisions() if macs else None
    return tuple(_lift_change(decisions, mac) for mac in macs if decisions)


def lift_text_marks(context: VaultContext, texts: Iterable[str]) -> tuple[PlanChange, ...]:
    """Return the changes that lift every mark of some whole texts, except for those of purges."""
    marks = context.vault.ledger.decisions().tombstones
    macs = dict.fromkeys(_spelling_macs(context.vault.ledger, texts))
    return tuple(
        LedgerNote({"e": "lift", "mac": mac}, _AGAIN, {"e": "tombstone", "mac": mac, "why": "forget"})
        for mac in macs
        if mac in marks
    )


def _lift_change(decisions: LedgerDecisions, mac: str) -> LedgerNote:
    if mac not in decisions.purged_macs:
        return LedgerNote({"e": "lift", "mac": mac}, _AGAIN, {"e": "tombstone", "mac": mac, "why": "forget"})
    run = decisions.runs.get(mac)
    words = {"words": run[0], "sum": run[1]} if run else {}
    inverse = {"e": "tombstone", "mac": mac, "why": PURGE, **words}
    return LedgerNote({"e": "lift", "of": PURGE, "mac": mac}, _AGAIN, inverse)
