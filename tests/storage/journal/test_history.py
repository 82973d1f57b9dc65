"""The log says what was done; undo takes it back byte for byte, or says why not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import NoOperation, NotFound, UndoRefused
from memvault.storage.journal.undo import OperationFilter, diff_operations, list_memory_history


def tree(root: Path) -> dict[str, bytes]:
    """Every note of the vault, the trash included."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}


CHANGES = {
    "remember": lambda vault, _ref: vault.remember("Another thing.", significant=True),
    "forget": lambda vault, ref: vault.forget(ref),
    "pin": lambda vault, ref: vault.pin(ref),
    "move": lambda vault, ref: vault.move(ref, "archived"),
    "edit": lambda vault, ref: vault.edit(ref, body="New words.", fields={"weight": 0.1}),
    "link": lambda vault, ref: vault.link(ref, "Other", relation="supersedes"),
}


@pytest.mark.parametrize("do", CHANGES.values(), ids=CHANGES)
def test_every_change_can_be_taken_back_byte_for_byte(vault: Memvault, do) -> None:  # type: ignore[no-untyped-def]
    ref = vault.remember("The first thing.").memory.id
    vault.remember("Something else.", title="Other")
    before = tree(vault.root)
    do(vault, ref)
    changed = tree(vault.root)
    assert changed != before
    undone = vault.undo()
    assert tree(vault.root) == before
    assert [op.state for op in vault.log() if op.op == undone.op] == ["undone"]
    vault.undo(vault.log()[0].op)  # and the undo itself
    assert tree(vault.root) == changed


