"""A recall over conversations with an assistant gives what was answered, not that it was asked."""

from __future__ import annotations

from pathlib import Path

from memvault import Memvault
from memvault.transcripts.search import TurnHit
from tests.transcripts.talking import chat

TALK = (
    ("user", "Good morning. The gauges were moved to the new mast."),
    ("assistant", "Noted. What do you need?"),
    ("user", "Which port does the gauge server listen on?"),
    ("assistant", "It is 7421, set in gauges.toml."),
    ("user", "And who calibrates them in spring?"),
    ("user", "The gauge server must never listen on 7500. Can you see why?"),
    ("assistant", "That one belongs to the printer."),
)


def recall_turns(vault: Memvault, question: str) -> list[tuple[str, float]]:
    found = vault.recall(question, spoken=True)
    return [(hit.text, hit.similarity) for hit in found.ranked if isinstance(hit, TurnHit)]  # type: ignore[attr-defined]


def ingest_talk(vault: Memvault, folder: Path) -> None:
    vault.ingest([str(chat(folder / "talk.json", TALK))], learn=False)


def test_a_turn_that_only_asks_gives_its_answer(vault: Memvault, tmp_path: Path) -> None:
    ingest_talk(vault, tmp_path)
    (best, sure), *others = recall_turns(vault, "which port does the gauge server listen on")
    assert best == "It is 7421, set in gauges.toml."
    assert sure > 0.9
    assert all("Which port" not in text and text != best for text, _ in others)


def test_a_question_that_nobody_answered_stays(vault: Memvault, tmp_path: Path) -> None:
    ingest_talk(vault, tmp_path)
    assert recall_turns(vault, "who calibrates in spring")[0][0] == "And who calibrates them in spring?"


def test_a_turn_that_says_something_besides_stays(vault: Memvault, tmp_path: Path) -> None:
    ingest_talk(vault, tmp_path)
    assert recall_turns(vault, "listen on 7500")[0][0].startswith("The gauge server must never listen on 7500.")


def test_dig_opens_the_conversation_around_the_answer(vault: Memvault, tmp_path: Path) -> None:
    ingest_talk(vault, tmp_path)
    found = vault.dig("which port does the gauge server listen on")
    marked = [turn.text for excerpt in found.conversations for turn in excerpt.lines if turn.found]
    assert "It is 7421, set in gauges.toml." in marked
