"""Finding memories: matches of the search backend joined with their rows, both kept for the next query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memvault.core.memory import Memory, Span
from memvault.core.query import NO_FILTERS, Filters, Match, Word
from memvault.core.weight import UsageHistory
from memvault.errors import Busy, DamagedIndex, IndexFailed, MemvaultError, Unwritable
from memvault.storage.index.derived import DerivedValues
from memvault.storage.index.rows import MemoryRow, RowQueries, span_of
from memvault.storage.index.search import NO_BACKENDS, Backend, BackendMaker, Keep, TermHits, open_backend
from memvault.storage.index.sqlite import disk_problem
from memvault.system.files import StatKey, describe_error

if TYPE_CHECKING:
    from memvault.storage.index.search.whoosh import SnapshotTeller

_MOST_ROWS = 2_000  # rows kept for the next query
_TOGETHER = 12  # rows looked up at a time: mostly ten hits and their ties are drawn

Enough = Callable[[frozenset[str]], bool]


class IndexHit(NamedTuple):
    """A memory that matched, its score, and where its best passage stands."""

    memory: Memory
    score: float
    span: Span
    key: StatKey | None = None  # its file when it was indexed
    body_offset: int = -1  # where the text begins in that file; -1 if unknown
    terms: TermHits | None = None  # the query's terms it held when it was indexed, if known
    past: UsageHistory | None = None  # its usage, where that was looked up
    best: float = 0.0  # the score of the best hit of the search that found it

    @property
    def standing(self) -> float:
        """Return the share of the best hit's score that it has, at most 1."""
        return min(1.0, self.score / self.best) if self.best > 0 else 1.0


class IndexQueries(RowQueries):
    """The rows of one index together with its search backend."""

    derived: DerivedValues
    backend: GuardedBackend

    def search(
        self, words: Sequence[Word], *, filters: Filters, limit: int, enough: Enough | None = None
    ) -> Iterator[IndexHit]:
        """Yield the memories that hold any of the words and meet the filters, best first, looked up as they are drawn.

        Memories whose terms are known not to be enough are left out.
        """
        values = self.derived.current()
        keep = None if filters == NO_FILTERS else self._filter_test(filters, values)
        teller = self.backend.term_teller({term for word in words for term in word.terms})
        matches = self.backend.iter_matches(words, keep=keep, limit=limit, together=_TOGETHER)
        first = next(matches, None)
        best = first.score if first else 0.0
        matches = chain([first] if first else (), matches)
        if teller and enough:
            matches = (match for match in matches if (held := teller.all_terms(match.number)) is None or enough(held))
        rows_by_number: dict[int, MemoryRow] = values.setdefault("rows", {})
        while some := list(islice(matches, _TOGETHER)):
            rows = self._look_up_rows(rows_by_number, [match.number for match in some])
            for match in some:
                # A number without a row is a text that another process is just indexing.
                if row := rows.get(match.number):
                    terms = teller.term_hits(match.number, match.part) if teller else None
                    span = span_of(row.spans, match.part)
                    yield IndexHit(row.memory, match.score, span, row.key, row.body_offset, terms, row.past, best)

    def _look_up_rows(self, known: dict[int, MemoryRow], numbers: Sequence[int]) -> Mapping[int, MemoryRow]:
        """Read the rows not known yet: consecutive queries meet the same ones."""
        if len(known) > _MOST_ROWS:
            known.clear()
        if missing := [number for number in numbers if number not in known]:
            known |= self.memory_rows(missing)
        return known

    def _filter_test(self, filters: Filters, values: dict[Hashable, Any]) -> Keep:
        """Return a test of which numbers meet the filters, computed once for repeated filters."""
        if filters.made or filters.since is not None:  # these depend on the moment
            return self.matching_numbers(filters).__contains__
        mask: bytearray | None = values.get(filters)
        if mask is None:
            numbers = self.matching_numbers(filters)
            mask = bytearray(max(numbers, default=0) + 1)
            for number in numbers:
                mask[number] = 1
            values[filters] = mask
        known = mask
        return lambda number: number < len(known) and known[number] == 1

    def count(self) -> int:
        """Return how many memories there are."""
        values = self.derived.current()
        if "count" not in values:
            values["count"] = super().count()
        return int(values["count"])

    def contradicted_among(self, ids: Iterable[str]) -> frozenset[str]:
        """Return the given memories that any other contradicts."""
        values = self.derived.current()
        if "contradicted" not in values:
            values["contradicted"] = self.contradicted_ids()
        contradicted: frozenset[str] = values["contradicted"]
        return contradicted.intersection(ids)


# A backend that tells of damage itself, by failed checksums; whatever else fails is the failure of one question.

Result = TypeVar("Result")

WAIT_SECONDS = 60.0
_LOCKED = "LockError"  # by name: only one backend imports the class's package


class GuardedBackend:
    """Passes everything on to a backend, and translates its errors."""

    def __init__(self, name: str, folder: Path, *, added: Mapping[str, BackendMaker] = NO_BACKENDS) -> None:
        self._folder = folder
        self._inner: Backend = self._run_guarded(lambda: open_backend(name, folder, added=added))

    def __getattr__(self, name: str) -> Any:
        """Return any method of the backend, guarded."""
        act = getattr(self._inner, name)
        return lambda *given, **options: self._run_guarded(lambda: act(*given, **options))

    def iter_matches(self, words: Sequence[Word], *, keep: Keep | None, limit: int, together: int) -> Iterator[Match]:
        """Search lazily where the backend can, so many matches at a time."""
        draw = getattr(self._inner, "iter_matches", self._inner.search)
        matches = self._run_guarded(lambda: iter(draw(words, keep=keep, limit=limit)))
        while some := self._run_guarded(lambda: list(islice(matches, together))):
            yield from some

    def term_teller(self, terms: Collection[str]) -> SnapshotTeller | None:
        """Return what knows which of some terms a memory holds, where the backend has such a thing."""
        tell = getattr(self._inner, "term_teller", None)  # optional for added backends
        return self._run_guarded(lambda: tell(terms)) if tell else None

    def _run_guarded(self, act: Callable[[], Result]) -> Result:
        try:
            return act()
        except MemvaultError:
            raise
        except FileNotFoundError as error:
            raise DamagedIndex(path=self._folder, reason=f"{error.filename} is missing") from error
        except Exception as error:  # MemoryError included
            if type(error).__name__ == _LOCKED:
                raise Busy(path=self._folder, seconds=WAIT_SECONDS) from None
            if reason := disk_problem(error, self._folder):
                raise Unwritable(path=self._folder, reason=reason) from error
            reason = describe_error(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            raise IndexFailed(path=self._folder, reason=reason) from error
