"""What the server answers: recall, context, dig, show and given, over all vaults that a reader may read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from queue import Empty, LifoQueue
from secrets import token_hex
from typing import TYPE_CHECKING, Any
from zlib import crc32

from memvault.context.briefing import (
    MARKER_BYTES,
    RECALLED,
    QuotedEntry,
    format_entries,
    quote_label,
    quote_memory,
    quote_text,
)
from memvault.core.value import Record
from memvault.errors import BadInput, NotFound
from memvault.recall.query import conversation_similarity
from memvault.recall.ranking.weights import pack_items
from memvault.recall.recall import HEADER_TOKENS, RecallHit, RecallQuery
from memvault.storage.index.rows import decode_memory
from memvault.team.engines import MEMORY, Reader, Ref
from memvault.team.engines.postgresql import PostgresEngine
from memvault.team.engines.schema import SERVE
from memvault.team.shared_turns import SharedTranscripts
from memvault.team.shared_vault import SharedVault, open_context
from memvault.transcripts.dig import DigQuery, dig, open_around
from memvault.transcripts.search import TurnHit, find_combined, source_turns
from memvault.transfer.json_values import memory_to_json, to_json

if TYPE_CHECKING:
    from psycopg import Connection

    from memvault.storage.vault.context import VaultContext

LIMIT, MOST_LIMIT, BUDGET, MOST_BUDGET, LONGEST = 10, 100, 8_000, 32_000, 4_000
_WAIT = 5.0  # seconds for a connection
_NO_TEXT = 16  # tokens of the line above a quoted text


class Unavailable(Exception):
    """No connection is free, or the database is away."""


class TeamQuestion(Record, kw_only=True):
    """What is asked; zero means the usual."""

    query: str = ""
    ref: str = ""
    vaults: tuple[str, ...] = ()  # by name; all that may be read, where none is named
    limit: int = 0
    budget: int = 0
    around: int = 0


class ConnectionPool:
    """Some connections in the server's role, each lent to one request at a time."""

    def __init__(self, dsn: str, size: int) -> None:
        self._dsn = dsn
        self._free: LifoQueue[PostgresEngine | None] = LifoQueue()
        for _ in range(size):
            self._free.put(None)

    @contextmanager
    def lend(self) -> Iterator[PostgresEngine]:
        """Lend an engine; one whose connection broke is not lent again."""
        import psycopg

        try:
            engine = self._free.get(timeout=_WAIT)
        except Empty:
            raise Unavailable from None
        try:
            if engine is None or engine.connection.closed:
                engine = PostgresEngine(self._connect())
            yield engine
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if engine is not None:
                engine.connection.close()
            raise Unavailable from error
        finally:
            self._free.put(engine)

    def close(self) -> None:
        """Close the connections that are not lent."""
        while not self._free.empty():
            engine = self._free.get_nowait()
            if engine is not None:
                engine.connection.close()

    def _connect(self) -> Connection[Any]:
        import psycopg

        return psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None, options=f"-c role={SERVE}")


