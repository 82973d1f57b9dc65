"""Open and search private memories, in memory only; have the daemon hold some of them for a while."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memvault.core.ids import SHORTEST_PREFIX, id_matches
from memvault.core.memory import IndexEntry, Memory, Place
from memvault.core.query import Match
from memvault.core.secrets.private_spans import strip_private
from memvault.core.settings import Settings
from memvault.core.weight import MemoryUse
from memvault.errors import Ambiguous, BadInput, MemvaultError, NoConversation, NotForAgents, NotFound
from memvault.privacy.private.store import ENDING, PrivateStore
from memvault.recall.query import REST_LABEL, match_terms, similarity
from memvault.recall.ranking import question as notes
from memvault.recall.ranking.question import RankedQuestion
from memvault.recall.recall import RecallHit
from memvault.storage import frontmatter
from memvault.storage.index.rows import search_document
from memvault.storage.index.search.scan import ScanBackend
from memvault.storage.index.update import index_entry
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.system import daemon_client, files
from memvault.system import daemon_protocol as protocol
from memvault.system.age import PrivateKeys
from memvault.transcripts.archive.originals import SealedFiles
from memvault.transcripts.search import open_archive


@dataclass(frozen=True, slots=True)
class OpenedMemory:
    """A private memory with its text, its note in the clear, and its sealed bytes."""

    memory: Memory
    note: bytes
    sealed: bytes


@dataclass(frozen=True, slots=True)
class UnopenedMemory:
    """A sealed file that could not be opened, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class OpenResult:
    """The private memories that could be opened, the newest first, and those that could not."""

    found: tuple[OpenedMemory, ...]
    shut: tuple[UnopenedMemory, ...] = ()
    exposed: str = ""  # the file with the key, where others on this machine may read it
    strange: tuple[str, ...] = ()  # recipients that only the vault names

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Return the memories, with their texts."""
        return tuple(one.memory for one in self.found)


def check_person(context: VaultContext) -> None:
    """Raise NotForAgents where an agent is at work: what it reads, a model reads."""
    if context.actor.agent:
        raise NotForAgents(agent=context.actor.agent)


def open_all(context: VaultContext, keys: PrivateKeys) -> OpenResult:
    """Open every private memory; raise the first error where none opens."""
    check_person(context)
    store = PrivateStore(context.vault)
    return open_files(context, keys, store, store.memory_paths())


def open_files(context: VaultContext, keys: PrivateKeys, store: PrivateStore, paths: Sequence[str]) -> OpenResult:
    """Open some private memories; raise the first error where none opens."""
    found: list[OpenedMemory] = []
    unopened: list[UnopenedMemory] = []
    first: MemvaultError | None = None
    for path in paths:
        try:
            found.append(_open_file(context, keys, store, path))
        except MemvaultError as error:
            unopened.append(UnopenedMemory(path, str(error.data.get("reason", error))))
            first = first or error
    if first and not found:
        raise first
    found.sort(key=lambda one: (-one.memory.created.timestamp(), one.memory.path))
    strange = keys.unconfirmed_recipients(store.named_recipients()) if found else ()
    return OpenResult(tuple(found), tuple(unopened), keys.exposed_key, strange)


def open_one(context: VaultContext, keys: PrivateKeys, ref: str) -> OpenedMemory:
    """Open the private memory that a file name, an id (or the beginning of either) or a title means."""
    check_person(context)
    store = PrivateStore(context.vault)
    if path := find_by_name(store.memory_paths(), ref):
        return _open_file(context, keys, store, path)
    opening = open_all(context, keys)
    title = ref.strip().casefold()
    found = [one for one in opening.found if id_matches(one.memory.id, ref) or one.memory.title.casefold() == title]
    if not found:
        raise NotFound(ref=ref)
    if len(found) > 1:
        names = ", ".join(file_name(one.memory.path) for one in found[:5])
        raise Ambiguous(ref=ref, count=len(found), names=names)
    return found[0]


def find_by_name(paths: Sequence[str], ref: str) -> str:
    """Return the file with a name, or with the beginning of one; empty where there is not exactly one."""
    wanted = ref.strip().rpartition("/")[2].removesuffix(ENDING).casefold()
    names = {path: file_name(path).casefold() for path in paths}
    same = [path for path, name in names.items() if name == wanted]
    begun = [path for path, name in names.items() if name.startswith(wanted) and len(wanted) >= SHORTEST_PREFIX]
    found = same or begun
    return found[0] if len(found) == 1 else ""


def file_name(path: str) -> str:
    """Return the name of a sealed file without its ending."""
    return path.rpartition("/")[2].removesuffix(ENDING)


def read_note(
    context: VaultContext, path: str, note: bytes, *, version: str = "", modified: datetime | None = None
) -> Memory:
    """Return the memory of an opened note."""
    when = modified or context.now
    origin = codec.NoteOrigin(path, Place.MEMORIES, "", when, when, context.zone, context.settings.kinds)
    return codec.read_memory(frontmatter.parse(note), origin, version=version)


def _open_file(context: VaultContext, keys: PrivateKeys, store: PrivateStore, path: str) -> OpenedMemory:
    sealed, stamp = files.read_stamped(store.absolute_path(path))
    note = keys.unseal_bytes(sealed, path=path)
    memory = read_note(context, path, note, version=files.digest(sealed), modified=stamp.modified)
    return OpenedMemory(memory, note, sealed)


# Sealed originals of conversations.


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsealResult:
    """The sealed lines of a conversation with their secrets, in order and without repeats."""

    path: str
    lines: tuple[str, ...]


def unseal_originals(context: VaultContext, keys: PrivateKeys, ref: str) -> UnsealResult:
    """Open the sealed originals of a conversation."""
    check_person(context)
    archive, sealed_files = open_archive(context), SealedFiles(context.vault.root, context.vault.layout)
    found = archive.find_paths(ref)
    if not found:
        raise NoConversation(ref=ref)
    if len(found) > 1:
        reason = f"{len(found)} conversations match; give more characters"
        raise BadInput(what="the reference", value=ref, reason=reason)
    lines = (
        line.decode("utf-8", "replace")
        for sealed in sealed_files.sealed_files(archive.open_transcript(found[0]).read_head().id, found[0])
        for line in sealed_files.read_lines(sealed, keys)
    )
    return UnsealResult(path=found[0], lines=tuple(dict.fromkeys(lines)))


# Search private memories in memory, ranked like any recall.

_CANDIDATES_PER_HIT, _CANDIDATES_LEAST = 4, 40  # as in any recall: lower scores are not examined


class PrivateSearch:
    """Searches some memories whose texts are held in memory only."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = tuple(memories)
        self._cards: tuple[IndexEntry, ...] = tuple(map(index_entry, self.memories))
        self._backend = ScanBackend(None)
        self._backend.replace((search_document(number, card) for number, card in enumerate(self._cards)), ())

    def search(
        self, query: str, *, now: datetime, settings: Settings, limit: int, least: float
    ) -> tuple[RecallHit, ...]:
        """Return the matching memories, best first, each with its best passage."""
        people = settings.texts("people.aliases")
        question = notes.read_note_question(query, now=now, people=people, near=self._backend.near)
        rarity = self._backend.rarity([word.term for word in question.words])
        most = limit or settings.integer("recall.limit")
        depth = most * _CANDIDATES_PER_HIT + _CANDIDATES_LEAST
        matches = self._backend.search(question.words, keep=None, limit=depth)
        weak_below = settings.number("recall.weak_below")
        best = max((match.score for match in matches), default=0.0)
        found = [self._make_hit(match, question, rarity, best, weak_below) for match in matches]
        found = [hit for hit in found if hit.similarity >= least]
        found.sort(key=lambda hit: (-round(hit.score, 6), hit.memory.path))
        return tuple(found[:most])

    def _make_hit(
        self, match: Match, question: RankedQuestion, rarity: Mapping[str, float], best: float, weak_below: float
    ) -> RecallHit:
        memory, card = self.memories[match.number], self._cards[match.number]
        body = strip_private(memory.body or "")
        passage = card.passages[match.part] if match.part < len(card.passages) else body
        names = "\n".join((*memory.tags, *memory.topics, *memory.people))
        labels = {"title": memory.title, "tags": names, "triggers": "\n".join(memory.triggers)}
        parts = {**labels, "heading": card.headings, "text": passage, REST_LABEL: "" if passage == body else body}
        sentences = match_terms(question.words, rarity, parts, on_day=False)
        alike = similarity(sentences, match.score / best)
        return RecallHit(
            memory=memory.with_changes(body=None),
            text=passage.strip(),
            similarity=round(alike, 4),
            score=match.score,
            weak=alike < weak_below,
            weight=memory.weight,
            use=MemoryUse(memory.access_count, memory.last_accessed),
            matches=tuple(sentences),
        )


