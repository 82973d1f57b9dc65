"""Tidying takes out what says nothing: the memory is read just the same, and undo brings every byte back."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.memories.tidy import tidy_memories
from tests.command_line import Line
from tests.maintenance.upkeep import everything

OLD = """---
# mine
id: 5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b
type: memory
kind: semantic
title: The deploy
aliases: [deploy, How we deploy]
created: 2026-01-29T09:30:00Z
last_accessed: 2026-01-29T09:30:00Z
access_count: 0
weight: 0.8
emotional_flag: false
pinned: false   # never decays
status: active
tags: []
triggers: []
rating: 5
source: user
---
The deploy takes nine minutes.
"""
NEW = """---
# mine
id: 5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b
kind: semantic
title: The deploy
aliases: [How we deploy]
created: 2026-01-29T09:30:00Z
last_accessed: 2026-01-29T09:30:00Z
weight: 0.8
rating: 5
---
The deploy takes nine minutes.
"""


@pytest.fixture
def old(vault: Memvault) -> Memvault:
    (vault.root / "2-memories" / "deploy.md").write_text(OLD)
    return vault


def test_an_older_memory_is_left_with_what_says_something(old: Memvault) -> None:
    before, whole = old.find("deploy"), everything(old.root)
    done = old.run(tidy_memories)
    path = old.root / "2-memories" / "deploy.md"
    assert path.read_text() == NEW
    after = old.find("deploy")
    same = {"version": "", "stated": (), "aliases": (), "more": {}}
    assert after.with_changes(**same) == before.with_changes(**same)
    assert (after.source, after.aliases) == ("user", ("How we deploy",))
    assert old.run(tidy_memories).memories == ()
    old.undo(done.op)
    assert path.read_bytes() == whole["2-memories/deploy.md"][0]


def test_a_dry_run_and_one_memory_by_name(old: Memvault) -> None:
    (old.root / "2-memories" / "other.md").write_text(OLD.replace("5f0c2a9e", "6f0c2a9e"))
    assert len(old.run(tidy_memories, dry_run=True).memories) == 2
    assert len(old.run(tidy_memories, ["other"]).memories) == 1
    assert (old.root / "2-memories" / "deploy.md").read_text() == OLD


@pytest.mark.parametrize(
    ("old_line", "line"),
    [
        ("pinned: false   # never decays", "pinned: true"),
        ("tags: []", "tags: [a]"),
        ("access_count: 0", "access_count: 2"),
        ("type: memory", "type: learning"),
        ("source: user", "source: web"),
        ("emotional_flag: false", "emotional_flag: perhaps"),
    ],
)
def test_what_says_something_stays(old: Memvault, old_line: str, line: str) -> None:
    path = old.root / "2-memories" / "deploy.md"
    path.write_text(OLD.replace(old_line, line))
    old.run(tidy_memories)
    assert line in path.read_text()


def test_a_persons_word_stays_where_the_text_names_another_source(old: Memvault) -> None:
    path = old.root / "2-memories" / "deploy.md"
    path.write_text(OLD.replace("The deploy takes", "Copied from https://example.org/deploy\n\nThe deploy takes"))
    old.run(tidy_memories)
    assert "source: user" in path.read_text()
    assert old.find("deploy").source == "user"


def test_notes_of_a_persons_own_stay_as_they_are(old: Memvault) -> None:
    path = old.root / "Own" / "note.md"
    path.parent.mkdir()
    path.write_text(OLD.replace("5f0c2a9e", "7f0c2a9e"))
    old.run(tidy_memories)
    assert path.read_text() == OLD.replace("5f0c2a9e", "7f0c2a9e")


def test_the_command_says_what_went_and_how_it_comes_back(old: Memvault, line: Line) -> None:
    ran = line("--vault", str(old.root), "vault", "tidy")
    assert "9 properties gone, from 1 memory." in ran.err
    assert f"Undo: memvault --vault {old.root} undo " in ran.err
    assert "All are tidy." in line("--vault", str(old.root), "vault", "tidy").err
