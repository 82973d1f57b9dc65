"""The functions of PostgreSQL: all searching goes through them, and each looks at the grants itself.

Those that touch a table pin where they look, and run with the owner's rights: under row security alone PostgreSQL would
not use the index of terms.
"""

from __future__ import annotations

from memvault.storage.index.search.bm25 import FEWEST, HEAD, SHORTEST
from memvault.team.engines import COUNTED, FOLLOWED, FOLLOWED_EACH, MOST_FOLLOWED, NAMED_SPEAKER

# A plan is made once for each connection, since planning over all partitions takes longer than running: so grants are
# looked up in plpgsql, which keeps its plans, and a search goes by the indexes, whichever vault is asked for.
_DEFINER = "security definer set search_path = memvault, pg_temp"
_READER = f"language plpgsql stable {_DEFINER}"
_SEARCH = f"""{_READER}
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off"""

_GRANTED = f"""
create function reader_names() returns text[] language plpgsql stable as $$
begin
  return array(
    select 'person:' || nullif(current_setting('memvault.person', true), '')
    union all select 'group:' || jsonb_array_elements_text(
      coalesce(nullif(current_setting('memvault.groups', true), ''), '[]')::jsonb)
  );
end $$;
create function granted() returns table (vault int, number int) {_READER} as $$
declare
  names text[] := memvault.reader_names();
begin
  return query select distinct v.id, v.number from "grant" g join vault v on v.id = g.vault
    where g.who = any(names) and g.verb in ('read', 'write');
end $$;
create function may_read(asked int) returns boolean {_READER} as $$
declare
  names text[] := memvault.reader_names();
begin
  return exists (select from vault v join "grant" g on g.vault = v.id
    where v.number = asked and g.who = any(names) and g.verb in ('read', 'write'));
end $$;
create function reachable() returns table (id int, name text, number int, private boolean, settings text)
{_READER} as $$
begin
  return query select v.id, v.name, v.number, v.private, e.settings
    from granted() r join vault v on v.id = r.vault join edition e on e.number = v.number order by v.name;
end $$;
create function guard_private() returns trigger language plpgsql {_DEFINER} as $$
begin
  if (select v.private from vault v where v.id = new.vault) and new.verb <> 'admin' and (
    new.who not like 'person:%'
    or exists (select from "grant" g where g.vault = new.vault and g.verb <> 'admin' and g.who <> new.who)
  ) then
    raise exception 'a private vault has one reader, who is a person' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard_private before insert or update on "grant" for each row execute function guard_private();
"""

# What a unit earns by the rarest terms: spelled out, as a query over an array takes five times as long for each row.
_SCORED = 16
_SCORE = (
    "\n  + ".join(
        [f"(case when u.speaker = any(people) then {NAMED_SPEAKER} else 0 end"]
        + [f"case when u.tsv @@ queries[{place}] then weights[{place}] else 0 end" for place in range(1, _SCORED + 1)]
    )
    + "\n) / (1.3 + 0.9 * u.length / average)"
)
_CANDIDATES = f"""
create function lexeme(number int, term text) returns text language sql immutable as $$
  select '''' || replace(replace(number || '/' || term, '\\', '\\\\'), '''', '''''') || '''';
$$;
create function candidates(
  asked int, asked_kind smallint, asked_terms text[], shares float8[], people text[], dates int[], most int
) returns table (source text, turn int, part int, is_cut boolean) {_SEARCH} as $$
declare
  postings int := greatest({FOLLOWED}, {FOLLOWED_EACH} * most);
  followed tsquery; queries tsquery[]; weights float8[]; total float8; average float8; cut boolean;
begin
  if not may_read(asked) then return; end if;
  select case asked_kind when 0 then e.passages else e.units end,
    case asked_kind when 0 then (select sum(l) from unnest(e.lengths) l) else e.terms end
    into total, average from edition e where e.number = asked;
  average := coalesce(nullif(average / greatest(total, 1), 0), 1);
  with known as (
    select t.term, max(w.share) as share, max(t.units) as units
    from unnest(asked_terms, shares) as w(term, share) join term t
      on t.vault = asked and t.kind = asked_kind and t.term = w.term
    group by t.term
  ), ordered as (
    select k.*, lexeme(asked, k.term) as lexeme, sum(k.units) over (order by k.units, k.term) as running,
      row_number() over (order by k.units, k.term) as place,
      k.share * ln(1 + (greatest(total, k.units, {FEWEST}) - k.units + 0.5) / (k.units + 0.5)) as weight
    from known k
  )
  select string_agg(o.lexeme, '|') filter (where o.place = 1 or o.running <= postings),
    array_agg(o.lexeme::tsquery order by o.place) filter (where o.place <= {_SCORED}),
    array_agg(o.weight order by o.place) filter (where o.place <= {_SCORED}),
    bool_or((o.place > 1 and o.running > postings) or (o.place = 1 and o.units > {MOST_FOLLOWED}))
    into followed, queries, weights, cut from ordered o;
  return query
    select s.source, s.turn, s.part, coalesce(cut, false) from (
      select u.source, u.turn, u.part, {_SCORE} as score
      from (
        select m.source, m.turn, m.part, m.tsv, m.speaker, m.length from unit m
        where m.vault = asked and m.kind = asked_kind and m.tsv @@ followed limit {MOST_FOLLOWED}
      ) u
    ) s order by s.score desc, s.source, s.turn, s.part limit most;
  return query
    select d.source, d.turn, d.part, coalesce(cut, false)
    from generate_series(1, cardinality(dates), 2) i cross join lateral (
      select u.source, u.turn, u.part, {_SCORE} as score
      from unit u
      where u.vault = asked and u.kind = asked_kind and u.day > 0 and u.day between dates[i] and dates[i + 1]
      order by score desc, u.source, u.turn, u.part limit most
    ) d;
end $$;
"""