# Opened notes that the daemon holds in its memory for a while.

_ANSWER_SECONDS = 5.0
_MAX_BATCH_BYTES = 4_000_000  # bytes of notes in one frame


class UnlockMessage(NamedTuple):
    """Notes to hold open for a vault; the first message of an unlocking takes the place of what lay open before."""

    root: str
    seconds: float
    first: bool
    notes: list[tuple[str, str, bytes]]  # where each is sealed, the version that is sealed there, its bytes

    @classmethod
    def decode(cls, data: bytes) -> UnlockMessage:
        """Return the message in the bytes of a request."""
        root, seconds, first, notes = json.loads(data)
        return cls(root, seconds, first, [(path, version, b64decode(note)) for path, version, note in notes])

    def encode(self) -> bytes:
        """Return the bytes that `decode` reads."""
        return json.dumps([*self[:3], [(*one[:2], b64encode(one[2]).decode()) for one in self.notes]]).encode()


def unlock_memories(
    root: Path, opened: Sequence[OpenedMemory], seconds: float, *, environment: Mapping[str, str]
) -> bool:
    """Have the daemon hold memories open for a while; whether it does."""
    if environment.get(daemon_client.OFF):
        return False
    at, first = os.path.realpath(root), True
    notes: list[tuple[str, str, bytes]] = []
    for one in (*opened, None):  # None: what is left goes, too
        if notes and (one is None or sum(len(note) for *_, note in notes) + len(one.note) > _MAX_BATCH_BYTES):
            if not _ask_daemon(protocol.UNLOCK, UnlockMessage(at, seconds, first, notes).encode(), environment):
                lock_memories(root, environment=environment)
                return False
            notes, first = [], False
        notes += [(one.memory.path, one.memory.version, one.note)] if one else []
    return True


def lock_memories(root: Path, *, environment: Mapping[str, str]) -> bool:
    """Have the daemon forget what lies open of a vault; whether anything did."""
    answer = _ask_daemon(protocol.LOCK, os.fsencode(os.path.realpath(root)), environment)
    was_open = bool(answer) and answer[0] != b"0"
    if was_open:
        from memvault.system.daemon import renew_daemon  # deferred: a recall asks what lies open, and ends nothing

        renew_daemon(environment)
    return was_open


def _ask_daemon(kind: bytes, data: bytes, environment: Mapping[str, str]) -> list[bytes]:
    with suppress(daemon_client.NoReply):
        return daemon_client.send_request(kind, (), data, within=_ANSWER_SECONDS, environment=environment) or []
    return []
