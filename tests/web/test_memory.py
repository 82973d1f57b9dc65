"""A memory's page: what it shows, and a form that loses no byte, whoever else writes meanwhile."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

from memvault.api import Memvault
from memvault.storage.still_true import digest_lines, remember_root
from memvault.web.views.memory import is_safe_in_form
from tests.conftest import START, Clock
from tests.web.visitor import Visitor, read_form

PNG = b"\x89PNG\r\n\x1a\n rest"


def remember(vault: Memvault, text: str = "Sara prefers tea.", **given: object) -> str:
    return vault.remember(text, near="ignore", **given).memory.id  # type: ignore[arg-type]


def form_of(visitor: Visitor, id_: str) -> dict[str, str]:
    return read_form(visitor.get(f"/memory/edit?id={id_}").text, "/memory/save")


def undo_done(visitor: Visitor, location: str) -> None:
    visitor.post("/log/undo", read_form(visitor.get(location).text, "/log/undo"))


def test_a_memory_is_shown_with_its_text_fields_and_links(visitor: Visitor, vault: Memvault) -> None:
    one = remember(vault, "Sara prefers **tea**.", tags=["kitchen"], people=["Sara Uy"], title="Tea for Sara")
    other = remember(vault, "Guests get coffee, see [[Tea for Sara]].")
    text = visitor.get(f"/memory?id={one}").text
    assert "<strong>tea</strong>" in text
    assert "/search?tag=kitchen" in text
    assert f'from <a class="title" href="/memory?id={other}">' in text
    assert "obsidian://open?path=" in text
    assert f'/memory?id={one}"' in visitor.get(f"/memory?id={other}").text


def test_steps_stand_line_by_line_and_maintenance_by_its_name(visitor: Visitor, vault: Memvault, clock: Clock) -> None:
    id_ = remember(vault, "How we make tea:\n\n1. Boil water.\n2. Wait.", kind="procedural")
    clock.pass_(days=200)
    vault.maintain()
    text = visitor.get(f"/memory?id={id_}").text
    assert "<dd>Boil water.<br>Wait.</dd>" in text
    assert "by maintenance" in text
    assert "by you" in text


def test_a_title_or_a_file_name_opens_it_too(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault, title="Tea for Sara")
    assert id_ in visitor.get("/memory?id=Tea%20for%20Sara").text
    assert visitor.get("/memory?id=nobody").status == 404


def test_saving_an_unchanged_form_changes_no_byte(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(
        vault,
        "A: `x`\n\n- one, two\n- three <b>\n",
        tags=["a", "b"],
        more={"steps": ("Do this, then that", "Rest")},
        kind="procedural",
    )
    path = vault.path_of(id_)
    before = path.read_bytes()
    answer = visitor.post("/memory/save", form_of(visitor, id_))
    assert answer.location.endswith("note=nothing")
    assert path.read_bytes() == before
    assert vault.log()[0].verb == "remember"


def test_only_what_was_changed_in_the_form_is_written(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault, tags=["kitchen"])
    path = vault.path_of(id_)
    path.write_bytes(path.read_bytes().replace(b"tags: [kitchen, preference]", b"tags:   [ kitchen ]  # mine\nown: 1"))
    form = form_of(visitor, id_)
    visitor.post("/memory/save", {**form, "field.people": "Sara Uy, Ilse"})
    text = path.read_text()
    assert "tags:   [ kitchen ]  # mine\nown: 1\n" in text
    assert vault.find(id_).people == ("Sara Uy", "Ilse")


def test_an_edit_is_answered_with_its_operation_and_an_undo(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    before = vault.path_of(id_).read_bytes()
    answer = visitor.post("/memory/save", {**form_of(visitor, id_), "body": "Sara prefers coffee.\r\n"})
    assert f"op={vault.log()[0].op}" in answer.location
    assert "Sara prefers coffee." in vault.path_of(id_).read_text()
    undo_done(visitor, answer.location)
    assert vault.path_of(id_).read_bytes() == before


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_line_ends_stay_as_the_file_has_them(visitor: Visitor, vault: Memvault, ends: str) -> None:
    id_ = remember(vault)
    path = vault.path_of(id_)
    path.write_bytes(path.read_bytes().replace(b"\n", ends.encode()))
    form = form_of(visitor, id_)
    visitor.post("/memory/save", {**form, "body": form["body"].rstrip() + "\r\nAnd scones.\r\n"})
    assert path.read_bytes().endswith(f"Sara prefers tea.{ends}And scones.{ends}".encode())
    assert path.read_bytes().count(b"\r\n") in (0, path.read_bytes().count(b"\n"))


@pytest.mark.parametrize("body", ["a\r\nb\n", "a\rb", "a\x00b", "half \ud800"])
def test_a_text_that_a_browser_would_change_is_not_in_a_form(body: str) -> None:
    assert not is_safe_in_form(body)


def test_a_text_that_begins_with_an_empty_line_keeps_it(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    path = vault.path_of(id_)
    path.write_bytes(path.read_bytes().replace(b"\n---\n", b"\n---\n\n\n"))
    before = path.read_bytes()
    assert visitor.post("/memory/save", form_of(visitor, id_)).location.endswith("note=nothing")
    assert path.read_bytes() == before


# -- several at once


def test_of_two_tabs_the_second_is_shown_both_texts_and_nothing_is_lost(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    first, second = form_of(visitor, id_), form_of(visitor, id_)
    visitor.post("/memory/save", {**first, "body": "Sara prefers green tea."})
    there = vault.path_of(id_).read_bytes()
    answer = visitor.post("/memory/save", {**second, "body": "Sara prefers black tea."})
    assert answer.status == 409
    assert vault.path_of(id_).read_bytes() == there
    assert "<ins>Sara prefers black tea.</ins>" in answer.text
    assert "<del>Sara prefers green tea.</del>" in answer.text
    again = read_form(answer.text, "/memory/save")
    assert again["body"].startswith("Sara prefers black tea.")
    visitor.post("/memory/save", again)
    assert "black" in vault.path_of(id_).read_text()
    vault.undo()
    assert vault.path_of(id_).read_bytes() == there


def test_an_editor_that_wrote_meanwhile_is_not_written_over(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    form = form_of(visitor, id_)
    path = vault.path_of(id_)
    path.write_bytes(path.read_bytes() + b"\nTyped in an editor.\n")
    there = path.read_bytes()
    answer = visitor.post("/memory/save", {**form, "field.title": "Another title", "body": "Mine."})
    assert answer.status == 409
    assert "Typed in an editor." in answer.text
    assert "Another title" in answer.text
    assert path.read_bytes() == there


def test_a_secret_is_refused_and_the_text_stays_in_the_form(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    before = vault.path_of(id_).read_bytes()
    body = "The password is hunter2-Xk9!vQ"
    form = {**form_of(visitor, id_), "body": body}
    answer = visitor.post("/memory/save", form)
    assert answer.status == 400
    assert read_form(answer.text, "/memory/save")["body"].startswith(body)
    assert vault.path_of(id_).read_bytes() == before
    visitor.post("/memory/save", {**form, "secrets": "redact"})
    assert "hunter2" not in vault.path_of(id_).read_text()


def test_a_value_that_a_field_cannot_hold_is_refused(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    answer = visitor.post("/memory/save", {**form_of(visitor, id_), "field.weight": "heavy"})
    assert answer.status == 400
    assert 'value="heavy"' in answer.text or "heavy" in answer.text


# -- acts


@pytest.mark.parametrize("act", ["pin", "forget", "move"])
def test_an_act_can_be_undone_byte_for_byte(visitor: Visitor, vault: Memvault, act: str) -> None:
    id_ = remember(vault)
    path = vault.path_of(id_)
    before = path.read_bytes()
    answer = visitor.post("/memory/act", {"id": id_, "act": act, "to": "hot", "back": "/search?q=tea"})
    assert answer.location.startswith("/search?q=tea&op=")
    assert not path.exists() or path.read_bytes() != before
    undo_done(visitor, answer.location)
    assert path.read_bytes() == before


def test_an_unknown_act_changes_nothing(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    assert visitor.post("/memory/act", {"id": id_, "act": "explode"}).status == 303
    assert len(vault.log()) == 1


def test_of_files_that_a_memory_names_the_lines_it_speaks_of_are_compared(
    visitor: Visitor, vault: Memvault, tmp_path: Path
) -> None:
    said = "The gauges are asked every `poll` seconds."
    names = ("same.py", "stamped.py", "changed.py", "gone.py")
    for name in names:
        (tmp_path / name).write_text("poll = 10\n")
    remember_root(vault.state_folder, "gauges", tmp_path)
    refs = {"path": (*(f"{name}@{digest_lines('poll = 10', said)}" for name in names), "plain.py")}
    id_ = vault.remember(said, refs={**refs, "artifacts": ("a page",)}, more={"project": "gauges"}).memory.id
    os.utime(tmp_path / "stamped.py", (START.timestamp() + 60,) * 2)
    (tmp_path / "changed.py").write_text("poll = 20\n")
    (tmp_path / "gone.py").unlink()
    text = visitor.get(f"/memory?id={id_}").text
    fates = {name: text.partition(f"<code>{name}</code>")[2].partition("</li>")[0] for name in (*names, "plain.py")}
    assert ["as it was" in fates[name] for name in names] == [True, True, False, False]
    assert "written before changed.py changed on" in fates["changed.py"]
    assert "written before gone.py was removed" in fates["gone.py"]
    assert "not compared" in fates["plain.py"]
    assert "<code>a page</code></li>" in text


# -- history and images


def test_the_history_shows_what_each_change_did_and_who(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    vault.edit(id_, body="Sara prefers coffee.")
    text = visitor.get(f"/memory/history?id={id_}").text
    assert "<del>Sara prefers tea.</del>" in text
    assert "<ins>Sara prefers coffee.</ins>" in text
    assert "you" in text


def test_the_history_of_a_forgotten_memory_is_there_still(visitor: Visitor, vault: Memvault, clock: Clock) -> None:
    id_ = remember(vault)
    name = vault.find(id_).name
    clock.pass_(minutes=1)
    vault.forget(id_)
    text = visitor.get(f"/memory/history?id={name}").text
    assert "forget" in text
    assert "remember" in text


def test_an_image_of_the_vault_is_sent(visitor: Visitor, vault: Memvault) -> None:
    (vault.root / "2-memories" / "map.png").write_bytes(PNG)
    answer = visitor.get("/image?path=map.png&from=2-memories")
    assert (answer.status, answer.body, answer.header("content-type")) == (200, PNG, "image/png")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.png",
        "/etc/secret.png",
        ".memvault/x.png",
        ".git/x.png",
        "2-memories/a.md",
        "x.svg",
        "out.png",
        "",
        "2-memories",
    ],
)
def test_nothing_else_is(visitor: Visitor, vault: Memvault, tmp_path: Path, path: str) -> None:
    for place in (tmp_path / "secret.png", vault.root / ".memvault" / "x.png", vault.root / "x.svg"):
        place.write_bytes(PNG)
    (vault.root / "out.png").symlink_to(tmp_path / "secret.png")
    assert visitor.get(f"/image?path={path}").status == 404


def test_wherever_a_memory_is_named_its_note_opens_in_obsidian(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault)
    link = f"obsidian://open?path={quote(str(vault.root / vault.list().rows[0].memory.path), safe='')}"
    (vault.root / ".obsidian").mkdir(exist_ok=True)
    addresses = ("/search?q=tea", "/search?part=1&q=tea")
    assert link in visitor.get(f"/memory?id={id_}").text
    assert all(link in visitor.get(address).text for address in addresses)
    shutil.rmtree(vault.root / ".obsidian")
    assert not any(link in visitor.get(address).text for address in addresses)


# -- what waits in quarantine


def test_what_waits_has_a_page_that_says_so_and_is_edited_there(visitor: Visitor, vault: Memvault) -> None:
    id_ = remember(vault, "Grommets are oiled on a Thursday.", source="web")
    assert f"/memory/edit?id={id_}" in visitor.get("/inbox").text
    shown = visitor.get(f"/memory?id={id_}").text
    assert "Grommets are oiled" in shown
    assert "It waits in quarantine" in shown
    assert 'value="pin"' not in shown
    assert 'value="forget"' not in shown
    form = form_of(visitor, id_)
    saved = visitor.post("/memory/save", {**form, "body": "Grommets are oiled on a Friday.\n"})
    memory, _ = vault.source(id_)
    assert (memory.path.partition("/")[0], memory.source) == ("quarantine", "web")
    assert "Friday" in (memory.body or "")
    undo_done(visitor, saved.location)
    assert "Thursday" in (vault.source(id_)[0].body or "")
    visitor.post("/inbox/answer", read_form(visitor.get(f"/memory?id={id_}").text, "/inbox/answer"))
    assert vault.find(id_).path.startswith("2-memories/")


def test_a_waiting_file_without_an_id_has_a_page_by_its_path(visitor: Visitor, vault: Memvault) -> None:
    (vault.root / "quarantine").mkdir(exist_ok=True)
    (vault.root / "quarantine" / "moss.md").write_text("Moss grows on the north side.\n", encoding="utf-8")
    link = "/memory?id=quarantine%2Fmoss.md"
    assert link in visitor.get("/inbox").text
    assert "north side" in visitor.get(link).text
