"""At an agent's side: what it does is noted, its tasks are followed, exchanges are recorded, the web leaves a mark."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks.session import record_exchange, start_missed_maintenance
from memvault.agents.hooks.todo_list import parse_todo_steps
from memvault.agents.hooks.tool_use import ToolUse, log_tool_use, read_tool_log, watch_for_web
from memvault.errors import BadInput, MemvaultError
from memvault.storage.journal.exchanges import latest_exchanges
from memvault.system import project as projects
from tests.conftest import Clock, Opener

SESSION = "00000000-0000-4000-8000-000000000001"
FACT = "The spare modem of the Hollin gauge lies in the green box."


@pytest.fixture
def agent(vault: Memvault, open_vault: Opener) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session=SESSION)


def call(tool: str, given: dict[str, object], answer: object = None) -> ToolUse:
    return ToolUse(tool=tool, arguments=given, answer=answer or {}, folder="/home/noor/gauges", project="folder:gauges")


def transcript(path: Path, *turns: tuple[str, str], at: str = "2026-01-29T09:00:00Z") -> str:
    lines = []
    for number, (role, text) in enumerate(turns):
        content: object = text if role == "user" else [{"type": "text", "text": text}]
        message = {"role": role, "content": content, **({"id": f"m{number}"} if role == "assistant" else {})}
        lines.append({"type": role, "uuid": f"u{number}", "sessionId": SESSION, "timestamp": at, "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


# -- exchanges


def test_an_exchange_is_recorded_with_the_files_that_were_touched(
    agent: Memvault, clock: Clock, tmp_path: Path
) -> None:
    log_tool_use(agent, call("Edit", {"file_path": "/home/noor/gauges/poller.py"}))
    log_tool_use(agent, call("Bash", {"command": "pytest"}, {"stdout": "1 failed"}))
    clock.pass_(minutes=1)
    path = transcript(tmp_path / "t.jsonl", ("user", "Why does it hang?"), ("assistant", "The modem restarts."))
    made = record_exchange(agent, transcript=path, answer="The modem restarts at night.", project="folder:gauges")
    [kept] = latest_exchanges(agent.state_folder, project="folder:gauges")
    assert made == kept
    assert (kept.asked, kept.answered) == ("Why does it hang?", "The modem restarts at night.")
    assert (kept.files, kept.did) == (("poller.py",), ("ran tests: failed",))
    clock.pass_(minutes=1)
    record_exchange(agent, transcript="", answer="And another thing.", project="folder:gauges")
    assert latest_exchanges(agent.state_folder)[0].files == ()


def test_the_answer_comes_from_the_transcript_where_the_hook_does_not_know_it(agent: Memvault, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", ("user", "Why does it hang?"), ("assistant", "The modem restarts."))
    record_exchange(agent, transcript=path, answer="", project="")
    assert latest_exchanges(agent.state_folder)[0].answered == "The modem restarts."


def test_nothing_that_memvault_put_in_is_recorded(agent: Memvault, tmp_path: Path) -> None:
    ours = "<!-- memvault:begin recalled -->\nThe tide table is in the hall.\n<!-- memvault:end -->"
    path = transcript(tmp_path / "t.jsonl", ("user", f"{ours}\nWhy does it hang?"))
    record_exchange(agent, transcript=path, answer=f"{ours}\nThe modem restarts.", project="")
    [kept] = latest_exchanges(agent.state_folder)
    assert (kept.asked, kept.answered) == ("Why does it hang?", "The modem restarts.")


def test_what_was_asked_during_a_pause_is_not_recorded(agent: Memvault, clock: Clock, tmp_path: Path) -> None:
    agent.pause()
    clock.pass_(minutes=10)
    agent.resume()
    path = transcript(
        tmp_path / "t.jsonl", ("user", "Why does it hang?"), ("assistant", "Hm."), at="2026-01-29T09:35:00Z"
    )
    assert record_exchange(agent, transcript=path, answer="The modem restarts.", project="") is None
    assert not latest_exchanges(agent.state_folder)


def test_a_prompt_is_found_behind_much_that_tools_gave_back(agent: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    transcript(path, ("user", "Why does it hang?"))
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x" * 400_000}
    line = {"type": "user", "uuid": "r", "sessionId": SESSION, "message": {"role": "user", "content": [result]}}
    path.write_text(path.read_text() + json.dumps(line) + "\n")
    record_exchange(agent, transcript=str(path), answer="The modem restarts.", project="")
    assert latest_exchanges(agent.state_folder)[0].asked == "Why does it hang?"


@pytest.mark.parametrize("path", ["", "/nowhere/at/all.jsonl", "/"])
def test_without_a_transcript_the_answer_alone_is_recorded(agent: Memvault, path: str) -> None:
    record_exchange(agent, transcript=path, answer="The modem restarts.", project="")
    assert [each.asked for each in latest_exchanges(agent.state_folder)] == [""]


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [(f"Remember that {FACT}", ""), (f"Mend the poller. Remember that {FACT}", "Mend the poller.")],
)
def test_a_spoken_command_is_not_asked_of_the_assistant(
    agent: Memvault, tmp_path: Path, prompt: str, asked: str
) -> None:
    path = transcript(tmp_path / "t.jsonl", ("user", prompt))
    record_exchange(agent, transcript=path, answer="Noted.", project="")
    assert [one.asked for one in latest_exchanges(agent.state_folder)] == [asked]


def test_what_is_forgotten_is_not_told_of_an_earlier_exchange(agent: Memvault, tmp_path: Path) -> None:
    made = agent.remember(FACT).memory
    path = transcript(tmp_path / "t.jsonl", ("user", f"Write it on the label: {FACT}"))
    record_exchange(agent, transcript=path, answer="Noted.", project="")
    assert latest_exchanges(agent.state_folder)
    agent.forget(made.id)
    assert not latest_exchanges(agent.state_folder)


# -- what was used


def given_to_the_model(agent: Memvault) -> str:
    from memvault.context.injection_log import InjectionRecord, append_record

    made = agent.remember(FACT, more={"scope": "global"})
    append_record(agent.state_folder, InjectionRecord(at=agent.now(), session=SESSION, ids=(made.memory.id,)))
    return made.memory.id


def uses(vault: Memvault) -> int:
    journals = (vault.root / ".memvault/journal").rglob("*.jsonl")
    return sum(line.count('"touch"') for path in journals for line in path.read_text().splitlines())


def test_a_memory_that_shows_in_the_answer_was_used_once(agent: Memvault, tmp_path: Path) -> None:
    given_to_the_model(agent)
    path = transcript(tmp_path / "t.jsonl", ("user", "Where is the spare modem?"))
    record_exchange(agent, transcript=path, answer="Of the Hollin gauge? In the green box.", project="")
    assert uses(agent) == 1
    record_exchange(agent, transcript=path, answer="As I said: in the green box, Hollin gauge.", project="")
    assert uses(agent) == 1


def test_a_memory_that_does_not_show_was_not_used(agent: Memvault, tmp_path: Path) -> None:
    given_to_the_model(agent)
    path = transcript(tmp_path / "t.jsonl", ("user", "Where is the spare modem of the Hollin gauge?"))
    record_exchange(agent, transcript=path, answer="I have no idea where the spare modem is.", project="")
    assert uses(agent) == 0


# -- tasks


def todos(*items: tuple[str, str], before: tuple[str, ...] = ()) -> ToolUse:
    listed = [{"content": task, "status": status, "activeForm": ""} for task, status in items]
    old = [{"content": task, "status": "pending"} for task in before]
    return call("TodoWrite", {"todos": listed}, {"oldTodos": old, "newTodos": listed})


def in_hand(vault: Memvault) -> list[str]:
    return [each.memory.title for each in vault.work_in_hand()]


def test_a_task_that_is_begun_is_in_hand_until_it_is_done(agent: Memvault) -> None:
    log_tool_use(agent, todos(("Mend the poller", "in_progress"), ("Sweep the boat house", "pending")))
    log_tool_use(agent, todos(("Mend the poller", "in_progress"), ("Sweep the boat house", "pending")))
    assert in_hand(agent) == ["Mend the poller"]
    log_tool_use(agent, todos(("Mend the poller", "completed"), ("Sweep the boat house", "in_progress")))
    assert in_hand(agent) == ["Sweep the boat house"]
    log_tool_use(agent, todos(before=("Sweep the boat house",)))
    assert in_hand(agent) == []


def test_a_task_with_a_number_is_followed_by_it(agent: Memvault) -> None:
    log_tool_use(agent, call("TaskCreate", {"subject": "Mend the poller"}, {"task": {"id": "1"}}))
    assert in_hand(agent) == []
    log_tool_use(agent, call("TaskUpdate", {"taskId": "1", "status": "in_progress"}, {"success": True}))
    assert in_hand(agent) == ["Mend the poller"]
    log_tool_use(agent, call("TaskUpdate", {"taskId": "1", "status": "completed"}, {"success": True}))
    assert in_hand(agent) == []


def test_tasks_of_other_sessions_and_those_begun_by_hand_are_left_alone(
    agent: Memvault, vault: Memvault, open_vault: Opener
) -> None:
    vault.work_start("Mend the poller")
    open_vault(vault.root, agent="claude-code", session="another").work_start("Mend the poller")
    log_tool_use(agent, todos(("Mend the poller", "completed")))
    log_tool_use(agent, todos(before=("Mend the poller",)))
    assert in_hand(agent) == ["Mend the poller"] * 2


def test_a_secret_in_a_task_is_left_out(agent: Memvault) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    log_tool_use(agent, call("TaskCreate", {"subject": f"Renew {token}"}, {"task": {"id": "1"}}))
    log_tool_use(agent, call("TaskUpdate", {"taskId": "1", "status": "in_progress"}))
    assert len(in_hand(agent)) == 1
    everything = [*agent.root.rglob("*"), *agent.state_folder.rglob("*")]
    assert not any(token in path.read_text(errors="replace") for path in everything if path.is_file())


def test_a_contact_in_a_task_is_left_out(agent: Memvault) -> None:
    log_tool_use(agent, todos(("Mail the bill to bo@example.org", "in_progress")))
    assert in_hand(agent) == ["Mail the bill to [redacted: e-mail address]"]


@pytest.mark.parametrize(
    ("tool", "given", "answer"),
    [
        ("TodoWrite", {"todos": "all"}, {}),
        ("TodoWrite", {"todos": [1, None, {"content": 4}, {"content": "  "}]}, {"oldTodos": 7}),
        ("TaskCreate", {"subject": "A"}, {"task": []}),
        ("TaskCreate", {"subject": ["A"]}, {"task": {"id": "1"}}),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, {"success": False}),
        ("TaskUpdate", {"taskId": None, "status": "completed"}, None),
        ("Bash", {"todos": [{"content": "A", "status": "completed"}]}, {}),
    ],
)
def test_what_cannot_be_read_moves_nothing(tool: str, given: dict[str, object], answer: object) -> None:
    assert parse_todo_steps(tool, given, answer) == ()


# -- the web


def test_what_an_agent_remembers_after_it_read_the_web_is_marked(agent: Memvault, vault: Memvault) -> None:
    assert "tainted" not in agent.remember("Before the web: the tide table hangs in the hall.").memory.more
    watch_for_web(agent, call("WebFetch", {"url": "https://example.org"}))
    assert agent.remember(FACT).memory.more["tainted"] is True
    assert agent.work_start("Mend the poller").memory.more["tainted"] is True
    assert "tainted" not in vault.remember("A person says: the office opens at nine on weekdays.").memory.more


def test_other_sessions_are_not_marked(agent: Memvault, open_vault: Opener) -> None:
    watch_for_web(agent, call("WebSearch", {"query": "tides"}))
    other = open_vault(agent.root, agent="claude-code", session="another")
    assert "tainted" not in other.remember(FACT).memory.more


def test_an_agent_that_does_not_say_its_session_is_taken_for_one_of_its_project(
    agent: Memvault, open_vault: Opener, clock: Clock, tmp_path: Path
) -> None:
    here, elsewhere = tmp_path / "gauges", tmp_path / "other"
    for folder in (here, elsewhere):
        folder.mkdir()
    watch_for_web(agent, replace(call("WebSearch", {"query": "tides"}), project=projects.project_of(here)))
    assert open_vault(agent.root, agent="codex", folder=here).remember(FACT).memory.more["tainted"] is True
    away = open_vault(agent.root, agent="codex", folder=elsewhere)
    assert "tainted" not in away.remember("The tide table hangs in the hall of the office.").memory.more
    clock.pass_(hours=7)
    later = open_vault(agent.root, agent="codex", folder=here)
    assert "tainted" not in later.remember("The ferry to the island leaves at noon on Sundays.").memory.more


def test_an_agent_finds_its_session_in_its_surroundings(
    agent: Memvault, environment: dict[str, str], open_vault: Opener
) -> None:
    watch_for_web(agent, call("WebSearch", {"query": "tides"}))
    inside = {**environment, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
    made = open_vault(agent.root, environment=inside).remember(FACT).memory
    assert (made.more["agent"], made.more["session"], made.more["tainted"]) == ("claude-code", SESSION, True)


def test_a_memory_that_such_an_agent_adds_to_is_marked_and_only_a_person_lifts_it(
    agent: Memvault, vault: Memvault
) -> None:
    made = vault.remember(FACT).memory
    watch_for_web(agent, call("WebSearch", {"query": "tides"}))
    changed = agent.edit(made.id, append="It is locked.").memory
    assert changed.more["tainted"] is True
    for lifted in (False, None):
        with pytest.raises(BadInput):
            agent.edit(made.id, fields={"tainted": lifted})
    assert "tainted" not in vault.edit(made.id, fields={"tainted": None}).memory.more


def test_a_log_that_cannot_be_read_counts_as_a_mark(agent: Memvault) -> None:
    (agent.state_folder / "tainted.jsonl").mkdir(parents=True)
    assert agent.remember(FACT).memory.more["tainted"] is True


def test_what_is_configured_counts_as_the_web(vault: Memvault, open_vault: Opener) -> None:
    agent = open_vault(
        vault.root, agent="claude-code", session=SESSION, settings={"screen.web_tools": ("mcp__news__*",)}
    )
    watch_for_web(agent, call("mcp__news__headlines", {}))
    assert agent.remember(FACT).memory.more["tainted"] is True


# -- logs


def test_a_log_that_cannot_be_written_stops_nobody(agent: Memvault) -> None:
    agent.state_folder.mkdir(parents=True, exist_ok=True)
    (agent.state_folder / "observed.jsonl").mkdir()
    log_tool_use(agent, call("Edit", {"file_path": "a.py"}))
    assert read_tool_log(agent.state_folder, session=SESSION) == ()


# -- upkeep


def test_overdue_upkeep_is_started_once(
    vault: Memvault, clock: Clock, open_vault: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(
        "memvault.system.programs.start_memvault", lambda words, _environment: started.append(list(words))
    )
    assert start_missed_maintenance(vault)
    assert not start_missed_maintenance(vault)
    assert started == [["--vault", str(vault.root), "maintain", "--scheduled"]]
    clock.pass_(hours=2)
    assert start_missed_maintenance(vault)
    vault.maintain()
    clock.pass_(hours=20)
    assert not start_missed_maintenance(vault)
    clock.pass_(hours=5)
    assert start_missed_maintenance(vault)
    clock.pass_(hours=5)
    for off in ({"schedule.at_session_start": False}, {"decay.control": "manual"}):
        assert not start_missed_maintenance(open_vault(vault.root, settings=off))


def test_where_no_mark_can_be_set_no_upkeep_is_started(vault: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memvault.system.programs.start_memvault", lambda *_: pytest.fail("it was started"))

    def refuse(_path: Path) -> bool:
        raise MemvaultError()

    monkeypatch.setattr("memvault.system.files.create_claim", refuse)
    assert not start_missed_maintenance(vault)
