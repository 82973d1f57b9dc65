"""SQLite, guarded: a lock is waited for, a full disk is reported, and only what SQLite calls damage is damage."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

from memvault.errors import Busy, DamagedIndex, Hindered, IndexFailed, MemvaultError, Unwritable
from memvault.system import files
from memvault.system.files import describe_error

# Disk problems that keep a sound index from being used.

_OF_THE_DISK = {errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.ENFILE, getattr(errno, "EDQUOT", errno.ENOSPC)}
_DOUBTFUL = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}
_OF_OTHERS = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_CUT_OFF = sqlite3.SQLITE_IOERR_SHORT_READ


def disk_problem(error: BaseException, folder: Path) -> str:
    """Return why the disk keeps an index from being used; empty where it does not."""
    if isinstance(error, OSError):
        return describe_error(error) if error.errno in _OF_THE_DISK else ""
    if not isinstance(error, sqlite3.Error):
        return ""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the other bits are details
    if code == sqlite3.SQLITE_FULL:
        return describe_error(OSError(errno.ENOSPC, ""))
    return _disk_state(folder) if code in _DOUBTFUL else ""


def _disk_state(folder: Path) -> str:
    """Return what a disk itself reports that would prevent writing."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
        disk = os.statvfs(folder) if hasattr(os, "statvfs") else None
    except OSError as error:
        return describe_error(error) if error.errno in _OF_THE_DISK else ""
    if disk is None:
        return ""
    if disk.f_flag & os.ST_RDONLY:
        return describe_error(OSError(errno.EROFS, ""))
    return describe_error(OSError(errno.ENOSPC, "")) if disk.f_blocks and not disk.f_bavail else ""


# The seal of a closed database file: an empty file beside it, with its size and time in the name.

# Opening and closing take turns. Otherwise one process could seal what another has changed meanwhile, and a sound file
# would look as if somebody else had written to it.

_SEAL = ".seal"


@contextmanager
def _seal_lock(path: Path) -> Iterator[None]:
    """Hold the lock under which a file is opened or closed; none on a disk where nobody can write."""
    with ExitStack() as held:
        with suppress(Unwritable, Hindered, FileNotFoundError):
            held.enter_context(files.lock(path.with_name(f"{path.name}.lock"), wait=WAIT_SECONDS))
        yield


def is_seal_broken(path: Path) -> bool:
    """Return whether another program wrote to the file since it was closed; unknown for one left open."""
    try:
        return not (_seal_path(path).exists() or _has_write_log(path)) and bool(_seal_paths(path))
    except FileNotFoundError:  # it does not exist yet
        return False


def write_seal(path: Path) -> None:
    """Seal a closed file, unless another process has it open."""
    with suppress(OSError, MemvaultError):  # without a seal only the detection of damage is lost
        seal = _seal_path(path)
        if seal.exists() or _has_write_log(path):
            return
        for other in _seal_paths(path):
            files.remove_file(other)
        files.create_claim(seal)


def _seal_path(path: Path) -> Path:
    found = path.stat()
    return path.with_name(f"{path.name}.{found.st_size:x}-{found.st_mtime_ns:x}{_SEAL}")


def _seal_paths(path: Path) -> list[Path]:
    names = [name for name in os.listdir(path.parent) if name.startswith(f"{path.name}.") and name.endswith(_SEAL)]  # noqa: PTH208  # names are all that is needed
    return [path.with_name(name) for name in names]


def _has_write_log(path: Path) -> bool:
    """Return whether SQLite's log of changes exists, which the last to close the file removes."""
    return path.with_name(f"{path.name}-wal").exists()


WAIT_SECONDS = 60.0
_PAUSE = 0.005

Row = tuple[Any, ...]
Result = TypeVar("Result")


