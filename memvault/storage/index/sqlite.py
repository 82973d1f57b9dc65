"""SQLite, guarded: a lock is waited for, a full disk is told, and all else that goes wrong means a damaged file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

from memvault.errors import Busy, DamagedIndex, Unwritable
from memvault.storage.index import seals
from memvault.storage.index.hindered import hindrance

WAIT_SECONDS = 60.0
_PAUSE = 0.005

Row = tuple[Any, ...]
Result = TypeVar("Result")


class Tables:
    """One database file. Results are fetched at once, so that damage shows here and not in the caller's loop."""

    def __init__(self, path: Path, *, version: int, schema: str) -> None:
        self._path = path
        self._may_be_sealed = True
        if seals.is_broken(path):
            raise DamagedIndex(path=path, reason="somebody else wrote to it")
        self._db = self._connected(str(path))
        try:
            self._settle(version, schema)
        except Unwritable as error:
            self._db.close()
            self._only_read(version, error)
        except BaseException:
            self.close()  # nobody else has it to let go of
            raise

    def _connected(self, name: str, *, uri: bool = False) -> sqlite3.Connection:
        # Threads may hand it on to each other, and only one of them uses it at a time.
        return self._guarded(
            lambda: sqlite3.connect(name, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False, uri=uri)
        )

    def _only_read(self, version: int, error: Unwritable) -> None:
        """What is whole on a disk that takes nothing can still be read, if no log of changes belongs to it."""
        log = self._path.with_name(f"{self._path.name}-wal")
        if not self._path.is_file() or (log.exists() and log.stat().st_size):
            raise error
        self._db = self._connected(f"{self._path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        if self.one("pragma user_version") != (version,):
            self._db.close()
            raise error

    def _settle(self, version: int, schema: str) -> None:
        # Disposable, so no waiting for the disk: after a power cut a damaged file is recognised and built again.
        self.all("pragma synchronous = off")
        self._log_ahead()
        found = self.one("pragma user_version")
        if found == (0,):
            found = self._made(version, schema)
        if found != (version,):
            raise DamagedIndex(path=self._path, reason="it was written by another version")

    def _log_ahead(self) -> None:
        """Where several begin at the same moment, SQLite waits for nobody at this one step, and so this does."""
        self.all("pragma busy_timeout = 0")
        for _ in range(int(WAIT_SECONDS / _PAUSE)):
            with suppress(Busy):
                self.all("pragma journal_mode = wal")
                break
            sleep(_PAUSE)
        self.all(f"pragma busy_timeout = {int(WAIT_SECONDS * 1_000)}")

    def _made(self, version: int, schema: str) -> Row | None:
        """Several may begin at the same moment: one makes the tables, and the others find them there."""
        with self.transaction():
            if self.one("pragma user_version") == (0,):
                for statement in schema.split(";"):
                    self.run(statement)
                self.run(f"pragma user_version = {version}")
        return self.one("pragma user_version")

    def all(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Every row of a query; none where it asks for what is no text, such as a file's name may be."""
        try:
            return self._guarded(lambda: self._db.execute(sql, values).fetchall())
        except UnicodeEncodeError:
            return []

    def one(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query, if there is one."""
        found = self.all(sql, values)
        return found[0] if found else None

    def mark(self) -> tuple[int, int] | None:
        """What stays the same only as long as nobody changes anything; None while that is being done."""
        if self._db.in_transaction:
            return None
        return self.all("pragma data_version")[0][0], self._db.total_changes

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        """A statement that answers nothing."""
        self._unseal()
        self._guarded(lambda: self._db.execute(sql, values).fetchall())

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """One statement for many rows."""
        self._unseal()
        self._guarded(lambda: self._db.executemany(sql, rows))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is done inside, or nothing."""
        self.run("begin immediate")
        try:
            yield
        except BaseException:
            self._guarded(self._db.rollback)
            raise
        self.run("commit")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
        seals.lay(self._path)

    def _unseal(self) -> None:
        """Once is enough: as long as this is open, nobody seals it."""
        if self._may_be_sealed:
            seals.lift(self._path)
            self._may_be_sealed = False

    def _guarded(self, act: Callable[[], Result]) -> Result:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise Busy(path=self._path, seconds=WAIT_SECONDS) from None
            self._check_disk(error)
            raise DamagedIndex(path=self._path, reason=error) from None
        except sqlite3.Error as error:
            raise DamagedIndex(path=self._path, reason=error) from None

    def _check_disk(self, error: sqlite3.OperationalError) -> None:
        """What is whole must not be thrown away because the disk is full, or takes nothing."""
        if reason := hindrance(error, self._path.parent):
            raise Unwritable(path=self._path, reason=reason) from None
