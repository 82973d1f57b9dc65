"""Private memories opened in memory: all of them, or the one that a reference means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memvault.core.ids import SHORTEST_PREFIX, matches
from memvault.core.memory import Memory, Place
from memvault.errors import Ambiguous, MemvaultError, NotForAgents, NotFound
from memvault.privacy.private import age
from memvault.privacy.private.keys import Keys
from memvault.privacy.private.store import ENDING, Safe
from memvault.storage import frontmatter
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
