"""The worker: fetches the repositories of shared vaults, and writes what changed into the engine.

The queue is a table. A job is locked by the transaction that works on it, in which its rows and the cursor change
together: of a worker that is killed nothing remains, and the next one begins anew.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memvault import __version__
from memvault.core.value import Record
from memvault.errors import MemvaultError
from memvault.system import files
from memvault.team.commits import CommitReader, Mirror
from memvault.team.engines.postgresql import PostgresEngine

if TYPE_CHECKING:
    from psycopg import Connection

MOST_WAIT = 3_600  # seconds until a job that fails is tried again


class FinishedJob(Record):
    """What came of one job."""

    vault: str
    commit: str
    rows: int = 0  # that changed
    problem: str = ""


class Worker:
    """Works on the jobs that are due, one at a time; there may be many workers."""

    def __init__(
        self, connection: Connection[Any], folder: Path, environment: Mapping[str, str], *, seconds: float = 4.0
    ) -> None:
        self._connection, self._folder, self._environment, self._seconds = connection, folder, environment, seconds
        self._engine = PostgresEngine(connection, __version__)
        connection.execute("listen memvault_job")  # from now on: a push while it works is not missed

    def run_due(self) -> list[FinishedJob]:
        """Work until no job is due; purges first, then whichever vault has waited longest."""
        done = []
        while (finished := self.run_next()) is not None:
            done.append(finished)
        return done

    def run_next(self) -> FinishedJob | None:
        """Work on one job; None where none is due, or others work on all that are."""
        with self._connection.transaction():
            row = self._connection.execute(_TAKE).fetchone()
            if row is None:
                return None
            vault, name, url = row
            try:
                with self._connection.transaction():
                    finished = self._index_vault(vault, name, url)
            except (MemvaultError, OSError) as error:
                told = " ".join(str(error).split())
                self._connection.execute(_FAIL, {"vault": vault, "problem": told, "most": MOST_WAIT})
                return FinishedJob(vault=name, commit="", problem=told)
            self._connection.execute(_DONE, {"vault": vault, "seconds": self._seconds})
            return finished

    def wait(self, seconds: float) -> None:
        """Wait until a job is put into the queue or falls due, at most so long."""
        row = self._connection.execute(_NEXT, (seconds,)).fetchone()
        for _ in self._connection.notifies(timeout=float(row[0]) if row else seconds, stop_after=1):
            return

    def _index_vault(self, vault: int, name: str, url: str) -> FinishedJob:
        mirror = Mirror(self._folder / f"{vault}.git", url, self._environment)
        head = mirror.fetch()
        editions = self._connection.execute(_EDITIONS, (vault,)).fetchall()
        rows = 0
        behind = [number for number, cursor, version in editions if head and (cursor, version) != (head, __version__)]
        if behind:
            files.make_folder(self._folder)
            scratch = Path(tempfile.mkdtemp(prefix="read-", dir=self._folder))
            try:
                reader = CommitReader(mirror, head, scratch)
                for number, _, version in editions:
                    if number in behind:
                        batch = reader.read_batch(self._engine, number, mirror, whole=version != __version__)
                        rows += self._engine.take(number, batch)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        if len(editions) > 1:  # the newest is whole now: it takes the place of the others
            self._connection.execute("select memvault.drop_editions(%s, false)", (vault,))
        return FinishedJob(vault=name, commit=head, rows=rows)


_TAKE = """
select v.id, v.name, v.url from memvault.job j join memvault.vault v on v.id = j.vault where j.due <= now()
order by j.purge desc, j.done, j.vault limit 1 for update of j skip locked"""
_EDITIONS = "select number, cursor, version from memvault.edition where vault = %s order by number"
_NEXT = """
select greatest(0.02, least(%s, extract(epoch from min(due) - clock_timestamp()))) from memvault.job"""
_DONE = """
update memvault.job set due = clock_timestamp() + make_interval(secs => %(seconds)s), done = clock_timestamp(),
  purge = false, tries = 0, problem = '' where vault = %(vault)s"""
_FAIL = """
update memvault.job set tries = tries + 1, done = clock_timestamp(), problem = %(problem)s,
  due = clock_timestamp() + make_interval(secs => least(%(most)s, 5 * power(2, least(tries, 12))))
where vault = %(vault)s"""
