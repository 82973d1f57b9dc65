"""PostgreSQL as the engine: candidates by functions that look at the grants, and batches in one transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from memvault.storage.index.search.bm25 import SHORTEST
from memvault.team.engines import (
    MEMORY,
    MOST_HITS,
    TURN,
    Around,
    Batch,
    Counts,
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
from memvault.team.engines.schema import PLACES

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_TOGETHER = 200  # sources that are copied at a time
_LONGEST_TERM = 500  # characters
_HIT = re.compile(r"'((?:[^'\\]|''|\\\\)*)':([0-9A,]+)")  # a lexeme with its positions, as PostgreSQL writes them

_STAGE = """
create temp table staged_source (kind smallint, id text collate "C", path text, short text, data text, hash uuid)
  on commit drop;
create temp table staged_turn (kind smallint, source text collate "C", turn int, text text, data text, hash uuid)
  on commit drop;
create temp table staged_unit (
  kind smallint, source text collate "C", turn int, part int, sitting int, speaker text, role smallint, day int,
  signs int, start int, stop int, heading text, lengths int[], sitting_terms int, length int, named int[],
  tsv tsvector, hash uuid
) on commit drop;
create temp table affected (kind smallint, id text collate "C", primary key (kind, id)) on commit drop;
create temp table delta_term (kind smallint, term text collate "C", field smallint, units bigint, sittings bigint)
  on commit drop;
create temp table delta_speaker (name text collate "C", units bigint) on commit drop;
create temp table delta_total (memories bigint, passages bigint, lengths bigint[], conversations bigint, turns bigint,
  units bigint, terms bigint, sittings bigint) on commit drop;
"""
_AFFECT = """
insert into affected select kind, id from staged_source
union select * from unnest(%(kinds)s::smallint[], %(ids)s::text[])
union select kind, id from memvault.source where vault = %(vault)s and %(whole)s;
"""
_COUNT = (
    """
insert into delta_term
select c.kind, c.term, c.field, %(sign)s * c.units, %(sign)s * c.sittings from (
  select u.kind, substr(l.lexeme, strpos(l.lexeme, '/') + 1) as term, f.field, count(*) as units,
    case u.kind when 1 then count(distinct (u.source, u.sitting)) else 0 end as sittings
  from affected a join memvault.unit u on u.vault = %(vault)s and u.kind = a.kind and u.source = a.id
  cross join lateral unnest(u.tsv) l
  cross join lateral (
    select distinct case u.kind when 1 then 0 else (p - 1) / %(places)s end as field from unnest(l.positions) p
  ) f group by u.kind, l.lexeme, f.field
) c""",
    """
insert into delta_speaker
select u.speaker, %(sign)s * count(*) from affected a join memvault.unit u
  on u.vault = %(vault)s and u.kind = 1 and a.kind = 1 and u.source = a.id and u.role = 0 group by u.speaker""",
    """
insert into delta_total select
  %(sign)s * (select count(*) from affected a join memvault.source s on s.vault = %(vault)s and s.kind = a.kind
    and s.id = a.id where a.kind = 0),
  %(sign)s * count(*) filter (where u.kind = 0),
  array(select %(sign)s * coalesce(sum(m.lengths[i]), 0) from generate_series(1, 5) i left join (
    affected b join memvault.unit m on m.vault = %(vault)s and m.kind = 0 and m.source = b.id and b.kind = 0
  ) on true group by i order by i),
  %(sign)s * (select count(*) from affected a join memvault.source s on s.vault = %(vault)s and s.kind = a.kind
    and s.id = a.id where a.kind = 1),
  %(sign)s * (select count(*) from affected a join memvault.turn t on t.vault = %(vault)s and t.kind = 1
    and a.kind = 1 and t.source = a.id),
  %(sign)s * count(*) filter (where u.kind = 1),
  %(sign)s * coalesce(sum(u.lengths[1]) filter (where u.kind = 1), 0),
  %(sign)s * count(distinct (u.source, u.sitting)) filter (where u.kind = 1)
from affected a join memvault.unit u on u.vault = %(vault)s and u.kind = a.kind and u.source = a.id""",
)
_REMOVE = (
    """
delete from memvault.unit u using affected a where u.vault = %(vault)s and u.kind = a.kind and u.source = a.id
  and not exists (select from staged_unit s where s.kind = u.kind and s.source = u.source and s.turn = u.turn
    and s.part = u.part)""",
    """
delete from memvault.turn t using affected a where t.vault = %(vault)s and t.kind = a.kind and t.source = a.id
  and not exists (select from staged_turn s where s.kind = t.kind and s.source = t.source and s.turn = t.turn)""",
    """