def test_the_log_says_who_did_what_and_why(vault: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    vault.remember("One.")
    open_vault(vault.root, agent="claude-code", session="s-1").remember("Two.")
    newest, older = vault.log()
    assert (newest.verb, newest.agent, newest.session, older.agent) == ("remember", "claude-code", "s-1", "")
    assert newest.device == older.device != ""
    assert newest.steps[0].why == "remember “Two”"


def test_a_note_edited_since_is_not_overwritten(vault: Memvault) -> None:
    made = vault.remember("The first thing.")
    vault.pin(made.memory.id)
    path = vault.path_of(made.memory.id)
    path.write_text(path.read_text() + "By hand.\n")
    before = tree(vault.root)
    with pytest.raises(UndoRefused, match=r"the-first-thing\.md has been changed since"):
        vault.undo()
    assert tree(vault.root) == before


def test_an_undo_is_refused_whole_where_one_file_stands_in_the_way(vault: Memvault) -> None:
    one, two = vault.remember("One."), vault.remember("Two.")
    vault.link(one.memory.id, two.memory.id, relation="supersedes")
    (vault.root / two.memory.path).write_text("changed by hand")
    before = tree(vault.root)
    with pytest.raises(UndoRefused):
        vault.undo()
    assert tree(vault.root) == before


def test_a_named_operation_is_taken_back_and_only_once(vault: Memvault) -> None:
    first = vault.remember("One.")
    vault.remember("Two.")
    vault.undo(first.op)
    assert [row.memory.title for row in vault.list().rows] == ["Two"]
    with pytest.raises(UndoRefused, match="undone already"):
        vault.undo(first.op)


def test_there_is_nothing_to_undo_in_a_new_vault(vault: Memvault) -> None:
    with pytest.raises(NoOperation):
        vault.undo()
    with pytest.raises(NoOperation):
        vault.undo("20200101T000000Z-ffffff")


def test_what_is_kept_for_undo_is_let_go_in_time(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    pinned = vault.pin(vault.remember("One.").memory.id)
    clock.pass_(days=91)
    vault.remember("Two.")
    assert not (vault.root / ".memvault/undo" / pinned.op).exists()
    with pytest.raises(UndoRefused, match="no longer kept"):
        vault.undo(pinned.op)


def test_a_change_made_on_an_editors_fresh_save_can_be_taken_back(
    vault: Memvault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memvault.system import files

    path = vault.path_of(vault.remember("The first thing.").memory.id)
    replace, saved = files.replace_note, []

    def busy(target: Path, data: bytes, *, expected: bytes, hold: Path) -> None:
        if not saved:
            saved.append(path.write_text(path.read_text() + "Saved by an editor.\n"))
        replace(target, data, expected=expected, hold=hold)

    monkeypatch.setattr(files, "replace_note", busy)
    vault.pin("The first thing")
    assert "pinned: true" in path.read_text()
    vault.undo()
    assert path.read_text().endswith("The first thing.\nSaved by an editor.\n")
    assert "pinned:" not in path.read_text()


# -- the log can be asked: who did what, since when, and all that ever happened to one memory


def verbs(vault: Memvault, **asked: object) -> list[str]:
    """What was done, the oldest first."""
    return [op.verb for op in reversed(vault.log(OperationFilter(**asked)))]  # type: ignore[arg-type]


def test_it_tells_one_agent_and_one_session_from_another(vault: Memvault, open_vault: Callable[..., Memvault]) -> None:
    vault.remember("The person's own.")
    for agent, session in (("claude-code", "s-1"), ("claude-code", "s-2"), ("codex", "s-3")):
        with open_vault(vault.root, agent=agent, session=session) as theirs:
            theirs.remember(f"Something of {agent} in {session}.")
    assert len(vault.log()) == 4
    assert [op.session for op in vault.log(OperationFilter(agent="claude"))] == ["s-2", "s-1"]
    assert [op.agent for op in vault.log(OperationFilter(session="s-3"))] == ["codex"]
    assert len(vault.log(OperationFilter(device=vault.device))) == 4
    assert not vault.log(OperationFilter(device="another-machine"))


def test_it_follows_a_memory_through_its_moves_into_the_trash_and_back(vault: Memvault) -> None:
    made = vault.remember("The staging database runs on port 5433.").memory
    vault.remember("Sara prefers tea to coffee.")
    vault.move(made.id, "archived")
    vault.edit(made.id, body="It runs on port 5434.")
    vault.forget(made.id)
    vault.undo()
    vault.pin(made.id)
    expected = ["remember", "move", "edit", "forget", "undo", "pin"]
    assert verbs(vault, memory=made.id) == expected
    assert verbs(vault, memory=made.id[:8]) == expected
    assert verbs(vault, memory=made.id, verb="edit") == ["edit"]


def test_one_that_is_gone_is_found_by_its_file_too(vault: Memvault) -> None:
    made = vault.remember("The staging database runs on port 5433.").memory
    vault.move(made.id, "archived")
    vault.forget(made.id)
    expected = ["remember", "move", "forget"]
    assert verbs(vault, memory=made.path) == expected
    assert verbs(vault, memory=Path(made.path).stem) == expected
    with pytest.raises(NotFound):
        vault.log(OperationFilter(memory="never-there"))


def test_what_lay_at_its_path_before_is_another(vault: Memvault) -> None:
    first = vault.remember("Port five.", title="Staging").memory
    vault.forget(first.id)
    second = vault.remember("Something else entirely.", title="Staging").memory
    assert second.path == first.path
    assert verbs(vault, memory=second.id) == ["remember"]


def test_only_what_was_done_since(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    vault.remember("Earlier.")
    clock.now += timedelta(days=2)
    vault.remember("Later.")
    assert len(vault.log(OperationFilter(since=clock.now - timedelta(days=1)))) == 1


# -- what undo keeps no more, or another machine did, is taken back from what git has

with_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def committed(vault: Memvault) -> None:
    """Have git keep the vault as it is."""
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "--quiet"), ("add", "--all"), (*who, "commit", "--quiet", "-m", "kept")):
        subprocess.run(["git", *words], cwd=vault.root, check=True)


def lose_what_undo_keeps(vault: Memvault) -> None:
    for folder in (vault.root / ".memvault" / "undo").iterdir():
        if folder.name[0].isdigit():
            shutil.rmtree(folder)


@with_git
def test_an_edit_is_taken_back_with_the_bytes_that_git_has(vault: Memvault) -> None:
    made = vault.remember("It lies at the quay.").memory
    before = vault.path_of(made.id).read_bytes()
    committed(vault)
    vault.edit(made.id, body="It lies at the pier.")
    committed(vault)
    lose_what_undo_keeps(vault)
    vault.undo()
    assert vault.path_of(made.id).read_bytes() == before


@with_git
def test_what_git_never_saw_is_told_as_gone(vault: Memvault) -> None:
    made = vault.remember("It lies at the quay.").memory
    vault.edit(made.id, body="It lies at the pier.")
    committed(vault)
    lose_what_undo_keeps(vault)
    with pytest.raises(UndoRefused, match="no longer kept"):
        vault.undo()


@with_git
def test_another_machine_may_take_it_back(vault: Memvault, tmp_path, open_vault) -> None:  # type: ignore[no-untyped-def]
    made = vault.remember("It lies at the quay.").memory
    before = vault.path_of(made.id).read_bytes()
    committed(vault)
    edited = vault.edit(made.id, body="It lies at the pier.")
    committed(vault)
    subprocess.run(["git", "clone", "--quiet", str(vault.root), str(tmp_path / "elsewhere")], check=True)
    home = tmp_path / "another-home"
    environment = {"HOME": str(home), **{f"XDG_{kind}_HOME": str(home / kind) for kind in ("CACHE", "CONFIG", "STATE")}}
    elsewhere = open_vault(tmp_path / "elsewhere", environment=environment)
    assert elsewhere.device != vault.device
    with pytest.raises(NoOperation):
        elsewhere.undo()  # it is not the last thing that was done here
    elsewhere.undo(edited.op)
    assert elsewhere.path_of(made.id).read_bytes() == before


def test_a_diff_is_found_as_long_as_one_of_its_sides_is_kept_somewhere(vault: Memvault) -> None:
    made = vault.remember("Sara likes tea.", title="tea")
    vault.edit(made.memory.id, append="At noon.")
    vault.edit(made.memory.id, append="Or at night.")
    found = vault.run(list_memory_history, made.memory.id)
    [[third], [second], [first]] = vault.run(diff_operations, found)
    assert third.diff[1:][-2:] == ("+", "+Or at night.")
    assert second.diff[1:][-2:] == ("+", "+At noon.")
    assert first.diff[-1] == "+Sara likes tea."
    shutil.rmtree(vault.root / ".memvault" / "undo")
    [[third], [second], [first]] = vault.run(diff_operations, found)
    assert [third.diff, second.diff, first.diff] == [(), (), ()]
    assert {third.problem, second.problem} == {"its text before is no longer kept (undo.keep_days)"}
    assert first.problem == "its text after is no longer kept (undo.keep_days)"
