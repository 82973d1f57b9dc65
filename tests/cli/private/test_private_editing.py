"""`memvault private edit` in an editor that is open for long: what others seal meanwhile, and what the person wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from memvault.errors import Busy
from memvault.privacy.private.store import PrivateStore
from memvault.system import programs
from tests.command_line import Line, Ran
from tests.privacy.private.test_private_memories import holding, key_file

pytest.importorskip("pyrage")

FIRST, MIDDLE, LAST = "The key hangs at the back door.", "Nobody else knows.", "The alarm is off on Friday."
MINE = "The key hangs in the cellar."
THEIRS = "The key hangs in the attic."


class Session(Protocol):
    """Edits the memory in an editor that writes `new` for `old`, while something else is done."""

    def __call__(self, old: str, new: str, *others: tuple[str, ...], options: tuple[str, ...] = ()) -> Ran: ...


@pytest.fixture
def house(in_vault: Line) -> Line:
    """A vault with a private memory of three paragraphs."""
    in_vault("private", "init", "--yes")
    in_vault("remember", "--private", f"{FIRST}\n\n{MIDDLE}\n\n{LAST}", "--title", "House")
    return in_vault


@pytest.fixture
def session(house: Line, monkeypatch: pytest.MonkeyPatch) -> Session:
    def run(old: str, new: str, *others: tuple[str, ...], options: tuple[str, ...] = ()) -> Ran:
        def edit(data: bytes, **_given: object) -> bytes:
            for words in others:
                assert house(*words).code == 0
            return data.replace(old.encode(), new.encode())

        monkeypatch.setattr(programs, "edit_in_memory", edit)
        return house("private", "edit", "house", *options, EDITOR="any")

    return run


@pytest.fixture
def body(house: Line) -> Callable[[str], str]:
    return lambda name: house("private", "show", name, "--json").json["result"]["memory"]["body"].strip()


def texts(house: Line, body: Callable[[str], str]) -> set[str]:
    rows = house("private", "--json").json["result"]["memories"]
    return {body(row["path"]) for row in rows}


def with_text(text: str) -> tuple[str, ...]:
    return ("private", "edit", "house", "--text", text)


def test_a_text_that_nobody_changed_meanwhile_is_sealed_as_it_was_written(
    session: Session, body: Callable[[str], str]
) -> None:
    assert "sealed anew" in session(FIRST, MINE).out
    assert body("house") == f"{MINE}\n\n{MIDDLE}\n\n{LAST}"


def test_what_others_sealed_while_the_editor_was_open_is_put_together_with_it(
    session: Session, body: Callable[[str], str], house: Line
) -> None:
    ran = session(
        FIRST,
        MINE,
        with_text(f"{FIRST}\n\n{MIDDLE}\n\n{LAST}\n\nTheirs."),
        ("private", "edit", "house", "--add-tag", "home", "--title", "Home"),
    )
    assert (ran.code, "sealed anew" in ran.out) == (0, True)
    assert body("home") == f"{MINE}\n\n{MIDDLE}\n\n{LAST}\n\nTheirs."
    assert [row["tags"] for row in house("private", "--json").json["result"]["memories"]] == [["home"]]


def test_where_both_changed_the_same_lines_theirs_stays_and_mine_is_sealed_beside_it(
    session: Session, house: Line, body: Callable[[str], str], tmp_path: Path
) -> None:
    theirs, mine = (f"{text}\n\n{MIDDLE}\n\n{LAST}" for text in (THEIRS, MINE))
    ran = session(FIRST, MINE, with_text(theirs))
    assert ran.code == 5
    assert "was changed by someone else in the meantime" in ran.err
    name = ran.err.partition("memvault private show ")[2].split()[0]
    assert body(name) == mine
    assert texts(house, body) == {mine, theirs}
    rows = house("private", "--json").json["result"]["memories"]
    assert len({row["id"] for row in rows}) == 2
    assert not holding(tmp_path, MINE)


def test_where_both_gave_it_a_title_neither_is_lost(session: Session, house: Line) -> None:
    assert session("House", "Cellar", ("private", "edit", "house", "--title", "Attic")).code == 5
    assert {row["title"] for row in house("private", "--json").json["result"]["memories"]} == {"Attic", "Cellar"}


def test_a_text_left_as_it_was_changes_nothing(session: Session, body: Callable[[str], str]) -> None:
    assert "unchanged" in session(FIRST, FIRST).out
    theirs = f"{THEIRS}\n\n{MIDDLE}\n\n{LAST}"
    assert "unchanged" in session(FIRST, FIRST, with_text(theirs)).out
    assert body("house") == theirs


def test_what_was_let_go_meanwhile_does_not_take_the_text_with_it(
    session: Session, house: Line, body: Callable[[str], str]
) -> None:
    ran = session(FIRST, MINE, ("private", "forget", "house", "--yes"))
    assert (ran.code, "memvault private show" in ran.err) == (3, True)
    assert texts(house, body) == {f"{MINE}\n\n{MIDDLE}\n\n{LAST}"}


def test_what_was_only_looked_at_does_not_come_back(session: Session, house: Line) -> None:
    assert session(FIRST, FIRST, ("private", "purge", "house", "--yes")).code == 3
    assert house("private", "--json").json["result"]["total"] == 0


def test_a_dry_run_keeps_nothing(session: Session, house: Line, body: Callable[[str], str]) -> None:
    ran = session(FIRST, MINE, with_text(THEIRS), options=("--dry-run",))
    assert ran.code == 5
    assert texts(house, body) == {THEIRS}


def test_an_editor_is_not_opened_on_what_could_not_be_sealed(
    house: Line, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[bytes] = []
    monkeypatch.setattr(programs, "edit_in_memory", lambda data, **_: opened.append(data) or data)
    (key_file(environment).parent / "private.recipients").write_text("a poem")
    assert house("private", "edit", "house", EDITOR="any").code == 1
    assert not opened


def test_what_cannot_be_kept_either_is_shown_on_a_screen_alone(house: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(self: PrivateStore, *_given: object, **_more: object) -> str:
        raise Busy(path="it", seconds=1.0)

    monkeypatch.setattr(PrivateStore, "change_note", refuses)
    monkeypatch.setattr(PrivateStore, "add_note", refuses)
    monkeypatch.setattr(programs, "edit_in_memory", lambda data, **_: data.replace(FIRST.encode(), MINE.encode()))
    for terminal in (True, False):
        ran = house("private", "edit", "house", EDITOR="any", terminal=terminal)
        assert (ran.code, MINE in ran.err) == (6, terminal)