# A sitting comes as a row before the first turn: of its terms, the position says how many of its units have each.
_AROUND = f"""
create function around(
  asked int, asked_kind smallint, asked_terms text[], sources text[], firsts int[], lasts int[]
)
returns table (
  source text, turn int, part int, sitting int, speaker text, role smallint, day int, signs int, lengths int[],
  sitting_terms int, named int[], hits text
) {_SEARCH} as $$
declare
  lexemes text[]; sought tsquery;
begin
  if not may_read(asked) then return; end if;
  select array_agg(asked || '/' || t.term order by t.place), string_agg(lexeme(asked, t.term), '|')
    into lexemes, sought from unnest(asked_terms) with ordinality as t(term, place);
  return query
    with near as materialized (
      select u.source, u.turn, u.part, u.sitting, u.speaker, u.role, u.day, u.signs, u.lengths, u.sitting_terms,
        nullif(u.named, '{{}}'), nullif(ts_filter(setweight(u.tsv, 'A', lexemes), '{{a}}')::text, '')
      from unnest(sources, firsts, lasts) as w(source, first, last) join unit u on u.vault = asked
        and u.kind = asked_kind and u.source = w.source and u.turn between w.first and w.last
    )
    select * from near
    union all
    select s.source, -1, 0, s.sitting, '', 0::smallint, 0, 0, null, 0, null,
      ts_filter(setweight(s.tsv, 'A', lexemes), '{{a}}')::text
    from (select distinct n.source, n.sitting from near n where asked_kind = 1 and n.role = 0) d
    join sitting s on s.vault = asked and s.source = d.source and s.sitting = d.sitting and s.tsv @@ sought;
end $$;
create function around_candidates(
  asked int, asked_kind smallint, asked_terms text[], shares float8[], people text[], dates int[], most int,
  shown_terms text[], steps int
)
returns table (
  source text, turn int, part int, sitting int, speaker text, role smallint, day int, signs int, lengths int[],
  sitting_terms int, named int[], hits text, is_cut boolean
) {_SEARCH} as $$
declare
  cut boolean; sources text[]; firsts int[]; lasts int[];
begin
  with found as materialized (
    select * from candidates(asked, asked_kind, asked_terms, shares, people, dates, most)
  ), apart as (
    select f.source, f.turn,
      f.turn - lag(f.turn) over (partition by f.source order by f.turn) <= 2 * steps + 1 as is_near
    from (select distinct o.source, o.turn from found o) f
  ), numbered as (
    select a.source, a.turn,
      count(*) filter (where a.is_near is not true) over (partition by a.source order by a.turn) as range
    from apart a
  ), ranges as (
    select n.source, greatest(min(n.turn) - steps, 0) as first, max(n.turn) + steps as last
    from numbered n group by n.source, n.range
  )
  select (select bool_or(o.is_cut) from found o), array_agg(r.source), array_agg(r.first), array_agg(r.last)
    into cut, sources, firsts, lasts from ranges r;
  return query select a.*, cut from around(asked, asked_kind, shown_terms, sources, firsts, lasts) a;
end $$;
create function texts(asked int, asked_kind smallint, sources text[], turns int[], steps int)
returns table (source text, turn int, text text, data text, path text, short text) {_SEARCH} as $$
begin
  if not may_read(asked) then return; end if;
  if not exists (select from source s where s.vault = asked and s.kind = asked_kind and s.id = any(sources)) then
    select array_agg(s.id), array_agg(r.turn) into sources, turns
    from unnest(sources, turns) as r(name, turn) join source s on s.vault = asked and s.kind = asked_kind
      and (s.path = r.name or (s.kind = 1 and s.short = r.name)
        or (s.id >= r.name and s.id < r.name || U&'\\+10FFFF'))
    where r.name <> '';
  end if;
  return query
    select s.id, -1, ''::text, s.data, s.path, s.short from source s
    where s.vault = asked and s.kind = asked_kind and s.id = any(sources);
  return query
    select t.source, t.turn, t.text, t.data, ''::text, ''::text from (
      select distinct r.source, n.turn from unnest(sources, turns) as r(source, turn)
      cross join lateral generate_series(greatest(r.turn - steps, 0), r.turn + steps) as n(turn)
    ) w join turn t on t.vault = asked and t.kind = asked_kind and t.source = w.source and t.turn = w.turn;
end $$;
"""