delete from memvault.source o using affected a where o.vault = %(vault)s and o.kind = a.kind and o.id = a.id
  and not exists (select from staged_source s where s.kind = o.kind and s.id = o.id)""",
)
_WRITE = (
    """
insert into memvault.source (vault, kind, id, path, short, data, hash, sequence)
select %(vault)s, s.*, %(sequence)s from staged_source s
on conflict (vault, kind, id) do update set path = excluded.path, short = excluded.short, data = excluded.data,
  hash = excluded.hash, sequence = excluded.sequence where source.hash <> excluded.hash""",
    """
insert into memvault.turn (vault, kind, source, turn, text, data, hash, sequence)
select %(vault)s, s.*, %(sequence)s from staged_turn s
on conflict (vault, kind, source, turn) do update set text = excluded.text, data = excluded.data,
  hash = excluded.hash, sequence = excluded.sequence where turn.hash <> excluded.hash""",
    """
insert into memvault.unit (vault, kind, source, turn, part, sitting, speaker, role, day, signs, start, stop, heading,
  lengths, sitting_terms, length, named, tsv, hash, sequence)
select %(vault)s, s.*, %(sequence)s from staged_unit s
on conflict (vault, kind, source, turn, part) do update set sitting = excluded.sitting, speaker = excluded.speaker,
  role = excluded.role, day = excluded.day, signs = excluded.signs, start = excluded.start, stop = excluded.stop,
  heading = excluded.heading, lengths = excluded.lengths, sitting_terms = excluded.sitting_terms,
  length = excluded.length, named = excluded.named,
  tsv = excluded.tsv, hash = excluded.hash, sequence = excluded.sequence where unit.hash <> excluded.hash""",
)
_SETTLE = (
    """
insert into memvault.term as t (vault, kind, term, field, units, sittings)
select %(vault)s, d.kind, d.term, d.field, sum(d.units), sum(d.sittings) from delta_term d
group by d.kind, d.term, d.field having sum(d.units) <> 0 or sum(d.sittings) <> 0
on conflict (vault, kind, term, field)
do update set units = t.units + excluded.units, sittings = t.sittings + excluded.sittings""",
    """
delete from memvault.term t using (select distinct kind, term, field from delta_term) d
where t.vault = %(vault)s and t.kind = d.kind and t.term = d.term and t.field = d.field and t.units = 0""",
    """
insert into memvault.speaker as s (vault, name, terms, units)
select %(vault)s, d.name, array(select jsonb_array_elements_text(coalesce(%(names)s::jsonb -> d.name, '[]'))),
  sum(d.units) from delta_speaker d group by d.name having sum(d.units) <> 0
on conflict (vault, name) do update set units = s.units + excluded.units""",
    """
delete from memvault.speaker s where s.vault = %(vault)s and s.units = 0""",
    """
update memvault.edition e set cursor = %(cursor)s, sequence = %(sequence)s, at = now(),
  settings = coalesce(%(settings)s, e.settings), version = %(version)s,
  memories = e.memories + d.memories, passages = e.passages + d.passages,
  lengths = array(select e.lengths[i] + d.lengths[i] from generate_series(1, 5) i),
  conversations = e.conversations + d.conversations, turns = e.turns + d.turns, units = e.units + d.units,
  terms = e.terms + d.terms, sittings = e.sittings + d.sittings
