"""What an agent may not do, whatever a page told it: forget who the user is, trust more, bring back, take back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import NoOperation, NotFound, OnlyAPerson
from memvault.privacy.audit import MemoryOrigin
from tests.conftest import Opener

FACT = "The spare modem of the Hollin gauge lies in the green box."
OTHER = "The ferry to the island leaves at noon on Sundays."


@pytest.fixture
def agent(vault: Memvault, open_vault: Opener) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session="one")


@pytest.fixture
def identity(vault: Memvault) -> str:
    made = vault.remember("The user is called Noor and keeps the gauges of the harbour.").memory
    return vault.move(made.id, "identity").memory.id


@pytest.mark.parametrize(
    "act",
    [
        lambda agent, ref, other: agent.forget(ref),
        lambda agent, ref, other: agent.forget(ref, dry_run=True),
        lambda agent, ref, other: agent.purge(ref),
        lambda agent, ref, other: agent.move(ref, "memories"),
        lambda agent, ref, other: agent.move(ref, "archived"),
        lambda agent, ref, other: agent.unpin(ref),
        lambda agent, ref, other: agent.link(ref, other),
        lambda agent, ref, other: agent.link(other, ref, relation="supersedes"),
        lambda agent, ref, other: agent.resolve(other, ref),
        lambda agent, ref, other: agent.keep_both(other, ref),
        lambda agent, ref, other: agent.forget_origin(MemoryOrigin(source="user", session="mine")),
    ],
)
def test_tier_0_is_a_persons(
    vault: Memvault, agent: Memvault, open_vault: Opener, identity: str, act: Callable[[Memvault, str, str], object]
) -> None:
    other = agent.remember(FACT).memory.id
    path = vault.root / vault.find(identity).path
    vault.edit(identity, fields={"session": "mine"})
    before = path.read_bytes()
    with pytest.raises(OnlyAPerson):
        act(agent, identity, other)
    assert path.read_bytes() == before


def test_a_person_does_all_of_it(vault: Memvault, identity: str) -> None:
    vault.move(identity, "memories")
    vault.forget(identity)
    assert vault.restore(identity).memory.path.startswith("2-memories/")


def test_only_a_person_takes_in_what_waits(vault: Memvault, agent: Memvault) -> None:
    waiting = agent.remember(FACT, source="web").memory
    with pytest.raises(OnlyAPerson):
        agent.accept(waiting.id)
    with pytest.raises(NotFound):
        agent.move(waiting.id, "memories")
    assert vault.accept(waiting.id).memories[0].path.startswith("2-memories/")


def test_only_a_person_says_that_a_memory_may_be_trusted_more(vault: Memvault, agent: Memvault) -> None:
    made = vault.remember(FACT, source="web").memory
    vault.accept(made.id)
    text = (vault.root / vault.find(made.id).path).read_bytes()
    for fields in ({"source": "user"}, {"source": "agent"}, {"source": None}):
        with pytest.raises(OnlyAPerson):
            agent.edit(made.id, fields=fields)
    with pytest.raises(OnlyAPerson):
        agent.edit(made.id, whole=text.replace(b"source: web", b"source: user"))
    assert (vault.root / vault.find(made.id).path).read_bytes() == text
    agent.edit(made.id, append="It is locked.")
    assert vault.edit(made.id, fields={"source": "user"}).memory.more["source"] == "user"
    assert agent.edit(made.id, fields={"source": "agent"}).memory.more["source"] == "agent"


def test_what_a_person_had_forgotten_no_agent_brings_back(vault: Memvault, agent: Memvault, open_vault: Opener) -> None:
    made = vault.remember(FACT).memory
    gone = vault.forget(made.id)
    for act in (lambda: agent.restore(made.id), lambda: agent.undo(gone.op), lambda: agent.undo(gone.op, dry_run=True)):
        with pytest.raises(OnlyAPerson):
            act()
    own = agent.remember(OTHER).memory
    agent.forget(own.id)
    with pytest.raises(OnlyAPerson):
        open_vault(vault.root, agent="claude-code", session="two").restore(own.id)
    assert agent.restore(own.id).memory.id == own.id


def test_an_agent_takes_back_its_own_alone(vault: Memvault, agent: Memvault, open_vault: Opener) -> None:
    made = agent.remember(OTHER)
    theirs = vault.remember(FACT)
    with pytest.raises(OnlyAPerson):
        agent.undo(theirs.op)
    with pytest.raises(OnlyAPerson):
        open_vault(vault.root, agent="codex", session="one").undo(made.op)
    assert agent.undo().op == made.op
    with pytest.raises(NoOperation):
        agent.undo()
    assert vault.undo().op == theirs.op


def test_no_agent_brings_in_memories_as_the_users(vault: Memvault, agent: Memvault, tmp_path: Path) -> None:
    made = vault.remember(FACT)
    bundle = tmp_path / "all.zip"
    vault.export(bundle)
    vault.undo(made.op)
    with pytest.raises(OnlyAPerson):
        agent.import_memories("bundle", bundle, as_mine=True)
    agent.import_memories("bundle", bundle)  # it names this very vault, which anybody could
    assert vault.find(made.memory.id).more["source"] == "import"


def test_what_an_agent_brings_out_of_the_archive_lifts_no_mark(vault: Memvault, agent: Memvault) -> None:
    made = vault.remember(FACT).memory
    twin = vault.remember(f"# Twin\n\n{FACT}", near="ignore").memory
    vault.move(twin.id, "archived")
    vault.forget(made.id)
    assert agent.restore(twin.id).memory.id == twin.id
    vault.forget(twin.id)
    with pytest.raises(OnlyAPerson):
        agent.restore(made.id)
