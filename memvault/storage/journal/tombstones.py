"""Marks of what was forgotten or refused: laid, looked for, and lifted again."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.plan import Change, Note
from memvault.core.secrets.erase import MOST, Erase, Runs, bare, erased, parts, runs, sentences, spellings
from memvault.core.secrets.screens import normal
from memvault.errors import MarksUnknown, MemvaultError
from memvault.storage.journal.ledger import Decisions, Ledger
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.text.dates.dates import write_moment
from memvault.transcripts.model.erased import IsGone, is_everywhere_one

if TYPE_CHECKING:
    from memvault.transcripts.model.erased import Lapsed

OBEYED = "purged"  # in this machine's state: holds a fingerprint of the marks that were obeyed here
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


def written(bench: Bench) -> list[bytes]:
    """Every ledger as it stands; MarksUnknown where marks may be missing, as far as this machine can tell."""
    ledger = bench.vault.ledger
    told = [data for _, data in ledger.whole()]
    obeyed = bench.state / OBEYED if bench.state else None
    if obeyed and os.path.lexists(obeyed) and not any(_PURGES in data for data in told):
        raise MarksUnknown(path=ledger.folder, reason=f"things were forgotten for good, as {obeyed} says")
    return told


def laid(bench: Bench, texts: Iterable[str], *, why: str) -> Iterator[Change]:
    """What marks some texts as not to be learnt again; a mark that stands is not laid twice, so no undo lifts it."""
    written(bench)
    decisions = bench.vault.ledger.decisions(whole=True)  # first: a new key would not open what an old one marked
    bench.vault.ledger.make_key(os.urandom(32), bench.now)
    dead = decisions.purged if why == PURGE else decisions.tombstones
    for mac in _marks(bench.vault.ledger, texts):
        if mac not in dead:
            entry = {"e": "tombstone", "mac": mac, "why": why}
            yield Note(entry, "not to be learnt again", {"e": "lift", "mac": mac})


def lay(
    bench: Bench,
    texts: Iterable[str],
    *,
    own: Iterable[str] = (),
    ids: Iterable[str] = (),
    turns: Iterable[tuple[str, str]] = (),
    notes: Iterable[str] = (),
) -> None:
    """Mark some texts as purged at once, as no operation that could be taken back; of own ones each sentence, too.

    With them it is said which notes are to go, until `removed` says that they went. So are the ids, by which other
    machines know what is theirs to take out, and those of turns (conversation, turn), which may say too little to be
    known by it.
    """
    entries = [change.entry for change in laid(bench, texts, why=PURGE) if isinstance(change, Note)]
    ledger, decisions = bench.vault.ledger, bench.vault.ledger.decisions()
    macs, weigh, standing = ledger.marker(), _weights(ledger, 0), decisions.runs
    named = (*(_ID + id_ for id_ in ids), *(_name_of(talk, turn) for talk, turn in turns))
    marks = dict.fromkeys(macs(name)[0] for name in named)
    entries += [{"e": "tombstone", "mac": mac, "why": PURGE} for mac in marks if mac not in decisions.purged]
    for run, count in {run: count for text in own for run, count in runs(text).items()}.items():
        mac = macs(_RUN + run)[0]
        if mac not in standing:
            total = sum(map(weigh, run.split(" "))) % MOST
            entries.append({"e": "tombstone", "mac": mac, "why": PURGE, "words": count, "sum": total})
    entries += [{"e": "purging", "mac": macs(_NOTE + name)[0]} for name in notes]
    ledger.append(entries, bench.now)


def removed(bench: Bench) -> None:
    """Say that all the notes are gone which were to go."""
    bench.vault.ledger.append([{"e": "purged", "mac": mac} for mac in _unfinished(bench)], bench.now)


def is_to_go(bench: Bench) -> Callable[[str], bool] | None:
    """What tells of the name of a note whether a purge on this device was to remove it; None where all were done."""
    still, macs = _unfinished(bench), bench.vault.ledger.marker()
    return (lambda name: any(mac in still for mac in macs(_NOTE + name))) if still else None


def was_to_go(bench: Bench) -> Callable[[str], bool] | None:
    """The same of every purge that was ever done on this device; None where none was."""
    ledger, own = bench.vault.ledger, bench.vault.device
    told = [data for data in map(_bytes, (path for _, path in ledger.paths() if path.stem == own)) if _PURGING in data]
    gone = {mac.decode() for data in told for mac in re.findall(_PURGING_MARK, data)}
    macs = ledger.marker()
    return (lambda name: any(mac in gone for mac in macs(_NOTE + name))) if gone else None


def _unfinished(bench: Bench) -> frozenset[str]:
    ledger, own = bench.vault.ledger, bench.vault.device
    # A long ledger takes its time to fold, and in most vaults nothing was ever purged.
    if not any(_says(path, _PURGING) for _, path in ledger.paths()):
        return frozenset()
    return frozenset(mac for mac, device in ledger.decisions().unfinished.items() if device == own)


def _marks(ledger: Ledger, texts: Iterable[str]) -> tuple[str, ...]:
    """Each text's marks: as it stands, which every program obeys, and undressed; under the first key."""
    forms = dict.fromkeys(form for text in texts for form in (normal(text), bare(text)) if form)
    return tuple(dict.fromkeys(ledger.macs(form)[0] for form in forms))