class SharedAnswers:
    """Answers questions of readers; each answer is in the audit before it is given."""

    def __init__(self, pool: ConnectionPool, clock: Callable[[], datetime]) -> None:
        self._pool, self._clock = pool, clock

    def recall(self, who: Reader, asked: TeamQuestion) -> dict[str, object]:
        """Return memories and turns of all vaults in one order, within one budget."""
        with self._reading(who, asked) as reading:
            found = reading.find_hits()
            packed = pack_items(
                ((each, each.hit.text) for each in found), budget=reading.budget, overhead=HEADER_TOKENS
            )
            hits = [each.to_json(text) for each, text in packed.kept]
            reading.record("recall", [each.id for each, _ in packed.kept])
            return {
                "query": asked.query,
                "hits": hits,
                "tokens": packed.used,
                "budget": reading.budget,
                "left_out": packed.left_out,
                "searched": reading.searched,
                "vaults": [vault.name for vault in reading.vaults],
                "cut": reading.is_cut,
            }

    def context(self, who: Reader, asked: TeamQuestion) -> dict[str, object]:
        """Return a text to give to a model: quoted, fenced, and without the words of strangers."""
        with self._reading(who, asked) as reading:
            found = [each for each in reading.find_hits() if not each.is_strangers]
            packed = pack_items(
                ((each, each.hit.text) for each in found), budget=reading.budget, overhead=HEADER_TOKENS + _NO_TEXT
            )
            entries = [QuotedEntry(RECALLED, each.quote(text)) for each, text in packed.kept]
            reading.record("context", [each.id for each, _ in packed.kept])
            return {
                "text": format_entries(entries, token_hex(MARKER_BYTES)),
                "tokens": packed.used,
                "budget": reading.budget,
                "left_out": packed.left_out,
                "cut": reading.is_cut,
            }

    def dig(self, who: Reader, asked: TeamQuestion) -> dict[str, object]:
        """Return the conversations around what matches, from each vault; or around one turn."""
        with self._reading(who, asked) as reading:
            results = []
            for vault, context in reading.contexts(asked.query or asked.ref):
                if asked.ref:
                    try:
                        found = open_around(context, asked.ref, turns=asked.around or 5, budget=reading.budget)
                    except NotFound:
                        continue
                else:
                    found = dig(context, DigQuery(topic=asked.query, budget=reading.budget, limit=asked.limit))
                results.append((vault, found, SharedTranscripts.of(context).is_cut))
            if asked.ref and not results:
                raise NotFound(ref=asked.ref)
            given = [hit.memory.id for _, found, _ in results for hit in found.memories]
            given += [line.ref for _, found, _ in results for talk in found.conversations for line in talk.lines]
            reading.record("dig", given)
            told = ({"vault": vault.name, **_as_object(found), "cut": cut} for vault, found, cut in results)
            return {"results": list(told)}

    def show(self, who: Reader, asked: TeamQuestion) -> dict[str, object]:
        """Return one memory with its text, by id, the beginning of one, or path."""
        with self._reading(who, asked) as reading:
            for vault in reading.vaults:
                found = reading.engine.around(who, vault.number, MEMORY, [Ref(asked.ref, 0)], texts=True)
                for turn in found.turns[:1]:
                    kept = json.loads(turn.data)
                    memory = decode_memory(kept["memory"], crc32(kept["memory"].encode()), turn.source)
                    if memory is not None:
                        reading.record("show", [memory.id])
                        body = memory.with_changes(body=turn.text)
                        return {"vault": vault.name, "memory": memory_to_json(body, body=True)}
            raise NotFound(ref=asked.ref)

    def list_given(self, who: Reader, asked: TeamQuestion) -> dict[str, object]:
        """Return what this person and their agents were given last, by id."""
        with self._pool.lend() as engine, engine.reading(who) as cursor:
            rows = cursor.execute(
                "select * from memvault.given(%s)", (_bounded(asked.limit, LIMIT, MOST_LIMIT),)
            ).fetchall()
            names = {vault.id: vault.name for vault in _reachable(cursor)}
        names_of = (
            {"at": at, "agent": agent, "vaults": [names.get(one, "") for one in vaults], "verb": verb, "ids": ids}
            for at, agent, vaults, verb, ids in rows
        )
        return {"given": [to_json(row) for row in names_of]}

    def is_ready(self) -> bool:
        """Return whether the database answers."""
        try:
            with self._pool.lend() as engine:
                return bool(engine.connection.execute("select 1").fetchone())
        except Unavailable:
            return False

    def wake(self, vault: str, *, is_purge: bool) -> bool:
        """Have a worker look at a vault now; return whether there is one of that name."""
        with self._pool.lend() as engine:
            row = engine.connection.execute("select memvault.wake(%s, %s)", (vault, is_purge)).fetchone()
            return bool(row and row[0])

    def queue_state(self) -> tuple[int, float, int]:
        """Return how many jobs are due, for how many seconds the oldest one is, and how many failed."""
        with self._pool.lend() as engine:
            row = engine.connection.execute("select * from memvault.queue_state()").fetchone() or (0, 0.0, 0)
            return int(row[0]), float(row[1]), int(row[2])

    @contextmanager
    def _reading(self, who: Reader, asked: TeamQuestion) -> Iterator[_Reading]:
        _check(asked)
        with self._pool.lend() as engine, engine.reading(who) as cursor:
            vaults = _reachable(cursor)
            if strange := set(asked.vaults).difference(vault.name for vault in vaults):
                raise BadInput(
                    what="the vault", value=", ".join(sorted(strange)), reason="you may read none of that name"
                )
            chosen = [vault for vault in vaults if not asked.vaults or vault.name in asked.vaults]
            yield _Reading(engine, who, asked, chosen, self._clock())


