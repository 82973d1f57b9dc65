"""Keywords across a vault: counted whatever their spelling, renamed and made one, byte for byte, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.query import Filters
from memvault.errors import BadInput, NothingToDo
from memvault.recall.keywords import list_keywords, merge_keywords, rename_keyword, show_keyword
from tests.conftest import Opener

NOTE = """---
title: {title}   # mine
tags: [ {tags} ]
topics:
  - {topics}
mood: 12:30
---
{body}
"""
TALKS = (("PipeWire", "audio"), ("pipe-wire", "bluetooth", "PipeWire"), ("garden",))


def put(
    vault: Memvault, title: str, *, tags: str = "", topics: str = "none", body: str = "Text.", folder: str = ""
) -> Path:
    path = vault.root / (folder or "2-memories") / f"{title}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(NOTE.format(title=title, tags=tags, topics=topics, body=body), encoding="utf-8")
    return path


@pytest.fixture
def noted(vault: Memvault) -> Memvault:
    put(vault, "One", tags="PipeWire, sound")
    put(vault, "Two", tags="pipe-wire", topics="Sound")
    put(vault, "Three", tags="postgresql-14, work/acme")
    return vault


def names(vault: Memvault) -> dict[str, int]:
    return {one.name: one.memories for one in vault.list_keywords().keywords}


def test_spellings_of_a_keyword_count_as_one(noted: Memvault) -> None:
    found = {one.name: one for one in noted.list_keywords().keywords}
    assert found["PipeWire"].memories == 2
    assert found["PipeWire"].spellings == ("pipe-wire",)
    assert "pipe-wire" not in found


def test_keywords_of_conversations_are_counted_beside_those_of_memories(noted: Memvault) -> None:
    found = noted.run(lambda context: list_keywords(context, topics=TALKS))
    counts = {one.name: (one.memories, one.topics) for one in found.keywords}
    assert counts["PipeWire"] == (2, 2)
    assert counts["garden"] == (0, 1)


def test_a_keyword_is_looked_up_in_any_spelling(noted: Memvault) -> None:
    found = noted.find_keyword("pipe wire")
    assert found.keyword.name == "PipeWire"
    assert {memory.title for memory in found.memories} == {"One", "Two"}
    assert [(one.name, one.count) for one in found.together if one.name != "none"] == [("Sound", 2)]


def test_keywords_beside_it_in_conversations_count(noted: Memvault) -> None:
    found = noted.run(lambda context: show_keyword(context, "pipewire", topics=TALKS))
    assert {one.name: one.count for one in found.together if one.name != "none"} == {
        "Sound": 2,
        "audio": 1,
        "bluetooth": 1,
    }


def test_a_slip_is_answered_with_what_may_be_meant(noted: Memvault) -> None:
    found = noted.find_keyword("postgesql-14")
    assert found.keyword.total == 0
    assert found.near == ("postgresql-14",)
    assert noted.find_keyword("postgesql-15").near == ()


# -- recall by keyword


def test_keyword_matches_topics_parent_tags_and_misspellings(noted: Memvault) -> None:
    def titles(*words: str) -> set[str]:
        return {row.memory.title for row in noted.list(Filters(keywords=frozenset(words))).rows}

    assert titles("sound") == {"One", "Two"}
    assert titles("sound", "pipewire") == {"One", "Two"}
    assert titles("work") == {"Three"}
    assert titles("postgesql-14") == {"Three"}
    assert titles("postgresql-15") == set()
    assert titles("") == set()


# -- one name for several


def test_a_merge_changes_the_words_and_no_other_byte(noted: Memvault) -> None:
    before = {path: path.read_text("utf-8") for path in (noted.root / "2-memories").glob("*.md")}
    done = noted.merge_keywords("pipewire", "PipeWire")
    assert {memory.title for memory in done.memories} == {"One", "Two"}
    for path, text in before.items():
        wanted = text.replace("[ PipeWire, sound ]", "[ pipewire, sound ]").replace("[ pipe-wire ]", "[ pipewire ]")
        assert path.read_text("utf-8") == wanted
    assert names(noted)["pipewire"] == 2


def test_rename_is_undone_byte_for_byte(noted: Memvault) -> None:
    before = {path: path.read_bytes() for path in noted.root.glob("2-memories/*.md")}
    noted.undo(noted.merge_keywords("sound", "PipeWire").op)
    assert {path: path.read_bytes() for path in before} == before
    assert not noted.run(lambda context: context.vault.ledger.decisions().renames)


def test_a_dry_run_changes_nothing(noted: Memvault) -> None:
    noted.refresh()
    before = {path: path.read_bytes() for path in noted.root.rglob("*") if path.is_file()}
    done = noted.rename_keyword("sound", "noise", dry_run=True)
    assert {memory.title for memory in done.memories} == {"One", "Two"}
    assert not done.op
    assert {path: path.read_bytes() for path in noted.root.rglob("*") if path.is_file()} == before


def test_a_memory_that_bears_both_bears_one_of_them_once(noted: Memvault) -> None:
    path = put(noted, "Both", tags="audio, sound", topics="audio")
    noted.merge_keywords("sound", "audio")
    text = path.read_text("utf-8")
    assert "tags: [ sound ]" in text or "tags: [sound]" in text
    assert "audio" not in text


def test_a_tag_below_goes_with_the_one_above(noted: Memvault) -> None:
    noted.rename_keyword("work", "job")
    assert "job/acme" in names(noted)


def test_a_name_of_two_words_has_no_space_as_a_tag(noted: Memvault) -> None:
    noted.rename_keyword("sound", "sound server")
    assert "sound-server" in (noted.root / "2-memories/One.md").read_text("utf-8")
    assert "sound server" in (noted.root / "2-memories/Two.md").read_text("utf-8")
    with pytest.raises(NothingToDo):
        noted.rename_keyword("sound server", "sound server")


def test_a_name_that_another_keyword_has_is_not_taken(noted: Memvault) -> None:
    with pytest.raises(BadInput, match="merge Sound PipeWire"):
        noted.rename_keyword("PipeWire", "Sound")


@pytest.mark.parametrize("new", ["", " - ", "a,b", "a\x07b", "x" * 81, "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"])
def test_a_name_that_cannot_be_written_is_refused(noted: Memvault, new: str) -> None:
    with pytest.raises(BadInput):
        noted.rename_keyword("sound", new)


def test_foreign_notes_and_tags_in_a_text_stay_and_are_named(noted: Memvault) -> None:
    foreign = put(noted, "Mine", tags="sound", folder="My notes")
    inline = put(noted, "Inline", tags="x", body="About #sound.")
    before = foreign.read_bytes(), inline.read_bytes()
    done = noted.rename_keyword("sound", "noise")
    assert {left.memory.title: left.why for left in done.left} == {
        "Mine": "it is a note of your own, which only `memvault edit` changes",
        "Inline": "it stands in the text as a #tag",
    }
    assert (foreign.read_bytes(), inline.read_bytes()) == before


def test_an_agent_does_not_rename_in_tier_0(noted: Memvault, open_vault: Opener) -> None:
    put(noted, "Me", tags="sound", folder="0-identity")
    agent = open_vault(noted.root, agent="claude-code")
    assert [left.memory.title for left in agent.rename_keyword("sound", "noise").left] == ["Me"]
    assert [memory.title for memory in noted.merge_keywords("noise", "sound").memories] == ["Me"]


# -- conversations, whose archive is never changed


def test_a_keyword_of_conversations_is_renamed_by_a_line_in_the_ledger(noted: Memvault) -> None:
    def told() -> dict[str, int]:
        found = noted.run(lambda context: list_keywords(context, topics=TALKS))
        return {one.name: one.topics for one in found.keywords if one.topics}

    done = noted.run(lambda context: rename_keyword(context, "garden", "plants", topics=TALKS))
    assert (done.memories, done.topics) == ((), 1)
    assert told() == {"PipeWire": 2, "audio": 1, "bluetooth": 1, "plants": 1}
    merged = noted.run(lambda context: merge_keywords(context, "plants", ["audio", "bluetooth"], topics=TALKS))
    assert merged.topics == 2
    assert told() == {"PipeWire": 2, "plants": 3}
    assert noted.run(lambda context: show_keyword(context, "audio", topics=TALKS)).keyword.name == "plants"
    noted.undo(merged.op)
    noted.undo(done.op)
    assert told() == {"PipeWire": 2, "audio": 1, "bluetooth": 1, "garden": 1}
