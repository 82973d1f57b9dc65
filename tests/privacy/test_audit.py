"""Where memories come from: told in figures, and a bad origin forgotten as a whole."""

from __future__ import annotations

import pytest

from memvault.api import Memvault
from memvault.errors import Ambiguous, BadInput, NothingToDo
from memvault.privacy.audit import MemoryOrigin
from tests.conftest import Opener


def note(vault: Memvault, path: str, text: str, **fields: str) -> None:
    full = vault.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text("---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + f"---\n{text}\n")


@pytest.fixture
def mixed(vault: Memvault) -> Memvault:
    """A vault with memories of a person, of an agent in two sessions, of the web."""
    note(vault, "2-memories/own.md", "It rains in Hollin.")
    note(vault, "1-hot/agent.md", "The gauge is read at six.", source="agent", session="aaaa1111", agent="claude-code")
    note(vault, "2-memories/later.md", "The gauge was moved.", source="agent", session="bbbb2222", tainted="true")
    note(vault, "2-memories/page.md", "A page says so.", source="web", session="bbbb2222", tainted="true")
    note(vault, "quarantine/odd.md", "Do as I say.", session="bbbb2222")
    return vault


def test_audit_lists_least_trusted_sources_first(mixed: Memvault) -> None:
    groups = mixed.audit().groups
    assert [(group.value, group.memories) for group in groups] == [("web", 2), ("agent", 2), ("user", 1)]
    assert [(group.loaded, group.quarantined, group.tainted) for group in groups] == [(0, 1, 1), (1, 0, 1), (0, 0, 0)]


@pytest.mark.parametrize(
    ("by", "values"),
    [("session", {"", "aaaa1111", "bbbb2222"}), ("agent", {"", "claude-code"}), ("device", {""}), ("project", {""})],
)
def test_audit_counts_by_the_given_field(mixed: Memvault, by: str, values: set[str]) -> None:
    assert {group.value for group in mixed.audit(by=by).groups} == values


@pytest.mark.parametrize(
    ("origin", "titles"),
    [
        (MemoryOrigin(source="web"), ["odd", "page"]),
        (MemoryOrigin(session="bbbb"), ["later", "odd", "page"]),
        (MemoryOrigin(session="bbbb", source="agent"), ["later"]),
        (MemoryOrigin(agent="Claude-Code"), ["agent"]),
        (MemoryOrigin(tainted=True), ["later", "page"]),
        (MemoryOrigin(device="nobody's"), []),
    ],
)
def test_audit_lists_memories_of_one_origin(mixed: Memvault, origin: MemoryOrigin, titles: list[str]) -> None:
    assert sorted(memory.name for memory in mixed.audit(origin).memories) == titles


@pytest.mark.points(only=True)
def test_forget_origin_is_one_operation_and_undo_restores_it(mixed: Memvault) -> None:
    before = {path: path.read_bytes() for path in mixed.root.rglob("*.md")}
    done = mixed.forget_origin(MemoryOrigin(session="bbbb2222"))
    assert sorted(memory.name for memory in done.memories) == ["later", "odd", "page"]
    assert sorted(path.name for path in (mixed.root / ".trash").iterdir()) == ["later.md", "odd.md", "page.md"]
    assert mixed.recall("gauge moved").hits == () or all(
        hit.memory.name != "later" for hit in mixed.recall("gauge").hits
    )
    mixed.undo(done.op)
    assert {path: path.read_bytes() for path in mixed.root.rglob("*.md") if ".trash" not in path.parts} == before


@pytest.mark.points(only=True)
def test_forgotten_origin_is_not_learned_again(mixed: Memvault, open_vault: Opener) -> None:
    mixed.forget_origin(MemoryOrigin(session="bbbb2222"))
    agent = open_vault(mixed.root, agent="claude-code", session="cccc3333")
    with pytest.raises(Exception, match="forgotten"):
        agent.remember("The gauge was moved.")


def test_forget_origin_dry_run_moves_nothing(mixed: Memvault) -> None:
    assert len(mixed.forget_origin(MemoryOrigin(source="web"), dry_run=True).memories) == 2
    assert (mixed.root / "2-memories/page.md").exists()


def test_forget_origin_refuses_everything_the_person_wrote(mixed: Memvault) -> None:
    for origin in (MemoryOrigin(), MemoryOrigin(source="user")):
        with pytest.raises(BadInput):
            mixed.forget_origin(origin)
    with pytest.raises(NothingToDo):
        mixed.forget_origin(MemoryOrigin(session="nowhere"))


def test_forget_origin_keeps_foreign_notes_without_a_source(vault: Memvault) -> None:
    note(vault, "journal/day.md", "A long day.")
    note(vault, "journal/clip.md", "From a page.", source="web")
    note(vault, "journal/made.md", "By a program.", source="web", session="dddd4444")
    with pytest.raises(NothingToDo):
        vault.forget_origin(MemoryOrigin(source="web"))
    done = vault.forget_origin(MemoryOrigin(session="DDDD4444"))
    assert [memory.name for memory in done.memories] == ["made"]
    assert (vault.root / "journal/day.md").exists()


def test_forget_origin_needs_enough_of_a_session_id(mixed: Memvault) -> None:
    note(mixed, "2-memories/near.md", "The gauge was painted.", source="agent", session="bbbb3333")
    with pytest.raises(Ambiguous, match="bbbb2222, bbbb3333"):
        mixed.forget_origin(MemoryOrigin(session="bbbb"))
    with pytest.raises(BadInput, match="4 characters"):
        mixed.forget_origin(MemoryOrigin(session="b"))
    assert len(mixed.forget_origin(MemoryOrigin(session="BBBB3")).memories) == 1


def test_audit_rejects_an_unknown_field_and_lists_the_known_ones(mixed: Memvault) -> None:
    with pytest.raises(BadInput, match="colour"):
        mixed.audit(by="colour")
