"""Every text passes one gate: fit to be written, no secret that is new in it, and no message that repeats one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memvault import Memvault
from memvault.errors import BadInput, MemvaultError, SecretFound
from tests.conftest import Opener

KEY = "gh" + "p_" + "k7Qz2mXv9Lp4Rt8Wn3Yb6Hd1Fs5Gj0CaEuIo"
OTHER = "gh" + "p_" + "Zx8Wc6Vb4Nm2Qa1Sw3Ed5Rf7Tg9Yh0UjIkOl"
UNFIT: tuple[Any, ...] = (None, b"bytes", 7, ["a"], "a lone \ud800 half", "a \x00 within")


@pytest.fixture
def agent(vault: Memvault, open_vault: Opener) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session="s-1")


def everything(vault: Memvault) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}


# -- fit to be written


def _given(text: Any) -> Any:
    """An edit takes None for what stays as it is."""
    return b"" if text is None else text


DOORS: dict[str, Callable[[Memvault, Any], object]] = {
    "remember": lambda vault, text: vault.remember(text),
    "capture": lambda vault, text: vault.capture(text),
    "update": lambda vault, text: vault.remember(text, update="note"),
    "title": lambda vault, text: vault.remember("Some text.", title=text),
    "type": lambda vault, text: vault.remember("Some text.", type=text),
    "kind": lambda vault, text: vault.remember("Some text.", kind=text),
    "source": lambda vault, text: vault.remember("Some text.", source=text),
    "an item": lambda vault, text: vault.remember("Some text.", tags=(text,)),
    "a reference": lambda vault, text: vault.remember("Some text.", refs={"session": (text,)}),
    "append": lambda vault, text: vault.edit("note", append=_given(text)),
    "body": lambda vault, text: vault.edit("note", body=_given(text)),
    "work start": lambda vault, text: vault.work_start(text),
    "work note": lambda vault, text: vault.work_note(text),
}


@pytest.mark.parametrize("door", list(DOORS))
def test_values_that_are_no_text_are_refused_in_a_sentence(vault: Memvault, door: str) -> None:
    vault.remember("Something to begin with.", title="note")
    vault.work_start("A task in hand")
    before = everything(vault)
    for text in UNFIT:
        with pytest.raises(BadInput) as refused:
            DOORS[door](vault, text)
        str(refused.value).encode()  # and the sentence itself can be written
        assert everything(vault) == before, repr(text)


@pytest.mark.parametrize(
    "given",
    [
        {"tags": "abc"},
        {"people": None},
        {"refs": None},
        {"more": ["due"]},
        {"weight": "much"},
        {"weight": float("nan")},
        {"more": {"due": datetime(2026, 2, 1)}},  # noqa: DTZ001 - that is the point
        {"more": {"due": "some day"}},
        {"more": {"priority": 9}},
        {"more": {"condition": b"x"}},
    ],
    ids=repr,
)
def test_values_that_a_field_cannot_hold_are_refused(vault: Memvault, given: dict[str, Any]) -> None:
    before = everything(vault)
    with pytest.raises(BadInput):
        vault.remember("Some text.", **given)
    assert everything(vault) == before


def test_lists_and_days_in_words_are_taken_as_they_are_meant(vault: Memvault) -> None:
    memory = vault.remember("Some text.", tags=["a", "b"], more={"due": "tomorrow"}).memory  # type: ignore[arg-type]
    assert memory.tags == ("a", "b")
    due = memory.more["due"]
    assert isinstance(due, datetime)
    assert due.isoformat().startswith("2026-01-30")
    changed = vault.edit(memory.id, fields={"due": "next Friday"}).memory.more["due"]
    assert isinstance(changed, datetime)
    assert changed.isoformat().startswith("2026-01-30")
    with pytest.raises(BadInput):
        vault.edit(memory.id, fields={"due": "some day"})


# -- secrets in an edit


EDITS: dict[str, Callable[[Memvault, str, str], object]] = {
    "append": lambda vault, text, wish: vault.edit("note", append=text, secrets=wish),
    "body": lambda vault, text, wish: vault.edit("note", body=text, secrets=wish),
    "title": lambda vault, text, wish: vault.edit("note", fields={"title": text}, secrets=wish),
    "tags": lambda vault, text, wish: vault.edit("note", fields={"tags": (KEY,)}, secrets=wish),
    "refs": lambda vault, text, wish: vault.edit("note", fields={"refs.session": (text,)}, secrets=wish),
    "whole": lambda vault, text, wish: vault.edit("note", whole=vault.source("note")[1] + text.encode(), secrets=wish),
    "update": lambda vault, text, wish: vault.remember(text, update="note", secrets=wish),
    "work note": lambda vault, text, wish: vault.work_note(text, secrets=wish),
    "used": lambda vault, text, wish: vault.record_use("way", ok=True, note=text, secrets=wish),
}


@pytest.fixture
def noted(vault: Memvault) -> Memvault:
    vault.remember("Something to begin with.", title="note")
    vault.remember("First look, then go.", title="way", kind="procedural")
    vault.work_start("A task in hand")
    return vault


@pytest.mark.parametrize("door", list(EDITS))
def test_a_secret_stops_an_edit_too(noted: Memvault, door: str) -> None:
    before = everything(noted)
    with pytest.raises(SecretFound) as stopped:
        EDITS[door](noted, f"The key is {KEY}.", "")
    assert KEY not in f"{stopped.value} {stopped.value.data}"
    assert everything(noted) == before


def test_a_secret_that_stands_elsewhere_in_a_note_stops_no_edit(vault: Memvault) -> None:
    made = vault.remember(f"The key is {KEY}.", title="note", tags=(f"a-{KEY}",), secrets="keep").memory
    assert vault.edit("note", append="It is in the safe, too.").op
    assert vault.edit("note", body=f"The key still is {KEY}.\n").op
    assert vault.edit("note", fields={"tags": (*made.tags, "more")}).op
    assert vault.edit("note", whole=vault.source("note")[1] + b"And more.\n").op
    with pytest.raises(SecretFound):
        vault.edit("note", append=f"The other one is {OTHER}.")
    redacted = vault.edit("note", body=f"They are {KEY} and {OTHER}.", secrets="redact").memory.body
    assert redacted == f"They are {KEY} and [redacted: GitHub token].\n"


def test_a_secret_that_shows_only_where_old_and_new_meet_is_seen(vault: Memvault) -> None:
    vault.remember("My seed phrase:", title="note")
    words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    for wish in ("refuse", "redact"):
        with pytest.raises(SecretFound):
            vault.edit("note", append=words, secrets=wish)
    assert vault.edit("note", append=words, secrets="keep").op


def test_bytes_that_are_no_text_come_through_an_edit_as_they_were(vault: Memvault) -> None:
    path = vault.root / "2-memories" / "old.md"
    path.write_bytes("café\n".encode("latin-1"))
    vault.edit("old", whole=path.read_bytes() + b"More.\n")
    assert path.read_bytes() == "café\n".encode("latin-1") + b"More.\n"


def test_only_a_person_writes_into_tier_0(vault: Memvault, agent: Memvault) -> None:
    note = vault.remember("Something to begin with.", title="note").memory
    vault.move(note.id, "identity")
    with pytest.raises(BadInput):
        agent.edit(note.id, append="And I said so.")
    assert vault.edit(note.id, append="And I said so.").op


# -- secrets in small fields


def test_a_label_that_is_a_secret_is_dropped_and_said_so(vault: Memvault) -> None:
    made = vault.remember(
        "Nothing in the text.", tags=(KEY, "plain"), people=("Ilse", f"key {KEY}"), triggers=(KEY,), secrets="redact"
    )
    memory = made.memory
    assert (memory.tags, memory.people, memory.triggers) == (("plain",), ("Ilse",), ())
    assert made.left_out.dropped == ("tag", "person", "trigger")


def test_no_name_of_a_field_carries_a_secret_in(vault: Memvault) -> None:
    with pytest.raises(SecretFound):
        vault.remember("Some text.", refs={KEY: ("x",)})
    vault.remember("Some text.", refs={KEY: ("x",)}, secrets="redact")
    assert not any(KEY.encode() in data for data in everything(vault).values())


@pytest.mark.parametrize(
    "typed",
    [
        lambda vault: vault.remember("Some text.", kind=KEY),
        lambda vault: vault.remember("Some text.", source=KEY),
        lambda vault: vault.remember("Some text.", more={"due": f"on {KEY}"}),
        lambda vault: vault.edit("note", fields={KEY: "y"}),
        lambda vault: vault.edit("note", fields={"due": KEY}),
        lambda vault: vault.find(KEY),
        lambda vault: vault.link("note", "note", relation=KEY),
    ],
)
def test_no_message_repeats_a_secret(noted: Memvault, typed: Callable[[Memvault], object]) -> None:
    with pytest.raises(MemvaultError) as refused:
        typed(noted)
    assert KEY not in f"{refused.value} {refused.value.advice} {refused.value.data}"


# -- private spans


def test_a_private_span_that_is_never_closed_is_told(vault: Memvault) -> None:
    made = vault.remember("The key <private>is here, and all the rest of it")
    assert (made.memory.body, made.left_out.unclosed) == ("The key", True)
    assert not vault.remember("The key <private>is</private> here.").left_out.unclosed
    assert vault.edit(made.memory.id, append="More <PRIVATE> of it").left_out.unclosed
