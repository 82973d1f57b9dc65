"""Finding memories: what the search index gives, joined with the rows, and both kept for the next question."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from memvault.core.memory import Memory, Span
from memvault.core.query import NO_FILTERS, Filters, Match, Word
from memvault.core.weight import UsageHistory
from memvault.storage.index.derived import DerivedValues
from memvault.storage.index.rows import MemoryRow, RowQueries, span_of
from memvault.storage.index.search import Keep, TermHits, TermTeller
from memvault.storage.index.search.guard import GuardedBackend
from memvault.storage.vault.listing import StatKey

_MOST_MET = 2_000  # rows that are kept for the next question
_TOGETHER = 12  # rows looked up at a time: mostly no more than ten hits and what ties with them are asked for

Enough = Callable[[frozenset[str]], bool]


class IndexHit(NamedTuple):
    """A memory that a search found, its score, and where its best passage stands."""

    memory: Memory
    score: float
    span: Span
    key: StatKey | None = None  # what its file was when it was taken in
    body_offset: int = -1  # where the text begins in that file; -1 where that is not known
    terms: TermHits | None = None  # which terms of the question it held when it was taken in, as far as that is known
    past: UsageHistory | None = None  # what is known of its use, where that was looked up


class IndexQueries(RowQueries):
    """The rows of one catalogue with its search index."""

    derived: DerivedValues
    _backend: GuardedBackend

    def search(
        self, words: Sequence[Word], *, filters: Filters, limit: int, enough: Enough | None = None
    ) -> Iterator[IndexHit]:
        """The memories that hold any of the words and meet the conditions, best first, looked up as they are drawn.

        Those are left out of which it is known that the terms that they hold are not enough.
        """
        held = self.derived.current()
        keep = None if filters == NO_FILTERS else self._filter_test(filters, held)
        teller = self._backend.term_teller({term for word in words for term in word.terms})
        matches = self._backend.iter_matches(words, keep=keep, limit=limit, together=_TOGETHER)
        likely = (match for match in matches if _may_match(match, teller, enough))
        met: dict[int, MemoryRow] = held.setdefault("rows", {})
        while some := list(islice(likely, _TOGETHER)):
            rows = self._look_up_rows(met, [match.number for match in some])
            for match in some:
                # A number without a row is a text that another process is just taking in.
                if row := rows.get(match.number):
                    said = teller.term_hits(match.number, match.part) if teller else None
                    span = span_of(row.spans, match.part)
                    yield IndexHit(row.memory, match.score, span, row.key, row.body_offset, said, row.past)

    def _look_up_rows(self, met: dict[int, MemoryRow], numbers: Sequence[int]) -> Mapping[int, MemoryRow]:
        """Rows, those that were met before not read again: questions that follow each other meet the same."""
        if len(met) > _MOST_MET:
            met.clear()
        if missing := [number for number in numbers if number not in met]:
            met |= self.memory_rows(missing)
        return met

    def _filter_test(self, filters: Filters, held: dict[Hashable, Any]) -> Keep:
        """Tells by their numbers which memories meet some conditions, looked up once where these are asked again."""
        if filters.made or filters.since is not None:  # the next moment is another one
            return self.matching_numbers(filters).__contains__
        mask: bytearray | None = held.get(filters)
        if mask is None:
            numbers = self.matching_numbers(filters)
            mask = bytearray(max(numbers, default=0) + 1)
            for number in numbers:
                mask[number] = 1
            held[filters] = mask
        known = mask
        return lambda number: number < len(known) and known[number] == 1

    def term_rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term says."""
        return self._backend.rarity(terms)

    def similar_terms(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """For each term that stands nowhere, those that are spelled nearly alike."""
        return self._backend.near(terms)

    def count(self) -> int:
        """How many memories there are."""
        held = self.derived.current()
        if "count" not in held:
            held["count"] = super().count()
        return int(held["count"])

    def contradicted_among(self, ids: Iterable[str]) -> frozenset[str]:
        """Those of some memories of which any was found to say otherwise."""
        held = self.derived.current()
        if "doubted" not in held:
            held["doubted"] = self.contradicted_ids()
        doubted: frozenset[str] = held["doubted"]
        return doubted.intersection(ids)


def _may_match(match: Match, teller: TermTeller | None, enough: Enough | None) -> bool:
    held = teller.all_terms(match.number) if teller and enough else None
    return held is None or enough is None or enough(held)
