"""The benchmark of recall: what it counts as right, on a vault far too small to measure anything."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.benchmarks import recall
from tests.benchmarks.recall import AnsweredQuestion, AskedQuestion, note_figures

NOW = datetime(2026, 5, 27, 12, tzinfo=UTC)


def answered(*hits: tuple[str, float], gold: frozenset[str] = frozenset({"a.md"})) -> AnsweredQuestion:
    return AnsweredQuestion(AskedQuestion("ann", "single", "?", gold, NOW), list(hits), 1.0)


@pytest.fixture
def half(tmp_path: Path) -> Path:
    folder = tmp_path / "seen"
    folder.mkdir()
    notes = (
        {"path": "Home/Boiler.md", "text": "The boiler code is H-62.\n"},
        {"path": "Dog.md", "text": "Bo barks.\n"},
    )
    asked = (
        {"question": "boiler code", "kind": "identifier", "answers": ["Home/Boiler.md"]},
        {"question": "who owns the zeppelin", "kind": "none", "answers": []},
    )
    for name, rows, more in (("notes", notes, {}), ("questions", asked, {"asked": "2026-05-27"})):
        lines = (json.dumps({"vault": "ann", **more, **row}) for row in rows)
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_share_right_is_counted_by_similarity_and_for_what_has_no_answer() -> None:
    found = [
        answered(("a.md", 0.9), ("b.md", 0.5)),
        answered(("b.md", 0.7), ("a.md", 0.3)),
        answered(("b.md", 0.39), gold=frozenset()),
        answered(("b.md", 0.41), gold=frozenset()),
    ]
    figures = note_figures(found)
    assert figures["notes MRR"] == "75.0"
    assert figures["of hits at 0.4 to 0.6, right"] == "0 % of 2"
    assert figures["of hits at 0.8 to 1.0, right"] == "100 % of 1"
    assert figures["of first hits at 0.4 and above, right"] == "33 % of 3"
    assert figures["of questions with answers, the answer at 0.4"] == "50 % of 2"
    assert figures["of questions without, anything at 0.4"] == "50 % of 2"


def test_it_asks_every_person_and_prints_a_column_for_each_half(
    half: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recall, "HALVES", half.parent)
    monkeypatch.setattr(sys, "argv", ["recall", "--by-category"])
    recall.main()
    shown = capsys.readouterr().out
    assert "seen" in shown
    assert "unseen" not in shown
    assert "notes R@5" in shown
    assert "100.0" in shown
    assert "identifier (1)" in shown
