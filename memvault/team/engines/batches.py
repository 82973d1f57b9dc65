"""Batches in PostgreSQL: what differs is written, what is counted follows, all in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from memvault.team.engines import MOST_HITS, Batch, Source, Unit, digest_row

if TYPE_CHECKING:
    from psycopg import Cursor

PLACES = 3_000  # positions of a lexeme that stand for one field of a unit
_TOGETHER = 200  # sources that are copied at a time
_LONGEST_TERM = 500  # characters

_STAGE = """
create temp table staged_source (kind smallint, id text collate "C", path text, short text, data text, hash uuid)
  on commit drop;
create temp table staged_turn (kind smallint, source text collate "C", turn int, text text, data text, hash uuid)
  on commit drop;
create temp table staged_unit (
  kind smallint, source text collate "C", turn int, part int, sitting int, speaker text, role smallint, day int,
  signs int, lengths int[], sitting_terms int, length int, named int[], tsv tsvector, hash uuid
) on commit drop;
create temp table staged_sitting (source text collate "C", sitting int, tsv tsvector, hash uuid) on commit drop;
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
_WRITE_SITTINGS = (
    """
delete from memvault.sitting g using affected a where g.vault = %(vault)s and a.kind = 1 and g.source = a.id
  and not exists (select from staged_sitting s where s.source = g.source and s.sitting = g.sitting)""",
    """
insert into memvault.sitting (vault, source, sitting, tsv, hash, sequence)
select %(vault)s, s.*, %(sequence)s from staged_sitting s
on conflict (vault, source, sitting) do update set tsv = excluded.tsv, hash = excluded.hash,
  sequence = excluded.sequence where sitting.hash <> excluded.hash""",
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
insert into memvault.unit (vault, kind, source, turn, part, sitting, speaker, role, day, signs, lengths, sitting_terms,
  length, named, tsv, hash, sequence)
select %(vault)s, s.*, %(sequence)s from staged_unit s
on conflict (vault, kind, source, turn, part) do update set sitting = excluded.sitting, speaker = excluded.speaker,
  role = excluded.role, day = excluded.day, signs = excluded.signs, lengths = excluded.lengths,
  sitting_terms = excluded.sitting_terms, length = excluded.length, named = excluded.named, tsv = excluded.tsv,
  hash = excluded.hash, sequence = excluded.sequence where unit.hash <> excluded.hash""",
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


def write_batch(cursor: Cursor[Any], vault: int, batch: Batch, version: str) -> int:
    """Write what differs, count it, and set the cursor; return how many rows changed."""
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
        "version": version,
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
    for statement in (*_WRITE_SITTINGS, *_SETTLE):
        cursor.execute(statement, given)
    return changed


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
    with cursor.copy("copy staged_sitting from stdin") as copy:
        for source in sources:
            for sitting, counts in source.count_sittings().items():
                vector = _write_vector(vault, {term: [min(often, PLACES - 1)] for term, often in counts.items()})
                copy.write_row((source.id, sitting, vector, digest_row(sorted(counts.items()))))


def _unit_row(vault: int, unit: Unit) -> tuple[object, ...]:
    places = {
        term: [field * PLACES + min(often, MOST_HITS) for field, often in fields.items()]
        for term, fields in unit.hits.items()
    }
    numbers = (unit.sitting, _clean(unit.speaker), unit.role, unit.day, unit.signs)
    lengths = (list(unit.lengths), unit.sitting_terms, sum(unit.lengths), list(unit.named_days))
    return (unit.source, unit.turn, unit.part, *numbers, *lengths, _write_vector(vault, places))


def _write_vector(vault: int, terms: Mapping[str, Iterable[int]]) -> str:
    """Return terms as a vector: a position says in which field, and how often; of a sitting, how many units."""
    parts = []
    for term, places in terms.items():
        if len(term) <= _LONGEST_TERM:
            lexeme = _clean(f"{vault}/{term}").replace("\\", "\\\\").replace("'", "''")
            parts.append(f"'{lexeme}':{','.join(map(str, places))}")
    return " ".join(parts)


def _clean(text: str) -> str:
    """Return a text as PostgreSQL can hold it: without NUL and halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _in_parts(sources: Iterable[Source]) -> Iterator[list[Source]]:
    stream = iter(sources)
    while part := list(islice(stream, _TOGETHER)):
        yield part
