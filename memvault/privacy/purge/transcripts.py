"""Purge conversations: turns that contain the subject, and whole sessions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from memvault.core.ids import SHORTEST_PREFIX
from memvault.core.memory import Memory, Place
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.erase import Erase, erase_forgotten, known_parts
from memvault.core.secrets.screens import normalize_content
from memvault.errors import AmbiguousSession, BadInput, MemvaultError, NoConversation
from memvault.privacy.purge.kept_copies import CUT, SentenceBeginnings
from memvault.privacy.purge.records import IsPurged, log_files
from memvault.privacy.purge.subject import PurgeSubject, own_notes, subject_of
from memvault.storage import pauses
from memvault.storage.journal import tombstones
from memvault.storage.permissions import require_person_for_identity
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import list_waiting, read_unindexed
from memvault.system import files
from memvault.transcripts.archive.archive import Archive
from memvault.transcripts.archive.erase import ErasedTurns, MayHold, erase_transcript
from memvault.transcripts.archive.originals import SealedFiles
from memvault.transcripts.model.record import IsPurgedTurn
from memvault.transcripts.model.redact import Redactor
from memvault.transcripts.search import open_archive

_WORD = re.compile(r"\w+")


PurgedTurns = tuple[int, tuple[str, ...]]
"""How many turns were redacted, and which conversations could not be read whole."""


def purge_turns(context: VaultContext, store: Archive, subject: PurgeSubject, cut: Iterable[str] = ()) -> PurgedTurns:
    """Remove the subject from every conversation, and erase the turns that it was made of."""
    # A text without the longest word of any part need not be read.
    longest = (max(_WORD.findall(part), key=len, default="") for part in (*subject.marked_texts, *cut))
    words = frozenset(word.casefold().encode() for word in longest)
    sources = {normalize_content(part) for text in subject.sources for part in known_parts(text)}
    own = Redactor(partial(erase_forgotten, is_forgotten=lambda text: normalize_content(text) in sources))
    turns = frozenset(turn for talk, turn in subject.turns if talk != subject.talk)
    is_gone = tombstones.purged_turns(context) if subject.talk else None
    whole = ErasedTurns(turns, own, is_gone) if turns or is_gone else None
    for path in subject.talks:
        _remove_transcript(context, store, path)

    def may_hold(text: bytes) -> bool:
        low = text.decode("utf-8", "replace").casefold().encode()
        return any(word in low for word in words)

    return _erase_all(context, store, tombstones.purge_eraser(context), may_hold, whole)


def purge_marked_turns(context: VaultContext, store: Archive, eraser: Erase) -> PurgedTurns:
    """Purge everything that was ever marked, on any machine."""
    is_gone = tombstones.purged_turns(context)
    for path, _ in store.list_conversations() if is_gone else ():
        if is_gone and _is_gone(store, path, is_gone):
            _remove_transcript(context, store, path)
    whole = ErasedTurns(frozenset(), Redactor(eraser), is_gone) if is_gone else None
    return _erase_all(context, store, eraser, lambda _text: True, whole)


def _is_gone(store: Archive, path: str, is_gone: IsPurgedTurn) -> bool:
    try:
        return is_gone(store.open_transcript(path).read_head().id, "")
    except MemvaultError:
        return False  # `doctor` reports a conversation that cannot be read


def _remove_transcript(context: VaultContext, store: Archive, path: str) -> None:
    """Delete a conversation with its files; the sealed ones first, as only the head tells whose they are."""
    transcript = store.open_transcript(path)
    try:
        sealed = SealedFiles(context.vault.root, context.vault.layout).sealed_files(transcript.read_head().id, path)
    except MemvaultError:
        sealed = []
    for file in (*sealed, transcript.facts_file.path, transcript.turns_file.path):
        if file.exists():
            files.remove_file(file)
    files.sync_folder(transcript.turns_file.path.parent)


def find_cut_titles(store: Archive, subject: PurgeSubject) -> Iterator[str]:
    """Yield the parts of conversation titles that are cut off within a sentence of the subject."""
    known = SentenceBeginnings.from_texts(subject.marked_texts)
    for path, _ in store.list_conversations():
        try:
            titles = {head.title for head in store.open_transcript(path).read_heads() if head.title.endswith(CUT)}
        except MemvaultError:
            continue  # reported by whoever rewrites it
        for title in sorted(titles):
            record = [part for part in known_parts(title) if part.endswith(CUT) and known.is_cut_in(part)]
            yield from sorted(record, key=len)[:1]


def _erase_all(
    context: VaultContext, store: Archive, eraser: Erase | None, may_hold: MayHold, whole: ErasedTurns | None
) -> PurgedTurns:
    cleaning = Redactor(eraser)
    turns, unseen = 0, []
    for path, _ in store.list_conversations():
        try:
            done = erase_transcript(store.open_transcript(path), cleaning, may_hold, whole)
            if done.lines:  # sealed originals cannot be searched; the name follows the new title
                originals = SealedFiles(context.vault.root, context.vault.layout)
                for sealed in originals.sealed_files(store.open_transcript(path).read_head().id, path):
                    files.remove_file(sealed)
                store.rename_conversation(path)
        except MemvaultError:
            unseen.append(path)
            continue
        turns += len(done.turns)
        if done.damaged:
            unseen.append(path)
    return turns, tuple(unseen)


# Purged sessions that may still go on: no record names them again.

_NAMED = re.compile(rb'"session": ?"([^"\\]{1,200})"')


def hide_purged_sessions(state: Path | None, is_purged: IsPurged) -> None:
    """Hide the sessions that this machine's logs name and another machine purged."""
    for path in log_files(state) if state else ():
        for session in {found[1].decode(errors="replace") for found in _NAMED.finditer(files.read_file(path))}:
            if state and is_purged(session):
                pauses.hide_session(state, session, is_gone=True)


