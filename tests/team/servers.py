"""A PostgreSQL for the tests: the one that `MEMVAULT_TEST_PG_DSN` names, or one that is started for the run."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import pytest

GIVEN = "MEMVAULT_TEST_PG_DSN"
_TRIES = 25


@dataclass(frozen=True)
class Server:
    """A server: a way in as its superuser, and its folder where it was started here."""

    dsn: str
    folder: Path | None = None
    programs: Path | None = None

    def run(self, *words: str) -> None:
        """Run `pg_ctl` on it."""
        assert self.folder is not None
        assert self.programs is not None
        _run_as_owner(str(self.programs / "pg_ctl"), "-D", str(self.folder / "data"), "-w", *words)

    def start(self) -> None:
        """Start it; after a kill it is refused while any old process still holds the shared memory."""
        assert self.folder is not None
        options = f"-k {self.folder} -c listen_addresses= -c max_connections=60 -c shared_buffers=256MB"
        for _ in range(_TRIES):
            with suppress(subprocess.CalledProcessError):
                return self.run("-l", str(self.folder / "log"), "-o", options, "start")
            sleep(0.2)
        raise AssertionError((self.folder / "log").read_text("utf-8", "replace")[-2_000:])


def find_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, of the newest version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    beside = shutil.which("initdb")
    return Path(beside).resolve().parent if beside else None


@contextmanager
def running_server() -> Iterator[Server]:
    """Yield a server, or skip the tests and say so plainly."""
    if dsn := os.environ.get(GIVEN):
        yield Server(dsn)
        return
    programs = find_programs()
    if programs is None:
        pytest.skip(f"there is no PostgreSQL: neither its programs nor {GIVEN}")
    pytest.importorskip("psycopg", reason="the extra `team` is not installed")
    folder = Path(tempfile.mkdtemp(prefix="memvault-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        _run_as_owner(
            str(programs / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", "postgres", "--no-sync"
        )
        server = Server(f"host={folder} user=postgres dbname=postgres", folder, programs)
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):  # it was killed
                server.run("-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A server for the whole run."""
    with running_server() as server:
        yield server


@contextmanager
def new_database(server: Server) -> Iterator[str]:
    """Yield the way into a database of its own."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"memvault_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    try:
        yield make_conninfo(server.dsn, dbname=name)
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(f"drop database {name} with (force)")


def _run_as_owner(*words: str) -> None:
    """Run a program as the user `postgres`, since no server runs as root."""
    options: dict[str, Any] = {}
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        options = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **options)
