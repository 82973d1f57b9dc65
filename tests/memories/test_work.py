"""Working memory: there while its task lasts, never recalled once it is over, kept where it proved significant."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import BadInput, NothingToDo, SecretFound
from tests.conftest import Clock, Opener

TASK = "Move the gauges to UTC"


def noted(vault: Memvault, count: int) -> None:
    vault.work_start(TASK)
    for number in range(count):
        vault.work_note(f"Gauge number {number} is done.")


def recalled(vault: Memvault, query: str = "gauges") -> list[str]:
    return [hit.memory.id for hit in vault.recall(query).hits]


def test_a_task_is_one_memory_of_its_session(tmp_path: Path, vault: Memvault, open_vault: Opener) -> None:
    agent = open_vault(tmp_path / "vault", agent="claude-code", session="s1")
    begun = agent.work_start(TASK)
    more = begun.memory.more
    assert (begun.memory.kind, more["task"], more["scope"], more["session"]) == ("working", TASK, "session", "s1")
    assert agent.work_note("Staging is done.").notes == ("Staging is done.",)
    with pytest.raises(NothingToDo):
        vault.work_note("This is another's task.")
    assert [task.memory.id for task in vault.work_in_hand()] == [begun.memory.id]
    assert vault.work_note("Mine to see.", task=begun.memory.id).notes == ("Staging is done.", "Mine to see.")


def test_the_task_begun_last_is_the_one_that_is_meant(vault: Memvault, clock: Clock) -> None:
    vault.work_start(TASK)
    clock.pass_(minutes=1)
    second = vault.work_start("Count the buckets")
    assert vault.work_note("Three so far.").memory.id == second.memory.id
    assert vault.work_done().memory.id == second.memory.id


def test_a_task_that_is_over_is_kept_and_never_recalled_again(vault: Memvault) -> None:
    noted(vault, 2)
    over = vault.work_done()
    assert over.kept is None
    assert over.memory.path.startswith("3-raw/archived/")
    assert over.memory.more["cleared_at"] == over.memory.created
    assert recalled(vault) == []
    assert over.memory.id not in [hit.memory.id for hit in vault.recall("#working").hits]
    assert "Gauge number 1 is done." in (vault.show(over.memory.id).memory.body or "")
    assert vault.work_in_hand() == ()
    with pytest.raises(NothingToDo):
        vault.work_done()


def test_cleared_tasks_are_not_listed_by_a_recall_without_words(vault: Memvault) -> None:
    from memvault.core.query import Filters

    noted(vault, 1)
    working = Filters(kinds=frozenset({"working"}))
    assert len(vault.recall("", filters=working).hits) == 1
    vault.work_done()
    assert vault.recall("", filters=working).hits == ()
    assert vault.list(working).total == 1


def test_rows_and_index_stay_in_step(vault: Memvault) -> None:
    noted(vault, 1)
    vault.work_done()
    vault.recall("gauges")
    assert not [finding for finding in vault.doctor().findings if "index" in finding.sentence.casefold()]


def test_a_finished_task_can_be_undone(vault: Memvault) -> None:
    noted(vault, 1)
    over = vault.work_done(keep=True)
    vault.undo(over.op)
    assert [task.notes for task in vault.work_in_hand()] == [("Gauge number 0 is done.",)]
    assert len(recalled(vault)) == 1


@pytest.mark.points(only=True)
def test_more_than_five_notes_leave_a_way_of_doing_it(vault: Memvault) -> None:
    noted(vault, 6)
    kept = vault.work_done().kept
    assert kept is not None
    written = vault.find(kept.id)
    assert (written.kind, written.more["promoted_from"], len(written.more["steps"])) == ("procedural", "working", 6)  # type: ignore[arg-type]
    assert recalled(vault) == [kept.id]


def test_five_do_not(vault: Memvault) -> None:
    noted(vault, 5)
    assert vault.work_done().kept is None


def test_kept_or_significant_tasks_become_knowledge(vault: Memvault) -> None:
    noted(vault, 1)
    kept = vault.work_done(keep=True).kept
    assert kept is not None
    assert vault.find(kept.id).kind == "semantic"
    marked = vault.work_start("Count the buckets").memory
    vault.edit(marked.id, fields={"emotional_flag": True})
    assert vault.work_done().why == "it was marked as significant"


def test_tasks_recalled_in_three_conversations_are_kept(tmp_path: Path, vault: Memvault, open_vault: Opener) -> None:
    noted(vault, 2)
    for session in ("s1", "s2", "s3"):
        open_vault(tmp_path / "vault", agent="claude-code", session=session).show(TASK)
    vault.work_in_hand()
    assert vault.work_done().why == "it was called for 3 times"


@pytest.mark.points(only=True)
def test_clearing_keeps_nothing(vault: Memvault) -> None:
    noted(vault, 7)
    vault.work_start("Count the buckets")
    cleared = vault.work_clear()
    assert [one.kept for one in cleared] == [None, None]
    assert recalled(vault) == recalled(vault, "buckets") == []


def test_a_task_nobody_used_for_a_day_ends_by_itself(vault: Memvault, clock: Clock) -> None:
    noted(vault, 1)
    clock.pass_(hours=25)
    vault.maintain()
    assert vault.work_in_hand() == ()
    assert recalled(vault) == []


def test_a_note_that_only_looks_like_working_memory_is_left_alone(vault: Memvault, clock: Clock) -> None:
    path = vault.root / "2-memories" / "parser.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("Currently debugging the parser, halfway through the lexer.\n")
    assert vault.find("parser").kind == "working"
    assert vault.work_in_hand() == ()
    clock.pass_(days=20)
    vault.maintain()
    assert path.exists()


def test_notes_go_only_to_open_tasks(vault: Memvault) -> None:
    fact = vault.remember("The fence is grey.", kind="semantic").memory.id
    with pytest.raises(BadInput):
        vault.work_note("It is green now.", task=fact)
    with pytest.raises(BadInput):
        vault.work_start(" ")


def test_no_secret_is_noted(vault: Memvault) -> None:
    vault.work_start(TASK)
    with pytest.raises(SecretFound):
        vault.work_note("The password is: hunter2-Xy!93kd")


def test_dry_runs_change_nothing(vault: Memvault) -> None:
    noted(vault, 1)
    before = {path: path.read_bytes() for path in sorted(vault.root.glob("[0-9]-*/**/*.md"))}
    assert vault.work_done(keep=True, dry_run=True).op == ""
    assert vault.work_note("no", dry_run=True).op == ""
    assert vault.work_start("Another", dry_run=True).op == ""
    vault.work_clear(dry_run=True)
    assert {path: path.read_bytes() for path in sorted(vault.root.glob("[0-9]-*/**/*.md"))} == before
