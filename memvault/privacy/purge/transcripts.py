"""Conversations in which the forgotten was said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from memvault.core.secrets.erase import Erase, erased, sentences
from memvault.core.secrets.screens import normal
from memvault.errors import MemvaultError
from memvault.privacy.private.originals import Shelf
from memvault.privacy.purge.files import CUT, Beginnings
from memvault.privacy.purge.subject import Subject
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.transcripts.archive.archive import Talks
from memvault.transcripts.archive.erase import Erased, MayHold, Whole, erase
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.gone import IsGone

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Said:
    """How many turns say less now, and which conversations could not be looked through whole."""

    turns: int
    unseen: tuple[str, ...]


def purged(bench: Bench, store: Talks, found: Subject, cut: Iterable[str] = ()) -> Said:
    """Take it out of every conversation that says it, or says it cut, and the turns that it was made of as wholes."""
    words = _telling((*found.marked, *cut))
    sources = {normal(part) for text in found.sources for part in sentences(text)}
    own = Cleaning(partial(erased, is_forgotten=lambda text: normal(text) in sources))
    turns = frozenset(turn for talk, turn in found.turns if talk != found.talk)
    is_gone = tombstones.is_gone(bench) if found.talk else None
    whole = Whole(turns, own, is_gone) if turns or is_gone else None
    for path in found.talks:
        _remove(bench, store, path)
    return _each(bench, store, tombstones.eraser(bench), lambda text: _may_hold(text, words), whole)


def obeyed(bench: Bench, store: Talks, eraser: Erase) -> Said:
    """The same for all that was ever marked, wherever that was done."""
    is_gone = tombstones.is_gone(bench)
    for path, _ in store.listing() if is_gone else ():
        if is_gone and _is_gone(store, path, is_gone):
            _remove(bench, store, path)
    whole = Whole(frozenset(), Cleaning(eraser), is_gone) if is_gone else None
    return _each(bench, store, eraser, lambda _text: True, whole)


def _is_gone(store: Talks, path: str, is_gone: IsGone) -> bool:
    try:
        return is_gone(store.open(path).head().id, "")
    except MemvaultError:
        return False  # the doctor tells of a conversation that cannot be read


def _remove(bench: Bench, store: Talks, path: str) -> None:
    """A conversation with all that lies beside it; what is sealed of it first, as only the head tells whose that is."""
    there = store.open(path)
    try:
        sealed = Shelf(bench.vault.root, bench.vault.layout).of(there.head().id, path)
    except MemvaultError:
        sealed = []
    for file in (*sealed, there.side.path, there.talk.path):
        if file.exists():
            files.remove(file)
    files.sync_folder(there.talk.path.parent)


def cut_short(store: Talks, found: Subject) -> Iterator[str]:
    """What the titles of conversations say of it that break off within a sentence, whatever stands before that."""
    known = Beginnings.of(found.marked)
    for path, _ in store.listing():
        try:
            titles = {head.title for head in store.open(path).heads() if head.title.endswith(CUT)}
        except MemvaultError:
            continue  # whoever rewrites it tells
        for title in sorted(titles):
            told = [part for part in sentences(title) if part.endswith(CUT) and known.are_broken_off_in(part)]
            yield from sorted(told, key=len)[:1]


def _each(bench: Bench, store: Talks, eraser: Erase | None, may_hold: MayHold, whole: Whole | None) -> Said:
    cleaning = Cleaning(eraser)
    turns, unseen = 0, []
    for path, _ in store.listing():
        try:
            done = _one(bench, store, path, lambda at: erase(store.open(at), cleaning, may_hold, whole))
        except MemvaultError:
            unseen.append(path)
            continue
        turns += len(done.turns)
        if done.damaged:
            unseen.append(path)
    return Said(turns, tuple(unseen))


def _one(bench: Bench, store: Talks, path: str, act: Callable[[str], Erased]) -> Erased:
    """Its sealed originals go with what is erased, as nobody can look into them; and its name, which tells of it."""
    done = act(path)
    if done.lines:
        for sealed in Shelf(bench.vault.root, bench.vault.layout).of(store.open(path).head().id, path):
            files.remove(sealed)
        store.rename(path)
    return done


def _telling(parts: Iterable[str]) -> tuple[bytes, ...]:
    """Of each part that is looked for its longest word: where none of them is, nothing needs to be read."""
    longest = (max(_WORD.findall(part), key=len, default="") for part in parts)
    return tuple(dict.fromkeys(word.casefold().encode() for word in longest))


def _may_hold(text: bytes, words: tuple[bytes, ...]) -> bool:
    low = text.decode("utf-8", "replace").casefold().encode()
    return any(word in low for word in words)
