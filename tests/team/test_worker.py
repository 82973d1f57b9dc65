"""The worker over a real PostgreSQL: whole or not at all, once, and in turn."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from memvault.api import Memvault
from tests import points
from tests.command_line import Line
from tests.team.repositories import ENVIRONMENT, Repository
from tests.team.servers import Server, new_database

pytestmark = pytest.mark.postgres
pytest.importorskip("psycopg", reason="the extra `team` is not installed")

from memvault.team.control import TeamControl, connect, initialize, owner_of  # noqa: E402
from memvault.team.engines.postgresql import PostgresEngine  # noqa: E402
from memvault.team.engines.schema import WORKER  # noqa: E402
from memvault.team.worker import Worker  # noqa: E402

SEEN = (
    "for update of j skip",
    "copy staged_unit",
    "delta_term",
    "memvault.unit",
    "memvault.edition e set",
    "memvault.job set",
)
ROOT = Path(__file__).resolve().parents[2]


class Stage:
    """A database, a repository of a vault called `ours`, and a worker."""

    def __init__(self, dsn: str, repository: Repository, folder: Path, stack: ExitStack) -> None:
        initialize(dsn)
        self.dsn, self.repository, self.folder = dsn, repository, folder
        self.owner = stack.enter_context(owner_of(dsn))
        self.control = TeamControl(self.owner)
        self.connection = stack.enter_context(connect(dsn, role=WORKER))
        self.worker = Worker(self.connection, folder, ENVIRONMENT)
        for seed in range(3):
            repository.archive_talk(seed, 40)
        repository.write("loose.md", "# Loose note\n\nThe lantern hangs in the boat house.\n")
        repository.commit()
        self.control.add_vault("ours", repository.url)

    def hurry(self) -> None:
        """Have every job due."""
        self.owner.execute("update memvault.job set due = '-infinity'")

    @property
    def number(self) -> int:
        """The number under which the vault's units stand."""
        (number,) = self.owner.execute("select number from memvault.vault where name = 'ours'").fetchone() or (0,)
        return int(number)

    def digest(self) -> str:
        """The digest of all rows in use."""
        return PostgresEngine(self.owner).digest(self.number)

    def watch(self, process: subprocess.Popen[bytes], words: str) -> None:
        """Wait until a worker of its own is seen at some statement, or has ended."""
        sql = "select 1 from pg_stat_activity where query ilike %s and pid <> pg_backend_pid() and state <> 'idle'"
        while process.poll() is None and self.owner.execute(sql, (f"%{words}%",)).fetchone() is None:
            pass

    def command(self) -> subprocess.Popen[bytes]:
        """Start a worker of its own."""
        words = (sys.executable, "-m", "memvault", "worker", "--once", "--folder", str(self.folder), "--dsn", self.dsn)
        quiet = subprocess.DEVNULL
        environment = {**ENVIRONMENT, "HOME": str(self.folder), "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(words, env=environment, stdout=quiet, stderr=quiet)


@pytest.fixture
def stage(postgres_server: Server, vault: Memvault, tmp_path: Path) -> Iterator[Stage]:
    with ExitStack() as stack:
        dsn = stack.enter_context(new_database(postgres_server))
        yield Stage(dsn, Repository(vault), tmp_path / "work", stack)


def test_a_second_run_writes_nothing(stage: Stage) -> None:
    (done,) = stage.worker.run_due()
    assert done.rows > 100
    assert not done.problem
    assert stage.worker.run_due() == [], "it waits for the next look"
    stage.hurry()
    assert [job.rows for job in stage.worker.run_due()] == [0]


def test_what_grew_changed_and_went_equals_a_fresh_build(stage: Stage) -> None:
    stage.worker.run_due()
    stage.repository.archive_talk(1, 55)
    (stage.repository.root / "loose.md").unlink()
    stage.repository.write("new.md", "# New\n\nThe ferry waits.\n")
    stage.repository.commit()
    stage.hurry()
    stage.worker.run_due()
    before, number = stage.digest(), stage.number
    stage.control.rebuild("ours")
    assert stage.number == number, "the one in use stays until the new one is whole"
    stage.worker.run_due()
    assert stage.number != number
    assert stage.digest() == before
    (left,) = stage.owner.execute("select count(*) from memvault.unit where vault = %s", (number,)).fetchone() or (9,)
    assert left == 0


def test_a_vault_that_cannot_be_fetched_is_tried_again_later_and_hinders_nobody(stage: Stage, tmp_path: Path) -> None:
    stage.control.add_vault("away", str(tmp_path / "nowhere.git"))
    done = {job.vault: job for job in stage.worker.run_due()}
    assert done["away"].problem
    assert done["ours"].rows > 0
    rows = {row.name: row for row in stage.control.status()}
    assert rows["away"].tries == 1
    assert "git fetch failed" in rows["away"].problem
    assert stage.worker.run_due() == []


def test_purges_go_first_and_nobody_waits_for_another_worker(stage: Stage) -> None:
    stage.control.add_vault("urgent", stage.repository.url)
    stage.owner.execute(
        "update memvault.job j set purge = true from memvault.vault v where v.id = vault and name = 'urgent'"
    )
    with connect(stage.dsn, role=WORKER) as other, other.transaction():
        row = other.execute(
            "select vault from memvault.job order by purge desc limit 1 for update skip locked"
        ).fetchone()
        assert row is not None
        assert [job.vault for job in stage.worker.run_due()] == ["ours"], "the other vault is in somebody's hands"
    assert [job.vault for job in stage.worker.run_due()] == ["urgent"]


def test_a_vault_that_is_pushed_to_all_the_time_keeps_no_other_waiting(stage: Stage) -> None:
    for name in ("second", "third"):
        stage.control.add_vault(name, stage.repository.url)
    turns = []
    for _ in range(6):
        stage.owner.execute("select memvault.wake('ours', false)")
        finished = stage.worker.run_next()
        assert finished is not None
        turns.append(finished.vault)
        stage.hurry()
    assert sorted(turns[:3]) == ["ours", "second", "third"], "each has had its turn before one has a second"
    assert turns[3:] == turns[:3]


def test_a_worker_that_waits_is_woken_by_a_push(stage: Stage) -> None:
    stage.worker.run_due()
    began = time.monotonic()
    waker = Thread(target=lambda: stage.owner.execute("select memvault.wake('ours', false)"))
    waker.start()
    stage.worker.wait(60)
    waker.join()
    assert time.monotonic() - began < 30
    assert [job.vault for job in stage.worker.run_due()] == ["ours"]


def test_a_worker_that_is_killed_leaves_nothing_and_the_next_one_finishes(stage: Stage) -> None:
    for kill in range(points.of(4, 50)):
        stage.repository.archive_talk(kill % 3, 45 + 3 * kill)
        stage.repository.commit()
        stage.hurry()
        with stage.command() as process:
            stage.watch(process, SEEN[kill % len(SEEN)])
            process.send_signal(signal.SIGKILL)
        cursors = stage.owner.execute("select cursor, sequence from memvault.edition").fetchall()
        rows = stage.owner.execute("select coalesce(max(sequence), 0) from memvault.unit").fetchone() or (0,)
        assert rows[0] <= cursors[0][1], "rows without their cursor"
    stage.hurry()  # waits for what the killed one holds until its connection is found to be gone
    assert [job.problem for job in stage.worker.run_due()] == [""]
    before = stage.digest()
    stage.control.rebuild("ours")
    stage.worker.run_due()
    assert stage.digest() == before


def test_the_commands_set_up_a_shared_vault(
    postgres_server: Server, vault: Memvault, tmp_path: Path, line: Line
) -> None:
    repository = Repository(vault)
    repository.write("loose.md", "# Loose note\n\nThe lantern hangs in the boat house.\n")
    repository.commit()
    with new_database(postgres_server) as dsn:
        given = ("--dsn", dsn)
        assert "Carried out 1 migration" in line("team", "init", *given).out
        assert "up to date" in line("team", "init", *given).out
        assert "Added: ours" in line("team", "vault", "add", "ours", "--git", repository.url, *given).out
        assert line("team", "grant", "ours", "--to", "staff", "--as", "read", *given).code == 2
        assert "group:staff may read ours." in line("team", "grant", "ours", "--to", "group:staff", *given).out
        assert "ours: 3 rows changed" in line("worker", "--once", "--folder", str(tmp_path / "mirrors"), *given).out
        assert "ours: 1 memory, 0 turns" in line("team", "status", *given).out
        assert "To be built anew" in line("team", "rebuild", "ours", *given).out
        assert "0 entries, all in order." in line("team", "audit", "verify", *given).out
        assert "Took 1 grant" in line("team", "revoke", "ours", "--to", "group:staff", *given).out
        assert "Removed: ours" in line("team", "vault", "remove", "ours", *given).out
        assert "There is no shared vault." in line("team", "status", *given).out
        assert line("team", "status", "--dsn", f"{dsn} user=nobody").code == 1
