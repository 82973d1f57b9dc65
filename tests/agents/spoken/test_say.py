"""A spoken command does what its verb does, and says what it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.spoken.intent import Remember
from memvault.agents.spoken.listening import find_obeyed_command
from memvault.errors import BadInput, NoIntent, NothingToDo, SecretFound
from memvault.memories.remember import RememberResult
from memvault.recall.recall import RecallResult
from memvault.transcripts.dig import DigResult
from tests.conftest import Opener


def titles(vault: Memvault) -> list[str]:
    return [row.memory.title for row in vault.list().rows]


def test_remember_this_makes_a_memory_that_can_be_undone(vault: Memvault) -> None:
    said = vault.say("Remember this: Noor signs off on every release.")
    assert titles(vault) == ["Noor signs off on every release"]
    assert said.sentence.startswith("remembered: “Noor signs off on every release” (")
    vault.undo(said.op)
    assert titles(vault) == []


def test_this_is_what_was_said_before(vault: Memvault) -> None:
    said = vault.say("remember this", before="The modem hangs unless its port is closed.")
    assert isinstance(said.result, RememberResult)
    assert said.result.memory.body == "The modem hangs unless its port is closed."
    with pytest.raises(NothingToDo):
        vault.say("remember this")


def test_what_is_significant_resists_decay(vault: Memvault) -> None:
    made = vault.say("This is significant: we signed the lease on the mill.").result
    assert isinstance(made, RememberResult)
    assert made.memory.emotional_flag
    assert made.deep_context == ""  # there is no more to it than its one line
    long = vault.say(
        f"This is significant: we signed the lease. {'The miller told us how the wheel turns. ' * 20}"
    ).result
    assert isinstance(long, RememberResult)
    assert long.deep_context


def test_what_is_to_be_done_becomes_a_reminder(vault: Memvault) -> None:
    vault.say("remind me to call Anna tomorrow")
    (reminder,) = vault.list_reminders().reminders
    assert (reminder.memory.title, reminder.due is not None) == ("call Anna", True)


def test_a_persons_word_is_a_persons_whoever_carries_it(vault: Memvault, open_vault: Opener) -> None:
    agent = open_vault(vault.root, agent="claude-code", session="s")
    own = agent.say("remember this: tea at four.", by_person=True).result
    other = agent.say("remember this: coffee at ten.").result
    assert isinstance(own, RememberResult)
    assert isinstance(other, RememberResult)
    assert (own.memory.more.get("source", "user"), own.memory.weight) == ("user", 0.8)
    assert (other.memory.more["source"], other.memory.weight) == ("agent", 0.6)


def test_questions_find_and_change_nothing(sample: Memvault) -> None:
    before = sample.log()
    asked = sample.say("what do you remember about the gauges?")
    assert isinstance(asked.result, RecallResult)
    assert asked.result.hits
    dug = sample.say("dig deeper into Hollin Weir")
    assert isinstance(dug.result, DigResult)
    assert dug.result.memories
    assert sample.log() == before


def test_progress_is_saved_where_something_came_of_the_session(vault: Memvault, open_vault: Opener) -> None:
    agent = open_vault(vault.root, agent="claude-code", session="s1")
    with pytest.raises(NothingToDo, match="decided"):
        agent.say("save progress")
    assert titles(vault) == []


def test_maintenance_runs(vault: Memvault) -> None:
    assert vault.say("memory maintenance").sentence.startswith("upkeep: ")


def test_pausing_and_resuming_by_a_word(vault: Memvault, open_vault: Opener) -> None:
    vault.say("pause memvault for an hour")
    assert vault.find_pause() is not None
    vault.say("memvault on")
    assert vault.find_pause() is None
    agent = open_vault(vault.root, session="s1")
    agent.say("don't remember this session")
    assert agent.find_pause() is not None
    assert vault.find_pause() is None
    agent.say("resume memvault")
    assert agent.find_pause() is None
    with pytest.raises(NothingToDo):
        vault.say("don't remember this session")


def test_a_pause_may_last_until_a_day_and_no_longer_than_is_meant(vault: Memvault) -> None:
    said = vault.say("pause memvault until tomorrow")
    assert "2026-01-30 00:00" in said.sentence
    with pytest.raises(BadInput):
        vault.say("pause memvault until the tests pass")


def test_a_reminder_of_a_day_that_is_over_is_kept_as_overdue_and_that_is_said(vault: Memvault) -> None:
    said = vault.say("remind me to call Anna yesterday")
    assert "Wednesday, 28 January 2026, which is over" in said.sentence
    (reminder,) = vault.list_reminders().reminders
    assert (reminder.memory.title, f"{reminder.due:%Y-%m-%d}", reminder.is_due) == ("call Anna", "2026-01-28", True)
    assert "over" not in vault.say("remind me to water the plants").sentence


def test_a_reminder_without_a_day_keeps_its_condition(vault: Memvault) -> None:
    vault.say("remind me, when I'm back from the school run, to sign Leo's form")
    (reminder,) = vault.list_reminders().reminders
    assert (reminder.memory.title, reminder.due, reminder.condition) == (
        "sign Leo's form",
        None,
        "when I'm back from the school run",
    )


def test_what_is_named_is_forgotten_and_comes_back_by_undo(vault: Memvault) -> None:
    vault.remember("The gate opens inwards.")
    vault.remember("Sara prefers tea.")
    said = vault.say("Wipe the gate from your memory, we had it changed.")
    assert said.sentence.startswith("forgotten: “The gate opens inwards”")
    assert titles(vault) == ["Sara prefers tea"]
    vault.undo(said.op)
    assert len(titles(vault)) == 2


def test_where_several_may_be_meant_none_is_forgotten_and_all_are_named(vault: Memvault) -> None:
    vault.remember("The garage gate opens inwards.")
    vault.remember("The school gate opens outwards.")
    with pytest.raises(NothingToDo, match=r"Which of them\? .*garage.*school|Which of them\? .*school.*garage"):
        vault.say("forget the gate")
    with pytest.raises(NothingToDo, match="Nothing that is remembered speaks of"):
        vault.say("forget my shoe size")
    assert len(titles(vault)) == 2


def test_forget_that_means_what_was_just_remembered(vault: Memvault, open_vault: Opener) -> None:
    vault.remember("Sara prefers tea.")
    agent = open_vault(vault.root, agent="claude-code", session="s1")
    agent.say("remember this: the boiler hums at night.", by_person=True)
    assert "boiler" in agent.say("forget that", by_person=True).sentence
    assert titles(vault) == ["Sara prefers tea"]


def test_what_is_done_is_ticked_off_however_it_is_said(vault: Memvault) -> None:
    vault.say("remind me on Friday to file the tax return")
    vault.say("remind me to buy socks for Theo")
    assert "file the tax return" in vault.say("I'm done with the tax return!").sentence
    assert "buy socks" in vault.say("hey so buying socks for Theo is done and dusted, tick").sentence
    assert vault.say("What's on my list?").sentence == "nothing is on your list"
    with pytest.raises(NothingToDo):
        vault.say("I'm done with the ironing")


def test_the_list_is_read_out_with_its_days(vault: Memvault) -> None:
    vault.say("remind me tomorrow to ring the feed merchant")
    assert vault.say("show me my to-dos would you").sentence == "on your list: “ring the feed merchant” (2026-01-30)"


def test_a_correction_takes_the_place_of_what_it_corrects_and_both_are_kept(vault: Memvault) -> None:
    old = vault.remember("My dentist is Dr Patel.").memory
    said = vault.say("Actually my dentist is Dr Kaur now.")
    assert "in the place of “My dentist is Dr Patel”" in said.sentence
    assert isinstance(said.result, RememberResult)
    new = vault.show(said.result.memory.id).memory
    assert new.more["supersedes"] == (f"[[{old.name}]]",)
    assert vault.show(old.id).memory.more["superseded_by"] == (f"[[{new.name}]]",)
    vault.undo(said.op)
    assert "superseded_by" not in vault.show(old.id).memory.more
    assert "in the place" not in vault.say("Actually my shoe size is 42 now.").sentence


def test_a_dry_run_does_nothing(vault: Memvault) -> None:
    assert vault.say("remember this: tea", dry_run=True).sentence.startswith("would have remembered")
    vault.say("memvault off", dry_run=True)
    assert titles(vault) == []
    assert vault.find_pause() is None


def test_a_secret_is_not_stored_by_a_word_either(vault: Memvault) -> None:
    with pytest.raises(SecretFound):
        vault.say("Remember this: the wifi password is Blue-Kettle-9")
    assert titles(vault) == []


@pytest.mark.parametrize("text", ["hello", "do you remember this?", "I don't remember this", ""])
def test_what_is_no_command_is_refused_with_a_way_out(text: str, vault: Memvault) -> None:
    with pytest.raises(NoIntent) as caught:
        vault.say(text)
    assert caught.value.advice
    assert titles(vault) == []


def test_commands_to_an_assistant_can_be_switched_off(vault: Memvault, open_vault: Opener, tmp_path: Path) -> None:
    deaf = open_vault(vault.root, settings={"intents.obey": False})
    assert find_obeyed_command("remember this: tea", deaf.settings) is None
    assert deaf.say("remember this: tea").op  # said to memvault itself


def test_phrases_of_ones_own(vault: Memvault, open_vault: Opener) -> None:
    own = open_vault(vault.root, settings={"intents.phrases": ("remember = skriv opp",)})
    found = find_obeyed_command("skriv opp: te", own.settings)
    assert found is not None
    assert found.intent == Remember("te")
    assert find_obeyed_command("skriv opp: te", vault.settings) is None
