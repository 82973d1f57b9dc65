"""What waits in quarantine: a person looks at it and mends it by name; agents, searches and other acts know none."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.errors import NotFound
from tests.conftest import Opener

TEXT = "Grommets are oiled on a Thursday."


@pytest.fixture
def id_(vault: Memvault) -> str:
    return vault.remember(TEXT, title="Grommets", source="web").memory.id


def test_it_is_shown_by_any_of_its_names_and_marked(vault: Memvault, id_: str) -> None:
    path = vault.find(id_).path
    for ref in (id_, id_[:8], "Grommets", path, path.rpartition("/")[2]):
        found = vault.show(ref).memory
        assert (found.id, found.body, found.source) == (id_, TEXT + "\n", "web")
        assert "quarantine" in found.remarks
    assert vault.show(id_).uses == 0, "to look at it is no use"


def test_a_person_mends_it_and_it_goes_on_waiting(vault: Memvault, id_: str) -> None:
    changed = vault.edit(id_, body="Grommets are oiled on a Friday.", fields={"title": "Oil"})
    assert (changed.memory.title, changed.memory.source) == ("Oil", "web")
    assert [memory.title for memory in vault.quarantine()] == ["Oil"]
    vault.undo(changed.op)
    assert [memory.title for memory in vault.quarantine()] == ["Grommets"]


def test_what_waits_is_neither_found_nor_acted_upon_otherwise(vault: Memvault, id_: str) -> None:
    assert vault.recall("grommets Thursday").hits == ()
    assert vault.list().rows == ()
    for act in (vault.pin, vault.forget):
        with pytest.raises(NotFound):
            act(id_)
    with pytest.raises(NotFound):
        vault.move(id_, "hot")


def test_an_agent_is_shown_none_of_it(vault: Memvault, id_: str, open_vault: Opener) -> None:
    with open_vault(vault.root, agent="codex", session="s1") as agent:
        for act in (agent.show, agent.find, agent.source):
            with pytest.raises(NotFound):
                act(id_)
        with pytest.raises(NotFound):
            agent.edit(id_, append="It may be trusted.")
