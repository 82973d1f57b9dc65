"""Reminders: what is due goes first, what is done is not shown again, nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import frontmatter
import pytest

from memvault import Memvault
from memvault.errors import BadInput, NothingToDo
from tests.conftest import START, Clock


def remind(vault: Memvault, text: str, **more: object) -> str:
    return vault.remember(text, kind="prospective", near="ignore", more=more).memory.id  # type: ignore[arg-type]


def titles(vault: Memvault, *, everything: bool = False) -> list[str]:
    return [reminder.memory.title for reminder in vault.list_reminders(everything=everything).reminders]


def test_what_is_over_goes_first_then_what_is_next_then_what_has_no_day(vault: Memvault) -> None:
    remind(vault, "low", priority=1)
    remind(vault, "usual")
    remind(vault, "urgent", priority=5)
    remind(vault, "soon", due=START + timedelta(days=2))
    remind(vault, "sooner", due=START + timedelta(days=1))
    remind(vault, "late", due=START - timedelta(days=1), priority=1)
    remind(vault, "later still", due=START - timedelta(days=3), priority=1)
    assert titles(vault) == ["late", "later still", "sooner", "soon", "urgent", "usual", "low"]
    assert vault.list_reminders().due == 2


def test_a_day_is_due_from_its_first_hour(vault: Memvault, clock: Clock) -> None:
    made = vault.remember("Renew the certificate by 31 January.")
    assert "due: 2026-01-31\n" in (vault.root / made.memory.path).read_text()
    clock.now = datetime(2026, 1, 30, 23, 59, tzinfo=UTC)
    assert not vault.list_reminders().due
    clock.now = datetime(2026, 1, 31, tzinfo=UTC)
    assert vault.list_reminders().due == 1


def test_a_given_field_says_the_kind(vault: Memvault) -> None:
    made = vault.remember("The fence is grey.", more={"due": START})
    assert made.memory.kind == "prospective"


def test_done_reminders_are_kept_and_not_shown(vault: Memvault) -> None:
    id_ = remind(vault, "Paint the fence")
    done = vault.mark_done(id_)
    post = frontmatter.load(str(vault.root / done.memory.path))
    assert (post["state"], post["completed_at"]) == ("completed", START)
    assert titles(vault) == []
    assert titles(vault, everything=True) == ["Paint the fence"]
    vault.undo(done.op)
    assert titles(vault) == ["Paint the fence"]


def test_cancelled_reminders_are_not_done(vault: Memvault) -> None:
    id_ = remind(vault, "Paint the fence")
    vault.mark_done(id_)
    cancelled = vault.mark_done(id_, cancel=True)
    post = frontmatter.load(str(vault.root / cancelled.memory.path))
    assert post["state"] == "cancelled"
    assert "completed_at" not in post


def test_nothing_is_done_twice_and_no_fact_is_done(vault: Memvault) -> None:
    id_ = remind(vault, "Paint the fence")
    vault.mark_done(id_)
    with pytest.raises(NothingToDo):
        vault.mark_done(id_)
    fact = vault.remember("The fence is grey.", kind="semantic").memory.id
    with pytest.raises(BadInput):
        vault.mark_done(fact)
