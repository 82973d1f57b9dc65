"""The schema of PostgreSQL: roles, tables, functions, and the numbered migrations that bring it up to date.

Every key begins with the vault, and every table of units is partitioned by it. All searching goes through functions
that look at the grants themselves: under row security alone PostgreSQL would not use the index of terms. Row security
stays on the tables as the second lock.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memvault.storage.index.search.bm25 import FEWEST, HEAD
from memvault.team.engines import FOLLOWED, MOST_FOLLOWED, NAMED_SPEAKER

if TYPE_CHECKING:
    from psycopg import Connection

OWNER, WORKER, SERVE = "memvault_owner", "memvault_worker", "memvault_serve"
PARTITIONS = 16
DISTRIBUTED = ("source", "turn", "unit", "term", "speaker")  # by the vault
PLACES = 3_000  # positions of a lexeme that stand for one field of a unit

ROLES = f"""
do $$ begin
  if not exists (select from pg_roles where rolname = '{OWNER}') then create role {OWNER} nologin; end if;
  if not exists (select from pg_roles where rolname = '{WORKER}') then create role {WORKER} nologin; end if;
  if not exists (select from pg_roles where rolname = '{SERVE}') then create role {SERVE} nologin; end if;
  execute format('grant {OWNER}, {WORKER}, {SERVE} to %I', current_user);
end $$;
create schema if not exists memvault authorization {OWNER};
"""

_CONTROL = """
create table migration (number int primary key, at timestamptz not null default now());
create table vault (
  id int generated always as identity primary key, name text not null unique, url text not null,
  private boolean not null default false, number int unique
);
create table edition (
  number int generated always as identity primary key, vault int not null references vault on delete cascade,
  cursor text not null default '', sequence bigint not null default 0, settings text not null default '{}',
  version text not null default '', at timestamptz,
  memories bigint not null default 0, passages bigint not null default 0,
  lengths bigint[] not null default '{0,0,0,0,0}',
  conversations bigint not null default 0, turns bigint not null default 0, units bigint not null default 0,
  terms bigint not null default 0, sittings bigint not null default 0
);
create index edition_vault on edition (vault);
create table "grant" (
  vault int not null references vault on delete cascade, who text not null check (who ~ '^(person|group):.'),
  verb text not null check (verb in ('read', 'write', 'admin')), primary key (vault, who, verb)
);
create index grant_who on "grant" (who);
create table job (
  vault int primary key references vault on delete cascade, due timestamptz not null default now(),
  purge boolean not null default false, done timestamptz not null default '-infinity', tries int not null default 0,
  problem text not null default ''
);
create table audit (
  number bigint primary key, at timestamptz not null, person text not null, agent text not null, vaults int[] not null,
  verb text not null, ids text[] not null, chain bytea not null
);
"""

_UNITS = """
create table source (
  vault int, kind smallint, id text collate "C", path text collate "C" not null,
  short text collate "C" not null, data text not null, hash uuid not null, sequence bigint not null,
  primary key (vault, kind, id)
) partition by hash (vault);
create index source_path on source (vault, kind, path);
create index source_short on source (vault, short) where kind = 1;
create table turn (
  vault int, kind smallint, source text collate "C", turn int, text text not null, data text not null,
  hash uuid not null, sequence bigint not null, primary key (vault, kind, source, turn)
) partition by hash (vault);
create table unit (
  vault int, kind smallint, source text collate "C", turn int, part int, sitting int not null, speaker text not null,
  role smallint not null, day int not null, signs int not null, start int not null, stop int not null,
  heading text not null, lengths int[] not null, sitting_terms int not null, length int not null,
  named int[] not null, tsv tsvector not null,
  hash uuid not null, sequence bigint not null, primary key (vault, kind, source, turn, part)
) partition by hash (vault);
create index unit_terms on unit using gin (tsv) with (fastupdate = off);
create index unit_sitting on unit (vault, source, sitting) where kind = 1 and role = 0;
create index unit_day on unit (vault, day) where day > 0;
create table term (
  vault int, kind smallint, term text collate "C", field smallint, units bigint not null, sittings bigint not null,
  primary key (vault, kind, term, field)
) partition by hash (vault);
create table speaker (
  vault int, name text collate "C", terms text[] not null, units bigint not null, primary key (vault, name)
) partition by hash (vault);
"""

_GRANTS = """
create function granted() returns table (vault int, number int)
language sql stable security definer set search_path = memvault, pg_temp as $$
  select distinct v.id, v.number from vault v join "grant" g on g.vault = v.id
  where g.verb in ('read', 'write') and (
    g.who = 'person:' || nullif(current_setting('memvault.person', true), '')
    or g.who in (select 'group:' || jsonb_array_elements_text(
      coalesce(nullif(current_setting('memvault.groups', true), ''), '[]')::jsonb))
  );
