"""The search backends: one protocol, one explicit table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from memvault.core.query import IndexDocument, Match, Word

Keep = Callable[[int], bool]


class Backend(Protocol):
    """Finds memories by the terms of their texts. A memory is known by its number, which is never used twice."""

    def replace(self, documents: Iterable[IndexDocument], gone: Collection[int]) -> None:
        """Take documents in and let others go, in one step: killed in the middle, all of it is done or nothing."""

    def search(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> list[Match]:
        """The memories that hold any of the words, best first, each once with its best passage; ties by number."""

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term says: high for a rare one, highest for one that stands nowhere."""

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """For each term that stands nowhere, those spelled nearly alike, in order; only where there are any."""

    def numbers(self) -> set[int]:
        """The numbers of all memories held."""

    def state(self) -> str:
        """What differs after every change, by whatever process it was made."""

    def optimise(self) -> None:
        """Make searching as fast as it can be; worth it after many changes, never needed."""

    def tidy(self) -> bool:
        """For when there is time: do away with what many small changes left, if it is worth it; says whether it was."""

    def close(self) -> None:
        """Let go of files."""


class TermHits(NamedTuple):
    """Those of some terms that a memory holds: by field of its context, in one of its passages, and in any of them."""

    context: Mapping[str, frozenset[str]]
    passage: frozenset[str]
    passages: frozenset[str]


class TermTeller(Protocol):
    """Tells which of some terms a memory holds; None where that is not known."""

    def all_terms(self, number: int) -> frozenset[str] | None:
        """Those that it holds in whatever place."""

    def term_hits(self, number: int, part: int) -> TermHits | None:
        """Those that it holds, and where, seen from one of its passages."""


BackendMaker = Callable[[Path], Backend]

NO_BACKENDS: Mapping[str, BackendMaker] = MappingProxyType({})

# Name in the settings -> module and class; imported when it is chosen.
BACKENDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "whoosh": ("memvault.storage.index.search.whoosh", "WhooshBackend"),
        "scan": ("memvault.storage.index.search.scan", "ScanBackend"),
    }
)


def open_backend(name: str, folder: Path, *, added: Mapping[str, BackendMaker] = NO_BACKENDS) -> Backend:
    """The backend of that name, ours or one that was added, keeping what it keeps in a folder of its own."""
    if name in added:
        return added[name](folder)
    module, cls = BACKENDS[name]
    opened: Backend = getattr(import_module(module), cls)(folder)
    return opened
