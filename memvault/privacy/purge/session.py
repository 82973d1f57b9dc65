"""A conversation that is to be nowhere any more: its files, and every memory that came out of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from memvault.core.ids import SHORTEST_PREFIX
from memvault.core.memory import Memory, Place
from memvault.core.query import ANY
from memvault.errors import AmbiguousSession, BadInput, MemvaultError, NoConversation
from memvault.memories.quarantine import waiting
from memvault.memories.remember import read_at
from memvault.privacy.purge.subject import Subject, about, own_notes
from memvault.storage.permissions import check_not_identity
from memvault.storage.vault.context import Bench
from memvault.transcripts.search import archive

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
