"""What the other pages show and do: today, search, conversations, what was given, the log, health and settings."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.context.injection_log import InjectionRecord, append_record
from memvault.core.settings import SETTINGS
from memvault.web.app import PAGES
from memvault.web.page import NAVIGATION
from tests.conftest import START, Clock
from tests.web.visitor import Outline, Visitor, read_form

SESSION = "5f0c1234-8a1b-4c7e-9d20-6a7b8c9d0e1f"


def snapshot(root: Path) -> dict[str, bytes]:
    """Every note of a vault with its bytes."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.glob("[0-9]*/**/*.md"))}


# -- the table of pages


def test_every_page_of_the_table_answers(visitor: Visitor) -> None:
    for row in PAGES:
        if not row.acts:
            assert visitor.get(row.address).status in (200, 404), row.address


def test_every_link_of_the_navigation_leads_to_a_page(visitor: Visitor) -> None:
    for link in NAVIGATION:
        text = visitor.get(link.address).text
        assert f'href="{link.address}" data-go="{link.key}" aria-current="page"' in text
    assert len({link.key for link in NAVIGATION}) == len(NAVIGATION)


def test_reading_every_page_changes_no_note(guest: Visitor, sample: Memvault) -> None:
    before = snapshot(sample.root)
    for row in PAGES:
        if not row.acts:
            guest.get(row.address)
    assert snapshot(sample.root) == before


# -- today


def test_today_shows_what_is_due_and_marks_it_done(visitor: Visitor, vault: Memvault) -> None:
    vault.remember("Call the plumber.", kind="prospective", more={"due": START - timedelta(hours=1)})
    text = visitor.get("/").text
    assert "1 due" in text
    answer = visitor.post("/done", read_form(text, "/done"))
    assert vault.list_reminders().reminders == ()
    assert "op=" in answer.location


def test_a_task_in_hand_is_ended(visitor: Visitor, vault: Memvault) -> None:
    vault.work_start("Mend the gauge")
    answer = visitor.post("/task/finish", read_form(visitor.get("/").text, "/task/finish"))
    assert vault.work_in_hand() == ()
    visitor.post("/log/undo", read_form(visitor.get(answer.location).text, "/log/undo"))
    assert [task.memory.title for task in vault.work_in_hand()] == ["Mend the gauge"]


def test_a_memory_is_made(visitor: Visitor, vault: Memvault) -> None:
    answer = visitor.post("/remember", {"text": "Sara prefers tea.\r\nWith milk."})
    assert "Sara prefers tea.\nWith milk." in (vault.source(vault.list().rows[0].memory.id)[0].body or "")
    assert answer.location.startswith("/memory?id=")


def test_what_is_refused_stands_in_the_form_again(visitor: Visitor, vault: Memvault) -> None:
    text = "My password is hunter2-Xk9!vQ"
    answer = visitor.post("/remember", {"text": text})
    assert answer.status == 400
    assert read_form(answer.text, "/remember")["text"] == text
    assert vault.list().total == 0


# -- search


def test_search_finds_and_says_why(visitor: Visitor, vault: Memvault) -> None:
    id_ = vault.remember("Releases of the portal need two reviewers.").memory.id
    text = visitor.get("/search?q=who+reviews+the+portal").text
    assert f"/memory?id={id_}" in text
    assert "<mark>reviewers</mark>" in text
    assert "similarity" in text


def test_a_part_is_the_hits_alone(visitor: Visitor, vault: Memvault) -> None:
    vault.remember("Sara prefers tea.")
    text = visitor.get("/search?q=tea&part=1").text
    assert "Sara prefers" in text
    assert "<html" not in text


@pytest.mark.parametrize(
    ("address", "found"),
    [
        *(("kind=semantic", 1), ("kind=episodic", 0), ("tag=kitchen", 1), ("tag=garden", 0), ("tier=memories", 1)),
        *(("tier=hot", 0), ("person=Sara", 1), ("status=stale", 0), ("since=7d", 1), ("kind=nonsense", 1)),
    ],
)
def test_filters_narrow_what_is_listed(visitor: Visitor, vault: Memvault, address: str, found: int) -> None:
    vault.remember("Sara prefers tea.", kind="semantic", tags=["kitchen"], people=["Sara Uy"])
    rows = Outline(visitor.get(f"/search?{address}").text).links()
    assert sum(link.startswith("/memory?") for link in rows) == found


def test_a_chip_adds_its_filter_and_takes_it_away_again(visitor: Visitor, vault: Memvault) -> None:
    vault.remember("Sara prefers tea.", tags=["kitchen"])
    links = Outline(visitor.get("/search?q=tea").text).links()
    assert "/search?q=tea&tag=kitchen" in links
    assert "/search?q=tea" in Outline(visitor.get("/search?q=tea&tag=kitchen").text).links()


def test_titles_are_never_markup(visitor: Visitor, vault: Memvault) -> None:
    vault.remember("x", title="<img src=x onerror=alert(1)> \u202e", tags=["<b>"], near="ignore")
    for address in ("/", "/search", "/search?q=img", "/log", "/health"):
        answer = visitor.get(address)
        assert "img" not in {tag for tag, _ in Outline(answer.text).tags}
        assert "\u202e" not in answer.text