def dead(bench: Bench, text: str) -> tuple[str, ...]:
    """The marks by which a text, or a part of it, is known as forgotten or refused; none where it may be learnt.

    Where they cannot all be read, MarksUnknown: what may have been forgotten is not stored.
    """
    ledger, told = bench.vault.ledger, written(bench)
    if not ledger.macs(_ANY):  # nothing was ever forgotten here
        return ()
    # A long ledger takes its time to fold, and most texts were never forgotten: so look for the marks alone first.
    held = {mac.decode() for data in told for mac in re.findall(_MARK, data)}
    found = [mac for mac in _macs(ledger, (*parts(text), *sentences(text))) if mac in held] if held else []
    if not found and not any(_RUNS in data for data in told):
        return ()
    decisions = ledger.decisions(whole=True)
    found += _runs_in(ledger, decisions.runs, text)
    # Of what was only let go, a sentence within another text may be said again; of what was purged, nothing may.
    whole = set(_macs(ledger, parts(text))) & decisions.tombstones
    return tuple(mac for mac in dict.fromkeys(found) if mac in whole or mac in decisions.purged)


def _runs_in(ledger: Ledger, standing: Standing, text: str) -> Iterator[str]:
    """The marks of sentences that stand in a text, within others of its sentences too."""
    for key, made in enumerate(_every_run(ledger, standing)):
        macs = ledger.marker()
        yield from (macs(_RUN + run)[key] for _, _, run in made.found(text))


def _every_run(ledger: Ledger, standing: Standing) -> tuple[Runs, ...]:
    """What finds the sentences that were marked, for each key."""
    sums: dict[int, set[int]] = {}
    for count, total in standing.values():
        sums.setdefault(count, set()).add(total)
    macs = ledger.marker()

    def finder(key: int) -> Runs:
        return Runs(sums, _weights(ledger, key), lambda run: macs(_RUN + run)[key] in standing)

    return tuple(finder(key) for key in range(len(macs(_ANY)))) if standing else ()


def _weights(ledger: Ledger, key: int) -> Callable[[str], int]:
    macs = ledger.marker()
    return lru_cache(_MOST_KNOWN)(lambda word: int(macs(word)[key][:8], 16))


def eraser(bench: Bench) -> Erase | None:
    """What takes out of a text all that was purged; None where nothing ever was, MarksUnknown where none can tell."""
    written(bench)
    return eraser_of(bench.vault.ledger, whole=True)


def eraser_of(ledger: Ledger, *, whole: bool = False) -> Erase | None:
    """The same, by the marks that can be read in a ledger, which may be another machine's."""
    if whole:
        ledger.whole()
    if not ledger.macs(_ANY):
        return None
    decisions = ledger.decisions(whole=whole)
    if not decisions.purged:
        return None
    every = _every_run(ledger, decisions.runs)
    is_forgotten = partial(is_dead, ledger, decisions.purged)

    def erase(text: str) -> str:
        text = erased(text, is_forgotten)
        for made in every:
            text = made.erased(text)
        return text

    return erase


def standing_purges(bench: Bench) -> frozenset[str]:
    """The marks of all that is to be nowhere any more."""
    paths = [path for _, path in bench.vault.ledger.paths()]
    # A long ledger takes its time to fold, and in most vaults nothing was ever purged.
    return frozenset(bench.vault.ledger.decisions().purged if any(_says(path, _PURGES) for path in paths) else ())


def _name_of(talk: str, turn: str) -> str:
    if not turn:
        return _ID + talk
    return _TURN + (turn if is_everywhere_one(turn) else f"{talk}{_TURN}{turn}")