class _SharedHit(Record):
    """A hit, and the vault that it is from."""

    vault: str
    hit: RecallHit | TurnHit

    @property
    def id(self) -> str:
        return self.hit.ref if isinstance(self.hit, TurnHit) else self.hit.memory.id

    @property
    def similarity(self) -> float:
        """Return how similar it is, on one scale for memories and turns."""
        return self.hit.similarity if isinstance(self.hit, TurnHit) else conversation_similarity(self.hit.matches)

    @property
    def is_strangers(self) -> bool:
        return isinstance(self.hit, RecallHit) and self.hit.memory.is_strangers

    def to_json(self, text: str) -> dict[str, object]:
        """Return it under the names of `recall --json`."""
        if isinstance(self.hit, RecallHit):
            shown = _as_object(self.hit.to_json("memory", "similarity", "score", "weak", "superseded", "dated"))
            return {"vault": self.vault, **shown, "text": text}
        talk, turn = self.hit.held.talk, self.hit.turn
        about = {
            "ref": self.hit.ref,
            "conversation": talk.id,
            "title": talk.title,
            "speaker": turn.speaker,
            "time": to_json(turn.time),
        }
        return {
            "vault": self.vault,
            "turn": about,
            "similarity": self.hit.similarity,
            "score": self.hit.score,
            "text": text,
        }

    def quote(self, text: str) -> str:
        """Return it as it is quoted to a model."""
        if isinstance(self.hit, RecallHit):
            return quote_memory(self.hit.memory, text)
        day = f", {self.hit.turn.time:%Y-%m-%d}" if self.hit.turn.time else ""
        return f"\n{quote_label(self.hit.turn.speaker) or 'turn'} ({self.hit.ref}{day})\n{quote_text(text)}\n"


class _Reading:
    """One request: its vaults, its connection, its moment."""

    def __init__(
        self, engine: PostgresEngine, who: Reader, asked: TeamQuestion, vaults: Sequence[SharedVault], now: datetime
    ) -> None:
        self.engine, self.vaults = engine, vaults
        self.budget = _bounded(asked.budget, BUDGET, MOST_BUDGET)
        self.searched, self.is_cut = 0, False
        self._who, self._asked, self._now = who, asked, now

    def contexts(self, query: str) -> Iterator[tuple[SharedVault, VaultContext]]:
        """Yield each vault with the context in which the question is put to it."""
        for vault in self.vaults:
            yield vault, open_context(self.engine, self._who, vault, query, now=self._now)

    def find_hits(self) -> list[_SharedHit]:
        """Return what is similar enough, vault by vault in its order; the more similar of the next ones goes first."""
        limit = _bounded(self._asked.limit, LIMIT, MOST_LIMIT)
        ask = RecallQuery(query=self._asked.query, limit=limit, follow=False)
        lists = []
        for vault, context in self.contexts(self._asked.query):
            least = context.settings.number("recall.min_similarity")
            lists.append([_SharedHit(vault.name, hit) for hit in find_combined(context, ask, limit, least=least)])
            self.searched += context.index.count()
            self.is_cut = self.is_cut or SharedTranscripts.of(context).is_cut
        merged = []
        while queues := [each for each in lists if each]:
            merged.append(max(queues, key=lambda each: each[0].similarity).pop(0))
        return _drop_repeats(merged)[:limit]

    def record(self, verb: str, ids: Iterable[str]) -> None:
        """Enter into the audit what is about to be given; both are committed, or neither."""
        with self.engine.reading(self._who) as cursor:
            numbers = [vault.id for vault in self.vaults]
            cursor.execute("select memvault.record_read(%s, %s::int[], %s::text[])", (verb, numbers, list(ids)))


def _drop_repeats(hits: Sequence[_SharedHit]) -> list[_SharedHit]:
    """Drop what another vault gave already: the same memory, or the same turns."""
    kept, seen = [], set[object]()
    for each in hits:
        own: set[object] = {each.id} | set(source_turns(each.hit) if isinstance(each.hit, TurnHit) else ())
        if seen.isdisjoint(own):
            kept.append(each)
        seen |= own
    return kept


def _reachable(cursor: Any) -> list[SharedVault]:
    rows = cursor.execute("select id, name, number, private, settings from memvault.reachable()").fetchall()
    return [SharedVault(*row) for row in rows]


def _check(asked: TeamQuestion) -> None:
    if not (asked.query.strip() or asked.ref.strip()):
        raise BadInput(what="the query", value=asked.query, reason="it has no word to search for")
    if max(len(asked.query), len(asked.ref)) > LONGEST:
        raise BadInput(
            what="the query", value=f"{asked.query[:40]}…", reason=f"it is longer than {LONGEST:,} characters"
        )


def _bounded(value: int, usual: int, most: int) -> int:
    return min(value, most) if value > 0 else usual


def _as_object(value: object) -> Mapping[str, object]:
    found = to_json(value)
    assert isinstance(found, dict)
    return found
