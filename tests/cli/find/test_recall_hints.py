"""What a recall says besides its hits: how many more there were, and that conversations hold what no memory does."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import Line
from tests.transcripts.talking import CONCERT, chat


def test_recall_says_how_many_more_match_than_it_shows(in_vault: Line) -> None:
    for number in range(7):
        text = f"The harbour crane lifted crate {number} on pier {number * 3}."
        Path(f"2-memories/crane-{number}.md").write_text(text, encoding="utf-8")
    Path("2-memories/baker.md").write_text("The baker opens at six.", encoding="utf-8")
    assert (
        "4 more matched: memvault recall 'harbour crane' --limit 7"
        in in_vault("recall", "harbour crane", "--limit", "3").err
    )
    assert "more matched" not in in_vault("recall", "harbour crane", "--limit", "7").err
    assert "more matched" not in in_vault("recall", "baker", "--limit", "1").err


def test_recall_by_conditions_alone_says_how_many_more_meet_them(in_vault: Line) -> None:
    for word in ("tea", "milk", "bread"):
        in_vault("remember", f"Buy {word} at the market on Friday.", "--tag", "shop")
    assert (
        "2 more matched: memvault recall --tag shop --limit 3"
        in in_vault("recall", "--tag", "shop", "--limit", "1").err
    )


def test_recall_says_that_conversations_hold_what_no_memory_does(in_vault: Line, tmp_path: Path) -> None:
    in_vault("remember", "The harbour crane lifts nine tonnes.")
    in_vault("session", "ingest", str(chat(tmp_path / "talk.json", CONCERT)), "--no-learn")
    assert "--include transcripts gives" in in_vault("recall", "who plays the viola in the quartet").err
    assert "--include" not in in_vault("recall", "harbour crane").err
    assert "--include" not in in_vault("recall", "zeppelin").err
    assert "--include" not in in_vault("recall", "quartet viola", "--include", "transcripts").err