def is_gone(bench: Bench) -> IsGone | None:
    """What tells of a turn, or of a conversation as a whole, whether it was purged; None where nothing ever was."""
    ledger, told = bench.vault.ledger, written(bench)
    if not any(_PURGES in data for data in told):
        return None
    standing, macs = ledger.decisions(whole=True).purged, ledger.marker()
    return lru_cache(_MOST_KNOWN)(lambda talk, turn: any(mac in standing for mac in macs(_name_of(talk, turn))))


def lapsed(bench: Bench) -> Lapsed | None:
    """What tells up to when a conversation went as its time was over; None where none did.

    How long one is kept is this person's to say, whoever laid the mark: what they would keep still, or again, has not
    gone for them.
    """
    days = bench.settings.whole("keep.conversations_days")
    ledger, told = bench.vault.ledger, written(bench) if days else []
    if not any(_EXPIRED in data for data in told):
        return None
    ends, macs, oldest = ledger.decisions(whole=True).expired, ledger.marker(), bench.now - timedelta(days=days)

    def end(talk: str) -> datetime | None:
        known = (ends[mac] for mac in macs(_name_of(talk, "")) if mac in ends)
        return max((moment for moment in known if moment < oldest), default=None)

    return lru_cache(_MOST_KNOWN)(end)


def lay_lapsed(bench: Bench, ends: Mapping[str, datetime]) -> None:
    """Mark conversations, by their ids, as not to be taken in again up to when each went."""
    if not ends:
        return
    ledger = bench.vault.ledger
    written(bench)
    ledger.make_key(os.urandom(32), bench.now)
    known, macs = ledger.decisions(whole=True).expired, ledger.marker()
    # To the second, as everything that is written: so to the next one.
    marks = {macs(_name_of(id_, ""))[0]: (end + _A_SECOND).replace(microsecond=0) for id_, end in ends.items()}
    told = {mac: write_moment(end) for mac, end in marks.items() if mac not in known or known[mac] < end}
    ledger.append([{"e": "tombstone", "mac": mac, "why": "expired", "to": to} for mac, to in told.items()], bench.now)


def is_purged(bench: Bench) -> Callable[[str], bool]:
    """What tells of the id of a memory or a conversation whether that was purged, on whatever machine."""
    standing, macs = standing_purges(bench), bench.vault.ledger.marker()
    return lru_cache(_MOST_KNOWN)(lambda id_: bool(standing) and any(mac in standing for mac in macs(_ID + id_)))


def is_dead(ledger: Ledger, standing: set[str], text: str) -> bool:
    """Whether a text as a whole is among the marks that stand."""
    return any(mac in standing for mac in _macs(ledger, (text,)))


def _macs(ledger: Ledger, texts: Iterable[str]) -> Iterator[str]:
    macs = ledger.marker()
    for form in dict.fromkeys(form for text in texts for form in spellings(text)):
        yield from macs(form)


def _says(path: Path, words: bytes) -> bool:
    return words in _bytes(path)


def _bytes(path: Path) -> bytes:
    try:
        return files.read(path)
    except MemvaultError:
        return b""


def again(bench: Bench, macs: Collection[str]) -> tuple[Change, ...]:
    """What takes marks away because a person wants a text back, also of what was to be nowhere any more."""
    decisions = bench.vault.ledger.decisions() if macs else None
    return tuple(_lifted(decisions, mac) for mac in macs if decisions)


def lifted_for(bench: Bench, texts: Iterable[str]) -> tuple[Change, ...]:
    """What takes away every mark that stands for some texts as wholes, but for those of what was purged."""
    standing = bench.vault.ledger.decisions().tombstones
    macs = dict.fromkeys(_macs(bench.vault.ledger, texts))
    return tuple(
        Note({"e": "lift", "mac": mac}, _AGAIN, {"e": "tombstone", "mac": mac, "why": "forget"})
        for mac in macs
        if mac in standing
    )


def _lifted(decisions: Decisions, mac: str) -> Note:
    if mac not in decisions.purged:
        return Note({"e": "lift", "mac": mac}, _AGAIN, {"e": "tombstone", "mac": mac, "why": "forget"})
    run = decisions.runs.get(mac)
    told = {"words": run[0], "sum": run[1]} if run else {}
    back = {"e": "tombstone", "mac": mac, "why": PURGE, **told}
    return Note({"e": "lift", "of": PURGE, "mac": mac}, _AGAIN, back)
