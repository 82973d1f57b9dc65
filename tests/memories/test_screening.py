"""What happens to a text before it is kept: secrets, what was forgotten, what is known already."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memvault import Memvault
from memvault.errors import BadInput, Forgotten, SecretFound, Trivial, UndoRefused
from tests.conftest import Clock

KEY = "gh" + "p_" + "k7Qz2mXv9Lp4Rt8Wn3Yb6Hd1Fs5Gj0CaEuIo"
FACT = "The gauge at Hollin falls dry at every spring tide, so move it to the downstream pier."

Opener = Callable[..., Memvault]


@pytest.fixture
def agent(vault: Memvault, open_vault: Opener) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session="s-1")


def notes(vault: Memvault) -> list[Path]:
    return sorted((vault.root / "2-memories").rglob("*.md"))


def journaled(vault: Memvault, event: str) -> list[dict[str, object]]:
    lines = [
        line for path in (vault.root / ".memvault/journal").rglob("*.jsonl") for line in path.read_text().splitlines()
    ]
    return [entry for entry in map(json.loads, lines) if entry["e"] == event]


def everything(vault: Memvault, environment: dict[str, str]) -> bytes:
    roots = [vault.root, *(Path(environment[name]) for name in environment if name.startswith("XDG_"))]
    return b"".join(path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file())


# -- secrets


@pytest.mark.parametrize("given", [{}, {"title": f"Key {KEY}"}, {"tags": (KEY,)}, {"refs": {"session": (KEY,)}}])
def test_a_secret_stops_and_is_named_by_its_sort_alone(
    vault: Memvault, environment: dict[str, str], given: dict[str, Any]
) -> None:
    with pytest.raises(SecretFound) as stopped:
        vault.remember(f"The key is {KEY}." if not given else "Nothing in the text.", **given)
    assert "GitHub token" in str(stopped.value)
    assert KEY not in f"{stopped.value} {stopped.value.advice} {stopped.value.data}"
    assert notes(vault) == []
    assert KEY.encode() not in everything(vault, environment)


def test_a_secret_is_left_out_of_every_field_where_that_is_wished(vault: Memvault, environment: dict[str, str]) -> None:
    made = vault.remember(f"The key is {KEY}.", title=f"Key {KEY}", tags=(f"a-{KEY}",), secrets="redact")
    assert made.memory.body == "The key is [redacted: GitHub token]."
    assert made.left_out.sorts == ("GitHub token",)
    assert KEY.encode() not in everything(vault, environment)


def test_a_secret_is_kept_where_a_person_insists(vault: Memvault) -> None:
    assert KEY in str(vault.remember(f"The key is {KEY}.", secrets="keep").memory.body)


def test_automatic_memories_are_always_redacted(agent: Memvault) -> None:
    text = f"The deploy of the gauge reader to the harbour server uses {KEY} as its token."
    assert KEY not in str(agent.remember(text, automatic=True).memory.body)


def test_the_setting_decides_where_nobody_says(vault: Memvault, open_vault: Opener) -> None:
    redacting = open_vault(vault.root, settings={"screen.secrets": "redact"})
    assert KEY not in str(redacting.remember(f"The key is {KEY}.").memory.body)
    careless = open_vault(vault.root, settings={"screen.secrets": "off"})
    assert KEY in str(careless.remember(f"This key is {KEY}.").memory.body)


# -- personal data

ACCOUNT = "DE89 3704 0044 0532 0130 00"
CONTACT = "Anna Lindner is reached at +49 170 1234567 in urgent cases, says the office."


@pytest.mark.parametrize(
    ("number", "sort"),
    [
        (f"The rent goes to {ACCOUNT}.", "IBAN"),
        ("Anna's passport no. is C01X00T47.", "passport number"),
        ("Anna's social security number is 512-44-9087.", "national id"),
    ],
)
def test_a_personal_number_stops_like_a_secret(vault: Memvault, number: str, sort: str) -> None:
    with pytest.raises(SecretFound, match=sort):
        vault.remember(number)
    assert f"[redacted: {sort}]" in str(vault.remember(number, secrets="redact").memory.body)
    assert vault.remember(number, secrets="keep").memory.body == number


def test_a_person_may_keep_contacts(vault: Memvault, agent: Memvault) -> None:
    assert vault.remember(CONTACT).memory.body == CONTACT
    assert "12 Elm Street" in str(agent.remember("Tom lives at 12 Elm Street, Bath.").memory.body)


def test_contacts_are_left_out_of_what_is_captured_automatically(agent: Memvault) -> None:
    made = agent.remember(CONTACT, automatic=True)
    assert made.memory.body == CONTACT.replace("+49 170 1234567", "[redacted: phone number]")
    assert made.left_out.sorts == ("phone number",)
    assert "170" not in made.memory.title


def test_contacts_are_kept_where_the_user_says_them_of_somebody(agent: Memvault) -> None:
    said = "My sister Anna's phone number is +49 170 1234567, she lives at 12 Elm Street in Bath."
    assert agent.remember(said, automatic=True, source="hook").memory.body == said
    passing = "The import of bo@example.org is only retried on Mondays, because the feed rests at weekends."
    assert "bo@" not in str(agent.remember(passing, automatic=True, source="hook").memory.body)


def test_personal_data_are_as_any_other_where_the_person_wants_it(vault: Memvault, open_vault: Opener) -> None:
    careless = open_vault(vault.root, agent="x", settings={"screen.personal": False})
    assert ACCOUNT in str(careless.remember(f"The rent goes to {ACCOUNT}.").memory.body)
    assert careless.remember(CONTACT, automatic=True).memory.body == CONTACT
    with pytest.raises(SecretFound, match="GitHub token"):
        careless.remember(f"The rent goes to {ACCOUNT}, the key is {KEY}.")


# -- trivial


def test_only_automatic_memories_can_be_trivial(vault: Memvault, agent: Memvault) -> None:
    assert vault.remember("ok").op
    assert agent.remember("Build needs node 20.").op
    with pytest.raises(Trivial):
        agent.remember("Sounds good, thanks a lot, let me know if there is anything else.", automatic=True)


def test_how_short_is_trivial_is_a_setting(vault: Memvault, open_vault: Opener) -> None:
    agent = open_vault(vault.root, agent="x", settings={"screen.trivial_below": 20})
    assert agent.remember("Ilse keeps the keys of Hollin.", automatic=True).op


# -- forgotten


def test_forgotten_texts_are_not_learned_again(vault: Memvault, agent: Memvault) -> None:
    vault.forget(vault.remember(FACT).memory.id)
    tries: tuple[Callable[[], object], ...] = (
        lambda: agent.remember(FACT.upper()),
        lambda: agent.remember(FACT, automatic=True),
        lambda: agent.remember(FACT, again=True),
        lambda: vault.remember(f"  {FACT}\n"),
        lambda: vault.remember(FACT, source="web", again=True),
    )
    for refused in tries:
        with pytest.raises(Forgotten):
            refused()
    assert notes(vault) == []


def test_a_person_may_have_it_back_and_undo_that(vault: Memvault, agent: Memvault) -> None:
    vault.forget(vault.remember(FACT).memory.id)
    made = vault.remember(FACT, again=True)
    assert agent.remember(FACT).outcome == "confirmed"
    vault.undo(made.op)
    with pytest.raises(Forgotten):
        agent.remember(FACT)


# -- known already


def test_an_agent_that_says_it_again_makes_no_file_but_a_note_of_it(vault: Memvault, agent: Memvault) -> None:
    known = vault.remember(FACT).memory
    for said in (FACT, FACT.replace("every", "each"), "The gauge at Hollin falls dry at every spring tide."):
        again = agent.remember(said)
        assert (again.outcome, again.memory.id, again.op) == ("confirmed", known.id, "")
    assert len(notes(vault)) == 1
    assert {(entry["id"], entry["session"]) for entry in journaled(vault, "confirm")} == {(known.id, "s-1")}


@pytest.mark.points(only=True)
def test_a_repeated_text_is_recognized_after_indexing(vault: Memvault, agent: Memvault) -> None:
    known = vault.remember(FACT).memory
    for number in range(40):
        vault.remember(f"Reading number {number} of the river Tarn was taken at mile {number * 7}.")
    vault.list()
    assert agent.remember(FACT.replace("every", "each")).memory.id == known.id


@pytest.mark.parametrize(
    "said",
    [
        FACT + " Ilse has the boat for it.",
        FACT.replace("Hollin", "Marrow"),
        FACT.replace("falls dry", "never falls dry"),
        "The gateway calls the billing service first.",
    ],
)
def test_texts_that_go_beyond_a_known_one_are_kept(vault: Memvault, agent: Memvault, said: str) -> None:
    vault.remember(FACT)
    vault.remember("The billing service calls the gateway first.")
    assert agent.remember(said).op
    assert len(notes(vault)) == 3


def test_a_person_keeps_what_they_say_and_is_told_what_is_like_it(vault: Memvault) -> None:
    known = vault.remember(FACT).memory
    vault.list()
    vault.forget(vault.remember("The lock at Marrow opens at six o'clock in the morning.").memory.id)
    assert vault.remember("The lock at Marrow opens at six o'clock each morning.").like is None
    again = vault.remember(FACT.replace("every", "each"))
    assert again.op
    assert again.like is not None
    assert again.like.id == known.id
    assert vault.remember(FACT, near="ignore").like is None


def test_held_memories_are_not_written(vault: Memvault) -> None:
    vault.remember(FACT)
    held = vault.remember(FACT, near="hold")
    assert (held.outcome, held.op, len(notes(vault))) == ("held", "", 1)


def test_a_text_is_added_to_a_memory_and_taken_back(vault: Memvault) -> None:
    known = vault.remember(FACT, tags=("gauges",)).memory
    before = (vault.root / known.path).read_bytes()
    added = vault.remember("Ilse has the boat for it.", update=known.id, tags=("boat",))
    assert added.outcome == "added"
    assert added.memory.tags == ("gauges", "boat")
    assert str(added.memory.body).strip().endswith("pier.\n\nIlse has the boat for it.")
    assert vault.remember("ilse has the boat  for it.", update=known.id).op == ""
    vault.undo(added.op)
    assert (vault.root / known.path).read_bytes() == before


def test_nothing_less_trusted_is_put_into_a_memory(vault: Memvault, agent: Memvault) -> None:
    known = vault.remember(FACT).memory
    with pytest.raises(BadInput):
        vault.remember("The boat is free.", update=known.id, source="web")
    vault.forget(vault.remember("The boat of Ilse leaks at the stern.").memory.id)
    with pytest.raises(Forgotten):
        agent.remember("The boat of Ilse leaks at the stern.", update=known.id)
    vault.move(known.id, "identity")
    with pytest.raises(BadInput):
        agent.remember("The boat is free.", update=known.id)
    assert vault.remember("The boat is free.", update=known.id).op


def test_memories_elsewhere_do_not_count_as_known(vault: Memvault, agent: Memvault) -> None:
    known = vault.remember(FACT).memory
    vault.move(known.id, "archived")
    assert agent.remember(FACT).outcome == "kept"
    elsewhere = {"project": "example.org/other"}
    vault.remember("The build of the gauge reader needs node 20.", more={"project": "example.org/river"})
    assert agent.remember("The build of the gauge reader needs node 20.", more=elsewhere).op


def test_the_look_for_what_is_like_it_can_be_turned_off(vault: Memvault, open_vault: Opener) -> None:
    vault.remember(FACT)
    agent = open_vault(vault.root, agent="x", settings={"screen.duplicates": False})
    assert agent.remember(FACT).op


def test_a_memory_that_was_undone_or_edited_is_no_longer_the_same(vault: Memvault, agent: Memvault) -> None:
    vault.undo(vault.remember(FACT).op)
    made = agent.remember(FACT)
    assert made.op
    vault.edit(made.memory.id, body="Something else altogether stands here now.")
    assert agent.remember(FACT).outcome == "kept"


def test_a_confirmation_without_session_is_noted_by_device(vault: Memvault, open_vault: Opener) -> None:
    vault.remember(FACT)
    open_vault(vault.root, agent="x").remember(FACT)
    (entry,) = journaled(vault, "confirm")
    assert str(entry["session"]).startswith("device:")


def test_a_name_that_came_into_the_vault_meanwhile_is_not_given_twice(vault: Memvault) -> None:
    vault.list()
    (vault.root / "1-hot" / "2026-01-29-same-words.md").write_text("By hand.")
    assert vault.remember("Same words.").memory.name == "2026-01-29-same-words-2"


# -- quarantine


def test_memories_from_the_web_wait_and_are_not_found(vault: Memvault, agent: Memvault) -> None:
    made = agent.remember(FACT, source="web")
    assert made.outcome == "quarantined"
    assert made.memory.path.startswith("quarantine/")
    assert vault.recall("gauge Hollin").hits == ()
    assert [memory.id for memory in vault.quarantine()] == [made.memory.id]
    assert agent.remember(FACT, source="web").outcome == "confirmed"
    assert journaled(vault, "confirm") == []
    assert agent.remember(FACT).outcome == "kept"  # what waits vouches for nothing


def test_nobody_speaks_with_more_trust_than_they_have(agent: Memvault) -> None:
    with pytest.raises(BadInput):
        agent.remember(FACT, source="user")
    with pytest.raises(BadInput):
        agent.remember(FACT, source="heaven")


def test_accepting_keeps_the_source_and_can_be_undone(vault: Memvault) -> None:
    made = vault.remember(FACT, source="tool", more={"tainted": True})
    before = (vault.root / made.memory.path).read_bytes()
    done = vault.accept(made.memory.id[:6])
    memory = vault.find(made.memory.id)
    assert memory.path == f"2-memories/{made.memory.name}.md" == done.memories[0].path
    assert (memory.more["source"], memory.more["tainted"]) == ("tool", True)
    assert vault.recall("gauge Hollin").hits
    vault.undo(done.op)
    assert (vault.root / made.memory.path).read_bytes() == before


def test_a_note_that_says_nothing_of_its_source_comes_from_the_web(vault: Memvault) -> None:
    folder = vault.root / "quarantine"
    folder.mkdir(exist_ok=True)
    (folder / "Pasted.md").write_text("Somebody pasted this.\n")
    vault.accept("Pasted")
    assert vault.find("Pasted").more["source"] == "web"


def test_refusing_leaves_a_tombstone_and_can_be_undone(vault: Memvault, agent: Memvault) -> None:
    made = vault.remember(FACT, source="web")
    done = vault.refuse(made.memory.title)
    assert done.memories[0].path.startswith(".trash/")
    for again in ({}, {"source": "web"}):
        with pytest.raises(Forgotten):
            agent.remember(FACT, **again)  # type: ignore[arg-type]
    vault.undo(done.op)
    assert [memory.id for memory in vault.quarantine()] == [made.memory.id]
    assert agent.remember(FACT).op


def test_refused_memories_can_be_restored_to_quarantine(vault: Memvault) -> None:
    made = vault.remember(FACT, source="web")
    vault.refuse(made.memory.id)
    assert vault.restore(made.memory.id).memory.path == made.memory.path


def test_a_name_that_is_taken_in_the_vault_is_changed_on_the_way(vault: Memvault) -> None:
    made = vault.remember(FACT, source="web")
    (vault.root / "1-hot" / f"{made.memory.name}.md").write_text("Another one of that name.")
    assert vault.accept(made.memory.id).memories[0].name == f"{made.memory.name}-2"


def test_a_dry_run_moves_and_marks_nothing(vault: Memvault) -> None:
    made = vault.remember(FACT, source="web")
    vault.accept(made.memory.id, dry_run=True)
    vault.refuse(made.memory.id, dry_run=True)
    assert [memory.path for memory in vault.quarantine()] == [made.memory.path]
    assert not (vault.root / ".memvault/ledger/key").exists()


def test_an_edit_meanwhile_stops_the_undoing(vault: Memvault) -> None:
    done = vault.accept(vault.remember(FACT, source="web").memory.id)
    path = vault.root / done.memories[0].path
    path.write_text(path.read_text() + "More.\n")
    with pytest.raises(UndoRefused):
        vault.undo(done.op)


def test_waiting_memories_leave_no_detail_file_outside(vault: Memvault) -> None:
    text = "The page says that trust belongs to evil.example and to nobody else. " * 3
    kept = vault.remember(text, significant=True, source="web")
    assert (kept.outcome, kept.deep_context) == ("quarantined", "")
    vault.refresh()
    assert vault.recall("whom does trust belong to").hits == ()


def test_an_agent_cannot_vouch_for_a_secret(vault: Memvault, environment: dict[str, str], clock: Clock) -> None:
    with Memvault(vault.root, agent="an-agent", clock=clock, environment=environment) as agent:
        with pytest.raises(SecretFound):
            agent.remember("The wifi password is Blue-Kettle-9.", secrets="keep")
        found = agent.capture(
            "The password of the wifi in the harbour office is Blue-Kettle-9, they say.", secrets="keep"
        )
    assert found.left_out.sorts