class Tables:
    """One database file. Rows are fetched at once, so that damage shows here and not in the caller's loop."""

    def __init__(self, path: Path, *, version: int, schema: str) -> None:
        self._path = path
        self._may_be_sealed = True
        with _seal_lock(path):
            if is_seal_broken(path):
                raise DamagedIndex(path=path, reason="somebody else wrote to it")
            self._db = self._connect(str(path))
            try:
                self._open_schema(version, schema)
            except Unwritable as error:
                self._db.close()
                self._open_read_only(version, error)
            except BaseException:
                self.close()  # nobody else can close it
                raise

    def _connect(self, name: str, *, uri: bool = False) -> sqlite3.Connection:
        # Threads may pass it on, but only one uses it at a time.
        return self._run_guarded(
            lambda: sqlite3.connect(name, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False, uri=uri)
        )

    def _open_read_only(self, version: int, error: Unwritable) -> None:
        """Open a sound file on a read-only disk, if no log of changes belongs to it."""
        log = self._path.with_name(f"{self._path.name}-wal")
        if not self._path.is_file() or (log.exists() and log.stat().st_size):
            raise error
        self._db = self._connect(f"{self._path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        if self.fetch_one("pragma user_version") != (version,):
            self._db.close()
            raise error

    def _open_schema(self, version: int, schema: str) -> None:
        # Disposable, so no waiting for the disk: a file damaged by a power cut is noticed and rebuilt.
        self.fetch_all("pragma synchronous = off")
        self._enable_write_log()
        found = self.fetch_one("pragma user_version")
        if found == (0,):
            # Another process may just have done it.
            with self.transaction():
                if self.fetch_one("pragma user_version") == (0,):
                    for statement in schema.split(";"):
                        self.execute(statement)
                    self.execute(f"pragma user_version = {version}")
            found = self.fetch_one("pragma user_version")
        if found != (version,):
            raise DamagedIndex(path=self._path, reason="it was written by another version")

    def _enable_write_log(self) -> None:
        """Enable the write-ahead log, waiting for others: SQLite itself does not wait at this one step."""
        self.fetch_all("pragma busy_timeout = 0")
        for _ in range(int(WAIT_SECONDS / _PAUSE)):
            with suppress(Busy):
                self.fetch_all("pragma journal_mode = wal")
                break
            sleep(_PAUSE)
        self.fetch_all(f"pragma busy_timeout = {int(WAIT_SECONDS * 1_000)}")

    def fetch_all(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Return every row of a query; none where a value is not encodable, as a file's name may be."""
        try:
            return self._run_guarded(lambda: self._db.execute(sql, values).fetchall())
        except UnicodeEncodeError:
            return []

    def fetch_one(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """Return the first row of a query, if there is one."""
        found = self.fetch_all(sql, values)
        return found[0] if found else None

    def change_mark(self) -> tuple[int, int] | None:
        """Return a value that stays the same while nothing changes; None within a transaction."""
        if self._db.in_transaction:
            return None
        return self.fetch_all("pragma data_version")[0][0], self._db.total_changes

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Execute a statement without a result."""
        self._unseal()
        self._run_guarded(lambda: self._db.execute(sql, values).fetchall())

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute one statement for many rows."""
        self._unseal()
        self._run_guarded(lambda: self._db.executemany(sql, rows))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction."""
        self.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._run_guarded(self._db.rollback)
            raise
        self.execute("commit")

    def close(self) -> None:
        """Close and seal the file."""
        with _seal_lock(self._path):
            self._db.close()
            write_seal(self._path)

    def _unseal(self) -> None:
        """Remove the seal once: while this is open, nobody writes one."""
        if self._may_be_sealed:
            with suppress(FileNotFoundError):  # the cache was emptied
                files.remove_file(_seal_path(self._path))
            self._may_be_sealed = False

    def _run_guarded(self, act: Callable[[], Result]) -> Result:
        try:
            return act()
        except sqlite3.Error as error:
            raise self._translate_error(error) from None

    def _translate_error(self, error: sqlite3.Error) -> MemvaultError:
        """Return what an error means; a sound file must not be thrown away for a question that fails."""
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in _OF_OTHERS:
            return Busy(path=self._path, seconds=WAIT_SECONDS)
        if reason := disk_problem(error, self._path.parent):
            return Unwritable(path=self._path, reason=reason)
        if code & 0xFF == sqlite3.SQLITE_READONLY:
            return Unwritable(path=self._path, reason=describe_error(OSError(errno.EROFS, "")))
        is_damage = code & 0xFF in _DAMAGE or code == _CUT_OFF or str(error).startswith("no such table")
        return (DamagedIndex if is_damage else IndexFailed)(path=self._path, reason=error)
