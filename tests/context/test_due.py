"""Which reminders a session and a prompt are given, and how each is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.agents.hooks.session import inject_session
from tests.conftest import Clock

PROJECT = "folder:gauges-0badcafe"


def begin(vault: Memvault, session: str, source: str = "startup", project: str = PROJECT) -> str:
    return inject_session(vault, event="SessionStart", session=session, project=project, source=source).text


def ask(vault: Memvault, prompt: str, session: str = "p") -> str:
    return inject_prompt(vault, prompt, event="UserPromptSubmit", session=session, project=PROJECT).text


@pytest.fixture
def monday(clock: Clock) -> datetime:
    clock.now = datetime(2026, 3, 16, 9, tzinfo=UTC)
    return clock.now


def test_today_comes_before_what_is_overdue_and_each_says_its_day(vault: Memvault, monday: datetime) -> None:
    vault.remember("Call Maja.", kind="prospective", more={"due": monday - timedelta(days=3), "priority": 5})
    vault.remember("Pay the porter.", kind="prospective", more={"due": monday})
    vault.remember("Post the form.", kind="prospective", more={"due": monday + timedelta(days=1)})
    text = begin(vault, "s1")
    found = [text.index(said) for said in ("Pay the porter.", "Call Maja.", "Post the form.")]
    assert found == sorted(found)
    assert "due 2026-03-13 09:00, 3 days over, priority 5)" in text


def test_what_is_long_over_stands_in_one_line_with_its_number(vault: Memvault, monday: datetime) -> None:
    for name in ("Oil the gate", "Mend the net"):
        vault.remember(f"{name}.", kind="prospective", more={"due": monday - timedelta(days=9)})
    line = next(line for line in begin(vault, "s1").splitlines() if "more are over" in line)
    assert line.startswith("2 more are over: ")
    assert "9 days over" in line


def test_a_reminder_comes_once_in_a_session_and_again_at_its_hour(
    vault: Memvault, clock: Clock, monday: datetime
) -> None:
    vault.say("Give me a poke in two hours, the dough has to come out.")
    assert "dough" in begin(vault, "s1")
    assert "dough" not in ask(vault, "How wide is the Bass Strait?", "s1")
    clock.now = monday + timedelta(hours=2, minutes=5)
    assert "dough" in ask(vault, "And how deep is it?", "s1")
    assert "dough" not in ask(vault, "And how old?", "s1")


def test_a_prompt_that_meets_the_condition_brings_it_up_and_no_other(vault: Memvault, monday: datetime) -> None:
    vault.say("Once the tenants move out, remind me to have the boiler looked at.")
    assert "boiler" not in begin(vault, "s1")
    assert "boiler" not in ask(vault, "What is a good opening for a cover letter?")
    assert "boiler" in ask(vault, "The tenants moved out on Friday.")


def test_an_undated_one_comes_with_its_subject_and_is_asked_about_once_after_a_week(
    vault: Memvault, clock: Clock, monday: datetime
) -> None:
    vault.say("Remind me to ask Jonas where the old berth drawings went.")
    assert "berth" not in begin(vault, "s1")
    assert "berth" in ask(vault, "I have a call with Jonas in five minutes.")
    assert "berth" not in ask(vault, "Why does this pattern not match?", "p2")
    clock.now = monday + timedelta(days=8)
    assert "berth" in begin(vault, "s2")
    assert "berth" not in begin(vault, "s3")


def test_one_that_has_its_day_does_not_come_before_it_for_one_word_in_common(vault: Memvault, monday: datetime) -> None:
    vault.remember("Pick up Jonas at the airport.", kind="prospective", more={"due": monday + timedelta(days=60)})
    assert "airport" not in ask(vault, "Write a card for Jonas.")
    assert "airport" in ask(vault, "How long is the drive to the airport, for Jonas?", "p2")


def test_what_comes_again_comes_on_its_day_and_late_only_where_it_was_missed(
    vault: Memvault, clock: Clock, monday: datetime
) -> None:
    vault.say("Every Thursday remind me to put the blue bin out.")
    thursday = monday + timedelta(days=3)
    for day, is_there in ((0, False), (3, True), (4, False), (8, False), (11, True), (19, True), (20, False)):
        clock.now = monday + timedelta(days=day)
        assert ("blue bin" in begin(vault, f"s{day}")) is is_there, (day, thursday)


def test_done_is_silent_until_the_next_time(vault: Memvault, clock: Clock, monday: datetime) -> None:
    vault.say("Every Thursday remind me to put the blue bin out.")
    id_ = vault.list_reminders().reminders[0].memory.id
    clock.now = monday + timedelta(days=3)
    vault.mark_done(id_)
    assert "blue bin" not in begin(vault, "s1")
    [reminder] = vault.list_reminders().reminders
    assert reminder.due is not None
    assert f"{reminder.due:%Y-%m-%d}" == "2026-03-26"


def test_a_reminder_comes_in_every_project_unless_it_names_its_own(
    vault: Memvault, monday: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memvault.memories.draft import MemoryDraft
    from memvault.memories.remember import project_fields

    kinds = vault.settings.kinds
    for text, scope in (
        ("Ring Omar on Friday.", "global"),
        ("Tag the gauges release.", None),
        ("Fix this repo.", None),
    ):
        draft = MemoryDraft(text=text)
        assert project_fields(PROJECT, draft, kind="prospective", kinds=kinds).get("scope") == scope


def test_ordinary_notes_never_remind_and_lines_of_the_tasks_plug_in_do(
    vault: Memvault, clock: Clock, monday: datetime
) -> None:
    (vault.root / "Garden.md").write_text(
        "# Garden\r\n\r\nI have to rake tomorrow.\r\n- [ ] Buy twine\r\n- [ ] Water the ferns 🔁 every week 📅 2026-03-16\r\n",
        newline="",
    )
    (vault.root / "Remind.md").write_text("Remind me to call Anna on 16 March.\n")
    text = begin(vault, "s1")
    assert "Water the ferns" in text
    assert "Anna" not in text
    [reminder] = vault.list_reminders().reminders
    assert reminder.line
    done = vault.mark_done(reminder.key)
    assert (vault.root / "Garden.md").read_bytes().decode() == (
        "# Garden\r\n\r\nI have to rake tomorrow.\r\n- [ ] Buy twine\r\n"
        "- [ ] Water the ferns 🔁 every week 📅 2026-03-23\r\n"
        "- [x] Water the ferns 🔁 every week 📅 2026-03-16 ✅ 2026-03-16\r\n"
    )
    vault.undo(done.op)
    assert "📅 2026-03-16\r\n" in (vault.root / "Garden.md").read_bytes().decode()
