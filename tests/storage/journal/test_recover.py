"""What was begun is settled by the next command; that this is so at every step is proved in tests/stress."""

from __future__ import annotations

import sys
from unittest.mock import patch

import pytest

from memvault import Memvault
from memvault.storage.journal import apply
from memvault.storage.journal import recover as recovery


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
