"""Adding to a memory: whatever is said of it takes effect, or is refused before anything is written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memvault import Memvault
from memvault.core.memory import Memory
from memvault.core.plan import Operation
from memvault.errors import BadInput, Forgotten
from memvault.memories import edit
from memvault.storage.journal.apply import apply_one

DUE = datetime(2026, 2, 1, 9, tzinfo=UTC)


def reminder(vault: Memvault) -> Memory:
    return vault.remember("Renew the certificate.", kind="prospective", tags=("tls",), refs={"session": ("s1",)}).memory


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"title": "The certificate"}, "title", "The certificate"),
        ({"type": "milestone"}, "type", "milestone"),
        ({"kind": "procedural"}, "kind", "procedural"),
        ({"tags": ("harbour",)}, "tags", ("tls", "harbour")),
        ({"topics": ("tls",)}, "topics", ("tls",)),
        ({"people": ("Ilse",)}, "people", ("Ilse",)),
        ({"triggers": ("certificate",)}, "triggers", ("certificate",)),
        ({"weight": 0.3}, "weight", 0.3),
        ({"pin": True}, "pinned", True),
        ({"significant": True}, "emotional_flag", True),
        ({"refs": {"session": ("s2",)}}, "refs", {"session": ("s1", "s2")}),
        ({"refs": {"artifacts": ("a.txt",)}}, "refs", {"session": ("s1",), "artifacts": ("a.txt",)}),
        ({"more": {"due": DUE}}, "due", DUE),
        ({"more": {"priority": 4}}, "priority", 4),
        ({"more": {"condition": "Ilse is back"}}, "condition", "Ilse is back"),
    ],
)
def test_every_option_takes_effect(vault: Memvault, given: dict[str, Any], name: str, value: object) -> None:
    made = reminder(vault)
    before = (vault.root / made.path).read_bytes()
    done = vault.remember("Ilse has the keys.", update=made.id, **given)
    memory = vault.find(made.id)
    assert (getattr(memory, name) if name in Memory.__slots__ else memory.more[name]) == value
    assert "Ilse has the keys." in (vault.root / made.path).read_text()
    vault.undo(done.op)
    assert (vault.root / made.path).read_bytes() == before


@pytest.mark.parametrize("there", [{}, {"session": ("s1",)}, {"artifacts": ("a.txt",)}])
@pytest.mark.parametrize("key", ["session", "artifacts"])
def test_added_references_join_those_that_came_meanwhile(
    vault: Memvault, monkeypatch: pytest.MonkeyPatch, there: dict[str, tuple[str, ...]], key: str
) -> None:
    made = vault.remember("The gauge at Hollin has a new lid.", refs=there).memory

    def late(*given: Any) -> Operation:
        monkeypatch.setattr(edit, "apply_one", apply_one)
        vault.remember("Theirs.", update=made.id, refs={"session": ("theirs",)})
        return apply_one(*given)

    monkeypatch.setattr(edit, "apply_one", late)
    done = vault.remember("Ours.", update=made.id, refs={key: ("ours",)})
    added = {"session": ("theirs", "ours")} if key == "session" else {"session": ("theirs",), key: ("ours",)}
    names = {*there, *added}
    assert done.memory.refs == {name: (*there.get(name, ()), *added.get(name, ())) for name in names}
    body = (vault.root / made.path).read_text()
    assert "Theirs." in body
    assert "Ours." in body


def test_known_references_are_not_written_again(vault: Memvault) -> None:
    made = reminder(vault)
    before = (vault.root / made.path).read_bytes()
    assert not vault.remember("Renew the certificate.", update=made.id, refs={"session": ("s1",)}).op
    assert (vault.root / made.path).read_bytes() == before


def test_a_reference_that_a_note_holds_in_a_field_of_its_own_stays_with_those_that_come(vault: Memvault) -> None:
    path = vault.root / "2-memories" / "Gauge.md"
    path.write_text("---\ntitle: Gauge\nref_artifacts: a.txt\n---\nIt has a lid.\n")
    assert vault.remember("It is new.", update="Gauge", refs={"artifacts": ("b.txt",)}).memory.refs == {
        "artifacts": ("a.txt", "b.txt")
    }


def test_a_source_is_kept_and_another_refused(vault: Memvault) -> None:
    made = reminder(vault)
    before = (vault.root / made.path).read_bytes()
    for source in ("import", "agent", "web"):
        with pytest.raises(BadInput):
            vault.remember("Ilse has the keys.", update=made.id, source=source)
    assert (vault.root / made.path).read_bytes() == before
    assert vault.remember("Ilse has the keys.", update=made.id, source="user").op


def test_a_forgotten_text_is_lifted_with_it_and_marked_again_by_undo(vault: Memvault) -> None:
    made = reminder(vault)
    vault.forget(vault.remember("Ilse has the keys.").memory.id)
    with pytest.raises(Forgotten):
        vault.remember("Ilse has the keys.", update=made.id)
    done = vault.remember("Ilse has the keys.", update=made.id, again=True)
    assert vault.remember("Ilse has the keys.", near="ignore", dry_run=True).outcome == "kept"
    vault.undo(done.op)
    with pytest.raises(Forgotten):
        vault.remember("Ilse has the keys.")


def test_a_text_that_stands_in_longer_words_only_is_added(vault: Memvault) -> None:
    made = reminder(vault)
    assert str(vault.remember("cert", update=made.id).memory.body).strip().endswith("\n\ncert")
    assert vault.remember("Renew the", update=made.id).op == ""


# -- what is due, and kinds that never tell


def test_a_named_kind_that_never_reminds_is_refused_with_a_day(vault: Memvault) -> None:
    with pytest.raises(BadInput, match="only prospective memories remind"):
        vault.remember("The gate opens at six.", kind="semantic", more={"due": DUE})
    assert vault.list().total == 0
    assert vault.remember("The gate opens at six.", type="learning", more={"due": DUE}).memory.kind == "prospective"
    assert [row.due for row in vault.list_reminders().reminders] == [DUE]


def test_a_due_day_is_not_added_to_a_kind_that_never_reminds(vault: Memvault) -> None:
    made = vault.remember("The gate opens at six.", kind="semantic").memory
    with pytest.raises(BadInput, match="only prospective memories remind"):
        vault.remember("Look after it.", update=made.id, more={"due": DUE})
    vault.remember("Look after it.", update=made.id, kind="prospective", more={"due": DUE})
    assert [row.due for row in vault.list_reminders().reminders] == [DUE]


def test_a_memory_of_guessed_kind_becomes_a_reminder(vault: Memvault) -> None:
    (vault.root / "2-memories" / "gate.md").write_text("The gate is green.\n")
    vault.remember("Look after it.", update="gate", more={"due": DUE})
    assert [row.memory.title for row in vault.list_reminders().reminders] == ["gate"]


def test_an_edit_says_where_a_day_will_never_be_told(vault: Memvault) -> None:
    made = vault.remember("The gate opens at six.", kind="semantic").memory
    assert "only prospective memories remind" in vault.edit(made.id, fields={"due": DUE}).remark
    assert vault.edit(made.id, fields={"due": DUE, "kind": "prospective"}).remark == ""
