"""The engines that hold the units of many vaults: one protocol, one explicit table.

An engine need not rank well. It hands over candidates and what stands around them; the ranking is memvault's own. What
it counts, it counts for each vault by itself, so what another vault holds changes no score.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from memvault.storage.index.search.bm25 import HEAD, similar_terms
from memvault.system import files

FEWEST_CANDIDATES = 200
MEMORY, TURN = 0, 1  # what a source is: a memory, or a conversation
# Postings that are followed, and for each candidate: rare words anywhere, common ones only where these lead.
FOLLOWED, FOLLOWED_EACH = 4_000, 5
MOST_FOLLOWED = 20_000  # of a single word
COUNTED = 4_000  # units that hold any of some terms: beyond, their number is estimated
MOST_HITS = 255  # of a term in one field of a unit
NAMED_SPEAKER = 3.0  # what a unit gains that was said by somebody whom the question names


class Reader(NamedTuple):
    """Who reads: a person, the groups that the token names, and the agent that asks for them."""

    person: str
    groups: tuple[str, ...] = ()
    agent: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names under which grants may stand."""
        return (f"person:{self.person}", *(f"group:{group}" for group in self.groups))


class Unit(NamedTuple):
    """What is found on its own: a part of a turn, or a passage of a memory, with the numbers that scoring needs."""

    source: str
    turn: int
    part: int
    sitting: int
    speaker: str
    role: int
    day: int
    signs: int
    lengths: tuple[int, ...]  # terms, by field
    sitting_terms: int  # of its whole sitting, among people
    named_days: tuple[int, ...]  # first and last, in pairs
    hits: Mapping[str, Mapping[int, int]]  # by term: how often each field has it; of those read, only terms asked for

    @property
    def ref(self) -> Ref:
        """Return where it stands."""
        return Ref(self.source, self.turn, self.part)


class Ref(NamedTuple):
    """Where a unit stands, and whether postings of a common word were left out when it was looked for.

    Where texts are asked for, a path, a short id or the beginning of an id may stand for a source that is not known.
    """

    source: str
    turn: int
    part: int = 0
    is_cut: bool = False


class SourceTurn(NamedTuple):
    """The text of one turn, or of a whole memory, with what is shown of it as JSON."""

    source: str
    turn: int
    text: str
    data: str


class Source(NamedTuple):
    """A memory or a conversation: its id, what is known of it as a whole as JSON, its texts and its units."""

    kind: int
    id: str
    path: str
    short: str  # of a conversation: what its turns' references begin with
    data: str
    turns: Sequence[SourceTurn] = ()
    units: Sequence[Unit] = ()

    def count_sittings(self) -> dict[int, Counter[str]]:
        """Return how many units of each sitting among people have each term."""
        found: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for unit in self.units:
            if self.kind == TURN and not unit.role:
                found[unit.sitting].update(unit.hits.keys())
        return dict(found)

    def unit_digests(self) -> list[str]:
        """Return a digest of each unit: what has the same one need not be written again."""
        return [
            digest_row(self.kind, *unit[:-1], sorted((t, *sorted(f.items())) for t, f in unit.hits.items()))
            for unit in self.units
        ]


class Batch(NamedTuple):
    """What a range of commits changed in a vault."""

    since: str  # the cursor from which it was read: a batch read from another one is refused
    cursor: str
    sources: Iterable[Source] = ()
    gone: Sequence[tuple[int, str]] = ()  # kinds and ids
    speaker_terms: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # of each speaker's name
    is_whole: bool = False  # whether everything else is gone
    settings: str | None = None  # the vault's settings as JSON, where they changed


class Sought(NamedTuple):
    """What candidates are to match: terms, each with its share of a word, speakers, and days as ordinals in pairs."""

    terms: Mapping[str, float]
    speakers: tuple[str, ...] = ()
    days: tuple[int, ...] = ()