# -- conversations


@pytest.fixture
def talked(vault: Memvault, tmp_path: Path) -> Memvault:
    """The vault with one conversation of some turns."""
    said = ("Which server is staging?", "harbour-2 is <b>staging</b>.", "From now on we deploy on Tuesdays.", "Noted.")
    rows = [
        {
            "type": ("user", "assistant")[number % 2],
            "uuid": f"turn-{number}",
            "sessionId": SESSION,
            "cwd": "/home/me/portal",
            "timestamp": (START - timedelta(hours=1, minutes=-number)).isoformat(),
            "message": {"role": ("user", "assistant")[number % 2], "content": text},
        }
        for number, text in enumerate(said)
    ]
    place = tmp_path / f"{SESSION}.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    vault.ingest([place])
    return vault


def test_a_conversation_is_listed_read_and_searched(visitor: Visitor, talked: Memvault) -> None:
    assert "4 turns" in visitor.get("/conversations").text
    text = visitor.get(f"/conversation?id={SESSION}&q=staging").text
    assert "harbour-2 is &lt;b&gt;<mark>staging</mark>&lt;/b&gt;." in text
    assert "2 turns say that" in text
    assert "harbour-2" in visitor.get("/conversations?q=which+server+is+staging").text


def test_a_memory_leads_to_the_turn_that_it_came_from(visitor: Visitor, talked: Memvault) -> None:
    memory = next(row.memory for row in talked.list().rows if row.memory.refs.get("turns"))
    links = Outline(visitor.get(f"/memory?id={memory.id}").text).links()
    [link] = [link for link in links if link.startswith("/conversation?id=")]
    text = visitor.get(link).text
    assert "found" in text
    assert f"/memory?id={memory.id}" in text


def test_an_unknown_conversation_is_said_to_be_unknown(visitor: Visitor) -> None:
    assert visitor.get("/conversation?id=nobody").status == 404
    assert visitor.get("/conversation").status == 404


# -- given


def test_what_a_session_was_given_is_shown_with_the_reason(visitor: Visitor, vault: Memvault) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    row = InjectionRecord(
        at=START,
        session=SESSION,
        agent="codex",
        event="UserPromptSubmit",
        ids=(id_, "gone"),
        why={id_: "similarity 0.7"},
    )
    append_record(vault.state_folder, row)
    for address in ("/given", f"/given?session={SESSION}", f"/memory?id={id_}"):
        text = visitor.get(address).text
        assert "At a prompt" in text
        assert "similarity 0.7" in text
        assert "codex" in text
    assert "codex" in visitor.get("/").text
    assert "gone since" in visitor.get("/given").text


@pytest.mark.parametrize(("verdict", "field"), [("wrong", "called_wrong"), ("useless", "unhelpful_for")])
def test_what_was_given_is_called_wrong_or_of_no_use_and_that_is_undone(
    visitor: Visitor, vault: Memvault, verdict: str, field: str
) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    append_record(vault.state_folder, InjectionRecord(at=START, session=SESSION, event="UserPromptSubmit", ids=(id_,)))
    before = vault.path_of(id_).read_bytes()
    answer = visitor.post("/given/judge", {"id": id_, "verdict": verdict, "back": "/given"})
    assert vault.find(id_).more.get(field)
    assert (
        visitor.post("/given/judge", {"id": id_, "verdict": verdict, "back": "/given"}).location
        == "/given?note=nothing"
    )
    visitor.post("/log/undo", read_form(visitor.get(answer.location).text, "/log/undo"))
    assert vault.path_of(id_).read_bytes() == before


# -- the log


def test_the_log_lists_operations_and_one_shows_its_lines(visitor: Visitor, vault: Memvault) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    op = vault.edit(id_, body="Sara prefers coffee.").op
    assert op in visitor.get("/log").text
    text = visitor.get(f"/log/operation?id={op}").text
    assert "<del>Sara prefers tea.</del>" in text
    assert "<ins>Sara prefers coffee.</ins>" in text
    assert "remember" not in "".join(Outline(visitor.get("/log?did=edit").text).links())


def test_undo_to_here_takes_back_a_days_work_in_order(visitor: Visitor, vault: Memvault, clock: Clock) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    before = snapshot(vault.root)
    first = vault.edit(id_, body="Sara prefers coffee.").op
    for body in ("Sara prefers cocoa.", "Sara prefers water."):
        clock.pass_(minutes=1)
        vault.edit(id_, body=body)
    vault.pin(id_)
    text = visitor.get(f"/log/operation?id={first}").text
    assert "takes back 4 operations" in text
    answer = visitor.post("/log/undo-to", read_form(text, "/log/undo-to"))
    assert "4 operations were undone" in answer.text
    assert snapshot(vault.root) == before


