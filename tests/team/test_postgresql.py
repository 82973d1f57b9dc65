"""PostgreSQL in trouble and at its limits: killed under writes, common words, and what a purge leaves."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest

from memvault.core.conversation import Conversation, Turn
from memvault.team.analyze import conversation_source
from memvault.team.engines import COUNTED, TURN, Batch, Reader, Sought, Source
from tests import points
from tests.team import invented
from tests.team.servers import Server, new_database, running_server

pytestmark = pytest.mark.postgres
psycopg = pytest.importorskip("psycopg", reason="the extra `team` is not installed")

from memvault.team.engines.postgresql import PostgresEngine  # noqa: E402
from tests.team.databases import Database  # noqa: E402

ANN = Reader("ann")


@pytest.fixture
def database(postgres_server: Server) -> Iterator[Database]:
    with new_database(postgres_server) as dsn:
        made = Database(dsn)
        yield made
        made.close()


def test_words_that_are_too_common_are_cut_off_and_the_answer_says_so(database: Database) -> None:
    vault = database.add_vault("person:ann")
    like = Turn(id="", speaker="Maja", text="", time=invented.START, session="s")
    told = [
        replace(
            like,
            id=f"t{n}",
            text="kayak heron" + (" lantern" if n == 7 else ""),
            time=like.time and like.time + timedelta(minutes=n),
        )
        for n in range(COUNTED + 50)
    ]
    source = conversation_source("x", Conversation(id="x", source="chat"), told, (), ())
    database.engine.take(vault, invented.batch([source]))
    cut = database.engine.candidates(ANN, vault, TURN, Sought({"kayak": 1.0, "lantern": 1.0}), limit=9)
    assert [ref.turn for ref in cut] == [7], "the rare word is followed, the common one counts only there"
    assert all(ref.is_cut for ref in cut)
    whole = database.engine.candidates(ANN, vault, TURN, Sought({"lantern": 1.0}), limit=9)
    assert [ref.is_cut for ref in whole] == [False]
    groups = [("kayak", "heron"), ("lantern", "nowhere")]
    counted = database.engine.statistics(ANN, vault, ["kayak"], groups)
    assert counted.terms[TURN, "kayak"].units == COUNTED + 50
    assert counted.groups[groups[0]].units == COUNTED + 50, "estimated, as the words are common"
    assert counted.groups[groups[1]] == (1, 1)


def test_a_purge_leaves_nothing_in_any_table(database: Database) -> None:
    vault = database.add_vault("person:ann")
    secret = invented.conversation_source(
        "x", Conversation(id="x", source="chat"), [Turn(id="t", speaker="Zebulon", text="the zeppelin")], (), ()
    )
    database.engine.take(vault, invented.batch([*invented.vault(), secret]))
    database.engine.take(vault, Batch("c1", "c2", gone=[(TURN, "x")]))
    tables = (
        ("tsv", "unit"),
        ("tsv", "sitting"),
        ("text", "turn"),
        ("data", "source"),
        ("term", "term"),
        ("name", "speaker"),
    )
    for column, table in tables:
        sql = f"select count(*) from memvault.{table} where {column}::text ilike any(array['%zeppelin%', '%zebulon%'])"
        assert database.connection.execute(sql.encode()).fetchone() == (0,), table


def grown(number: int) -> Source:
    return invented.conversation(number % 3, 10 + number)


def kill(server: Server) -> None:
    """Kill the server and all its processes, as a power cut would."""
    assert server.folder is not None
    head = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    others = [
        int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal() and _parent(path.name) == head
    ]
    for each in (head, *others):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def _parent(process: str) -> int:
    with suppress(OSError):
        return int(Path("/proc", process, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    return 0


def test_a_server_that_is_killed_under_writes_loses_nothing_that_was_committed() -> None:
    with running_server() as server:
        if server.folder is None:
            pytest.skip("the server of MEMVAULT_TEST_PG_DSN is not killed")
        with psycopg.connect(server.dsn, autocommit=True) as first:
            first.execute("create database crashes")
        dsn = server.dsn.replace("dbname=postgres", "dbname=crashes")
        database = Database(dsn)
        vault = database.add_vault("person:ann")
        database.close()
        done = 0
        for _ in range(points.of(2, 5)):
            written: list[int] = []

            def write(begin: int = done, into: list[int] = written) -> None:
                with suppress(psycopg.Error), psycopg.connect(dsn, autocommit=True) as connection:
                    engine = PostgresEngine(connection)
                    for number in range(begin, begin + 500):
                        since = f"c{number - 1}" if number else ""
                        engine.take(vault, Batch(since, f"c{number}", [grown(number)]))
                        into.append(number)

            writer = Thread(target=write)
            writer.start()
            while len(written) < 8 and writer.is_alive():
                writer.join(0.005)
            kill(server)
            writer.join()
            server.start()
            database = Database(dsn)
            last = int(database.engine.cursor(vault).commit.removeprefix("c"))
            assert last >= written[-1], "what was committed is there"
            fresh = database.add_vault("person:ann")
            since = ""
            for number in range(max(0, last - 2), last + 1):
                database.engine.take(fresh, Batch(since, f"c{number}", [grown(number)]))
                since = f"c{number}"
            assert database.engine.digest(vault) == database.engine.digest(fresh), "torn"
            database.close()
            done = last + 1
