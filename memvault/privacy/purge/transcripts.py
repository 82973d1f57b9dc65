"""Conversations in which the forgotten was said."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from memvault.core.ids import SHORTEST_PREFIX
from memvault.core.memory import Memory, Place
from memvault.core.query import ANY
from memvault.core.secrets.erase import Erase, erased, sentences
from memvault.core.secrets.screens import normal
from memvault.errors import AmbiguousSession, BadInput, MemvaultError, NoConversation
from memvault.memories.quarantine import waiting
from memvault.memories.remember import read_at
from memvault.privacy.private.originals import Shelf
from memvault.privacy.purge.files import CUT, Beginnings
from memvault.privacy.purge.records import IsPurged, logs
from memvault.privacy.purge.subject import Subject, about, own_notes
from memvault.storage import pauses
from memvault.storage.journal import tombstones
from memvault.storage.permissions import check_not_identity
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.transcripts.archive.archive import Talks
from memvault.transcripts.archive.erase import Erased, MayHold, Whole, erase
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.erased import IsGone
from memvault.transcripts.search import archive

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


# Sessions that were forgotten for good and may go on all the same: nothing that is noted of them names them again.

_NAMED = re.compile(rb'"session": ?"([^"\\]{1,200})"')


def about_known(state: Path | None, is_purged: IsPurged) -> None:
    """Let those have no name here any more that the logs of this machine name, and another forgot for good."""
    for path in logs(state) if state else ():
        for session in {found[1].decode(errors="replace") for found in _NAMED.finditer(files.read(path))}:
            if state and is_purged(session):
                pauses.keep(state, session, is_gone=True)


# A conversation that is to be nowhere any more: its files, and every memory that came out of it.

_WHOLE = 32  # letters: an id so long is one, though nothing is known of it
_TELLING = 60  # letters of a turn that nobody else says by chance


def session(bench: Bench, ref: str) -> Subject:
    """What a session's id, or the beginning of one, means: all that was said in it, and all that was made of that."""
    if len(ref) < SHORTEST_PREFIX:
        reason = f"it takes {SHORTEST_PREFIX} characters or more to tell one from another"
        raise BadInput(what="the session", value=ref, reason=reason)
    bench.freshen()
    made = list(_made_in(bench, ref))
    store = archive(bench)
    talks = {path: store.open(path).head() for path in store.find(ref)}
    ids = meant(ref, {head.id for head in talks.values()} | {_session_of(memory) for memory in made})
    talks = {path: head for path, head in talks.items() if head.id in ids}
    made = [memory for memory in made if _session_of(memory) in ids]
    if not ids and len(ref) < _WHOLE:
        raise NoConversation(ref=ref)
    check_not_identity(bench, made, "forgets")
    id_ = next(iter(ids), ref)
    own = {note.path: note for memory in made for note in own_notes(bench, memory)}
    found = about(bench, list(own.values()))
    turns = [turn for path in talks for turn in _turns(bench, path)]
    return replace(
        found,
        id=id_,
        title=next((head.title for head in talks.values() if head.title), id_),
        ids=found.ids | {id_},
        turns=found.turns | {(id_, name) for name, _ in turns},
        talk=id_,
        talks=tuple(talks),
        spoken=tuple(dict.fromkeys(text for _, text in turns if len(text) >= _TELLING)),
    )


def meant(ref: str, ids: Collection[str]) -> set[str]:
    """The one session of some that a reference means, if any: one that is called so, before those that begin so."""
    found = {id_ for id_ in ids if id_.casefold() == ref.casefold()} or set(ids)
    if len(found) > 1:
        raise AmbiguousSession(ref=ref, count=len(found), names=", ".join(sorted(found)[:5]))
    return found


def naming(bench: Bench, found: Subject) -> Iterator[str]:
    """Other memories that say that they came from that conversation too: they are for a person to change."""
    for memory in bench.catalogue.memories(ANY):
        told = (*memory.refs.get("session", ()), *_texts(memory.more.get("source_sessions")))
        if found.talk and memory.path not in found.notes and found.talk in told:
            yield memory.path


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple | list) else ()


def _session_of(memory: Memory) -> str:
    return str(memory.more.get("session", ""))


def _made_in(bench: Bench, ref: str) -> Iterator[Memory]:
    """The memories of a session, wherever they lie by now; of a person's own notes those that a program wrote."""
    for memory in (*bench.catalogue.memories(ANY), *waiting(bench), *_thrown(bench)):
        is_ours = memory.place is not Place.FOREIGN or "source" in memory.stated
        if is_ours and _session_of(memory).casefold().startswith(ref.casefold()):
            yield bench.read(memory)[0] if memory.body is None else memory


def _thrown(bench: Bench) -> Iterable[Memory]:
    return filter(None, (read_at(bench, path) for path in bench.vault.trash()))


def _turns(bench: Bench, path: str) -> list[tuple[str, str]]:
    try:
        return [(turn.id, turn.text) for turn in archive(bench).open(path).turns() if turn.text.strip()]
    except MemvaultError:
        return []  # the file goes all the same
