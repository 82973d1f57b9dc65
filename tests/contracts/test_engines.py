"""What every engine of shared vaults promises: the same candidates, the same counts, all or nothing, nothing ungranted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, Protocol

import pytest

from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import score_units
from memvault.team.engines import ENGINES, MEMORY, TURN, Batch, Engine, Reader, Ref, Sought
from memvault.team.engines.memory import MemoryEngine
from memvault.team.shared_turns import SharedTranscripts, VaultCounts
from memvault.team.shared_vault import SharedVault, open_context
from memvault.transcripts.dig import DigQuery, dig
from memvault.transcripts.search import RecallQuery, recall_with_turns
from tests.recall.ranking.turn_indexes import MemoryShelf
from tests.team import invented
from tests.team.servers import Server, new_database

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
ANN, BOB = Reader("ann"), Reader("bob", ("staff",))


class Stage(Protocol):
    engine: Engine

    def add_vault(self, *readers: str) -> int: ...


class InMemory:
    """The oracle."""

    def __init__(self) -> None:
        self.engine, self._count = MemoryEngine(), 0

    def add_vault(self, *readers: str) -> int:
        self._count += 1
        for reader in readers:
            self.engine.grant(self._count, reader)
        return self._count


class OverPostgres:
    """A database of its own on a real server."""

    def __init__(self, dsn: str) -> None:
        from tests.team.databases import Database

        self.database = Database(dsn)
        self.engine = self.database.engine

    def add_vault(self, *readers: str) -> int:
        return self.database.add_vault(*readers)


@pytest.fixture(params=["memory", pytest.param("postgresql", marks=pytest.mark.postgres)])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    assert request.param in ENGINES
    if request.param == "memory":
        yield InMemory()
        return
    server: Server = request.getfixturevalue("postgres_server")
    with ExitStack() as stack:
        stage = OverPostgres(stack.enter_context(new_database(server)))
        stack.callback(stage.database.close)
        yield stage


def ask(engine: Engine, vault: int, question: str, who: Reader = ANN) -> list[tuple[Any, ...]]:
    asked = VaultCounts(engine, who, vault)
    parsed = read_question(question, now=NOW)
    turns: Any = SharedTranscripts(asked, parsed).turn_index()
    scored = score_units(parsed, turns, limit=20, statistics=turns.statistics)
    return [(turns.at_hand[one.unit].ref, round(one.score, 6), round(one.similarity, 6)) for one in scored]


def recalled(engine: Engine, vault: int, question: str, who: Reader = ANN) -> list[tuple[object, ...]]:
    context = open_context(engine, who, SharedVault(1, "ours", vault), question, now=NOW)
    found = recall_with_turns(context, RecallQuery(query=question, limit=12, follow=False), is_fresh=True)
    return [(type(hit).__name__, hit.text, hit.score, hit.similarity) for hit in found.ranked]


def test_a_batch_is_written_once_and_only_from_the_cursor_it_was_read_from(stage: Stage) -> None:
    vault = stage.add_vault("person:ann")
    sources = invented.vault()
    rows = sum(1 + len(source.turns) + len(source.units) for source in sources)
    assert stage.engine.cursor(vault).commit == ""
    assert stage.engine.take(vault, invented.batch(sources)) == rows
    assert stage.engine.cursor(vault).commit == "c1"
    assert stage.engine.take(vault, invented.batch(sources)) == 0, "read from another cursor"
    assert stage.engine.take(vault, invented.batch(sources, since="c1", cursor="c2")) == 0, "the same content"
    assert stage.engine.cursor(vault).commit == "c2"


def test_what_came_and_went_leaves_what_a_fresh_build_would_have(stage: Stage) -> None:
    first, fresh = stage.add_vault("person:ann"), stage.add_vault("person:ann")
    grown, gone = invented.conversation(0, 55), invented.conversation(1)
    stage.engine.take(first, invented.batch(invented.vault()))
    stage.engine.take(first, invented.batch([grown], since="c1", cursor="c2", gone=[(TURN, gone.id)]))
    stage.engine.take(first, invented.batch([], since="c2", cursor="c3", gone=[(MEMORY, invented.memory(2).id)]))
    kept = [source for source in invented.vault() if source.id not in (grown.id, gone.id, invented.memory(2).id)]
    stage.engine.take(fresh, invented.batch([*kept, grown]))
    terms = [*invented.WORDS, "maja", "marbl", "compas"]
    groups = [("kayak", "heron"), ("nowher", "gone")]
    assert stage.engine.statistics(ANN, first, terms, groups) == stage.engine.statistics(ANN, fresh, terms, groups)
    for question in invented.QUESTIONS:
        assert ask(stage.engine, first, question) == ask(stage.engine, fresh, question)


def test_a_whole_batch_replaces_everything(stage: Stage) -> None:
    vault = stage.add_vault("person:ann")
    stage.engine.take(vault, invented.batch(invented.vault()))
    only = [invented.memory(3)]
    stage.engine.take(vault, Batch("c1", "c2", only, is_whole=True))
    totals = stage.engine.statistics(ANN, vault, ()).totals
    assert (totals.memories, totals.conversations, totals.units) == (1, 0, 0)


def test_turns_are_ranked_as_by_an_index_that_has_them_all(stage: Stage) -> None:
    vault = stage.add_vault("person:ann")
    told = [turn for seed in range(3) for turn in invented.turns(seed, 40)]
    sources = [invented.conversation_source("all", invented.Conversation(id="all", source="chat"), told, (), ())]
    stage.engine.take(vault, invented.batch(sources))
    shelf: Any = MemoryShelf(told)
    for question in invented.QUESTIONS:
        scored = score_units(read_question(question, now=NOW), shelf, limit=20)
        firsts = shelf.first_units
        expected = [
            (Ref("all", shelf.turns[one.unit], one.unit - firsts[shelf.turns[one.unit]]), round(one.score, 6))
            for one in scored
        ]
        assert [row[:2] for row in ask(stage.engine, vault, question)] == expected, question


def test_candidates_and_counts_are_those_of_the_oracle(stage: Stage) -> None:
    vault, oracle = stage.add_vault("person:ann"), MemoryEngine()
    oracle.grant(vault, "person:ann")
    for engine in (stage.engine, oracle):
        engine.take(vault, invented.batch(invented.vault()))
    shares = {"kayak": 1.0, "heron": 0.5, "lantern": 1.0, "nowhere": 1.0}
    for kind in (MEMORY, TURN):
        sought = Sought(shares, (invented.NAMES[0],), (739_313, 739_315) if kind == TURN else ())
        found, expected = (engine.candidates(ANN, vault, kind, sought, limit=30) for engine in (stage.engine, oracle))
        assert found == expected
        for texts in (False, True):
            around = [
                engine.around(ANN, vault, kind, found[:5], terms=list(shares), steps=2, texts=texts)
                for engine in (stage.engine, oracle)
            ]
            assert around[0] == around[1]
        together = [
            engine.around(ANN, vault, kind, sought, limit=30, terms=list(shares), steps=2)
            for engine in (stage.engine, oracle)
        ]
        assert together[0] == together[1]
        assert together[0] == stage.engine.around(ANN, vault, kind, found, terms=list(shares), steps=2)
    groups = [("kayak", "heron"), ("nowhere", "lantern")]
    terms = [*shares, "compas", "maja", "oneil"]
    found, expected = (engine.statistics(ANN, vault, terms, groups, terms) for engine in (stage.engine, oracle))
    assert found == expected
    for ref in ("00000001", "memories/note-2.md", invented.memory(2).id, ""):
        named, expected_names = (
            engine.around(ANN, vault, MEMORY, [Ref(ref, 0)], texts=True) for engine in (stage.engine, oracle)
        )
        assert named == expected_names
        assert bool(named.sources) is bool(ref)
    assert stage.engine.cursor(vault, ["memories/note-2.md", invented.conversation(1).id]) == oracle.cursor(
        vault, ["memories/note-2.md", invented.conversation(1).id]
    )


def test_recall_and_dig_answer_as_over_the_oracle(stage: Stage) -> None:
    vault, oracle = stage.add_vault("person:ann"), MemoryEngine()
    oracle.grant(vault, "person:ann")
    for engine in (stage.engine, oracle):
        engine.take(vault, invented.batch(invented.vault()))
    for question in invented.QUESTIONS:
        assert recalled(stage.engine, vault, question) == recalled(oracle, vault, question)
    topic = invented.QUESTIONS[1]
    dug = [
        dig(open_context(each, ANN, SharedVault(1, "ours", vault), topic, now=NOW), DigQuery(topic=topic))
        for each in (stage.engine, oracle)
    ]
    assert dug[0].conversations
    assert dug[0] == dug[1]


def test_nobody_is_given_anything_that_was_not_granted(stage: Stage) -> None:
    vault = stage.add_vault("person:ann", "group:board")
    stage.engine.take(vault, invented.batch(invented.vault()))
    assert recalled(stage.engine, vault, "kayak")
    assert recalled(stage.engine, vault, "kayak", Reader("eve", ("board",)))
    for who in (BOB, Reader(""), Reader("board"), Reader("ann'--"), Reader("x", ("ann", "person:ann"))):
        assert stage.engine.candidates(who, vault, TURN, Sought({"kayak": 1.0}), limit=9) == []
        assert stage.engine.around(who, vault, TURN, [Ref(f"{0:08x}-talk", 0)], terms=["kayak"], steps=9).units == []
        assert stage.engine.around(who, vault, TURN, [Ref(f"{0:08x}-talk", 0)], steps=9, texts=True).turns == []
        assert stage.engine.statistics(who, vault, ["kayak"]).totals.memories == 0
        assert stage.engine.statistics(who, vault, ["kayak"]).terms == {}
        assert not any(stage.engine.around(who, vault, MEMORY, [Ref("0000", 0)], texts=True))


def test_what_another_vault_holds_changes_no_answer(stage: Stage) -> None:
    vault, other = stage.add_vault("person:ann"), stage.add_vault("person:ann", "person:bob")
    stage.engine.take(vault, invented.batch(invented.vault()))
    before = [recalled(stage.engine, vault, question) for question in invented.QUESTIONS]
    stage.engine.take(other, invented.batch([invented.conversation(seed, 80) for seed in range(30, 45)]))
    assert [recalled(stage.engine, vault, question) for question in invented.QUESTIONS] == before


def test_private_text_reaches_no_engine(stage: Stage) -> None:
    vault = stage.add_vault("person:ann")
    stage.engine.take(vault, invented.batch(invented.vault()))
    assert stage.engine.statistics(ANN, vault, ["never"]).terms == {}
