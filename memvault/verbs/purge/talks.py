"""Conversations in which the forgotten was said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memvault import files
from memvault.core.talk.cleaning import Cleaning
from memvault.errors import MemvaultError
from memvault.vault.sealed.shelf import Shelf
from memvault.vault.talks.archive import Talks
from memvault.vault.talks.erasing import erase
from memvault.verbs import tombstones
from memvault.verbs.bench import Bench
from memvault.verbs.purge.subject import Subject

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Said:
    """How many turns say less now, and which conversations could not be looked through whole."""

    turns: int
    unseen: tuple[str, ...]


def purged(bench: Bench, store: Talks, found: Subject) -> Said:
    """Rewrite every conversation that says it; its sealed originals go, as nobody can look into them."""
    cleaning = Cleaning(tombstones.eraser(bench))
    words = _telling(found)
    turns, unseen = 0, []
    for path, _ in store.listing():
        transcript = store.open(path)
        try:
            done = erase(transcript, cleaning, lambda text: _may_hold(text, words))
            if done.lines:
                for sealed in Shelf(bench.vault.root, bench.vault.layout).of(transcript.head().id, path):
                    files.remove(sealed)
        except MemvaultError:
            unseen.append(path)
            continue
        turns += len(done.turns)
        if done.damaged:
            unseen.append(path)
    return Said(turns, tuple(unseen))


def _telling(found: Subject) -> tuple[bytes, ...]:
    """Of each part that is looked for its longest word: where none of them is, nothing needs to be read."""
    longest = (max(_WORD.findall(part), key=len, default="") for part in found.marked)
    return tuple(dict.fromkeys(word.casefold().encode() for word in longest))


def _may_hold(text: bytes, words: tuple[bytes, ...]) -> bool:
    low = text.decode("utf-8", "replace").casefold().encode()
    return any(word in low for word in words)