$$;
create function may_read(asked int) returns boolean
language sql stable security definer set search_path = memvault, pg_temp as $$
  select exists (select from granted() g where g.number = asked);
$$;
create function guard_private() returns trigger
language plpgsql security definer set search_path = memvault, pg_temp as $$
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

# One plan for each connection, made once: planning over all partitions takes longer than running. It goes by the
# indexes, as nothing is known of the vault that will be asked for.
_PLANS = """
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off"""
# What a unit earns by the rarest terms: spelled out, as a query over an array takes five times as long for each row.
SCORED = 24
_SCORE = "\n        + ".join(
    f"case when u.tsv @@ queries[{place}] then weights[{place}] else 0 end" for place in range(1, SCORED + 1)
)

_SEARCH = f"""
create function lexeme(number int, term text) returns text language sql immutable as $$
  select '''' || replace(replace(number || '/' || term, '\\', '\\\\'), '''', '''''') || '''';
$$;
create function candidates(
  asked int, asked_kind smallint, asked_terms text[], shares float8[], people text[], dates int[], most int
) returns table (source text, turn int, part int, is_cut boolean)
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
declare
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
  select string_agg(o.lexeme, '|') filter (where o.place = 1 or o.running <= {FOLLOWED}),
    array_agg(o.lexeme::tsquery order by o.place) filter (where o.place <= {SCORED}),
    array_agg(o.weight order by o.place) filter (where o.place <= {SCORED}),
    bool_or((o.place > 1 and o.running > {FOLLOWED}) or (o.place = 1 and o.units > {MOST_FOLLOWED}))
    into followed, queries, weights, cut from ordered o;
  return query
    select s.source, s.turn, s.part, coalesce(cut, false) from (
      select u.source, u.turn, u.part, (
        {_SCORE}
        + case when u.speaker = any(people) then {NAMED_SPEAKER} else 0 end
      ) / (1.3 + 0.9 * u.length / average) as score
      from (
        select m.source, m.turn, m.part, m.tsv, m.speaker, m.length from unit m
        where m.vault = asked and m.kind = asked_kind and m.tsv @@ followed limit {MOST_FOLLOWED}
      ) u
    ) s order by s.score desc, s.source, s.turn, s.part limit most;
  return query
    select d.source, d.turn, d.part, coalesce(cut, false)
    from generate_series(1, cardinality(dates), 2) i cross join lateral (
      select u.source, u.turn, u.part, (
        {_SCORE}
        + case when u.speaker = any(people) then {NAMED_SPEAKER} else 0 end
      ) / (1.3 + 0.9 * u.length / average) as score
      from unit u
      where u.vault = asked and u.kind = asked_kind and u.day > 0 and u.day between dates[i] and dates[i + 1]
      order by score desc, u.source, u.turn, u.part limit most
    ) d;
end $$;
create function around(
  asked int, asked_kind smallint, sources text[], turns int[], asked_terms text[],
  places text[], firsts int[], lasts int[]
)
returns table (
  source text, turn int, part int, sitting int, speaker text, role smallint, day int, signs int, start int, stop int,
  heading text, lengths int[], terms int, sitting_terms int, named int[], hits text
)
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
declare
  lexemes text[]; sought tsquery;
begin
  if not may_read(asked) then return; end if;
  select array_agg(asked || '/' || t.term order by t.place), string_agg(lexeme(asked, t.term), '|')
    into lexemes, sought from unnest(asked_terms) with ordinality as t(term, place);
  return query
    select u.source, u.turn, u.part, u.sitting, u.speaker, u.role, u.day, u.signs, u.start, u.stop, u.heading,
      case asked_kind when 0 then u.lengths end, u.lengths[1], u.sitting_terms, nullif(u.named, '{{}}'),
      nullif(ts_filter(setweight(u.tsv, 'A', lexemes), '{{a}}')::text, '')
    from unnest(places, firsts, lasts) as w(source, begins, ends) join unit u
      on u.vault = asked and u.kind = asked_kind and u.source = w.source and u.turn between w.begins and w.ends;
  if asked_kind = 1 and sought is not null then
    return query
      select u.source, u.turn, u.part, u.sitting, u.speaker, u.role, u.day, u.signs, u.start, u.stop, u.heading,
        null::int[], u.lengths[1], u.sitting_terms, nullif(u.named, '{{}}'),
        ts_filter(setweight(u.tsv, 'A', lexemes), '{{a}}')::text
      from (
        select distinct o.source, o.sitting from unnest(sources, turns) as r(source, turn) join unit o
          on o.vault = asked and o.kind = 1 and o.source = r.source and o.turn = r.turn and o.role = 0
      ) s join unit u on u.vault = asked and u.kind = 1 and u.role = 0
        and u.source = s.source and u.sitting = s.sitting
      where (u.tsv @@ sought) is true;  -- by the sitting, which is short, and not by the index of terms
  end if;
end $$;
create function texts(asked int, asked_kind smallint, sources text[], turns int[], steps int)
returns table (source text, turn int, text text, data text)
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
begin
  if not may_read(asked) then return; end if;
  return query
    select t.source, t.turn, t.text, t.data from (
      select distinct r.source, n.turn from unnest(sources, turns) as r(source, turn)
      cross join lateral generate_series(greatest(r.turn - steps, 0), r.turn + steps) as n(turn)
    ) w join turn t on t.vault = asked and t.kind = asked_kind and t.source = w.source and t.turn = w.turn
    order by t.source, t.turn;
end $$;
create function find_sources(asked int, asked_kind smallint, refs text[])
returns table (id text, path text, short text, data text)
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
begin
  if not may_read(asked) then return; end if;
  return query
    select distinct s.id, s.path, s.short, s.data from unnest(refs) r join source s
      on s.vault = asked and s.kind = asked_kind
      and (s.path = r or (s.kind = 1 and s.short = r) or (s.id >= r and s.id < r || U&'\\+10FFFF'))
    where r <> ''
    order by s.id;
end $$;
create function statistics(asked int, asked_terms text[], groups jsonb) returns jsonb
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
begin
  if not may_read(asked) then return null; end if;
  return jsonb_build_object(
    'totals', (
      select jsonb_build_array(e.memories, e.passages, to_jsonb(e.lengths), e.conversations, e.turns, e.units, e.terms,
        e.sittings,
        coalesce((select u.day from unit u where u.vault = asked and u.day > 0 order by u.day limit 1), 0),
        coalesce((select u.day from unit u where u.vault = asked and u.day > 0 order by u.day desc limit 1), 0))
      from edition e where e.number = asked
    ),
    'terms', (
      select jsonb_agg(jsonb_build_array(c.kind, c.term, c.units, c.sittings)) from (
        select t.kind, t.term, max(t.units) as units, max(t.sittings) as sittings from term t
        where t.vault = asked and t.kind in (0, 1) and t.term = any(asked_terms) group by t.kind, t.term
      ) c
    ),
    'groups', (
      select jsonb_agg(memvault.count_group(asked, array(select jsonb_array_elements_text(g.terms))) order by g.place)
      from jsonb_array_elements(groups) with ordinality as g(terms, place)
    ),
    'speakers', (
      select jsonb_agg(jsonb_build_array(s.name, to_jsonb(s.terms))) from speaker s
      where s.vault = asked and s.terms && asked_terms
    )
  );
end $$;
create function similar_terms(asked int, unknown text[]) returns table (kind smallint, term text)
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
begin
  if not may_read(asked) then return; end if;
  return query
    select distinct t.kind, t.term from unnest(unknown) w join term t on t.vault = asked and t.kind in (0, 1)
      and t.term >= left(w, {HEAD}) and t.term < left(w, {HEAD}) || U&'\\+10FFFF'
    where starts_with(t.term, w) or starts_with(w, t.term) or abs(length(t.term) - length(w)) <= 1;
end $$;
create function count_group(asked int, group_terms text[]) returns jsonb
language plpgsql stable security definer set search_path = memvault, pg_temp{_PLANS} as $$
declare
  sought tsquery; total bigint; most bigint; sitting_sum bigint; own_sittings bigint; counted jsonb;
begin
  select string_agg(lexeme(asked, t.term), '|'), sum(t.units), max(t.units), sum(t.sittings)
    into sought, total, most, sitting_sum
    from term t where t.vault = asked and t.kind = 1 and t.term = any(group_terms);
  if total is null or not may_read(asked) then return '[0, 0]'; end if;
  select e.sittings into own_sittings from edition e where e.number = asked;
  if total > {FOLLOWED} then  -- counted by the terms alone: the sum is the most that it can be
    return jsonb_build_array(total, least(sitting_sum, own_sittings));
  end if;
  select jsonb_build_array(count(*), count(distinct hashtextextended(u.source, u.sitting))) into counted
    from unit u where u.vault = asked and u.kind = 1 and u.tsv @@ sought;
  return counted;
end $$;
create function reachable() returns table (id int, name text, number int, private boolean, settings text)
language sql stable security definer set search_path = memvault, pg_temp as $$
  select v.id, v.name, v.number, v.private, e.settings
  from granted() r join vault v on v.id = r.vault join edition e on e.number = v.number order by v.name;
$$;
"""