_STATISTICS = f"""
create function statistics(asked int, asked_terms text[], groups jsonb, spelled text[]) returns jsonb
{_SEARCH} as $$
declare
  counted jsonb;
begin
  if not may_read(asked) then return null; end if;
  select jsonb_agg(jsonb_build_array(c.kind, c.term, c.units, c.sittings)) into counted from (
    select t.kind, t.term, max(t.units) as units, max(t.sittings) as sittings from term t
    where t.vault = asked and t.kind in (0, 1) and t.term = any(asked_terms) group by t.kind, t.term
  ) c;
  return jsonb_build_object(
    'terms', counted,
    'totals', (
      select jsonb_build_array(e.memories, e.passages, to_jsonb(e.lengths), e.conversations, e.turns, e.units, e.terms,
        e.sittings,
        coalesce((select u.day from unit u where u.vault = asked and u.day > 0 order by u.day limit 1), 0),
        coalesce((select u.day from unit u where u.vault = asked and u.day > 0 order by u.day desc limit 1), 0))
      from edition e where e.number = asked
    ),
    'groups', (
      select jsonb_agg(memvault.count_group(asked, array(select jsonb_array_elements_text(g.terms))) order by g.place)
      from jsonb_array_elements(groups) with ordinality as g(terms, place)
    ),
    'speakers', (
      select jsonb_agg(jsonb_build_array(s.name, to_jsonb(s.terms))) from speaker s
      where s.vault = asked and s.terms && asked_terms
    ),
    'similar', (
      select jsonb_agg(distinct jsonb_build_array(t.kind, w.term, t.term))
      from unnest(spelled) as w(term) cross join generate_series(0, 1) as k(kind)
      join term t on t.vault = asked and t.kind = k.kind
        and t.term >= left(w.term, {HEAD}) and t.term < left(w.term, {HEAD}) || U&'\\+10FFFF'
      where length(w.term) >= {SHORTEST}
        and not exists (select from term o where o.vault = asked and o.kind = k.kind and o.term = w.term)
        and (starts_with(t.term, w.term) or starts_with(w.term, t.term)
          or abs(length(t.term) - length(w.term)) <= 1)
    )
  );
end $$;
create function count_group(asked int, group_terms text[]) returns jsonb {_SEARCH} as $$
declare
  sought tsquery; total bigint; apart float8; sittings_apart float8; counted jsonb;
begin
  select string_agg(lexeme(asked, t.term), '|'), sum(t.units), sum(ln(greatest(1 - t.units / e.units::float8, 1e-9))),
    sum(ln(greatest(1 - t.sittings / e.sittings::float8, 1e-9)))
    into sought, total, apart, sittings_apart
    from edition e join term t on t.vault = e.number and t.kind = 1 and t.term = any(group_terms)
    where e.number = asked;
  if total is null then return '[0, 0]'; end if;
  if total > {COUNTED} then  -- as if the words had nothing to do with each other
    return (select jsonb_build_array(round(e.units * (1 - exp(apart))), round(e.sittings * (1 - exp(sittings_apart))))
      from edition e where e.number = asked);
  end if;
  select jsonb_build_array(count(*), count(distinct hashtextextended(u.source, u.sitting))) into counted
    from unit u where u.vault = asked and u.kind = 1 and u.tsv @@ sought;
  return counted;
end $$;
"""

