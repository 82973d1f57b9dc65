"""A whole installation: vaults in repositories, a worker that indexed them, one's own index of the same, and neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from memvault.api import Memvault
from memvault.core.conversation import Conversation, Turn
from memvault.team.control import TeamControl, connect, initialize, owner_of
from memvault.team.engines.schema import WORKER
from memvault.team.worker import Worker
from memvault.transcripts.archive.archive import Archive
from memvault.transcripts.model.record import TranscriptEntry
from tests.benchmarks.engines import NOW
from tests.benchmarks.team.quality import invent
from tests.team.repositories import ENVIRONMENT, Repository
from tests.team.servers import new_database, running_server

PERSON = "ann"
_NOTES_PER_TURN = 1 / 100
_COPY = (
    "insert into memvault.source select %(to)s, kind, id, path, short, data, hash, sequence from memvault.source"
    " where vault = %(of)s",
    "insert into memvault.turn select %(to)s, kind, source, turn, text, data, hash, sequence from memvault.turn"
    " where vault = %(of)s",
    "insert into memvault.sitting select %(to)s, source, sitting,"
    " replace(tsv::text, format('''%%s/', %(of)s), format('''%%s/', %(to)s))::tsvector, hash, sequence"
    " from memvault.sitting where vault = %(of)s",
    "insert into memvault.unit select %(to)s, kind, source, turn, part, sitting, speaker, role, day, signs, lengths,"
    " sitting_terms, length, named, replace(tsv::text, format('''%%s/', %(of)s), format('''%%s/', %(to)s))::tsvector,"
    " hash, sequence from memvault.unit where vault = %(of)s",
    "insert into memvault.term select %(to)s, kind, term, field, units, sittings from memvault.term"
    " where vault = %(of)s",
    "insert into memvault.speaker select %(to)s, name, terms, units from memvault.speaker where vault = %(of)s",
    "update memvault.edition e set cursor = o.cursor, version = o.version, memories = o.memories,"
    " passages = o.passages, lengths = o.lengths, conversations = o.conversations, turns = o.turns, units = o.units,"
    " terms = o.terms, sittings = o.sittings from memvault.edition o where e.number = %(to)s and o.number = %(of)s",
)


class Installation:
    """A database on a server of its own, a worker, and the folders of vaults."""

    def __init__(self, stack: ExitStack) -> None:
        self.dsn = stack.enter_context(new_database(stack.enter_context(running_server())))
        self._folder, self._stack = Path(stack.enter_context(TemporaryDirectory())), stack
        initialize(self.dsn)
        self.owner = stack.enter_context(owner_of(self.dsn))
        self.control = TeamControl(self.owner)
        connection = stack.enter_context(connect(self.dsn, role=WORKER))
        self.work = self._folder / "work"
        self.worker = Worker(connection, self.work, ENVIRONMENT, seconds=1e9)
        self._copies = 0

    def add_vault(self, name: str, turns: Sequence[Turn], size: int) -> tuple[Memvault, Repository]:
        """Fill a vault with invented conversations and notes of given words, and index it both ways."""
        Memvault.init(self._folder / name)
        vault = self._stack.enter_context(Memvault(self._folder / name, clock=lambda: NOW))
        repository = Repository(vault)
        archive = Archive(vault.root, vault.run(lambda context: context.vault.layout))
        for number, told in enumerate(invent(turns, size, size)):
            head = Conversation(id=f"{number:08x}-{name}", source="chat", title=f"Talk {number}")
            archive.append_conversation(head, [TranscriptEntry(turn=turn) for turn in told], now=NOW)
        chance, words = Random(size), [word for turn in turns for word in turn.text.split()]
        for number in range(int(size * _NOTES_PER_TURN)):
            text = " ".join(chance.choices(words, k=120))
            day = f"{NOW - timedelta(days=number % 400):%Y-%m-%d}"
            note = f"---\ncreated: {day}\n---\n# {' '.join(chance.choices(words, k=4))}\n\n{text}\n"
            repository.write(f"2-memories/note-{number}.md", note)
        repository.commit()
        began = perf_counter()
        vault.recall("first", spoken=True)
        between = perf_counter()
        self.control.add_vault(name, repository.url)
        self.control.grant(name, f"person:{PERSON}", "read")
        (job,) = self.worker.run_due()
        assert not job.problem, job.problem
        taken = f"{between - began:.0f} s in one's own index, {perf_counter() - between:.0f} s by the worker"
        print(f"{name}: {size:,} turns, {job.rows:,} rows; {taken}", flush=True)
        return vault, repository

    def copy_vault(self, name: str, count: int) -> None:
        """Put as many vaults of others beside it, each as large and of the same words."""
        (of,) = self.owner.execute("select number from memvault.vault where name = %s", (name,)).fetchone() or (0,)
        for _ in range(count):
            self._copies += 1
            other = f"other-{self._copies}"
            self.control.add_vault(other, "nowhere")
            self.control.grant(other, f"person:{other}", "read")
            self.owner.execute("update memvault.job set due = 'infinity'")
            sql = "select number from memvault.vault where name = %s"
            (to,) = self.owner.execute(sql, (other,)).fetchone() or (0,)
            with self.owner.transaction():
                for statement in _COPY:
                    self.owner.execute(statement.encode(), {"of": of, "to": to})

    def settle(self) -> str:
        """Have what was written settle, and say how much there is."""
        with connect(self.dsn) as connection:
            connection.execute("vacuum analyze")
            sql = "select (select count(*) from memvault.unit), pg_size_pretty(pg_database_size(current_database()))"
            units, size = connection.execute(sql).fetchone() or (0, "")
        return f"{units:,} units in all, {size}"