_EDITIONS = """
create function open_edition(asked int, in_use boolean) returns int
language plpgsql security definer set search_path = memvault, pg_temp as $$
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
language plpgsql security definer set search_path = memvault, pg_temp as $$
declare
  newest int; own int;
begin
  select max(e.number) into newest from edition e where e.vault = asked;
  if every then newest := null; else update vault set number = newest where id = asked; end if;
  for own in select e.number from edition e where e.vault = asked and e.number is distinct from newest loop
    delete from unit where unit.vault = own;
    delete from turn where turn.vault = own;
    delete from source where source.vault = own;
    delete from term where term.vault = own;
    delete from speaker where speaker.vault = own;
    delete from edition e where e.number = own;
  end loop;
end $$;
create function queue_state() returns table (due bigint, oldest double precision, failed bigint)
language sql stable security definer set search_path = memvault, pg_temp as $$
  select count(*) filter (where j.due <= now()),
    coalesce(extract(epoch from now() - min(j.due) filter (where j.due <= now())), 0)::float8,
    count(*) filter (where j.tries > 0) from job j;
$$;
create function wake(asked text, is_purge boolean) returns boolean
language plpgsql security definer set search_path = memvault, pg_temp as $$
begin
  update job j set due = now(), purge = j.purge or is_purge from vault v where v.id = j.vault and v.name = asked;
  if not found then return false; end if;
  notify memvault_job;
  return true;
end $$;
"""

