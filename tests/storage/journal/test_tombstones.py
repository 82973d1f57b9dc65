"""What was let go does not come back by another door, in another dress, or as the detail behind a few words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import Forgotten
from tests.conftest import Opener

FACT = "The gauge at Hollin falls dry at every spring tide, so move it to the downstream pier."
LONG = " ".join(f"Reading {number} of the gauge at Hollin was taken by Ilse from the old pier." for number in range(12))


@pytest.fixture
def agent(vault: Memvault, open_vault: Opener) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session="s-1")


def forgotten(vault: Memvault, text: str = FACT) -> None:
    vault.forget(vault.remember(text).memory.id)


def tombstones(vault: Memvault) -> set[str]:
    return vault._vault.ledger.decisions().tombstones


# -- by whatever door


DOORS: dict[str, Callable[[Memvault, str], object]] = {
    "remember": lambda agent, text: agent.remember(text),
    "remember among other things": lambda agent, text: agent.remember(f"Of the tides:\n\n- Neaps are small.\n- {text}"),
    "as a title": lambda agent, text: agent.remember("It is as it always was at the pier.", title=text),
    "as a condition": lambda agent, text: agent.remember("Go and look at the pier.", more={"condition": text}),
    "capture": lambda agent, text: agent.capture(text),
    "update": lambda agent, text: agent.remember(text, update="note"),
    "append": lambda agent, text: agent.edit("note", append=text),
    "append among other things": lambda agent, text: agent.edit("note", append=f"More:\n* {text}\n* Neaps are small."),
    "body": lambda agent, text: agent.edit("note", body=f"Something to begin with.\n\n{text}\n"),
    "fields": lambda agent, text: agent.edit("note", fields={"title": text}),
    "whole": lambda agent, text: agent.edit("note", whole=agent.source("note")[1] + text.encode()),
    "work start": lambda agent, text: agent.work_start(text),
    "used": lambda agent, text: agent.record_use("way", ok=True, note=text),
}


@pytest.mark.parametrize("door", list(DOORS))
@pytest.mark.parametrize("dress", ["{}", "- {}", "“{}”"])
@pytest.mark.points(quick=10)
def test_no_agent_brings_back_what_was_forgotten(vault: Memvault, agent: Memvault, door: str, dress: str) -> None:
    vault.remember("Something to begin with.", title="note")
    vault.remember("First look, then go.", title="way", kind="procedural")
    forgotten(vault)
    with pytest.raises(Forgotten):
        DOORS[door](agent, dress.format(FACT[:-1]))
    texts = "".join(path.read_text() for path in (vault.root / "2-memories").rglob("*.md"))
    assert "falls dry" not in texts


def test_nor_as_a_note_on_its_task(vault: Memvault, agent: Memvault) -> None:
    agent.work_start("Move the gauges")
    forgotten(vault)
    for said in (FACT, FACT.replace(" so ", "\nso ")):
        with pytest.raises(Forgotten):
            agent.work_note(said)
    assert agent.work_note("Neaps are small.").notes == ("Neaps are small.",)


def test_a_person_writes_what_they_like_into_their_notes(vault: Memvault) -> None:
    note = vault.remember("Something to begin with.", title="note").memory
    forgotten(vault)
    assert vault.edit(note.id, append=FACT).op
    assert FACT in str(vault.edit(note.id, body=f"{FACT}\n").memory.body)


def test_an_agent_may_edit_around_what_a_person_wrote_again(vault: Memvault, agent: Memvault) -> None:
    note = vault.remember("Something to begin with.", title="note").memory
    forgotten(vault)
    body = str(vault.edit(note.id, append=FACT).memory.body)
    assert agent.edit(note.id, body=f"{body}\nNeaps are small.\n").op


def test_marks_that_were_laid_before_are_obeyed(vault: Memvault, agent: Memvault) -> None:
    vault._vault.ledger.make_key(bytes(32), vault._clock())
    [mac] = vault._vault.ledger.text_macs(FACT)
    vault._vault.ledger.append([{"e": "tombstone", "mac": mac, "why": "forget"}], vault._clock())
    for dressed in (FACT, f"- {FACT}", FACT[:-1]):
        with pytest.raises(Forgotten):
            agent.remember(dressed)
    assert vault.remember(FACT, again=True).op
    assert tombstones(vault) == set()


# -- the detail behind a memory


@pytest.mark.parametrize("text", [LONG, FACT])
def test_what_stood_in_a_detail_file_is_not_learnt_again(vault: Memvault, agent: Memvault, text: str) -> None:
    made = vault.remember(text, significant=True)
    assert bool(made.deep_context) == (text == LONG)
    gone = vault.forget(made.memory.id)
    assert not made.deep_context or not (vault.root / made.deep_context).exists()
    with pytest.raises(Forgotten):
        agent.remember(text)
    vault.undo(gone.op)
    assert tombstones(vault) == set()
    assert (vault.root / made.deep_context).exists()


def test_a_memory_comes_back_with_the_detail_behind_it(vault: Memvault, agent: Memvault) -> None:
    made = vault.remember(LONG, significant=True)
    before = (vault.root / made.deep_context).read_bytes()
    vault.forget(made.memory.id)
    vault.restore(made.memory.id)
    assert (vault.root / made.deep_context).read_bytes() == before
    assert tombstones(vault) == set()
    assert agent.remember(f"{LONG} And one more.").op


def test_a_detail_file_that_another_memory_points_to_stays(vault: Memvault) -> None:
    made = vault.remember(LONG, significant=True)
    vault.remember(f"See [[{Path(made.deep_context).stem}]] for all readings.")
    vault.forget(made.memory.id)
    assert (vault.root / made.deep_context).exists()


def test_a_mark_that_stood_before_is_not_lifted_with_a_later_one(vault: Memvault, agent: Memvault) -> None:
    forgotten(vault)
    (vault.root / "2-memories" / "by hand.md").write_text(FACT)
    vault.undo(vault.forget("by hand").op)
    with pytest.raises(Forgotten):
        agent.remember(FACT)


# -- quarantine


def waiting(vault: Memvault, *, folder: str) -> str:
    """A draft from the web with a detail file, as older programs left them."""
    place = vault.root / folder
    place.mkdir(parents=True, exist_ok=True)
    (place / "page-in-detail.md").write_text(f"---\nsource: web\n---\nDetail of [[page]].\n\n{LONG}\n")
    (vault.root / "quarantine").mkdir(exist_ok=True)
    draft = f"---\nsource: web\nrefs:\n  deep_context: {folder}page-in-detail.md\n---\nReadings.\n\nMore: [[page-in-detail]]\n"
    (vault.root / "quarantine" / "page.md").write_text(draft)
    return f"{folder}page-in-detail.md"


@pytest.mark.parametrize("folder", ["2-memories/deep-context/", "quarantine/"])
def test_what_is_refused_goes_with_its_detail(vault: Memvault, agent: Memvault, folder: str) -> None:
    path = waiting(vault, folder=folder)
    done = vault.refuse("page")
    assert not (vault.root / path).exists()
    for text in (LONG, "Readings."):
        with pytest.raises(Forgotten):
            agent.remember(text)
    vault.undo(done.op)
    assert (vault.root / path).exists()
    assert tombstones(vault) == set()


def test_what_is_accepted_brings_its_detail_along(vault: Memvault) -> None:
    waiting(vault, folder="quarantine/")
    done = vault.accept(*(memory.path for memory in vault.quarantine()))
    [accepted] = done.memories
    memory = vault.find(accepted.path)
    assert memory.refs["deep_context"] == ("2-memories/deep-context/page-in-detail.md",)
    assert LONG in (vault.root / memory.refs["deep_context"][0]).read_text()
    assert vault.quarantine() == []
    vault.undo(done.op)
    assert len(vault.quarantine()) == 2


@pytest.mark.parametrize(
    "named", ["2-memories/deep-context/mine.md", "2-memories/deep-context/../mine.md", "1-hot/mine.md"]
)
def test_a_draft_takes_no_file_along_that_is_not_its_own(vault: Memvault, named: str) -> None:
    for folder in ("2-memories/deep-context", "2-memories", "1-hot"):
        (vault.root / folder).mkdir(exist_ok=True)
        (vault.root / folder / "mine.md").write_text("What I wrote myself.\n")
    (vault.root / "quarantine").mkdir(exist_ok=True)
    (vault.root / "quarantine" / "page.md").write_text(f"---\nrefs:\n  deep_context: {named}\n---\nReadings.\n")
    vault.refuse("page")
    assert len(list(vault.root.glob("*/mine.md"))) == 2
    assert (vault.root / "2-memories/deep-context/mine.md").exists()
    assert vault.remember("What I wrote myself.").op
