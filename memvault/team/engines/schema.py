"""The schema of PostgreSQL: roles, tables, rights, and the numbered migrations that bring it up to date.

Every key begins with the vault, and every table of units is partitioned by it. All searching goes through functions;
row security stays on the tables as the second lock.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memvault.team.engines.functions import FUNCTIONS

if TYPE_CHECKING:
    from psycopg import Connection

OWNER, WORKER, SERVE = "memvault_owner", "memvault_worker", "memvault_serve"
PARTITIONS = 16
DISTRIBUTED = ("source", "turn", "unit", "sitting", "term", "speaker")  # by the vault

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
create index audit_person on audit (person, number);
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
  role smallint not null, day int not null, signs int not null, lengths int[] not null, sitting_terms int not null,
  length int not null, named int[] not null, tsv tsvector not null,
  hash uuid not null, sequence bigint not null, primary key (vault, kind, source, turn, part)
) partition by hash (vault);
create index unit_terms on unit using gin (tsv) with (fastupdate = off);
create index unit_day on unit (vault, day) where day > 0;
create table sitting (
  vault int, source text collate "C", sitting int, tsv tsvector not null, hash uuid not null, sequence bigint not null,
  primary key (vault, source, sitting)
) partition by hash (vault);
create table term (
  vault int, kind smallint, term text collate "C", field smallint, units bigint not null, sittings bigint not null,
  primary key (vault, kind, term, field)
) partition by hash (vault);
create table speaker (
  vault int, name text collate "C", terms text[] not null, units bigint not null, primary key (vault, name)
) partition by hash (vault);
"""


def _rights() -> str:
    """Return who may do what: serve reads what is granted and calls functions, the worker writes what is indexed."""
    lines = [
        f"grant usage on schema memvault to {WORKER}, {SERVE};",
        "revoke all on all functions in schema memvault from public;",
        f"grant execute on function granted(), may_read(int), lexeme(int, text) to {SERVE};",
        f"grant execute on function candidates(int, smallint, text[], float8[], text[], int[], int) to {SERVE};",
        f"grant execute on function around(int, smallint, text[], text[], int[], int[]) to {SERVE};",
        "grant execute on function around_candidates(int, smallint, text[], float8[], text[], int[], int, text[], int)"
        f" to {SERVE};",
        f"grant execute on function texts(int, smallint, text[], int[], int) to {SERVE};",
        f"grant execute on function statistics(int, text[], jsonb, text[]) to {SERVE};",
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


MIGRATIONS = MappingProxyType({1: "\n".join((_CONTROL, _UNITS, _partitions(), FUNCTIONS, _rights()))})


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
