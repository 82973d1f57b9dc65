"""Killed at any moment, the next command settles what was begun: the log is true, undo works, no text is lost."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest

from memvault import Memvault
from memvault.storage.journal import apply
from memvault.storage.journal import recover as recovery
from memvault.system import files
from tests import points

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills child processes as only POSIX can")
DYING = ("create_file", "replace_note", "move_file", "append_line", "discard_note")
LONG = "Xanadu lies west of the river. " * 30


def tree(root: Path) -> dict[str, bytes]:
    """Every note of the vault, the trash included."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}


def changes(act: Callable[[], object]) -> list[str]:
    """Name the changes to files that this makes, in their order."""
    names: list[str] = []

    def counting(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            names.append(name)
            return real(*args, **options)

        return call

    with ExitStack() as patched:
        for name in DYING:
            patched.enter_context(patch.object(files, name, counting(name, getattr(files, name))))
        act()
    return names


def killed(act: Callable[[], object], *, at: int, after: bool) -> bool:
    """Whether a child that does this was killed just before, or just after, its n-th change to a file."""
    child = os.fork()
    if child == 0:
        try:
            _die_in(act, at, after=after)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed before it was killed"
    return os.WIFSIGNALED(status)


def _die_in(act: Callable[[], object], at: int, *, after: bool) -> None:
    count = 0

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            nonlocal count
            count += 1
            if count == at and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*args, **options)
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    with ExitStack() as patched:  # `patch.multiple` would take `create` for an option of its own
        for name in DYING:
            patched.enter_context(patch.object(files, name, dying(getattr(files, name))))
        act()
    os._exit(0)


def remember(vault: Memvault) -> None:
    vault.remember(LONG, significant=True)


def forget(vault: Memvault) -> None:
    vault.forget("One")


def move_with_fields(vault: Memvault) -> None:
    vault.move("One", "archived")


def link_both_ways(vault: Memvault) -> None:
    vault.link("One", "Two", relation="supersedes")


@pytest.mark.points(quick=3)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("act", [remember, forget, move_with_fields, link_both_ways])
def test_killed_at_any_step_the_log_is_true_and_undo_takes_back_what_was_made(
    act: Callable[[Memvault], None], after: bool, tmp_path: Path, clock, open_vault, environment: dict[str, str]
) -> None:  # type: ignore[no-untyped-def]
    Memvault.init(tmp_path / "of-two", clock=clock)
    with open_vault(tmp_path / "of-two") as vault:
        vault.remember("First there was one.", title="One")
        vault.remember("Then there were two.", title="Two")
    with open_vault(shutil.copytree(tmp_path / "of-two", tmp_path / "whole")) as vault:
        kinds = changes(lambda: act(vault))
    seen = set()
    for at in points.chosen(kinds):
        root = shutil.copytree(tmp_path / "of-two", tmp_path / str(at))
        vault = open_vault(root)
        before = tree(root)
        vault.refresh()
        vault.close()
        assert killed(lambda vault=vault: act(vault), at=at, after=after)
        clock.pass_(minutes=1)
        vault.remember("Another day.", title="Later")  # settles what was begun
        landed = {path: data for path, data in tree(root).items() if "later" not in path}
        begun = [op for op in vault.log() if op.verb not in ("remember", "init") or len(op.steps) > 1]
        assert all(op.state == "done" for op in vault.log()), f"killed at {at}"
        assert not list(root.rglob("*.tmp")), f"killed at {at}"
        _paths_are_true(vault, landed, before)
        seen.add(tuple(sorted(landed.items())))
        interrupted = next((op for op in vault.log()[1:2] if op.op not in _earlier(vault)), None)
        if interrupted is not None and interrupted.steps:
            vault.undo(interrupted.op)
        restored = {path: data for path, data in tree(root).items() if "later" not in path}
        assert restored == before, f"killed at {at}: {begun}"
    assert len(kinds) > 3
    assert len(seen) >= 2, "some were killed early and some late"


def _earlier(vault: Memvault) -> set[str]:
    """The operations of the two memories made first."""
    return {op.op for op in vault.log()[-2:]}


def _paths_are_true(vault: Memvault, landed: dict[str, bytes], before: dict[str, bytes]) -> None:
    """A file differs from before exactly where the log names it."""
    told = {path for op in vault.log()[1:-2] for step in op.steps for path in (step.path, step.to) if path}
    differing = {path for path in landed.keys() | before.keys() if landed.get(path) != before.get(path)}
    assert differing == told


def test_an_operation_that_was_only_begun_made_nothing(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    vault.remember("First there was one.", title="One")
    with patch.object(apply, "make_change", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        vault.pin("One")
    assert vault.log()[0].state == "begun"
    vault.remember("Two.")
    [pin] = [op for op in vault.log() if op.verb == "pin"]
    assert (pin.state, pin.steps) == ("done", ())


def test_it_is_settled_however_much_was_read_meanwhile(vault: Memvault) -> None:
    one = vault.remember("First there was one.", title="One").memory
    with patch.object(apply, "make_change", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        vault.pin("One")
    [journal] = (vault.root / ".memvault/journal").glob("*/*.jsonl")
    with journal.open("a") as lines:
        lines.write(f'{{"t":"2026-01-29T09:30:00Z","e":"touch","id":"{one.id}","why":"show"}}\n' * 1_000)
    vault.remember("Two.")
    assert {op.state for op in vault.log()} == {"done"}


def test_a_later_edit_of_a_made_step_is_left_alone(vault: Memvault) -> None:
    one = vault.remember("First there was one.", title="One").memory
    with (
        patch("memvault.storage.journal.operations.OperationLog.end_operation", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        vault.pin("One")
    path = vault.root / one.path
    path.write_text(path.read_text() + "By hand.\n")
    by_hand = path.read_bytes()
    vault.remember("Two.")
    assert path.read_bytes() == by_hand


def test_a_decision_that_was_not_put_down_is_not_said_to_have_been(vault: Memvault) -> None:
    vault.remember("First there was one.", title="One")
    with patch.object(apply, "make_change", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        vault.forget("One")
    vault.remember("Two.")
    [forgotten] = [op for op in vault.log() if op.verb == "forget"]
    assert forgotten.steps == ()


# -- editors that save late


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held files are looked at as if ten seconds had gone by."""
    monkeypatch.setattr(recovery, "HOLD_SECONDS", -5)


@pytest.mark.skipif(sys.platform != "linux", reason="files are exchanged there only")
def test_a_late_save_into_the_old_file_comes_back_into_the_note(vault: Memvault, patient: None) -> None:
    one = vault.remember("First there was one.", title="One").memory
    path = vault.root / one.path
    with path.open("r+") as editor:
        text = editor.read()
        vault.pin("One")
        editor.seek(0)
        editor.write(text + "Saved late.\n")
    vault.remember("Two.")
    assert path.read_text().endswith("Saved late.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="files are exchanged there only")
def test_where_the_note_has_changed_again_the_late_save_lies_beside_it(vault: Memvault, patient: None) -> None:
    one = vault.remember("First there was one.", title="One").memory
    path = vault.root / one.path
    with path.open("r+") as editor:
        text = editor.read()
        vault.pin("One")
        by_hand = path.read_text() + "By another hand.\n"
        path.write_text(by_hand)
        editor.seek(0)
        editor.write(text + "Saved late.\n")
    vault.remember("Two.")
    assert path.read_text() == by_hand
    [beside] = path.parent.glob("* (conflict 2026-01-29 1).md")
    assert beside.read_text().endswith("Saved late.\n")
    assert vault.status().memories == 2, "a copy of a conflict is no memory"
