"""What is to be nowhere any more: the memory, its texts, its files, and what it was taken from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from memvault.core.ids import is_prefix
from memvault.core.memory import Memory
from memvault.core.plan import Operation, Step
from memvault.core.query import ANY
from memvault.core.secrets.erase import MOST, Runs, bare, erased, is_long, runs, sentences, spellings
from memvault.core.secrets.screens import normal
from memvault.errors import MemvaultError, NotFound, PerhapsPrivate
from memvault.memories.forget import lost
from memvault.memories.quarantine import waiting
from memvault.memories.remember import details_of, read_at, said_by
from memvault.memories.screen import texts as texts_in
from memvault.privacy.private.store import Safe
from memvault.storage import frontmatter
from memvault.storage.vault.context import Bench
from memvault.transcripts.search import archive

# The steps by which a memory came to be what and where it is, told from those of others at the same places.

OwnStep = tuple[str, str, str]  # the operation, the path, and where to


@dataclass(frozen=True, slots=True)
class Past:
    """What the log tells of some notes."""

    steps: frozenset[OwnStep]
    kept: frozenset[tuple[str, str]]  # operation and digest of the bytes that were kept of them
    names: frozenset[str]  # every path at which they ever lay
    shared: frozenset[str]  # those at which something else lay at another time


def past(operations: Iterable[Operation], ids: Collection[str], notes: Iterable[str]) -> Past:
    """Follow some notes back, from where they lie, through operations of which the newest comes first."""
    back = _Back(set(ids), set(notes))
    for operation in operations:
        for step in reversed(operation.steps):
            if step.do not in ("outside", "note"):
                back.take(operation.op, step)
    names = back.names | back.here
    return Past(frozenset(back.steps), frozenset(back.kept), frozenset(names), frozenset(names & back.others))


@dataclass(slots=True)
class _Back:
    ids: set[str]
    here: set[str]  # where they lay before the steps that were taken so far
    names: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    steps: set[OwnStep] = field(default_factory=set)
    kept: set[tuple[str, str]] = field(default_factory=set)

    def take(self, op: str, step: Step) -> None:
        if not self._is_own(step):
            self.others |= set(_paths(step))
            self.here -= set(_paths(step))  # what lies there is another's, so ours came later
            return
        self.names |= set(_paths(step))
        self.steps.add((op, step.path, step.to))
        if step.before:
            self.kept.add((op, step.before))
        self.here -= set(_paths(step))
        if step.do != "create":
            self.here.add(step.path)

    def _is_own(self, step: Step) -> bool:
        # A note without an id is told by where it lay at that time.
        return step.id in self.ids if step.id else (step.to or step.path) in self.here


def _paths(step: Step) -> Iterator[str]:
    return (path for path in (step.path, step.to) if path)


_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """All by which the forgotten would be known again."""

    id: str
    title: str
    ids: frozenset[str]
    notes: tuple[str, ...]
    past: Past  # what was done to them, as far as the records tell
    names: frozenset[str]  # the paths that were never another's
    texts: tuple[str, ...]  # what the notes say, and said before they were changed
    sources: tuple[str, ...]  # the turns that they were taken from, whole
    turns: frozenset[tuple[str, str]] = frozenset()  # those turns, by the ids of their conversations and their own
    talk: str = ""  # the conversation that goes as a whole; none where only a memory does
    talks: tuple[str, ...] = ()  # its files, as vault paths
    spoken: tuple[str, ...] = ()  # what was said in it at some length
    _known: set[str] = field(default_factory=set, compare=False)
    _words: set[str] = field(default_factory=set, compare=False)
    _sentences: dict[int, dict[str, int]] = field(default_factory=dict, compare=False)

    @property
    def marked(self) -> tuple[str, ...]:
        """What is not to be learnt again: its own texts in each part that says enough, what it came from as a whole."""
        own = (part for text in self.texts for part in sentences(text))
        return tuple(dict.fromkeys((*own, *(text for text in self.sources if is_long(text)))))

    def erased(self, text: str) -> str:
        """A text without what it says."""
        return self._runs.erased(erased(text, self._is_known))

    def is_said_in(self, text: str) -> bool:
        """Whether a text says any of it."""
        return self.erased(text) != text

    def may_be_in(self, text: str) -> bool:
        """Whether a text is worth a longer look: it has a word of it, or names it."""
        if not self._words:
            parts = (*self.marked, *self.ids, *self.names, *(op for op, _, _ in self.past.steps))
            self._words.update(
                max(_WORD.findall(normalize("NFKC", part).casefold()), key=len, default=part) for part in parts
            )
        low = normalize("NFKC", text).casefold()
        return any(word in low for word in self._words)

    def is_in(self, data: bytes) -> bool:
        """Whether bytes hold it: by an id, which is nobody else's, or by what it says."""
        text = data.decode("utf-8", "replace")
        return any(id_ in text for id_ in self.ids) or self.is_said_in(text)

    def is_shown_in(self, text: str, *, least: int = 1) -> bool:
        """Whether a list of memories names it: by a link to it, or by its whole title, if that is long enough."""
        wanted = [rf"\[\[(?:[^\]\n]*/)?{re.escape(_stem(path))}(?=[\]|#])" for path in self.past.names]
        wanted += [rf"(?<!\w){re.escape(self.title)}(?!\w)"] if len(self.title) >= least else []
        return any(re.search(pattern, text) for pattern in wanted)

    @property
    def _runs(self) -> Runs:
        if not self._sentences:
            for run, count in (one for text in self.texts for one in runs(text).items()):
                self._sentences.setdefault(count, {})[run] = sum(map(hash, run.split(" "))) % MOST
        sums = {count: set(found.values()) for count, found in self._sentences.items()}
        return Runs(sums, hash, lambda run: run in self._sentences[run.count(" ") + 1])

    def _is_known(self, text: str) -> bool:
        if not self._known:
            self._known.update(form for part in self.marked for form in (normal(part), bare(part)) if form)
        return any(form in self._known for form in spellings(text))


