"""`ingest --why`: what people said that became no memory, sentence by sentence, with the reason."""

from __future__ import annotations

import json
from pathlib import Path

from memvault import Memvault
from memvault.context.eligible import can_be_injected
from memvault.core.kinds import KINDS
from tests.command_line import Line

SAID = (
    ("user", "I can't stand coriander. How long does rice keep?"),
    ("assistant", "Five days."),
    ("user", "Shorten that. Our ward has 22 beds."),
)


def talk(tmp_path: Path) -> str:
    turns = [
        {"id": str(n), "session": "s", "time": f"2026-01-05T09:0{n}:00Z", "speaker": who, "role": who, "text": text}
        for n, (who, text) in enumerate(SAID)
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"id": "rice", "speakers": ["user", "assistant"], "turns": turns}), encoding="utf-8")
    return str(path)


def test_ingest_tells_why_each_sentence_was_passed_over(line: Line, tmp_path: Path) -> None:
    line("init", "vault")
    found = line("--vault", "vault", "ingest", "--format", "chat", talk(tmp_path), "--why", "--json").json["result"]
    (told,) = found["conversations"]
    assert [(one["text"], one["why"]) for one in told["not_kept"]] == [
        ("How long does rice keep?", "a question"),
        ("Shorten that.", "a task for now"),
    ]
    assert sorted(one["text"] for one in told["learnt"]) == ["I can't stand coriander.", "Our ward has 22 beds."]


def test_ingest_sums_up_what_was_kept_and_passed_over(line: Line, tmp_path: Path) -> None:
    line("init", "vault")
    ran = line("--vault", "vault", "ingest", "--format", "chat", talk(tmp_path), "--why")
    assert "a question: How long does rice keep?" in ran.out
    assert "Kept 2, passed over 2: 1 a question, 1 a task for now." in ran.err


def test_what_is_not_sure_is_found_and_not_injected(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    said = {"id": "1", "session": "s", "time": "2026-01-05T09:00:00Z", "speaker": "user", "role": "user"}
    turns = [{**said, "text": "The kiln room at Hollin is 4 metres wide."}]
    path.write_text(json.dumps({"id": "kiln", "speakers": ["user"], "turns": turns}), encoding="utf-8")
    vault.ingest([path], format="chat")
    (hit,) = vault.recall("how wide is the kiln room").hits
    assert (hit.memory.more["unsure"], hit.memory.weight) == (True, 0.3)
    assert not can_be_injected(hit.memory, folders=(), project="", kinds=KINDS, now=hit.memory.created)