_AUDIT = """
create function audit_line(a audit) returns text language sql immutable as $$
  select jsonb_build_array(a.number, extract(epoch from a.at), a.person, a.agent, to_jsonb(a.vaults), a.verb,
    to_jsonb(a.ids))::text;
$$;
create function record_read(verb text, vaults int[], ids text[]) returns bigint
language plpgsql security definer set search_path = memvault, pg_temp as $$
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
language sql stable security definer set search_path = memvault, pg_temp as $$
  select c.number from (
    select a.number, a.chain, coalesce(lag(a.number) over w, 0) + 1 as next,
      sha256(coalesce(lag(a.chain) over w, ''::bytea) || convert_to(audit_line(a), 'UTF8')) as due
    from audit a window w as (order by a.number)
  ) c where c.chain <> c.due or c.number <> c.next order by c.number;
$$;
create function given(most int) returns table (at timestamptz, agent text, vaults int[], verb text, ids text[])
language sql stable security definer set search_path = memvault, pg_temp as $$
  select a.at, a.agent, a.vaults, a.verb, a.ids from audit a
  where a.person = nullif(current_setting('memvault.person', true), '') order by a.number desc limit most;
$$;
"""


def _rights() -> str:
    """Return who may do what: serve reads what is granted and calls functions, the worker writes what is indexed."""
    lines = [
        f"grant usage on schema memvault to {WORKER}, {SERVE};",
        "revoke all on all functions in schema memvault from public;",
        f"grant execute on function granted(), may_read(int), lexeme(int, text) to {SERVE};",
        f"grant execute on function candidates(int, smallint, text[], float8[], text[], int[], int) to {SERVE};",
        f"grant execute on function around(int, smallint, text[], int[], text[], text[], int[], int[]) to {SERVE};",
        f"grant execute on function texts(int, smallint, text[], int[], int) to {SERVE};",
        f"grant execute on function find_sources(int, smallint, text[]) to {SERVE};",
        f"grant execute on function statistics(int, text[], jsonb), count_group(int, text[]) to {SERVE};",
        f"grant execute on function similar_terms(int, text[]) to {SERVE};",
        f"grant execute on function reachable(), record_read(text, int[], text[]), given(int) to {SERVE};",
        f"grant execute on function lexeme(int, text) to {WORKER};",
        f"grant execute on function drop_editions(int, boolean) to {WORKER};",
        f"grant execute on function wake(text, boolean), queue_state() to {SERVE};",
        f"grant select on vault, edition, job to {WORKER}; grant update on edition, job to {WORKER};",
    ]
    for table in DISTRIBUTED:
        lines += [
            f"grant select, insert, update, delete on {table} to {WORKER}; grant select on {table} to {SERVE};",
            f"alter table {table} enable row level security;",
            f"create policy work on {table} to {WORKER} using (true) with check (true);",
            f"create policy read on {table} for select to {SERVE} using (vault in (select g.number from granted() g));",
        ]
    return "\n".join(lines)


def _partitions() -> str:
    return "\n".join(
        f"create table {table}_{place} partition of {table} for values with (modulus {PARTITIONS}, remainder {place});"
        for table in DISTRIBUTED
        for place in range(PARTITIONS)
    )


MIGRATIONS = MappingProxyType(
    {1: "\n".join((_CONTROL, _UNITS, _partitions(), _GRANTS, _SEARCH, _EDITIONS, _AUDIT, _rights()))}
)


def migrate(connection: Connection[Any]) -> list[int]:
    """Make what is missing of roles, schema and migrations; return the numbers of those that were carried out."""
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(hashtext('memvault.migrate'))")
        connection.execute(ROLES)
        connection.execute(f"set local role {OWNER}")
        connection.execute("set local search_path = memvault, pg_temp")
        known = connection.execute("select to_regclass('memvault.migration')").fetchone()
        done = (
            set()
            if known is None or known[0] is None
            else {row[0] for row in connection.execute("select number from migration").fetchall()}
        )
        for number in (missing := [number for number in MIGRATIONS if number not in done]):
            connection.execute(MIGRATIONS[number].encode())
            connection.execute("insert into migration (number) values (%s)", (number,))
    return missing