_EDITIONS = f"""
create function open_edition(asked int, in_use boolean) returns int
language plpgsql {_DEFINER} as $$
declare
  own int;
begin
  insert into edition (vault) values (asked) returning edition.number into own;
  if in_use then update vault set number = own where id = asked; end if;
  insert into job (vault) values (asked) on conflict (vault) do update set due = now(), tries = 0, problem = '';
  notify memvault_job;
  return own;
end $$;
create function drop_editions(asked int, every boolean) returns void
language plpgsql {_DEFINER} as $$
declare
  newest int; own int;
begin
  select max(e.number) into newest from edition e where e.vault = asked;
  if every then newest := null; else update vault set number = newest where id = asked; end if;
  for own in select e.number from edition e where e.vault = asked and e.number is distinct from newest loop
    delete from unit where unit.vault = own;
    delete from sitting where sitting.vault = own;
    delete from turn where turn.vault = own;
    delete from source where source.vault = own;
    delete from term where term.vault = own;
    delete from speaker where speaker.vault = own;
    delete from edition e where e.number = own;
  end loop;
end $$;
create function queue_state() returns table (due bigint, oldest double precision, failed bigint)
language sql stable {_DEFINER} as $$
  select count(*) filter (where j.due <= now()),
    coalesce(extract(epoch from now() - min(j.due) filter (where j.due <= now())), 0)::float8,
    count(*) filter (where j.tries > 0) from job j;
$$;
create function wake(asked text, is_purge boolean) returns boolean
language plpgsql {_DEFINER} as $$
begin
  update job j set due = now(), purge = j.purge or is_purge from vault v where v.id = j.vault and v.name = asked;
  if not found then return false; end if;
  notify memvault_job;
  return true;
end $$;
"""

_AUDIT = f"""
create function audit_line(a audit) returns text language sql immutable as $$
  select jsonb_build_array(a.number, extract(epoch from a.at), a.person, a.agent, to_jsonb(a.vaults), a.verb,
    to_jsonb(a.ids))::text;
$$;
create function record_read(verb text, vaults int[], ids text[]) returns bigint
language plpgsql {_DEFINER} as $$
declare
  last audit; own audit;
begin
  perform pg_advisory_xact_lock(hashtext('memvault.audit'));
  select * into last from audit order by number desc limit 1;
  own := row(coalesce(last.number, 0) + 1, clock_timestamp(), coalesce(current_setting('memvault.person', true), ''),
    coalesce(current_setting('memvault.agent', true), ''), vaults, verb, ids, ''::bytea);
  own.chain := sha256(coalesce(last.chain, ''::bytea) || convert_to(audit_line(own), 'UTF8'));
  insert into audit select own.*;
  return own.number;
end $$;
create function verify_audit() returns table (number bigint)
language sql stable {_DEFINER} as $$
  select c.number from (
    select a.number, a.chain, coalesce(lag(a.number) over w, 0) + 1 as next,
      sha256(coalesce(lag(a.chain) over w, ''::bytea) || convert_to(audit_line(a), 'UTF8')) as due
    from audit a window w as (order by a.number)
  ) c where c.chain <> c.due or c.number <> c.next order by c.number;
$$;
create function given(most int) returns table (at timestamptz, agent text, vaults int[], verb text, ids text[])
language sql stable {_DEFINER} as $$
  select a.at, a.agent, a.vaults, a.verb, a.ids from audit a
  where a.person = nullif(current_setting('memvault.person', true), '') order by a.number desc limit most;
$$;
"""

FUNCTIONS = "\n".join((_GRANTED, _CANDIDATES, _AROUND, _STATISTICS, _EDITIONS, _AUDIT))
