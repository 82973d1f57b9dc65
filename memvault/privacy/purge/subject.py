"""The subject of a purge: the memory, its texts, its files, and the turns it was made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from memvault.core.ids import is_prefix
from memvault.core.memory import Memory
from memvault.core.plan import Operation, OperationStep
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.erase import (
    MOST,
    WordRuns,
    erase_forgotten,
    is_long,
    known_parts,
    known_spellings,
    normalize_text,
    word_runs,
)
from memvault.core.secrets.screens import normalize_content
from memvault.errors import MemvaultError, NotFound, PerhapsPrivate
from memvault.memories.forget import find_lost
from memvault.memories.remember import find_details, memory_texts
from memvault.memories.screen import texts_in as texts_in
from memvault.privacy.private.store import PrivateStore
from memvault.storage import frontmatter
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import list_waiting, read_unindexed
from memvault.transcripts.search import open_archive

# The log's steps that concern some notes, told from those of other notes at the same paths.

OwnStep = tuple[str, str, str]  # the operation, the path, and the target


@dataclass(frozen=True, slots=True)
class NoteHistory:
    """What the log says about some notes."""

    steps: frozenset[OwnStep]
    copies: frozenset[tuple[str, str]]  # operation and digest of the copies kept of them
    names: frozenset[str]  # every path at which they ever were
    shared: frozenset[str]  # those at which something else was at another time


def trace_history(operations: Iterable[Operation], ids: Collection[str], notes: Iterable[str]) -> NoteHistory:
    """Trace some notes back from where they are, through operations, newest first."""
    back = _HistoryTrace(set(ids), set(notes))
    for operation in operations:
        for step in reversed(operation.steps):
            if step.do not in ("outside", "note"):
                back.trace_step(operation.op, step)
    names = back.names | back.paths
    return NoteHistory(frozenset(back.steps), frozenset(back.copies), frozenset(names), frozenset(names & back.others))


@dataclass(slots=True)
class _HistoryTrace:
    ids: set[str]
    paths: set[str]  # where they were before the steps traced so far
    names: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    steps: set[OwnStep] = field(default_factory=set)
    copies: set[tuple[str, str]] = field(default_factory=set)

    def trace_step(self, op: str, step: OperationStep) -> None:
        paths = {step.path, step.to} - {""}
        # A note without an id is identified by its path at that time.
        is_own = step.id in self.ids if step.id else (step.to or step.path) in self.paths
        self.paths -= paths  # of another note's too: it is there, so ours came later
        if not is_own:
            self.others |= paths
            return
        self.names |= paths
        self.steps.add((op, step.path, step.to))
        if step.before:
            self.copies.add((op, step.before))
        if step.do != "create":
            self.paths.add(step.path)


_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeSubject:
    """Everything by which purged content can be recognized."""

    id: str
    title: str
    ids: frozenset[str]
    notes: tuple[str, ...]
    history: NoteHistory  # what was done to them, by the log
    names: frozenset[str]  # the paths that were never another note's
    texts: tuple[str, ...]  # what the notes say and said
    sources: tuple[str, ...]  # the turns they were made of, whole
    turns: frozenset[tuple[str, str]] = frozenset()  # those turns, by conversation id and turn id
    talk: str = ""  # the session that is purged as a whole, if any
    talks: tuple[str, ...] = ()  # its files, as vault paths
    long_turns: tuple[str, ...] = ()  # its longer turns
    _known_forms: set[str] = field(default_factory=set, compare=False)
    _words: set[str] = field(default_factory=set, compare=False)
    _sentences: dict[int, dict[str, int]] = field(default_factory=dict, compare=False)

    @property
    def marked_texts(self) -> tuple[str, ...]:
        """Return the texts that are not to be learned again: its own sentences, and its source turns as wholes."""
        own = (part for text in self.texts for part in known_parts(text))
        return tuple(dict.fromkeys((*own, *(text for text in self.sources if is_long(text)))))

    def erase_text(self, text: str) -> str:
        """Return a text without the subject."""
        if not self._sentences:
            for run, count in (one for text in self.texts for one in word_runs(text).items()):
                self._sentences.setdefault(count, {})[run] = sum(map(hash, run.split(" "))) % MOST
        sums = {count: set(subject.values()) for count, subject in self._sentences.items()}
        return WordRuns(sums, hash, lambda run: run in self._sentences[run.count(" ") + 1]).erase_from(
            erase_forgotten(text, self._is_known)
        )

    def is_in_text(self, text: str) -> bool:
        """Return whether a text contains any of the subject."""
        return self.erase_text(text) != text

    def may_be_in_text(self, text: str) -> bool:
        """Return whether a text is worth a closer look: it has a word of the subject, or names it."""
        if not self._words:
            parts = (*self.marked_texts, *self.ids, *self.names, *(op for op, _, _ in self.history.steps))
            self._words.update(
                max(_WORD.findall(normalize("NFKC", part).casefold()), key=len, default=part) for part in parts
            )
        low = normalize("NFKC", text).casefold()
        return any(word in low for word in self._words)

    def is_in_bytes(self, data: bytes) -> bool:
        """Return whether bytes contain the subject: one of its ids, or its text."""
        text = data.decode("utf-8", "replace")
        return any(id_ in text for id_ in self.ids) or self.is_in_text(text)

    def is_named_in(self, text: str, *, least: int = 1) -> bool:
        """Return whether a list of memories names it: by a link, or by its whole title, if that is long enough."""
        stems = (path.rpartition("/")[2].removesuffix(".md") for path in self.history.names)
        wanted = [rf"\[\[(?:[^\]\n]*/)?{re.escape(stem)}(?=[\]|#])" for stem in stems]
        wanted += [rf"(?<!\w){re.escape(self.title)}(?!\w)"] if len(self.title) >= least else []
        return any(re.search(pattern, text) for pattern in wanted)

    def _is_known(self, text: str) -> bool:
        if not self._known_forms:
            self._known_forms.update(
                form for part in self.marked_texts for form in (normalize_content(part), normalize_text(part)) if form
            )
        return any(form in self._known_forms for form in known_spellings(text))


def find_subject(context: VaultContext, ref: str) -> PurgeSubject:
    """Return the subject that a reference means: in the vault, the archive, quarantine or the trash."""
    context.refresh()
    memory = _find_memory(context, ref)
    subject = subject_of(context, own_notes(context, memory))
    return replace(subject, id=memory.id, title=memory.title)


def subject_of(context: VaultContext, own: Collection[Memory]) -> PurgeSubject:
    """Return the subject of some notes, with their earlier versions and trashed copies."""
    ids = frozenset(note.id for note in own if note.id)
    operations = context.vault.log.operations()
    trashed = _find_trashed(context, ids, trace_history(operations, ids, [note.path for note in own]).names)
    notes = {note.path: note for note in (*own, *trashed)}
    history = trace_history(operations, ids, notes)
    turns = dict(pair for note in notes.values() for pair in _source_turns(context, note))
    # Paths that say nothing of the subject, as another memory is or was there.
    others = {path for id_, path in context.vault.ledger.decisions().paths_by_id.items() if id_ not in ids}
    others |= {memory.path for memory in context.index.memories(NO_FILTERS) if memory.path not in notes}
    return PurgeSubject(
        id="",
        title="",
        ids=ids,
        notes=tuple(notes),
        history=history,
        names=history.names - history.shared - others,
        texts=tuple(dict.fromkeys(_all_texts(context, notes.values(), history))),
        sources=tuple(dict.fromkeys(turns.values())),
        turns=frozenset(turns),
    )


def _find_memory(context: VaultContext, ref: str) -> Memory:
    try:
        return context.read_memory(context.find_memory(ref))[0]
    except NotFound:
        pass
    for memory in list_waiting(context):
        names = (memory.path, memory.name.casefold(), memory.title.casefold())
        if ref.casefold() in names or (is_prefix(ref.casefold()) and memory.id.startswith(ref.casefold())):
            return memory
    try:
        return find_lost(context, ref)
    except NotFound:
        if PrivateStore(context.vault).all_paths():
            raise PerhapsPrivate(ref=ref) from None
        raise


def own_notes(context: VaultContext, memory: Memory) -> list[Memory]:
    """Return the memory, the long files behind it, and what was merged into it."""
    merged = [
        each for each in context.index.memories(NO_FILTERS) if memory.id and each.more.get("merged_into") == memory.id
    ]
    return [memory, *find_details(context, memory), *(context.read_memory(each)[0] for each in merged)]


def _find_trashed(context: VaultContext, ids: Collection[str], names: Collection[str]) -> Iterator[Memory]:
    """Yield the trashed notes of the subject: by id, or without one by the path that they came from."""
    for path in context.vault.trash_paths():
        trashed = read_unindexed(context, path)
        if trashed and (trashed.id in ids if trashed.id else path in names):
            yield trashed


def _all_texts(context: VaultContext, notes: Iterable[Memory], history: NoteHistory) -> Iterator[str]:
    """Yield the texts of notes: bodies, fields that hold more than a name, and earlier versions that are kept."""
    for note in notes:
        yield from memory_texts(note)
        yield from (text for text in texts_in((note.more, note.refs, note.triggers)) if is_long(text))
    for op, digest in sorted(history.copies):
        data = context.vault.log.kept_bytes(op, digest)
        if data is not None and (text := frontmatter.parse(data).text.strip()):
            yield text


def _source_turns(context: VaultContext, memory: Memory) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the turns that a memory was made of, by conversation and id, with their texts."""
    turns = set(memory.refs.get("turns", ()))
    store = open_archive(context)
    for talk in memory.refs.get("session", ()) if turns else ():
        for path in store.find_paths(talk):
            try:
                transcript = store.open_transcript(path)
                found = [turn for turn in transcript.read_turns() if turn.id in turns and turn.text.strip()]
                name = transcript.read_head().id
            except MemvaultError:
                continue  # `doctor` reports a conversation that cannot be read
            yield from (((name, turn.id), turn.text) for turn in found)