def test_undo_to_here_stops_where_a_person_edited_and_says_so(visitor: Visitor, vault: Memvault) -> None:
    first = vault.remember("Sara prefers tea.").memory
    second = vault.remember("Ilse leads operations.").memory
    path = vault.root / first.path
    path.write_bytes(path.read_bytes() + b"typed\n")
    op = vault.log()[1].op
    answer = visitor.post("/log/undo-to", {"id": op})
    assert "1 operation was undone" in answer.text
    assert "has been changed since" in answer.text
    assert path.read_bytes().endswith(b"typed\n")
    assert not (vault.root / second.path).exists()


def test_a_days_maintenance_is_shown_done_and_taken_back(guest: Visitor, sample: Memvault, clock: Clock) -> None:
    sample.maintain()
    clock.pass_(days=200)
    before = snapshot(sample.root)
    plan = guest.get("/health/maintain").text
    assert "Do it" in plan
    assert snapshot(sample.root) == before
    answer = guest.post("/health/maintain/run", read_form(plan, "/health/maintain/run"))
    assert snapshot(sample.root) != before
    guest.post("/log/undo", read_form(guest.get(answer.location).text, "/log/undo"))
    assert snapshot(sample.root) == before


# -- health and settings


def test_health_shows_the_pictures_and_what_looks_after_the_vault(guest: Visitor, sample: Memvault) -> None:
    text = guest.get("/health").text
    for part in ("What matters now", "About to fade", "schedule", "hooks", "not set up: memvault sync init", "<meter"):
        assert part in text


def test_the_doctors_findings_are_mended_and_that_can_be_undone(visitor: Visitor, vault: Memvault) -> None:
    one = vault.remember("Sara prefers tea.").memory
    twin = vault.root / "2-memories" / "twin.md"
    twin.write_bytes((vault.root / one.path).read_bytes())
    before = snapshot(vault.root)
    text = visitor.get("/health/doctor").text
    assert "Mend" in text
    answer = visitor.post("/health/mend", read_form(text, "/health/mend"))
    assert snapshot(vault.root) != before
    visitor.post("/log/undo", read_form(visitor.get(answer.location).text, "/log/undo"))
    assert snapshot(vault.root) == before


def test_every_setting_stands_there_with_its_help_and_scope(visitor: Visitor) -> None:
    text = visitor.get("/settings").text
    assert [name for name in SETTINGS if f'id="{name}"' not in text] == []
    assert "· for this vault" in text


@pytest.mark.parametrize(("name", "value"), [("recall.limit", "7"), ("user.agent", "someone"), ("undo.keep_days", "5")])
def test_a_setting_is_set_and_taken_back(visitor: Visitor, vault: Memvault, name: str, value: str) -> None:
    def now() -> object:
        with Memvault(vault.root, environment=vault.environment) as opened:
            return opened.settings[name]

    default = SETTINGS[name].default
    assert visitor.post("/settings/set", {"name": name, "value": value}).status == 303
    assert str(now()) == value
    visitor.post("/settings/set", {"name": name, "value": "", "act": "reset"})
    assert now() == default


def test_a_setting_that_was_set_is_set_back(visitor: Visitor, vault: Memvault) -> None:
    def now() -> object:
        with Memvault(vault.root, environment=vault.environment) as opened:
            return opened.settings["recall.limit"]

    for value in ("7", "9"):
        answer = visitor.post("/settings/set", {"name": "recall.limit", "value": value})
    form = read_form(visitor.get(answer.location.partition("#")[0]).text, "/settings/set")
    assert form["value"] == "7"
    visitor.post("/settings/set", form)
    assert now() == 7


def test_a_wrong_value_is_told_beside_its_setting(visitor: Visitor) -> None:
    answer = visitor.post("/settings/set", {"name": "recall.limit", "value": "many"})
    assert answer.status == 400
    assert 'role="alert"' in answer.text


# -- private memories


def test_private_memories_are_shown_only_while_they_are_open(visitor: Visitor, vault: Memvault, clock: Clock) -> None:
    pytest.importorskip("pyrage")
    vault.private_init()
    vault.remember_privately("The safe opens with the zephyr code.", title="The safe")
    assert "zephyr" not in visitor.get("/private").text
    assert "zephyr" not in visitor.get("/search?q=zephyr").text.partition('id="results"')[2]
    visitor.post("/private/unlock")
    assert "zephyr" in visitor.get("/private").text
    assert "The safe" in visitor.get("/search?q=zephyr").text
    visitor.post("/private/lock")
    assert "zephyr" not in visitor.get("/private").text
    kept = [path for path in vault.state_folder.parent.parent.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"zephyr" in path.read_bytes()]


def test_the_theme_is_kept_and_nothing_else_is(visitor: Visitor) -> None:
    answer = visitor.post("/theme", {"theme": "dark", "back": "/log"})
    assert answer.location == "/log"
    assert answer.header("set-cookie").startswith("memvault-theme=dark;")
    headers = [
        (name, f"{value}; memvault-theme=dark" if name == "cookie" else value)
        for name, value in visitor.usual_headers()
    ]
    assert 'data-theme="dark"' in visitor.get("/log", headers).text
    assert visitor.post("/theme", {"theme": "x onload"}).header("set-cookie") == ""
