"""Private memories opened in memory: all of them, or the one that a reference means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memvault.core.ids import SHORTEST_PREFIX, matches
from memvault.core.memory import Card, Memory, Place
from memvault.core.query import Match
from memvault.core.secrets.private_spans import without_private
from memvault.core.settings import Settings
from memvault.core.weight import Use
from memvault.errors import Ambiguous, MemvaultError, NotForAgents, NotFound
from memvault.privacy.private import age
from memvault.privacy.private.keys import Keys
from memvault.privacy.private.store import ENDING, Safe
from memvault.recall.ranking import question as notes
from memvault.recall.ranking.question import Question
from memvault.recall.recall import Hit
from memvault.recall.similarity import REST, similarity, told
from memvault.storage import frontmatter
from memvault.storage.index.rows import document_of
from memvault.storage.index.search.scan import ScanBackend
from memvault.storage.index.update import card_of
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.system import files


@dataclass(frozen=True, slots=True)
class Opened:
    """A private memory with its text, its bytes in the clear, and its bytes as they are sealed."""

    memory: Memory
    note: bytes
    sealed: bytes


@dataclass(frozen=True, slots=True)
class Shut:
    """A sealed file that could not be opened, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Opening:
    """What could be opened of a vault's private memories, the newest first, and what could not."""

    found: tuple[Opened, ...]
    shut: tuple[Shut, ...] = ()
    exposed: str = ""  # the file with the key, where others on this machine may read it

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The memories, with their texts."""
        return tuple(one.memory for one in self.found)


def check_person(bench: Bench) -> None:
    """Raise NotForAgents where an agent is at work: what it reads, a model reads."""
    if bench.actor.agent:
        raise NotForAgents(agent=bench.actor.agent)


def open_all(bench: Bench, keys: Keys) -> Opening:
    """Every private memory that the keys open; where they open none, what the first one says."""
    check_person(bench)
    safe = Safe(bench.vault)
    return open_these(bench, keys, safe, safe.paths())


def open_these(bench: Bench, keys: Keys, safe: Safe, paths: Sequence[str]) -> Opening:
    """The same for some files."""
    identities = keys.identities() if paths else ()
    found: list[Opened] = []
    shut: list[Shut] = []
    first: MemvaultError | None = None
    for path in paths:
        try:
            found.append(_opened(bench, keys, safe, path, identities))
        except MemvaultError as error:
            shut.append(Shut(path, str(error.data.get("reason", error))))
            first = first or error
    if first and not found:
        raise first
    found.sort(key=lambda one: (-one.memory.created.timestamp(), one.memory.path))
    return Opening(tuple(found), tuple(shut), keys.exposed)


def open_one(bench: Bench, keys: Keys, ref: str) -> Opened:
    """The private memory that a file name, an id (the beginning of either will do) or a title means."""
    check_person(bench)
    safe = Safe(bench.vault)
    if path := by_name(safe.paths(), ref):
        return _opened(bench, keys, safe, path, keys.identities())
    opening = open_all(bench, keys)
    found = [one for one in opening.found if _means(ref, one.memory)]
    if not found:
        raise NotFound(ref=ref)
    return _only(found, ref)


def by_name(paths: Sequence[str], ref: str) -> str:
    """The file that is called so, or begins so; empty where there is none, or more than one."""
    wanted = ref.strip().rpartition("/")[2].removesuffix(ENDING).casefold()
    names = {path: name_of(path).casefold() for path in paths}
    same = [path for path, name in names.items() if name == wanted]
    begun = [path for path, name in names.items() if name.startswith(wanted) and len(wanted) >= SHORTEST_PREFIX]
    found = same or begun
    return found[0] if len(found) == 1 else ""


def name_of(path: str) -> str:
    """What a sealed file is called, without its ending: as short as it is told to people."""
    return path.rpartition("/")[2].removesuffix(ENDING)


def read_note(bench: Bench, path: str, note: bytes, *, version: str = "", modified: datetime | None = None) -> Memory:
    """The memory in the bytes of a note that was opened."""
    when = modified or bench.now
    origin = codec.Origin(path, Place.MEMORIES, "", when, when, bench.zone, bench.settings.kinds)
    return codec.read(frontmatter.parse(note), origin, version=version)


def _opened(bench: Bench, keys: Keys, safe: Safe, path: str, identities: Sequence[str]) -> Opened:
    sealed, stamp = files.read_stamped(safe.absolute(path))
    note = age.unseal(sealed, identities, path=path, key=keys.where)
    modified = datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
    memory = read_note(bench, path, note, version=files.digest(sealed), modified=modified)
    return Opened(memory, note, sealed)


def _means(ref: str, memory: Memory) -> bool:
    return matches(memory.id, ref) or memory.title.casefold() == ref.strip().casefold()


def _only(found: Sequence[Opened], ref: str) -> Opened:
    if len(found) > 1:
        names = ", ".join(name_of(one.memory.path) for one in found[:5])
        raise Ambiguous(ref=ref, count=len(found), names=names)
    return found[0]


# Private memories searched in memory: the words of their texts, ranked as any recall ranks them.

_CANDIDATES_PER_HIT, _CANDIDATES_LEAST = 4, 40  # as for any recall: what scores lower is not looked at closely


class Texts:
    """The texts of some memories, held in memory alone to be searched."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = tuple(memories)
        self._cards: tuple[Card, ...] = tuple(map(card_of, self.memories))
        self._backend = ScanBackend(None)
        self._backend.replace((document_of(number, card) for number, card in enumerate(self._cards)), ())

    def hits(self, query: str, *, now: datetime, settings: Settings, limit: int, least: float) -> tuple[Hit, ...]:
        """The memories that answer a question, best first, each with its best passage."""
        people = settings.texts("people.aliases")
        question = notes.asked(query, now=now, people=people, near=self._backend.near)
        rarity = self._backend.rarity([word.term for word in question.words])
        most = limit or settings.whole("recall.limit")
        depth = most * _CANDIDATES_PER_HIT + _CANDIDATES_LEAST
        matches = self._backend.search(question.words, keep=None, limit=depth)
        weak_below = settings.number("recall.weak_below")
        found = [self._hit(match, question, rarity, weak_below) for match in matches]
        found = [hit for hit in found if hit.similarity >= least]
        found.sort(key=lambda hit: (-round(hit.score, 6), hit.memory.path))
        return tuple(found[:most])

    def _hit(self, match: Match, question: Question, rarity: Mapping[str, float], weak_below: float) -> Hit:
        memory, card = self.memories[match.number], self._cards[match.number]
        body = without_private(memory.body or "")
        passage = card.passages[match.part] if match.part < len(card.passages) else body
        names = "\n".join((*memory.tags, *memory.topics, *memory.people))
        labels = {"title": memory.title, "tags": names, "triggers": "\n".join(memory.triggers)}
        parts = {**labels, "heading": card.headings, "text": passage, REST: "" if passage == body else body}
        said = told(question.words, rarity, parts, on_day=False)
        alike = similarity(said)
        return Hit(
            memory=memory.changed(body=None),
            text=passage.strip(),
            similarity=round(alike, 4),
            score=match.score,
            weak=alike < weak_below,
            weight=memory.weight,
            use=Use(memory.access_count, memory.last_accessed),
            told=tuple(said),
        )
