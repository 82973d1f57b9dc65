"""Shared vaults against one's own, in the same run: `python -m tests.benchmarks.team quality|speed|freshness --data FILE...`.

FILE is as for `tests.benchmarks.retrieval`. PostgreSQL is the one of MEMVAULT_TEST_PG_DSN, or one that is started here
with Debian's package. Both rank with the same code; what differs is who supplies the units.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter
from typing import Any

from memvault.api import Memvault
from memvault.core.conversation import Conversation, Turn
from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import score_units, strip_small_talk
from memvault.team.analyze import conversation_source, speaker_terms
from memvault.team.control import TeamControl, connect, initialize, owner_of
from memvault.team.engines import TURN, Batch, Reader, Ref, Sought, Source
from memvault.team.engines.postgresql import PostgresEngine
from memvault.team.engines.schema import SERVE, WORKER
from memvault.team.shared_turns import SharedTranscripts, VaultCounts
from memvault.team.worker import Worker
from memvault.text.stem import stem
from memvault.text.terms import query_tokens
from tests.benchmarks.engines import LIMIT, NOW, Ours, turns_of
from tests.benchmarks.recalled import MEASURES, SHOWN, Hit, Row, gaps, means
from tests.benchmarks.retrieval import answered
from tests.team.databases import Database
from tests.team.repositories import ENVIRONMENT, Repository
from tests.team.servers import new_database, running_server

WHO = Reader("ann")
_TALK = 400  # turns of one invented conversation
_CLIENTS = 16


class Shared:
    """One shared vault, asked as `Ours` is."""

    def __init__(self, engine: PostgresEngine, vault: int, ids: Mapping[tuple[str, int], str]) -> None:
        self._engine, self._vault, self._ids = engine, vault, ids

    def __call__(self, text: str) -> list[Hit]:
        with self._engine.reading(WHO):  # one transaction, as the server has for each request
            return self._ask(text)

    def _ask(self, text: str) -> list[Hit]:
        question = read_question(text, now=NOW)
        transcripts = SharedTranscripts(VaultCounts(self._engine, WHO, self._vault), question)
        index: Any = transcripts.turn_index()
        scored = score_units(question, index, limit=LIMIT, statistics=index.statistics)
        transcripts.get_units(index.keys[one.unit] for one in scored)  # reads the texts, all together
        wanted = {stem(token) for token in query_tokens(text)}
        hits = []
        for one in scored:
            unit = index.at_hand[one.unit]
            number = transcripts._numbers[unit.source]
            said = transcripts._turns[number, unit.turn].text[unit.start : unit.stop]
            shown = said if unit.role else strip_small_talk(said, wanted)
            hits.append(Hit(self._ids[unit.source, unit.turn], shown))
        return hits


def source_of(name: str, turns: Sequence[Turn], speakers: Sequence[str] = ()) -> Source:
    """A conversation as an engine holds it."""
    return conversation_source(name, Conversation(id=name, source="chat", speakers=tuple(speakers)), turns, (), ())


def invent(turns: Sequence[Turn], count: int, seed: int) -> Iterator[list[Turn]]:
    """Conversations of invented turns: the words, lengths and roles of given ones, in another order."""
    chance = Random(seed)
    words = [word for turn in turns for word in turn.text.split()]
    for start in range(0, count, _TALK):
        told = []
        for number in range(start, min(start + _TALK, count)):
            like = chance.choice(turns)
            text = " ".join(chance.choices(words, k=max(1, len(like.text.split()))))
            told.append(
                replace(
                    like,
                    id=f"noise-{seed}-{number}",
                    text=text,
                    session=f"noise-{seed}-{number // 20}",
                    time=NOW - timedelta(minutes=count - number),
                )
            )
        yield told


def fill(database: Database, sources: Sequence[Source], reader: str = "person:ann") -> int:
    """A vault with some sources in it."""
    vault = database.add_vault(reader)
    for start in range(0, len(sources), 100):
        part = sources[start : start + 100]
        batch = Batch("" if start == 0 else f"c{start - 100}", f"c{start}", part, speaker_terms=speaker_terms(part))
        database.engine.take(vault, batch)
    return vault


def quality(paths: Sequence[Path], noise: int, every: int, *, alone: bool = True) -> dict[str, list[Row]]:
    """Each conversation in a vault of its own, and all of a file in one vault with invented turns."""
    rows: dict[str, list[Row]] = {}
    with running_server() as server, new_database(server) as dsn:
        database = Database(dsn)
        for path in paths:
            conversations = json.loads(path.read_text(encoding="utf-8"))
            base, other = rows.setdefault(f"{path.name}: own", []), rows.setdefault(f"{path.name}: shared", [])
            for one in conversations if alone else ():
                turns = turns_of(one)
                vault = fill(database, [source_of(one["id"], turns, one["speakers"])])
                database.connection.execute("analyze")
                base += answered(one, Ours(turns))[0]
                ids = {(one["id"], place): turn.id for place, turn in enumerate(turns)}
                other += answered(one, Shared(database.engine, vault, ids))[0]
            if alone:
                _show(path.name, base, other)
            if noise:
                _hard_case(database, path.name, conversations, noise, every, rows)
        database.close()
    return rows


def _hard_case(
    database: Database, name: str, conversations: Sequence[Any], noise: int, every: int, rows: dict[str, list[Row]]
) -> None:
    talks = [
        [replace(turn, id=f"{one['id']}/{turn.id}", session=f"{one['id']}/{turn.session}") for turn in turns_of(one)]
        for one in conversations
    ]
    invented = list(invent([turn for talk in talks for turn in talk], noise, 1))
    every_talk = {
        **{one["id"]: talk for one, talk in zip(conversations, talks, strict=True)},
        **{f"noise-{n}": talk for n, talk in enumerate(invented)},
    }
    vault = fill(database, [source_of(key, talk) for key, talk in every_talk.items()])
    database.connection.execute("analyze")
    own = Ours([turn for talk in every_talk.values() for turn in talk])
    ids = {(key, place): turn.id for key, talk in every_talk.items() for place, turn in enumerate(talk)}
    shared = Shared(database.engine, vault, ids)
    base, other = rows.setdefault(f"{name}: own, with noise", []), rows.setdefault(f"{name}: shared, with noise", [])
    times: dict[str, list[float]] = {"own": [], "shared": []}
    for one in conversations:
        asked = {
            "turns": [{**turn, "id": f"{one['id']}/{turn['id']}"} for turn in one["turns"]],
            "questions": [
                {**each, "gold": [f"{one['id']}/{id_}" for id_ in each["gold"]]} for each in one["questions"][::every]
            ],
        }
        for kind, ask, into in (("own", own, base), ("shared", shared, other)):
            found, taken = answered(asked, ask)
            into += found
            times[kind] += taken
    _show(f"{name}, {len(own.shelf.lengths):,} units in one vault", base, other)
    print("   ".join(f"{kind}: {_spread(taken)}" for kind, taken in times.items()))


def _show(title: str, base: Sequence[Row], other: Sequence[Row]) -> None:
    print(f"{title}: {len(base)} questions")
    for kind, rows in (("own", base), ("shared", other)):
        print(
            f"  {kind:8}" + "".join(f"{name} {value:.1f}  " for name, value in zip(MEASURES, means(rows), strict=True))
        )
    print(f"  {'gap':8}{gaps(base, other, SHOWN)}", flush=True)


def speed(path: Path, big: int, small: int, more: int) -> dict[str, list[float]]:
    """A big vault, a small one, and more vaults beside them; then many clients at once."""
    conversations = json.loads(path.read_text(encoding="utf-8"))
    turns = [turn for one in conversations for turn in turns_of(one)]
    questions = [question["text"] for one in conversations for question in one["questions"]][::7][:150]
    times: dict[str, list[float]] = {}
    with running_server() as server, new_database(server) as dsn:
        database = Database(dsn)
        talks = {size: list(invent(turns, size, size)) for size in (big, small)}
        sources = {size: [source_of(f"{size}-{n}", talk) for n, talk in enumerate(talks[size])] for size in talks}
        began = perf_counter()
        vaults = {size: fill(database, sources[size]) for size in talks}
        units = sum(len(source.units) for each in sources.values() for source in each)
        print(f"{units:,} units written, {units / (perf_counter() - began):,.0f} a second", flush=True)
        database.connection.execute("vacuum analyze")
        ids = {
            (f"{size}-{n}", place): turn.id
            for size in talks
            for n, talk in enumerate(talks[size])
            for place, turn in enumerate(talk)
        }
        with database.connect_as(SERVE) as connection:
            engine = PostgresEngine(connection)
            for size in talks:
                own, shared = Ours([turn for talk in talks[size] for turn in talk]), Shared(engine, vaults[size], ids)
                for question in questions[:20]:
                    shared(question)
                for kind, ask in ((f"own, {size:,} turns", own), (f"shared, {size:,} turns", shared)):
                    times[kind] = [_time(ask, question) for question in questions]
                    print(f"{kind}: {_spread(times[kind])}", flush=True)
            for number in range(more):
                fill(database, sources[big], reader=f"person:other-{number}")
            if more:
                database.connection.execute("vacuum analyze")
                shared = Shared(engine, vaults[small], ids)
                for size in (small, big):
                    shared = Shared(engine, vaults[size], ids)
                    for question in questions[:20]:
                        shared(question)
                    kind = f"shared, {size:,} turns, beside {more} other vaults of {big:,}"
                    times[kind] = [_time(shared, question) for question in questions]
                    print(f"{kind}: {_spread(times[kind])}", flush=True)
        _ask_at_once(database, vaults[small], ids, questions)
        (size,) = database.connection.execute(
            "select pg_size_pretty(pg_database_size(current_database()))"
        ).fetchone() or ("",)
        (held,) = database.connection.execute("select count(*) from memvault.unit").fetchone() or (0,)
        print(f"{held:,} units in all, {size}")
        database.close()
    return times


def _ask_at_once(database: Database, vault: int, ids: Mapping[tuple[str, int], str], questions: Sequence[str]) -> None:
    engines = [PostgresEngine(database.connect_as(SERVE)) for _ in range(_CLIENTS)]

    def recall(number: int, question: str) -> None:
        Shared(engines[number], vault, ids)(question)

    def candidates(number: int, question: str) -> list[Ref]:
        terms = {term: 1.0 for word in read_question(question, now=NOW).words for term in word.terms}
        return engines[number].candidates(WHO, vault, TURN, Sought(terms), limit=200)

    for name, act in (("candidate queries", candidates), ("whole recalls", recall)):

        def client(number: int, act: Any = act) -> int:
            for question in questions:
                act(number, question)
            return len(questions)

        began = perf_counter()
        with ThreadPoolExecutor(_CLIENTS) as threads:
            done = sum(threads.map(client, range(_CLIENTS)))
        print(f"{_CLIENTS} clients, {name}: {done / (perf_counter() - began):.0f} a second, no error", flush=True)


def freshness(rounds: int) -> dict[str, list[float]]:
    """From a commit to the moment at which a worker has it in the database: woken by a push, and by polling."""
    times: dict[str, list[float]] = {"woken by a push": [], "polling every 4 s": []}
    with TemporaryDirectory() as folder, running_server() as server, new_database(server) as dsn:
        initialize(dsn)
        Memvault.init(Path(folder, "vault"))
        with (
            Memvault(Path(folder, "vault")) as vault,
            owner_of(dsn) as owner,
            connect(dsn, role=WORKER) as connection,
        ):
            repository, worker = Repository(vault), Worker(connection, Path(folder, "work"), ENVIRONMENT)
            for seed in range(5):
                repository.archive_talk(seed, 200)
            repository.commit()
            TeamControl(owner).add_vault("ours", repository.url)
            worker.run_due()
            for kind in times:
                for number in range(rounds):
                    repository.write("note.md", f"# Note\n\nThe {kind} ferry number {number}.\n")
                    repository.commit()
                    began = perf_counter()
                    if kind == "woken by a push":
                        Thread(target=lambda: owner.execute("select memvault.wake('ours', false)")).start()
                    while not any(job.rows for job in worker.run_due()):
                        worker.wait(5)
                    times[kind].append(1_000 * (perf_counter() - began))
                print(f"from commit to found, {kind}: {_spread(times[kind])}", flush=True)
    return times


def _time(ask: Any, question: str) -> float:
    began = perf_counter()
    ask(question)
    return 1_000 * (perf_counter() - began)


def _spread(times: Sequence[float]) -> str:
    ordered = sorted(times)
    return f"p50 {ordered[len(ordered) // 2]:.1f} ms, p95 {ordered[int(0.95 * len(ordered))]:.1f} ms"


def main() -> None:
    """Run what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "speed", "freshness"))
    parser.add_argument("--data", type=Path, nargs="+", default=[])
    parser.add_argument(
        "--noise", type=int, default=0, help="quality: invented turns beside all conversations of a file"
    )
    parser.add_argument("--together", action="store_true", help="quality: only with the noise, in one vault")
    parser.add_argument("--every", type=int, default=1, help="quality: with noise, every so many questions")
    parser.add_argument("--big", type=int, default=100_000, help="speed: turns of the big vault")
    parser.add_argument("--small", type=int, default=10_000, help="speed: turns of the private vault")
    parser.add_argument("--more", type=int, default=0, help="speed: other vaults as large as the big one")
    chosen = parser.parse_args()
    if chosen.what == "quality":
        quality(chosen.data, chosen.noise, chosen.every, alone=not chosen.together)
    elif chosen.what == "freshness":
        freshness(20)
    else:
        speed(chosen.data[0], chosen.big, chosen.small, chosen.more)


if __name__ == "__main__":
    main()
