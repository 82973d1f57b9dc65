"""Marks of what was forgotten or refused: laid, looked for, and lifted again."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from memvault import files
from memvault.core.dress import bare, parts, spellings
from memvault.core.erasing import Erase, erased, sentences
from memvault.core.plan import Change, Note
from memvault.core.screen import normal
from memvault.errors import MemvaultError
from memvault.vault.ledger import Ledger
from memvault.verbs.bench import Bench

PURGE = "purge"  # why a text is marked that is to be nowhere any more
_ANY = "-"
_MARK = rb'"mac"\s*:\s*"([0-9a-f]{64})"'


def laid(bench: Bench, texts: Iterable[str], *, why: str) -> Iterator[Change]:
    """What marks some texts as not to be learnt again; a mark that stands is not laid twice, so no undo lifts it."""
    bench.vault.ledger.make_key(os.urandom(32))
    decisions = bench.vault.ledger.decisions()
    dead = decisions.purged if why == PURGE else decisions.tombstones
    for mac in _marks(bench.vault.ledger, texts):
        if mac not in dead:
            entry = {"e": "tombstone", "mac": mac, "why": why}
            yield Note(entry, "not to be learnt again", {"e": "lift", "mac": mac})


def lay(bench: Bench, texts: Iterable[str], *, why: str) -> None:
    """Mark some texts at once, as no operation that could be taken back."""
    entries = [change.entry for change in laid(bench, texts, why=why) if isinstance(change, Note)]
    bench.vault.ledger.append(entries, bench.now)


def _marks(ledger: Ledger, texts: Iterable[str]) -> tuple[str, ...]:
    """Each text's marks: as it stands, which every program obeys, and undressed; under the first key."""
    forms = dict.fromkeys(form for text in texts for form in (normal(text), bare(text)) if form)
    return tuple(dict.fromkeys(ledger.macs(form)[0] for form in forms))


def dead(bench: Bench, text: str) -> tuple[str, ...]:
    """The marks by which a text, or a part of it, is known as forgotten or refused; none where it may be learnt."""
    ledger = bench.vault.ledger
    if not ledger.macs(text):  # nothing was ever forgotten here
        return ()
    # A long ledger takes its time to fold, and most texts were never forgotten: so look for the marks alone first.
    held = {mac for _, path in ledger.paths() for mac in _held(path)}
    found = [mac for mac in _macs(ledger, (*parts(text), *sentences(text))) if mac in held] if held else []
    if not found:
        return ()
    decisions = ledger.decisions()
    # Of what was only let go, a sentence within another text may be said again; of what was purged, nothing may.
    whole = set(_macs(ledger, parts(text))) & decisions.tombstones
    return tuple(mac for mac in dict.fromkeys(found) if mac in whole or mac in decisions.purged)


def eraser(bench: Bench) -> Erase | None:
    """What takes out of a text all that was purged; None where nothing ever was."""
    ledger = bench.vault.ledger
    if not ledger.macs(_ANY):
        return None
    purged = ledger.decisions().purged
    return partial(erased, is_forgotten=partial(is_dead, ledger, purged)) if purged else None


def is_dead(ledger: Ledger, standing: set[str], text: str) -> bool:
    """Whether a text as a whole is among the marks that stand."""
    return any(mac in standing for mac in _macs(ledger, (text,)))


def _macs(ledger: Ledger, texts: Iterable[str]) -> Iterator[str]:
    for form in dict.fromkeys(form for text in texts for form in spellings(text)):
        yield from ledger.macs(form)


def _held(path: Path) -> set[str]:
    try:
        data = files.read(path)
    except MemvaultError:
        return set()  # nobody can obey what nobody can read
    return {mac.decode() for mac in re.findall(_MARK, data)}


def lifted(macs: Iterable[str]) -> tuple[Change, ...]:
    """What takes marks away, so that their texts may be known again."""
    entries = ({"e": "tombstone", "mac": mac, "why": "forget"} for mac in macs)
    return tuple(Note({"e": "lift", "mac": entry["mac"]}, "it may be known again", entry) for entry in entries)


def lifted_for(bench: Bench, texts: Iterable[str]) -> tuple[Change, ...]:
    """What takes away every mark that stands for some texts as wholes."""
    standing = bench.vault.ledger.decisions().tombstones
    macs = dict.fromkeys(_macs(bench.vault.ledger, texts))
    return lifted(mac for mac in macs if mac in standing)
