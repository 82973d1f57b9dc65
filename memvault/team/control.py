"""What an administrator does: the schema, vaults, grants, rebuilding, and the audit; with the owner's rights alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memvault.core.value import Record
from memvault.errors import BadInput, NotInstalled, TeamFailed
from memvault.team.engines.schema import OWNER, migrate

if TYPE_CHECKING:
    from psycopg import Connection

DSN = "MEMVAULT_TEAM_DSN"
VERBS = ("read", "write", "admin")


@contextmanager
def connect(dsn: str, *, role: str = "") -> Iterator[Connection[Any]]:
    """Connect in a role; whatever the server refuses is one sentence."""
    try:
        import psycopg
    except ImportError:
        raise NotInstalled(what="psycopg, for shared vaults", extra="team") from None
    options = f"-c role={role}" if role else ""
    try:
        with psycopg.connect(dsn, autocommit=True, prepare_threshold=None, options=options) as connection:
            yield connection
    except psycopg.Error as error:
        told = error.diag.message_primary or str(error)  # without where in a function it was found
        raise TeamFailed(told=" ".join(told.split()) or type(error).__name__) from None


class VaultRow(Record):
    """A shared vault as `team status` shows it."""

    name: str
    url: str
    private: bool
    cursor: str
    at: datetime | None
    memories: int
    turns: int
    units: int
    editions: int
    due: datetime | None
    tries: int
    problem: str
    grants: tuple[str, ...]


def initialize(dsn: str) -> list[int]:
    """Make the schema, or bring it up to date; return the migrations that were carried out."""
    with connect(dsn) as connection:
        return migrate(connection)


class TeamControl:
    """The administrator's view of one database."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def add_vault(self, name: str, url: str, *, private: bool = False) -> None:
        """Add a vault by the address of its repository, and have the worker read it."""
        if not name.strip() or name != name.strip() or not url.strip():
            raise BadInput(what="the vault", value=name, reason="it needs a name and the address of its repository")
        with self._connection.transaction():
            row = self._connection.execute(_ADD, (name, url, private)).fetchone()
            if row is None:
                raise BadInput(what="the vault", value=name, reason="there is one of that name")
            self._connection.execute("select memvault.open_edition(%s, true)", (row[0],))

    def remove_vault(self, name: str) -> None:
        """Remove a vault with its grants and all that was indexed of it; its repository is not touched."""
        with self._connection.transaction():
            self._connection.execute("select memvault.drop_editions(%s, true)", (self._find_id(name),))
            self._connection.execute("delete from memvault.vault where name = %s", (name,))

    def grant(self, name: str, to: str, verb: str) -> None:
        """Let a person or a group read, write or administer a vault."""
        if verb not in VERBS:
            raise BadInput(what="--as", value=verb, reason=f"it is one of {', '.join(VERBS)}")
        kind, colon, who = to.partition(":")
        if kind not in ("person", "group") or not colon or not who.strip():
            raise BadInput(what="--to", value=to, reason="it is person:NAME or group:NAME")
        self._connection.execute(_GRANT, (self._find_id(name), to, verb))

    def revoke(self, name: str, to: str) -> int:
        """Take all grants on a vault from a person or a group; return how many there were."""
        sql = 'delete from memvault."grant" where vault = %s and who = %s'
        return int(self._connection.execute(sql, (self._find_id(name), to)).rowcount)

    def rebuild(self, name: str) -> None:
        """Have the worker build the vault's units anew beside those in use, and switch when they are whole."""
        with self._connection.transaction():
            vault = self._find_id(name)
            self._connection.execute("select memvault.open_edition(%s, false)", (vault,))
            self._connection.execute("update memvault.job set due = now() where vault = %s", (vault,))
            self._connection.execute("notify memvault_job")

    def status(self) -> list[VaultRow]:
        """Return every vault with how far it is indexed, and who may do what."""
        rows = self._connection.execute(_STATUS).fetchall()
        return [VaultRow(**dict(zip(VaultRow._fields, (*row[:-1], tuple(row[-1] or ())), strict=True))) for row in rows]

    def verify_audit(self) -> tuple[int, list[int]]:
        """Return how many entries the audit has, and the numbers of those that do not follow from the one before."""
        (count,) = self._connection.execute("select count(*) from memvault.audit").fetchone() or (0,)
        rows = self._connection.execute("select number from memvault.verify_audit()").fetchall()
        return int(count), [number for (number,) in rows]

    def export_audit(self) -> Iterator[str]:
        """Yield the audit as JSON lines, the oldest entry first."""
        with self._connection.transaction(), self._connection.cursor(name="audit") as cursor:
            for row in cursor.execute(_AUDIT):
                yield json.dumps(_audit_json(row), ensure_ascii=False)

    def _find_id(self, name: str) -> int:
        row = self._connection.execute("select id from memvault.vault where name = %s", (name,)).fetchone()
        if row is None:
            raise BadInput(
                what="the vault", value=name, reason="there is none of that name; `memvault team status` lists them"
            )
        return int(row[0])


def owner_of(dsn: str) -> Any:
    """Connect as the owner of the schema."""
    return connect(dsn, role=OWNER)


_ADD = """
insert into memvault.vault (name, url, private) values (%s, %s, %s) on conflict (name) do nothing returning id"""
_GRANT = 'insert into memvault."grant" (vault, who, verb) values (%s, %s, %s) on conflict do nothing'
_STATUS = """
select v.name, v.url, v.private, coalesce(e.cursor, ''), e.at, coalesce(e.memories, 0), coalesce(e.turns, 0),
  coalesce(e.units, 0) + coalesce(e.passages, 0), (select count(*) from memvault.edition o where o.vault = v.id),
  j.due, coalesce(j.tries, 0), coalesce(j.problem, ''),
  (select array_agg(g.who || ' ' || g.verb order by g.who, g.verb) from memvault."grant" g where g.vault = v.id)
from memvault.vault v left join memvault.edition e on e.number = v.number left join memvault.job j on j.vault = v.id
order by v.name"""
_AUDIT = "select number, at, person, agent, vaults, verb, ids, encode(chain, 'hex') from memvault.audit order by number"


def _audit_json(row: tuple[Any, ...]) -> Mapping[str, object]:
    number, at, person, agent, vaults, verb, ids, chain = row
    about = {"number": number, "at": at.isoformat(), "person": person, "agent": agent}
    return {**about, "vaults": vaults, "verb": verb, "ids": ids, "chain": chain}
