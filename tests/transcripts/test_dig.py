"""Digging: whole conversations around what was said, in order, and what faded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.query import Filters
from memvault.errors import BadInput, NoConversation
from tests.conftest import Clock
from tests.transcripts.talking import CONCERT, GAUGES, chat


@pytest.fixture
def talked(vault: Memvault, tmp_path: Path) -> Memvault:
    vault.ingest([chat(tmp_path / "talk.json", GAUGES, CONCERT)], learn=False)
    return vault


def said(vault: Memvault, topic: str, **wanted: object) -> list[tuple[str, str]]:
    found = vault.dig(topic, **wanted)  # type: ignore[arg-type]
    return [(line.speaker, line.text) for each in found.conversations for line in each.lines]


def test_dig_returns_the_conversation_around_a_phrase(talked: Memvault) -> None:
    lines = said(talked, "modem port of the gauge")
    start = lines.index(GAUGES[0])
    assert lines[start : start + len(GAUGES)] == list(GAUGES)


def test_dig_includes_bordering_turns(talked: Memvault) -> None:
    lines = said(talked, "who plays the viola in the quartet")
    assert lines[: lines.index(CONCERT[0])] == list(GAUGES[-2:])


def test_dig_map_lists_references(talked: Memvault) -> None:
    mapped = talked.dig("viola quartet concert", map_only=True)
    assert not mapped.conversations
    opened = talked.open_conversation(mapped.topics[0].ref)
    assert set(CONCERT) <= {(line.speaker, line.text) for line in opened.conversations[0].lines}


def test_dig_around_returns_turns_on_either_side(talked: Memvault) -> None:
    (conversation,) = talked.around("talk-1:4", turns=1).conversations
    assert [line.text for line in conversation.lines] == [GAUGES[2][1], GAUGES[3][1], CONCERT[0][1]]
    assert [line.found for line in conversation.lines] == [False, True, False]


def test_dig_keeps_the_budget_and_counts_omissions(talked: Memvault) -> None:
    found = talked.dig("modem port of the gauge", budget=170)
    assert 0 < found.tokens <= 170
    assert found.conversations[0].clipped


def test_dig_without_matches_returns_an_empty_result(talked: Memvault) -> None:
    found = talked.dig("xylophone zebra")
    assert (found.topics, found.conversations, found.memories) == ((), (), ())
    assert found.searched == len(GAUGES) + len(CONCERT)


def test_dig_reports_an_unknown_reference(talked: Memvault) -> None:
    with pytest.raises(NoConversation):
        talked.open_conversation("nowhere:3")
    for number in ("99", "0", "9" * 5_000):
        with pytest.raises(BadInput, match="has 7 turns"):
            talked.open_conversation(f"talk-1:{number}")


def test_dig_finds_and_restores_archived_memories(talked: Memvault, clock: Clock) -> None:
    made = talked.remember("The spare modem of the gauge lies in the green box.", weight=0.2)
    clock.pass_(days=200)
    talked.maintain()
    clock.pass_(days=40)
    talked.maintain()
    assert talked.find(made.memory.id).status == "archived"
    assert talked.dig("spare modem green box", dry_run=True, restore=True).restored
    assert talked.find(made.memory.id).status == "archived"
    found = talked.dig("spare modem green box", restore=True)
    assert [memory.id for memory in found.restored] == [made.memory.id]
    assert talked.find(made.memory.id).status == "active"


def test_recall_can_search_conversations(talked: Memvault) -> None:
    made = talked.remember("The viola of the quartet is Noor's own.")
    found = talked.recall("who plays the viola in the quartet", spoken=True, limit=5)
    assert made.memory.id in {hit.memory.id for hit in found.hits}
    turns = [each.turn.text for each in found.ranked if hasattr(each, "turn")]  # type: ignore[attr-defined]
    assert CONCERT[1][1] in turns


def turns(found: object) -> set[str]:
    return {each.turn.text for each in found.ranked if hasattr(each, "turn")}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("filters", "is_there"),
    [
        (Filters(people=frozenset({"Noor"})), True),
        (Filters(people=frozenset({"Ilse"})), False),
        (Filters(since=datetime(2026, 1, 10, tzinfo=UTC)), True),
        (Filters(since=datetime(2026, 1, 20, tzinfo=UTC)), False),
        (Filters(tiers=frozenset({3})), True),
        (Filters(tiers=frozenset({1})), False),
        (Filters(tags=frozenset({"music"})), False),  # a turn has no tags
        (Filters(keywords=frozenset({"Quartets"})), True),  # in whatever spelling
        (Filters(keywords=frozenset({"modem"})), False),  # a keyword of the other topic
    ],
)
def test_filters_apply_to_turns(talked: Memvault, filters: Filters, *, is_there: bool) -> None:
    found = talked.recall("who plays the viola in the quartet", spoken=True, filters=filters)
    assert (CONCERT[1][1] in turns(found)) == is_there


def test_keyword_filter_applies_to_topics(talked: Memvault) -> None:
    assert "quartet" in {word.name for word in talked.list_keywords().keywords}


def test_index_drops_a_conversation_whose_file_was_removed(talked: Memvault) -> None:
    for path in (talked.root / "3-raw/transcripts").rglob("*.gz"):
        path.unlink()
    assert talked.dig("viola").searched == 0


def test_transcript_index_can_be_deleted(talked: Memvault, environment: dict[str, str]) -> None:
    before = said(talked, "viola quartet")
    for path in (Path(environment["XDG_CACHE_HOME"]) / "memvault/talks").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\x00damaged" * 9)
    talked.close()
    assert said(talked, "viola quartet") == before


def test_dig_finds_text_deep_in_a_long_file(vault: Memvault) -> None:
    stations = " ".join(f"Station number {number} was checked and found in order." for number in range(120))
    vault.remember(f"The winter survey. {stations} The spare zirconium probe lies behind the boiler.", significant=True)
    for budget in (300, 8_000):
        (hit, *_) = vault.dig("zirconium probe", budget=budget).memories
        assert hit.memory.path.startswith("2-memories/deep-context/")
    assert vault.dig("zirconium probe", budget=50).left_out == 1
