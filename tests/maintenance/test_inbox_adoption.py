"""An adopted folder of notes: the inbox asks who you are, what is current, which folders to give, what to leave out."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import ChangedMeanwhile, OnlyAPerson
from memvault.maintenance.inbox.card import Card
from tests.command_line import Line
from tests.conftest import Clock, Opener

NOTES = {
    "About me.md": "I am Noor, harbour master of Brekvik. I prefer short answers.\n",
    "Projects/Atlas.md": "Atlas moves the gauges to UTC by December.\n",
    "Projects/Old.md": "A project of long ago.\n",
    "Areas/Boat.md": "The boat is painted every May. [[Atlas]]\n",
    "Journal/2026-01-28.md": "Walked to the quay. [[Atlas]]\n",
    "Templates/person.md": "# {{title}}\n",
}


@pytest.fixture
def adopted(tmp_path: Path, clock: Clock, environment: dict[str, str], open_vault: Opener) -> Memvault:
    folder = tmp_path / "notes"
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        day = 400 if name != "Projects/Atlas.md" else 3
        os.utime(path, (clock().timestamp() - day * 86_400,) * 2)
    Memvault.init(folder, clock=clock, environment=environment)
    return open_vault(folder)


def proposals(vault: Memvault) -> dict[str, Card]:
    return {card.key.partition("|")[2]: card for card in vault.inbox(kinds=["adoption"]).cards}


def key_of(vault: Memvault, what: str) -> str:
    return next(card.key for name, card in proposals(vault).items() if name.startswith(what))


def own_notes(vault: Memvault) -> dict[str, str]:
    return {name: (vault.root / name).read_text() for name in NOTES}


def test_the_inbox_proposes_what_a_person_would_choose(adopted: Memvault) -> None:
    asked = [card.question for card in proposals(adopted).values()]
    assert asked == [
        "Is this who you are: “About me”?",
        "Are you working on this now: “Atlas”?",
        "May assistants be given your daily notes in Journal (1 note)?",
        "May assistants be given notes in Projects (2 notes)?",
        "May assistants be given notes in Areas (1 note)?",
        "Leave the templates in Templates out (1 note)?",
    ]


def test_who_you_are_and_what_is_current_begin_every_session_and_no_note_is_changed(adopted: Memvault) -> None:
    for what in ("me", "current"):
        op = adopted.act_on_card(key_of(adopted, what), "accept")
        adopted.undo(op)
        adopted.act_on_card(key_of(adopted, what), "accept")
    page = (adopted.root / "CLAUDE.md").read_text() if adopted.claude_md() else ""
    assert "harbour master of Brekvik" in page
    assert "Atlas moves the gauges to UTC" in page
    assert own_notes(adopted) == NOTES
    assert not any(name.startswith(("me", "current")) for name in proposals(adopted))


def test_a_folder_is_given_in_the_persons_own_config_and_taken_back(adopted: Memvault, open_vault: Opener) -> None:
    key = key_of(adopted, "give|Projects")
    assert adopted.act_on_card(key, "accept") == ""
    assert "give|Projects" not in proposals(adopted)
    with open_vault(adopted.root) as again:
        assert again.settings.texts("inject.folders") == ("Projects",)
        again.act_on_card("adoption|give|Areas", "accept")
    adopted.revert_act(key)
    with open_vault(adopted.root) as again:
        assert again.settings.texts("inject.folders") == ("Areas",)
    assert "give|Projects" in proposals(adopted)


def test_templates_are_left_out_and_a_refusal_is_asked_about_no_more(adopted: Memvault) -> None:
    adopted.act_on_card("adoption|leave out|Templates", "accept")
    assert (adopted.root / ".memvaultignore").read_text() == "/Templates/\n"
    assert "leave out|Templates" not in proposals(adopted)
    op = adopted.act_on_card("adoption|give|Journal", "refuse")
    assert "give|Journal" not in proposals(adopted)
    adopted.undo(op)
    assert "give|Journal" in proposals(adopted)


def test_daily_notes_are_asked_about_by_the_folder_that_holds_all_of_them(adopted: Memvault) -> None:
    for name in ("Areas/Log/2025/2025-12-30.md", "Areas/Log/2026/2026-01-02.md"):
        (adopted.root / name).parent.mkdir(parents=True, exist_ok=True)
        (adopted.root / name).write_text("Rowed.\n")
    (adopted.root / "Journal/2026-01-28.md").unlink()
    asked = [card.question for card in proposals(adopted).values()]
    assert "May assistants be given your daily notes in Areas/Log (2 notes)?" in asked
    assert "May assistants be given notes in Areas (1 note)?" in asked


def test_a_due_line_of_the_tasks_plugin_is_asked_about_and_ticked_in_its_note(adopted: Memvault) -> None:
    path = adopted.root / "Areas/Boat.md"
    path.write_text(
        "Boat.\n\n- [ ] Paint the hull 📅 2026-01-20\n- [ ] Buy rope 📅 2026-01-22\n- [ ] Later 📅 2026-09-01\n"
    )
    asked = adopted.inbox(kinds=["task"]).cards
    assert [card.question for card in asked] == ["Is this done: “Buy rope”?", "Is this done: “Paint the hull”?"]
    assert "It was due on Tuesday, 20 January 2026" in asked[1].why
    assert adopted.inbox(kinds=["due"]).cards == ()
    before = path.read_text()
    op = adopted.act_on_card(asked[1].key, "accept", version=asked[1].version)
    assert "- [x] Paint the hull" in path.read_text()
    assert [card.question for card in adopted.inbox(kinds=["task"]).cards] == ["Is this done: “Buy rope”?"]
    adopted.undo(op)
    assert path.read_text() == before
    path.write_text(f"A new first line.\n{before}")
    with pytest.raises(ChangedMeanwhile):
        adopted.act_on_card(asked[1].key, "refuse", version=asked[1].version)
    again = adopted.inbox(kinds=["task"]).cards[0]
    adopted.act_on_card(again.key, "snooze")
    assert again.key not in [card.key for card in adopted.inbox(kinds=["task"]).cards]
    assert "Buy rope 📅 2026-01-22" in path.read_text()


def test_each_of_several_lines_in_one_note_is_named_apart(line: Line) -> None:
    Path("Boat.md").write_text("- [ ] Paint the hull 📅 2026-01-20\n- [ ] Buy rope 📅 2026-01-22\n", encoding="utf-8")
    line("init", ".")
    assert "Paint the hull" in line("today").out
    listed = line("review", "list", "--text", "--only", "task").out
    [command] = [row.split("  ")[1] for row in listed.splitlines() if "review accept" in row and row.count("|2'")]
    assert line(*shlex.split(command)[1:]).code == 0
    assert "- [ ] Paint the hull" in Path("Boat.md").read_text(encoding="utf-8")
    assert "- [x] Buy rope" in Path("Boat.md").read_text(encoding="utf-8")


def test_the_page_of_adopted_notes_is_never_empty_without_a_word(adopted: Memvault) -> None:
    found = adopted.claude_md(dry_run=True)
    assert "has not said yet which of them are given" in found.text
    assert any("memvault review --only adoption" in note for note in found.notes)
    adopted.act_on_card(key_of(adopted, "me"), "accept")
    found = adopted.claude_md(dry_run=True)
    assert "has not said yet" not in found.text
    assert not any("review" in note for note in found.notes)


def test_an_agent_gives_itself_no_folder(adopted: Memvault, open_vault: Opener) -> None:
    with open_vault(adopted.root, agent="codex", session="s1") as agent, pytest.raises(OnlyAPerson):
        agent.act_on_card("adoption|give|Projects", "accept")


def test_a_vault_that_was_made_new_has_no_proposals(vault: Memvault) -> None:
    vault.remember("I am Noor, harbour master of Brekvik.", title="About me")
    assert proposals(vault) == {}


def test_init_says_what_it_will_ask(line: Line, tmp_path: Path) -> None:
    folder = tmp_path / "more"
    (folder / "Projects").mkdir(parents=True)
    (folder / "Projects" / "Atlas.md").write_text(NOTES["Projects/Atlas.md"])
    (folder / "Areas").mkdir()
    (folder / "Areas" / "Boat.md").write_text("The boat is painted every May.\n")
    ran = line("init", str(folder))
    assert "May assistants be given notes in Projects (1 note)?" in ran.err
    ran = line("--vault", str(folder), "review", "--only", "adoption", typed="jjauq", terminal=True)
    assert "Yes. 3 left.\nUndone." in ran.err
    assert "Areas" not in line("--vault", str(folder), "config", "list", "inject.folders").out
    line("--vault", str(folder), "review", "--only", "adoption", typed="jja", terminal=True)
    assert "Areas" in line("--vault", str(folder), "config", "list", "inject.folders").out
