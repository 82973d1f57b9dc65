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
        """Add and remove documents in one step: after a kill all of it is done or nothing."""

    def search(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> list[Match]:
        """Return the memories that hold any word, best first, each once with its best passage; ties by number."""

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is: high for a rare one, highest for one that stands nowhere."""

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """Return similarly spelled terms, in order, for each term that stands nowhere and has any."""

    def numbers(self) -> set[int]:
        """Return the numbers of all memories."""

    def state(self) -> str:
        """Return a word that differs after every change by any process."""

    def optimise(self) -> None:
        """Make searching as fast as possible; worth it after many changes, never needed."""

    def tidy(self) -> bool:
        """Merge what many small changes left, if that pays; return whether it did."""

    def close(self) -> None:
        """Close all files."""


class TermHits(NamedTuple):
    """Which terms a memory holds: by field of its context, in one passage, and in any passage."""

    context: Mapping[str, frozenset[str]]
    passage: frozenset[str]
    passages: frozenset[str]


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
    """Open the backend of that name, built in or added, in its own folder."""
    if name in added:
        return added[name](folder)
    module, cls = BACKENDS[name]
    opened: Backend = getattr(import_module(module), cls)(folder)
    return opened
