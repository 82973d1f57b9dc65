"""PostgreSQL as the engine: candidates by functions that look at the grants, and batches in one transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memvault.team.engines import (
    Around,
    Batch,
    Counts,
    Cursor,
    Reader,
    Ref,
    Sought,
    Source,
    SourceTurn,
    Statistics,
    Totals,
    Unit,
    digest_row,
    find_similar,
)
from memvault.team.engines.batches import PLACES, write_batch

if TYPE_CHECKING:
    import psycopg

_HIT = re.compile(r"'((?:[^'\\]|''|\\\\)*)':([0-9A,]+)")  # a lexeme with its positions, as PostgreSQL writes them


class PostgresEngine:
    """The engine over one connection; whoever has several threads gives each its own."""

    def __init__(self, connection: psycopg.Connection[Any], version: str = "") -> None:
        self.connection = connection
        self._version = version
        self._held: tuple[Reader, psycopg.Cursor[Any]] | None = None

    # -- writing

    def take(self, vault: int, batch: Batch) -> int:
        """Write a batch in one transaction."""
        with self.connection.transaction(), self.connection.cursor() as cursor:
            return write_batch(cursor, vault, batch, self._version)

    def cursor(self, vault: int, refs: Sequence[str] = ()) -> Cursor:
        """Look up the edition, and sources by both keys."""
        row = self.connection.execute("select cursor from memvault.edition where number = %s", (vault,)).fetchone()
        given = {"vault": vault, "refs": list(refs)}
        paths = self.connection.execute(_PATHS, given).fetchall() if refs else []
        return Cursor(str(row[0]) if row else "", paths)

    def digest(self, vault: int) -> str:
        """Return a digest of all rows of a vault and of what is counted: equal for equal content."""
        given = {"vault": vault}
        counted = self.connection.execute(_DIGEST_COUNTS, given).fetchone()
        return digest_row(*(self.connection.execute(text, given).fetchone() or () for text in _DIGESTS), counted)

    # -- reading

    def candidates(self, who: Reader, vault: int, kind: int, sought: Sought, *, limit: int) -> list[Ref]:
        """Ask the function of that name."""
        given = (vault, kind, list(sought.terms), list(sought.terms.values()), list(sought.speakers), list(sought.days))
        with self.reading(who) as cursor:
            rows = cursor.execute(_CANDIDATES, (*given, limit)).fetchall()
        return list(dict.fromkeys(Ref(*row) for row in rows))

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
        """Ask for units, or for texts; for candidates and what is around them in one call."""
        asked = list(dict.fromkeys(terms))
        with self.reading(who) as cursor:
            if isinstance(place, Sought):
                sought = (list(place.terms), list(place.terms.values()), list(place.speakers), list(place.days), limit)
                rows = cursor.execute(_AROUND_FOUND, (vault, kind, *sought, asked, steps), binary=True).fetchall()
                return _read_around(rows)
            places = {(ref.source, ref.turn) for ref in place}
            if texts:
                given = (vault, kind, [source for source, _ in places], [turn for _, turn in places], steps)
                return _read_texts(kind, cursor.execute(_TEXTS, given, binary=True).fetchall())
            rows = cursor.execute(_AROUND, (vault, kind, asked, *_merge_ranges(places, steps)), binary=True).fetchall()
        return _read_around(rows)

    def statistics(
        self,
        who: Reader,
        vault: int,
        terms: Sequence[str],
        groups: Sequence[tuple[str, ...]] = (),
        spelled: Sequence[str] = (),
    ) -> Statistics:
        """Ask for everything that is counted, in one call."""
        asked = list(dict.fromkeys(terms))
        with self.reading(who) as cursor:
            row = cursor.execute(_STATISTICS, (vault, asked, json.dumps(groups), list(spelled))).fetchone()
        found = row[0] if row else None
        if found is None:
            return Statistics(Totals(), {}, dict.fromkeys(groups, Counts()), {}, {})
        memories, passages, lengths, *rest = found["totals"]
        alike: dict[tuple[int, str], list[str]] = {}
        for kind, term, other in found["similar"] or ():
            alike.setdefault((kind, term), []).append(other)
        return Statistics(
            totals=Totals(memories, passages, tuple(lengths), *rest),
            terms={(kind, term): Counts(units, sittings) for kind, term, units, sittings in found["terms"] or ()},
            groups={group: Counts(*pair) for group, pair in zip(groups, found["groups"] or (), strict=True)},
            similar={key: terms for key, others in alike.items() if (terms := find_similar(key[1], others))},
            speakers=_speakers_by_term(found["speakers"] or (), asked),
        )

    @contextmanager
    def reading(self, who: Reader) -> Iterator[psycopg.Cursor[Any]]:
        """Read as somebody, in one transaction; the name does not outlive it."""
        if self._held is not None:
            if self._held[0] != who:
                raise ValueError("a transaction reads as one person")
            yield self._held[1]
            return
        with self.connection.pipeline(), self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute(_NAME_READER, (who.person, json.dumps(who.groups), who.agent))
            self._held = (who, cursor)
            try:
                yield cursor
            finally:
                self._held = None


_CANDIDATES = """
select * from memvault.candidates(%s, %s::smallint, %s::text[], %s::float8[], %s::text[], %s::int[], %s)"""
_AROUND = """
select * from memvault.around(%s, %s::smallint, %s::text[], %s::text[], %s::int[], %s::int[])"""
_AROUND_FOUND = """
select * from memvault.around_candidates(%s, %s::smallint, %s::text[], %s::float8[], %s::text[], %s::int[], %s,
  %s::text[], %s)"""
_TEXTS = "select * from memvault.texts(%s, %s::smallint, %s::text[], %s::int[], %s)"
_STATISTICS = "select memvault.statistics(%s, %s::text[], %s::jsonb, %s::text[])"
_PATHS = """
select kind, id, path from memvault.source where vault = %(vault)s and kind in (0, 1) and id = any(%(refs)s::text[])
union
select kind, id, path from memvault.source where vault = %(vault)s and kind in (0, 1) and path = any(%(refs)s::text[])
order by kind, id"""
_NAME_READER = """
select set_config('memvault.person', %s, true), set_config('memvault.groups', %s, true),
  set_config('memvault.agent', %s, true)"""
_DIGESTS = tuple(
    f"select count(*), md5(string_agg(hash::text, '' order by {key})) from memvault.{table} where vault = %(vault)s"  # noqa: S608, RUF100
    for table, key in (
        ("source", "kind, id"),
        ("turn", "kind, source, turn"),
        ("unit", "kind, source, turn, part"),
        ("sitting", "source, sitting"),
    )
)
_DIGEST_COUNTS = """
select
  (select md5(string_agg(format('%%s %%s %%s %%s %%s', kind, term, field, units, sittings), ','
    order by kind, term, field)) from memvault.term where vault = %(vault)s),
  (select md5(string_agg(format('%%s %%s', name, units), ',' order by name))
    from memvault.speaker where vault = %(vault)s),
  (select format('%%s %%s %%s %%s %%s %%s %%s %%s', memories, passages, lengths, conversations, turns, units, terms,
    sittings) from memvault.edition where number = %(vault)s)"""


def _merge_ranges(places: Iterable[tuple[str, int]], steps: int) -> tuple[list[str], list[int], list[int]]:
    """Return the ranges of turns around some turns, those that touch each other as one."""
    sources: list[str] = []
    firsts: list[int] = []
    lasts: list[int] = []
    for source, turn in sorted(places):
        if sources and sources[-1] == source and turn - steps <= lasts[-1] + 1:
            lasts[-1] = turn + steps
        else:
            sources.append(source)
            firsts.append(max(turn - steps, 0))
            lasts.append(turn + steps)
    return sources, firsts, lasts


def _read_around(rows: list[tuple[Any, ...]]) -> Around:
    rows.sort(key=itemgetter(0, 1, 2))
    known: dict[str | None, Mapping[str, Mapping[int, int]]] = {None: {}}  # many rows have the same
    units = []
    sittings = {}
    for row in rows:
        vector = row[11]
        hits = known.get(vector)
        if hits is None:
            hits = known[vector] = _read_hits(vector)
        if row[1] < 0:
            sittings[row[0], row[3]] = {term: counts[0] for term, counts in hits.items()}
        else:
            named = tuple(row[10]) if row[10] else ()
            units.append(Unit._make((*row[:8], tuple(row[8]), row[9], named, hits)))
    return Around(units, sittings, bool(rows) and len(rows[0]) > 12 and rows[0][12])


def _read_hits(vector: str) -> dict[str, dict[int, int]]:
    """Return how often each field has each term, as the positions say."""
    hits: dict[str, dict[int, int]] = {}
    for lexeme, places in _HIT.findall(vector):
        term = lexeme.partition("/")[2].replace("''", "'").replace("\\\\", "\\")
        hits[term] = dict(divmod(int(place[:-1]), PLACES) for place in places.split(","))
    return hits


def _read_texts(kind: int, rows: list[tuple[Any, ...]]) -> Around:
    rows.sort(key=itemgetter(0, 1))
    turns = [SourceTurn(*row[:4]) for row in rows if row[1] >= 0]
    return Around(turns=turns, sources=[Source(kind, row[0], row[4], row[5], row[3]) for row in rows if row[1] < 0])


def _speakers_by_term(rows: Iterable[tuple[str, Sequence[str]]], terms: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, own in sorted(rows):
        for term in set(own).intersection(terms):
            found.setdefault(term, []).append(name)
    return {term: tuple(names) for term, names in found.items()}
