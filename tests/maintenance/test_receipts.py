"""What was given is shown with its reasons, judged by the person, and copied without any text."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.context.eligible import find_topics
from memvault.errors import NothingToDo
from memvault.maintenance.receipts import judge_memory, strip_receipt
from memvault.memories.quarantine import taint_recent
from tests.conftest import Clock, Opener

TRIP = "The cable car to the summit of the Hollin ridge closes for wind on most winter trips."
ASKED = "Which cable car goes up the Hollin ridge on our trip?"


def ask(vault: Memvault, session: str, prompt: str = ASKED) -> str:
    return inject_prompt(vault, prompt, event="UserPromptSubmit", session=session, project="folder:a").text


def ranks(vault: Memvault) -> list[tuple[str, float]]:
    return [(hit.memory.title, hit.similarity) for hit in vault.recall(ASKED).hits]


def test_what_is_called_wrong_is_given_to_nobody_unasked_and_found_as_before(vault: Memvault) -> None:
    made = vault.remember(TRIP, more={"scope": "global"}).memory
    assert TRIP in ask(vault, "s1")
    before = ranks(vault)
    judged = vault.run(judge_memory, made.id, "wrong")
    assert TRIP not in ask(vault, "s2")
    assert ranks(vault) == before
    assert (vault.root / made.path).read_text().rstrip().endswith(TRIP)
    with pytest.raises(NothingToDo):
        vault.run(judge_memory, made.id, "wrong")
    [card] = [card for card in vault.inbox().cards if card.kind == "unsure"]
    assert "right?" in card.question
    vault.undo(judged.op)
    assert TRIP in ask(vault, "s3")


def test_what_was_of_no_use_is_given_less_readily_at_such_prompts(vault: Memvault) -> None:
    made = vault.remember(TRIP, more={"scope": "global"}).memory
    ask(vault, "s1")
    before = ranks(vault)
    judged = vault.run(judge_memory, made.id, "useless")
    assert judged.memory.more["unhelpful_for"] == find_topics(ASKED)
    assert ranks(vault) == before
    assert TRIP not in ask(vault, "s2", "Is there a cable car that we could take on the trip next year, or a bus?")
    vault.undo(judged.op)
    assert "unhelpful_for" not in vault.show(made.id).memory.more


def test_a_receipt_can_be_copied_without_any_text(vault: Memvault) -> None:
    vault.remember(TRIP, triggers=["cable car"], more={"scope": "global"})
    ask(vault, "s1")
    [shown] = vault.list_injections(session="s1")
    assert "cable car" in str(shown)
    receipt = strip_receipt(shown)
    assert not any(word in str(receipt).lower() for word in ("cable", "summit", "hollin", "folder:a"))
    assert shown.given[0].memory is not None
    assert shown.given[0].memory.id in str(receipt)


def test_a_mark_that_comes_late_taints_what_an_agent_stored_a_moment_before(
    vault: Memvault, open_vault: Opener, clock: Clock
) -> None:
    inside = open_vault(vault.root, agent="claude-code", session="s1")
    old = inside.remember("The tide table of the quay is printed in March.").memory
    clock.pass_(minutes=5)
    made = inside.remember("The harbour office wants forms in blue ink.").memory
    elsewhere = open_vault(vault.root, agent="claude-code", session="s2").remember("Gates open at six.").memory
    own = vault.remember("Ilse has the key of the shed.").memory
    clock.pass_(seconds=20)
    assert [memory.id for memory in inside.run(taint_recent)] == [made.id]
    assert vault.show(made.id).memory.more.get("tainted") is True
    for other in (old, elsewhere, own):
        assert not vault.show(other.id).memory.more.get("tainted")
    # What confirms it later, in a session that read the web or in none, does not clean it.
    clock.now += timedelta(days=1)
    vault.remember("The harbour office wants forms in blue ink.", near="confirm")
    assert vault.show(made.id).memory.more.get("tainted") is True
