"""A database with the schema in it, and vaults that are granted to readers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from memvault.team.engines import Reader
from memvault.team.engines.postgresql import PostgresEngine
from memvault.team.engines.schema import migrate


class Database:
    """A new database: an engine as its owner, and connections in other roles."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.connection: psycopg.Connection[Any] = psycopg.connect(dsn, autocommit=True)
        migrate(self.connection)
        self.engine = PostgresEngine(self.connection)
        self._opened = [self.connection]

    def add_vault(self, *readers: str, private: bool = False) -> int:
        """Add a vault that some may read; return the number under which its units stand."""
        sql = "insert into memvault.vault (name, url, private) select 'v' || count(*), '', %s from memvault.vault returning id"
        (vault,) = self.connection.execute(sql, (private,)).fetchone() or (0,)
        sql = "insert into memvault.edition (vault) values (%s) returning number"
        (number,) = self.connection.execute(sql, (vault,)).fetchone() or (0,)
        self.connection.execute("update memvault.vault set number = %s where id = %s", (number, vault))
        for reader in readers:
            self.connection.execute('insert into memvault."grant" values (%s, %s, %s)', (vault, reader, "read"))
        return int(number)

    def connect_as(self, role: str) -> psycopg.Connection[Any]:
        """Connect in another role."""
        opened: psycopg.Connection[Any] = psycopg.connect(self.dsn, autocommit=True, options=f"-c role={role}")
        self._opened.append(opened)
        return opened

    @contextmanager
    def login_in(self, role: str) -> Iterator[psycopg.Connection[Any]]:
        """Connect as a login of its own that is a member of a role, as programs do."""
        login = f"memvault_test_{uuid.uuid4().hex[:8]}"
        self.connection.execute(f"create role {login} login in role {role}")
        try:
            dsn = make_conninfo(self.dsn, user=login)
            with psycopg.connect(dsn, autocommit=True, options=f"-c role={role}") as opened:
                yield opened
        finally:
            self.connection.execute(f"drop role {login}")

    def name_reader(self, connection: psycopg.Connection[Any], who: Reader) -> None:
        """Name the reader for the transaction that is open."""
        connection.execute(
            "select set_config('memvault.person', %s, true), set_config('memvault.groups', %s, true)",
            (who.person, str(list(who.groups)).replace("'", '"')),
        )

    def close(self) -> None:
        """Close all connections."""
        for each in self._opened:
            each.close()
