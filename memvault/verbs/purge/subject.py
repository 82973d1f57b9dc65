"""What is to be nowhere any more: the memory, its texts, its files, and what it was taken from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from memvault.core.dress import bare, spellings
from memvault.core.erasing import erased, sentences
from memvault.core.memory import Memory
from memvault.core.query import ANY
from memvault.core.screen import normal
from memvault.errors import MemvaultError, NotFound
from memvault.vault.layout import TRASH
from memvault.verbs.bench import Bench
from memvault.verbs.conversations import archive
from memvault.verbs.detail import details_of, read_at, said_by
from memvault.verbs.forget import lost
from memvault.verbs.quarantine import waiting

_FEWEST_LETTERS = 12  # of a title that tells by itself what was forgotten


@dataclass(frozen=True, slots=True)
class Subject:
    """All by which the forgotten would be known again."""

    id: str
    title: str
    ids: frozenset[str]
    notes: tuple[str, ...]
    names: frozenset[str]  # every path at which they ever lay, as far as the records tell
    texts: tuple[str, ...]  # what the notes say
    sources: tuple[str, ...]  # the turns that they were taken from, whole
    _known: set[str] = field(default_factory=set, compare=False)

    @property
    def marked(self) -> tuple[str, ...]:
        """What is not to be learnt again, in no part of it that says enough."""
        return tuple(dict.fromkeys(part for text in (*self.texts, *self.sources) for part in sentences(text)))

    def is_said_in(self, text: str) -> bool:
        """Whether a text says any of it."""
        return erased(text, self._is_known) != text

    def is_in(self, data: bytes) -> bool:
        """Whether bytes hold it: by an id, by a path, or by what it says."""
        text = data.decode("utf-8", "replace")
        return self.names_it(text) or self.is_said_in(text)

    def names_it(self, text: str) -> bool:
        """Whether a text names it: by its id, the path of a file of it, or a title that gives it away."""
        telling = self.title if len(self.title) >= _FEWEST_LETTERS else ""
        return any(name and name in text for name in (*self.ids, *self.names, telling))

    def _is_known(self, text: str) -> bool:
        if not self._known:
            self._known.update(form for part in self.marked for form in (normal(part), bare(part)) if form)
        return any(form in self._known for form in spellings(text))


def subject(bench: Bench, ref: str) -> Subject:
    """What a reference means, wherever it lies by now: in the vault, in the archive, in quarantine, in the trash."""
    bench.freshen()
    memory = _meant(bench, ref)
    notes = {note.path: note for note in _with_copies(bench, memory)}
    texts = tuple(dict.fromkeys(text for note in notes.values() for text in said_by(note)))
    sources = tuple(dict.fromkeys(text for note in notes.values() for text in _sources(bench, note)))
    ids = frozenset(note.id for note in notes.values() if note.id)
    names = frozenset((*notes, *_former(bench, ids, frozenset(notes))))
    return Subject(memory.id, memory.title, ids, tuple(notes), names, texts, sources)


def _former(bench: Bench, ids: frozenset[str], notes: frozenset[str]) -> Iterator[str]:
    """The paths that the records name beside the ids, and those from which a file went to where it lies."""
    known = set(notes)
    for operation in bench.vault.log.operations():  # the newest first, so that a way is followed back
        for step in operation.steps:
            if step.do != "outside" and (step.id in ids or step.to in known or step.path in known):
                known |= {path for path in (step.path, step.to) if path}
    yield from known


def _meant(bench: Bench, ref: str) -> Memory:
    try:
        return bench.read(bench.find(ref))[0]
    except NotFound:
        pass
    for memory in waiting(bench):
        if ref.casefold() in (memory.path, memory.name.casefold(), memory.title.casefold()) or memory.id.startswith(
            ref
        ):
            return memory
    return lost(bench, ref)


def _with_copies(bench: Bench, memory: Memory) -> Iterator[Memory]:
    """The memory, the long files behind it, what was merged into it, and what lies of all that in the trash."""
    own = [memory, *details_of(bench, memory)]
    merged = [each for each in bench.catalogue.memories(ANY) if memory.id and each.more.get("merged_into") == memory.id]
    own += [bench.read(each)[0] for each in merged]
    yield from own
    ids = {each.id for each in own if each.id}
    bodies = {normal(each.body or "") for each in own} - {""}
    for path in bench.vault.trash():
        thrown = read_at(bench, path)
        if thrown and (thrown.id in ids or normal(thrown.body or "") in bodies):
            yield thrown


def _sources(bench: Bench, memory: Memory) -> Iterator[str]:
    """The turns that a memory was made of, as the archive has them."""
    turns = set(memory.refs.get("turns", ()))
    store = archive(bench)
    for talk in memory.refs.get("session", ()) if turns else ():
        for path in store.find(talk):
            try:
                yield from (turn.text for turn in store.open(path).turns() if turn.id in turns and turn.text.strip())
            except MemvaultError:
                continue  # the doctor tells of a conversation that cannot be read


__all__ = ["TRASH", "Subject", "subject"]
