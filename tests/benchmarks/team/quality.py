"""Quality of shared vaults against one's own: both rank with the same code; what differs is who supplies the units."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from memvault.core.conversation import Conversation, Turn
from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import score_units, strip_small_talk
from memvault.team.analyze import conversation_source, speaker_terms
from memvault.team.engines import Batch, Reader, Source
from memvault.team.engines.postgresql import PostgresEngine
from memvault.team.shared_turns import SharedTranscripts, VaultCounts
from memvault.text.stem import stem
from memvault.text.terms import query_tokens
from tests.benchmarks.engines import LIMIT, NOW, Ours, turns_of
from tests.benchmarks.recalled import MEASURES, SHOWN, Hit, Row, gaps, means
from tests.benchmarks.retrieval import answered
from tests.team.databases import Database
from tests.team.servers import new_database, running_server

WHO = Reader("ann")
_TALK = 400  # turns of one invented conversation


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
            start, stop = transcripts._spans[number, unit.turn][unit.part]
            said = transcripts._turns[number, unit.turn].text[start:stop]
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
    print("   ".join(f"{kind}: {spread(taken)}" for kind, taken in times.items()), flush=True)


def _show(title: str, base: Sequence[Row], other: Sequence[Row]) -> None:
    print(f"{title}: {len(base)} questions")
    for kind, rows in (("own", base), ("shared", other)):
        print(
            f"  {kind:8}" + "".join(f"{name} {value:.1f}  " for name, value in zip(MEASURES, means(rows), strict=True))
        )
    print(f"  {'gap':8}{gaps(base, other, SHOWN)}", flush=True)


def spread(times: Sequence[float]) -> str:
    """The median and the slow end of some times in milliseconds."""
    ordered = sorted(times)
    return f"p50 {ordered[len(ordered) // 2]:.1f} ms, p95 {ordered[int(0.95 * len(ordered))]:.1f} ms"