class Counts(NamedTuple):
    """How many units hold something, and how many sittings."""

    units: int = 0
    sittings: int = 0


class Totals(NamedTuple):
    """What a vault holds in all."""

    memories: int = 0
    passages: int = 0
    lengths: tuple[int, ...] = (0, 0, 0, 0, 0)  # terms of all memories, by field
    conversations: int = 0
    turns: int = 0
    units: int = 0
    terms: int = 0  # of all units of turns
    sittings: int = 0
    earliest: int = 0  # days, as ordinals
    latest: int = 0


class Statistics(NamedTuple):
    """What is counted over a whole vault."""

    totals: Totals
    terms: Mapping[tuple[int, str], Counts]  # by kind and term; of memories, by the field where it is most common
    groups: Mapping[tuple[str, ...], Counts]  # units of turns that hold any of some terms
    similar: Mapping[tuple[int, str], tuple[str, ...]]  # known terms with the same beginning as one that is unknown
    speakers: Mapping[str, tuple[str, ...]]  # people whose name has a term


class Around(NamedTuple):
    """What stands around some units: units as scoring sees them, or texts with what is known of their sources."""

    units: Sequence[Unit] = ()
    sittings: Mapping[tuple[str, int], Mapping[str, int]] = MappingProxyType({})  # how many of its units have a term
    is_cut: bool = False  # whether postings of a common word were left out of the candidates
    turns: Sequence[SourceTurn] = ()
    sources: Sequence[Source] = ()  # without texts and units


class Cursor(NamedTuple):
    """How far a vault was read, and which of its sources have one of some ids or paths."""

    commit: str = ""
    paths: Sequence[tuple[int, str, str]] = ()  # by kind and id


class Engine(Protocol):
    """Holds units of many vaults. A vault is a number; all reading names the reader, who gets nothing ungranted."""

    def take(self, vault: int, batch: Batch) -> int:
        """Write a batch and its cursor, all or nothing; return how many rows changed."""

    def cursor(self, vault: int, refs: Sequence[str] = ()) -> Cursor:
        """Return how far the last batch went, and what has some ids or paths, for whoever reads the next one."""

    def candidates(self, who: Reader, vault: int, kind: int, sought: Sought, *, limit: int) -> list[Ref]:
        """Return units that hold any of the terms or were said on one of the days, the likeliest first."""

    def around(
        self,
        who: Reader,
        vault: int,
        kind: int,
        place: Sequence[Ref] | Sought,
        *,
        limit: int = 0,
        terms: Sequence[str] = (),
        steps: int = 0,
        texts: bool = False,
    ) -> Around:
        """Return what stands around units or so many candidates, in order, and how many of a sitting have the terms."""

    def statistics(
        self,
        who: Reader,
        vault: int,
        terms: Sequence[str],
        groups: Sequence[tuple[str, ...]] = (),
        spelled: Sequence[str] = (),
    ) -> Statistics:
        """Return what is counted over the whole vault of terms and groups of terms, and what is spelled like some."""


ENGINES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "postgresql": ("memvault.team.engines.postgresql", "PostgresEngine"),
        "memory": ("memvault.team.engines.memory", "MemoryEngine"),
    }
)


def open_engine(name: str, *given: Any) -> Engine:
    """Open the engine of that name; its module is imported now."""
    module, cls = ENGINES[name]
    opened: Engine = getattr(import_module(module), cls)(*given)
    return opened


def followed_postings(limit: int) -> int:
    """Return how many postings are followed for so many candidates."""
    return max(FOLLOWED, FOLLOWED_EACH * limit)


def find_similar(term: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known terms that are spelled nearly like one that stands nowhere, in order."""
    return tuple(similar_terms(term, sorted(each for each in known if each[:HEAD] == term[:HEAD])))


def digest_row(*values: object) -> str:
    """Return a digest of the values of a row."""
    return files.digest(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode())[:32]
