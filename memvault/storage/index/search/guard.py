"""A backend whose unexpected failures all mean that the index is damaged and must be rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from memvault.core.query import IndexDocument, Match, Word
from memvault.errors import Busy, DamagedIndex, MemvaultError, Unwritable
from memvault.storage.index.search import NO_BACKENDS, Backend, BackendMaker, Keep, TermTeller, open_backend
from memvault.storage.index.sqlite import disk_problem
from memvault.system.guard import ExtensionError, call_guarded

Result = TypeVar("Result")

WAIT_SECONDS = 60.0
_LOCKED = "LockError"  # by name: only one backend imports the class's package


class GuardedBackend:
    """Passes everything on to a backend, and translates its errors."""

    def __init__(self, name: str, folder: Path, *, added: Mapping[str, BackendMaker] = NO_BACKENDS) -> None:
        self._folder = folder
        self._inner: Backend = self._run_guarded(lambda: open_backend(name, folder, added=added))

    def replace(self, documents: Iterable[IndexDocument], gone: Collection[int]) -> None:
        """Add and remove documents in one step."""
        self._run_guarded(lambda: self._inner.replace(documents, gone))

    def search(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> list[Match]:
        """Return the memories that hold any of the words, best first."""
        return self._run_guarded(lambda: self._inner.search(words, keep=keep, limit=limit))

    def iter_matches(self, words: Sequence[Word], *, keep: Keep | None, limit: int, together: int) -> Iterator[Match]:
        """Search lazily where the backend can, so many matches at a time."""
        draw = getattr(self._inner, "iter_matches", self._inner.search)
        matches = self._run_guarded(lambda: iter(draw(words, keep=keep, limit=limit)))
        while some := self._run_guarded(lambda: list(islice(matches, together))):
            yield from some

    def term_teller(self, terms: Collection[str]) -> TermTeller | None:
        """Return the backend's TermTeller, where it has one."""
        tell = getattr(self._inner, "term_teller", None)  # optional for added backends
        return self._run_guarded(lambda: tell(terms)) if tell else None

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is."""
        return self._run_guarded(lambda: self._inner.rarity(terms))

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """Return similarly spelled terms for each term that stands nowhere."""
        return self._run_guarded(lambda: self._inner.near(terms))

    def numbers(self) -> set[int]:
        """Return the numbers of all memories."""
        return self._run_guarded(self._inner.numbers)

    def state(self) -> str:
        """Return a word that differs after every change."""
        return self._run_guarded(self._inner.state)

    def optimise(self) -> None:
        """Make searching as fast as possible."""
        self._run_guarded(self._inner.optimise)

    def tidy(self) -> bool:
        """Merge what many small changes left, if that pays."""
        return self._run_guarded(self._inner.tidy)

    def close(self) -> None:
        """Close all files."""
        self._run_guarded(self._inner.close)

    def _run_guarded(self, act: Callable[[], Result]) -> Result:
        found = call_guarded(act)
        if not isinstance(found, ExtensionError):
            return found
        if isinstance(found.error, MemvaultError):
            raise found.error
        # A damaged index can fail in any way, MemoryError included.
        if found.name == _LOCKED:
            raise Busy(path=self._folder, seconds=WAIT_SECONDS)
        if reason := disk_problem(found.error, self._folder):
            raise Unwritable(path=self._folder, reason=reason)
        raise DamagedIndex(path=self._folder, reason=f"{found.name}: {found.error}")