from (
  select sum(memories) as memories, sum(passages) as passages, sum(conversations) as conversations,
    sum(turns) as turns, sum(units) as units, sum(terms) as terms, sum(sittings) as sittings,
    array(select sum(lengths[i]) from delta_total cross join generate_series(1, 5) i group by i order by i) as lengths
  from delta_total
) d where e.number = %(vault)s""",
)


class PostgresEngine:
    """The engine over one connection; whoever has several threads gives each its own."""

    def __init__(self, connection: Connection[Any], version: str = "") -> None:
        self.connection = connection
        self._version = version
        self._held: tuple[Reader, Cursor[Any]] | None = None

    # -- writing

    def take(self, vault: int, batch: Batch) -> int:
        """Write what differs, count it, and set the cursor, in one transaction."""
        with self.connection.transaction(), self.connection.cursor() as cursor:
            row = cursor.execute(
                "select cursor, sequence from memvault.edition where number = %s for update", (vault,)
            ).fetchone()
            if row is None or row[0] != batch.since:
                return 0
            cursor.execute(_STAGE)
            for sources in _in_parts(batch.sources):
                _stage_sources(cursor, vault, sources)
            gone = list(zip(*batch.gone, strict=True)) or [(), ()]
            given = {
                "vault": vault,
                "places": PLACES,
                "sequence": row[1] + 1,
                "cursor": batch.cursor,
                "settings": batch.settings,
                "version": self._version,
                "names": json.dumps(dict(batch.speaker_terms)),
                "kinds": list(gone[0]),
                "ids": list(gone[1]),
                "whole": batch.is_whole,
            }
            cursor.execute(_AFFECT, given)
            cursor.execute("analyze staged_unit; analyze staged_turn; analyze staged_source; analyze affected")
            for statement in _COUNT:
                cursor.execute(statement, {**given, "sign": -1})
            changed = 0
            for statement in (*_REMOVE, *_WRITE):
                changed += cursor.execute(statement, given).rowcount
            for statement in _COUNT:
                cursor.execute(statement, {**given, "sign": 1})
            for statement in _SETTLE:
                cursor.execute(statement, given)
            return changed

    def cursor(self, vault: int) -> str:
        """Return the cursor of the last batch."""
        row = self.connection.execute("select cursor from memvault.edition where number = %s", (vault,)).fetchone()
        return str(row[0]) if row else ""

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
        refs: Sequence[Ref],
        *,
        terms: Sequence[str] = (),
        steps: int = 0,
        texts: bool = False,
    ) -> Around:
        """Ask for units, or for texts."""
        places = {(ref.source, ref.turn) for ref in refs}
        given: tuple[object, ...] = (vault, kind, [source for source, _ in places], [turn for _, turn in places])
        with self.reading(who) as cursor:
            if texts:
                sql = "select * from memvault.texts(%s, %s::smallint, %s::text[], %s::int[], %s)"
                return Around(turns=[SourceTurn(*row) for row in cursor.execute(sql, (*given, steps)).fetchall()])
            asked = list(dict.fromkeys(terms))
            rows = cursor.execute(_AROUND, (*given, asked, *_merge_ranges(places, steps)), binary=True).fetchall()
        units = {row[:3]: row for row in rows}
        return Around(units=[_read_unit(units[key]) for key in sorted(units)])

    def statistics(
        self, who: Reader, vault: int, terms: Sequence[str], groups: Sequence[tuple[str, ...]] = ()
    ) -> Statistics:
        """Ask for everything that is counted, in one call."""
        asked = list(dict.fromkeys(terms))
        with self.reading(who) as cursor:
            sql = "select memvault.statistics(%s, %s::text[], %s::jsonb)"
            row = cursor.execute(sql, (vault, asked, json.dumps(groups))).fetchone()
            found = row[0] if row else None
            if found is None:
                return Statistics(Totals(), {}, dict.fromkeys(groups, Counts()), {}, {})
            known = {(kind, term): Counts(units, sittings) for kind, term, units, sittings in found["terms"] or ()}
            unknown = [(kind, term) for kind in (MEMORY, TURN) for term in asked if (kind, term) not in known]
            spelled: dict[int, list[str]] = {MEMORY: [], TURN: []}
            if words := list({term for _, term in unknown if len(term) >= SHORTEST}):
                sql = "select * from memvault.similar_terms(%s, %s::text[])"
                for kind, term in cursor.execute(sql, (vault, words)).fetchall():
                    spelled[kind].append(term)
        memories, passages, lengths, *rest = found["totals"]
        return Statistics(
            totals=Totals(memories, passages, tuple(lengths), *rest),
            terms=known,
            groups={group: Counts(*pair) for group, pair in zip(groups, found["groups"] or (), strict=True)},
            similar={key: alike for key in unknown if (alike := find_similar(key[1], spelled[key[0]]))},
            speakers=_speakers_by_term(found["speakers"] or (), asked),
        )

    def sources(self, who: Reader, vault: int, kind: int, refs: Sequence[str]) -> list[Source]:
        """Ask the function of that name."""
        with self.reading(who) as cursor:
            sql = "select * from memvault.find_sources(%s, %s::smallint, %s::text[])"
            return [Source(kind, *row) for row in cursor.execute(sql, (vault, kind, list(refs))).fetchall()]

    def find_paths(self, vault: int, kind: int, refs: Sequence[str]) -> list[tuple[str, str]]:
        """Look them up by both keys."""
        rows = self.connection.execute(_PATHS, {"vault": vault, "kind": kind, "refs": list(refs)}).fetchall()
        return [(id_, path) for id_, path in rows]

    @contextmanager
    def reading(self, who: Reader) -> Iterator[Cursor[Any]]:
        """Read as somebody, in one transaction; the name does not outlive it."""
        if self._held is not None:
            if self._held[0] != who:
                raise ValueError("a transaction reads as one person")
            yield self._held[1]
            return
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute(_NAME_READER, (who.person, json.dumps(who.groups), who.agent))
            self._held = (who, cursor)
            try:
                yield cursor
            finally:
                self._held = None


_CANDIDATES = """
select * from memvault.candidates(%s, %s::smallint, %s::text[], %s::float8[], %s::text[], %s::int[], %s)"""
_AROUND = """
select * from memvault.around(%s, %s::smallint, %s::text[], %s::int[], %s::text[], %s::text[], %s::int[], %s::int[])"""
_PATHS = """
select id, path from memvault.source where vault = %(vault)s and kind = %(kind)s and id = any(%(refs)s::text[])
union select id, path from memvault.source where vault = %(vault)s and kind = %(kind)s and path = any(%(refs)s::text[])
order by id"""
_NAME_READER = """
select set_config('memvault.person', %s, true), set_config('memvault.groups', %s, true),
  set_config('memvault.agent', %s, true)"""
_DIGESTS = tuple(
    f"select count(*), md5(string_agg(hash::text, '' order by {key})) from memvault.{table} where vault = %(vault)s"  # noqa: S608, RUF100
    for table, key in (
        ("source", "kind, id"),
        ("turn", "kind, source, turn"),
        ("unit", "kind, source, turn, part"),
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


def _stage_sources(cursor: Cursor[Any], vault: int, sources: Sequence[Source]) -> None:
    with cursor.copy("copy staged_source from stdin") as copy:
        for source in sources:
            row = (source.kind, source.id, _clean(source.path), source.short, _clean(source.data))
            copy.write_row((*row, digest_row(source.path, source.short, source.data)))
    with cursor.copy("copy staged_turn from stdin") as copy:
        for source in sources:
            for turn in source.turns:
                texts = _clean(turn.text), _clean(turn.data)
                copy.write_row((source.kind, source.id, turn.turn, *texts, digest_row(turn.text, turn.data)))
    with cursor.copy("copy staged_unit from stdin") as copy:
        for source in sources:
            for unit, digest in zip(source.units, source.unit_digests(), strict=True):
                copy.write_row((source.kind, *_unit_row(vault, unit), digest))


def _unit_row(vault: int, unit: Unit) -> tuple[object, ...]:
    numbers = (unit.sitting, _clean(unit.speaker), unit.role, unit.day, unit.signs, unit.start, unit.stop)
    lengths = (list(unit.lengths), unit.sitting_terms, sum(unit.lengths), list(unit.named_days))
    return (*(unit.source, unit.turn, unit.part), *numbers, _clean(unit.heading), *lengths, _write_vector(vault, unit))


def _write_vector(vault: int, unit: Unit) -> str:
    """Return the terms as a vector: a position says the field, and how many there are how often it has the term."""
    parts = []
    for term, fields in unit.hits.items():
        if len(term) <= _LONGEST_TERM:
            lexeme = _clean(f"{vault}/{term}").replace("\\", "\\\\").replace("'", "''")
            places = (
                field * PLACES + place
                for field, often in fields.items()
                for place in range(1, min(often, MOST_HITS) + 1)
            )
            parts.append(f"'{lexeme}':{','.join(map(str, places))}")
    return " ".join(parts)


def _clean(text: str) -> str:
    """Return a text as PostgreSQL can hold it: without NUL and halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


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


def _read_unit(row: tuple[Any, ...]) -> Unit:
    lengths = (row[12], 0) if row[11] is None else tuple(row[11])
    return Unit._make((*row[:11], lengths, row[13], tuple(row[14] or ()), _read_hits(row[15]) if row[15] else {}))


def _read_hits(vector: str) -> dict[str, dict[int, int]]:
    """Return how often each field has each term, as the positions say."""
    hits: dict[str, dict[int, int]] = {}
    for lexeme, places in _HIT.findall(vector):
        term = lexeme.partition("/")[2].replace("''", "'").replace("\\\\", "\\")
        counts = hits[term] = {}
        for place in places.split(","):
            field = (int(place[:-1]) - 1) // PLACES
            counts[field] = counts.get(field, 0) + 1
    return hits


def _speakers_by_term(rows: Iterable[tuple[str, Sequence[str]]], terms: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, own in sorted(rows):
        for term in set(own).intersection(terms):
            found.setdefault(term, []).append(name)
    return {term: tuple(names) for term, names in found.items()}


def _in_parts(sources: Iterable[Source]) -> Iterator[list[Source]]:
    stream = iter(sources)
    while part := list(islice(stream, _TOGETHER)):
        yield part