# A purged session: its files, and every memory made of it.

_WHOLE = 32  # letters: an id of this length is whole, even if unknown
_TELLING = 60  # letters: a turn of this length is nobody else's by chance


def find_session(context: VaultContext, ref: str) -> PurgeSubject:
    """Return the subject of a session: everything said in it, and everything made of it."""
    if len(ref) < SHORTEST_PREFIX:
        reason = f"it must have at least {SHORTEST_PREFIX} characters"
        raise BadInput(what="the session", value=ref, reason=reason)
    context.refresh()
    made = list(_session_memories(context, ref))
    store = open_archive(context)
    transcripts = {path: store.open_transcript(path).read_head() for path in store.find_paths(ref)}
    ids = match_session(ref, {head.id for head in transcripts.values()} | {_session_of(memory) for memory in made})
    transcripts = {path: head for path, head in transcripts.items() if head.id in ids}
    made = [memory for memory in made if _session_of(memory) in ids]
    if not ids and len(ref) < _WHOLE:
        raise NoConversation(ref=ref)
    require_person_for_identity(context, made, "forgets")
    id_ = next(iter(ids), ref)
    own = {note.path: note for memory in made for note in own_notes(context, memory)}
    subject = subject_of(context, list(own.values()))
    turns = [turn for path in transcripts for turn in _read_turns(context, path)]
    return replace(
        subject,
        id=id_,
        title=next((head.title for head in transcripts.values() if head.title), id_),
        ids=subject.ids | {id_},
        turns=subject.turns | {(id_, name) for name, _ in turns},
        talk=id_,
        talks=tuple(transcripts),
        long_turns=tuple(dict.fromkeys(text for _, text in turns if len(text) >= _TELLING)),
    )


def match_session(ref: str, ids: Collection[str]) -> set[str]:
    """Return the one session id that a reference means, if any: an exact match before a prefix."""
    found = {id_ for id_ in ids if id_.casefold() == ref.casefold()} or set(ids)
    if len(found) > 1:
        raise AmbiguousSession(ref=ref, count=len(found), names=", ".join(sorted(found)[:5]))
    return found


def notes_naming(context: VaultContext, subject: PurgeSubject) -> Iterator[str]:
    """Yield other memories that name the session too: they are for a person to change."""
    for memory in context.index.memories(NO_FILTERS):
        merged = memory.more.get("source_sessions")
        sessions = {*memory.refs.get("session", ()), *map(str, merged if isinstance(merged, tuple | list) else ())}
        if subject.talk and memory.path not in subject.notes and subject.talk in sessions:
            yield memory.path


def _session_of(memory: Memory) -> str:
    return str(memory.more.get("session", ""))


def _session_memories(context: VaultContext, ref: str) -> Iterator[Memory]:
    """Yield the memories of a session, wherever they are; of a person's own notes those that a program wrote."""
    trashed = filter(None, (read_unindexed(context, path) for path in context.vault.trash_paths()))
    for memory in (*context.index.memories(NO_FILTERS), *list_waiting(context), *trashed):
        is_ours = memory.place is not Place.FOREIGN or "source" in memory.stated
        if is_ours and _session_of(memory).casefold().startswith(ref.casefold()):
            yield context.read_memory(memory)[0] if memory.body is None else memory


def _read_turns(context: VaultContext, path: str) -> list[tuple[str, str]]:
    try:
        return [
            (turn.id, turn.text)
            for turn in open_archive(context).open_transcript(path).read_turns()
            if turn.text.strip()
        ]
    except MemvaultError:
        return []  # the file is deleted all the same