def subject(bench: Bench, ref: str) -> Subject:
    """What a reference means, wherever it lies by now: in the vault, in the archive, in quarantine, in the trash."""
    bench.freshen()
    memory = _meant(bench, ref)
    found = about(bench, own_notes(bench, memory))
    return replace(found, id=memory.id, title=memory.title)


def about(bench: Bench, own: Collection[Memory]) -> Subject:
    """All by which some notes would be known again, together with what was changed and thrown away of them."""
    ids = frozenset(note.id for note in own if note.id)
    operations = bench.vault.log.operations()
    thrown = _thrown(bench, ids, past(operations, ids, [note.path for note in own]).names)
    notes = {note.path: note for note in (*own, *thrown)}
    told = past(operations, ids, notes)
    turns = dict(pair for note in notes.values() for pair in _sources(bench, note))
    return Subject(
        id="",
        title="",
        ids=ids,
        notes=tuple(notes),
        past=told,
        names=told.names - told.shared - _of_others(bench, ids, notes),
        texts=tuple(dict.fromkeys((*_said(notes.values()), *_said_before(bench, told)))),
        sources=tuple(dict.fromkeys(turns.values())),
        turns=frozenset(turns),
    )


def _meant(bench: Bench, ref: str) -> Memory:
    try:
        return bench.read(bench.find(ref))[0]
    except NotFound:
        pass
    for memory in waiting(bench):
        names = (memory.path, memory.name.casefold(), memory.title.casefold())
        if ref.casefold() in names or (is_prefix(ref.casefold()) and memory.id.startswith(ref.casefold())):
            return memory
    try:
        return lost(bench, ref)
    except NotFound:
        if Safe(bench.vault).all():
            raise PerhapsPrivate(ref=ref) from None
        raise


def own_notes(bench: Bench, memory: Memory) -> list[Memory]:
    """The memory, the long files behind it, and what was merged into it."""
    merged = [each for each in bench.catalogue.memories(ANY) if memory.id and each.more.get("merged_into") == memory.id]
    return [memory, *details_of(bench, memory), *(bench.read(each)[0] for each in merged)]


def _thrown(bench: Bench, ids: Collection[str], names: Collection[str]) -> Iterator[Memory]:
    """What lies of it in the trash: the same id, or none at all and come there from the same place."""
    for path in bench.vault.trash():
        thrown = read_at(bench, path)
        if thrown and (thrown.id in ids if thrown.id else path in names):
            yield thrown


def _of_others(bench: Bench, ids: Collection[str], notes: Collection[str]) -> set[str]:
    """Paths that tell nothing of it, as another memory lies there, or lay there."""
    decided = bench.vault.ledger.decisions()
    known = {path for id_, path in decided.paths_by_id.items() if id_ not in ids}
    return known | {memory.path for memory in bench.catalogue.memories(ANY) if memory.path not in notes}


def _said(notes: Iterable[Memory]) -> Iterator[str]:
    """What notes say, in their bodies, and in fields that hold more than a name."""
    for note in notes:
        yield from said_by(note)
        yield from (text for text in texts_in((note.more, note.refs, note.triggers)) if is_long(text))


def _said_before(bench: Bench, told: Past) -> Iterator[str]:
    """What they said before they were changed, as long as that is kept."""
    for op, digest in sorted(told.kept):
        data = bench.vault.log.kept(op, digest)
        if data is not None and (text := frontmatter.parse(data).text.strip()):
            yield text


def _sources(bench: Bench, memory: Memory) -> Iterator[tuple[tuple[str, str], str]]:
    """The turns that a memory was made of, as the archive has them: conversation and id, and what was said."""
    turns = set(memory.refs.get("turns", ()))
    store = archive(bench)
    for talk in memory.refs.get("session", ()) if turns else ():
        for path in store.find(talk):
            try:
                there = store.open(path)
                found = [turn for turn in there.turns() if turn.id in turns and turn.text.strip()]
                name = there.head().id
            except MemvaultError:
                continue  # the doctor tells of a conversation that cannot be read
            yield from (((name, turn.id), turn.text) for turn in found)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
