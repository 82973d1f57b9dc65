"""The mark of the web follows what was read: into forks, through "remember this", past a server that outlives a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks.session import begin_session, end_session
from memvault.agents.hooks.tool_use import ToolUse, watch_for_web
from memvault.agents.mcp.caller import work_in
from memvault.core.ids import INVENTED_SESSION
from memvault.storage.web_taint import is_ended, is_tainted, list_ends, mark_ended
from memvault.system import project as projects
from tests.conftest import Clock, Opener

FACT = "The spare modem of the Hollin gauge lies in the green box."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "gauges"
    made.mkdir()
    return made


@pytest.fixture
def agent(vault: Memvault, open_vault: Opener, folder: Path) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session="one", folder=folder)


def read_the_web(agent: Memvault) -> None:
    given = {"url": "https://example.org"}
    watch_for_web(
        agent, ToolUse(tool="WebFetch", arguments=given, answer={}, project=projects.project_of(agent.folder))
    )


def another(agent: Memvault, open_vault: Opener, session: str) -> Memvault:
    return open_vault(agent.root, agent="claude-code", session=session, folder=agent.folder)


def transcript(path: Path, *sessions: str) -> str:
    lines = [{"type": "user", "sessionId": each, "message": {"role": "user", "content": "x"}} for each in sessions]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def is_marked(vault: Memvault, text: str = FACT) -> bool:
    return bool(vault.remember(text, near="ignore").memory.more.get("tainted"))


# -- forks


@pytest.mark.parametrize(
    ("source", "parents", "marked"),
    [
        ("fork", ("one",), True),
        ("fork", (), True),  # it may be any of its project
        ("fork", ("clean",), False),
        ("resume", ("one", "clean"), True),
        ("resume", (), False),
        ("startup", ("one",), False),
        ("clear", (), False),
    ],
)
def test_a_session_that_goes_on_from_one_that_read_the_web_bears_its_mark(
    agent: Memvault, open_vault: Opener, tmp_path: Path, source: str, parents: tuple[str, ...], *, marked: bool
) -> None:
    read_the_web(agent)
    path = transcript(tmp_path / "t.jsonl", *parents, "two")
    forked = another(agent, open_vault, "two")
    begin_session(forked, path, source=source, project=projects.project_of(agent.folder))
    assert is_marked(forked) is marked


def test_a_fork_that_was_never_written_is_taken_for_one_of_its_project(
    agent: Memvault, open_vault: Opener, clock: Clock
) -> None:
    read_the_web(agent)
    elsewhere, late = another(agent, open_vault, "two"), another(agent, open_vault, "three")
    begin_session(elsewhere, "/nowhere.jsonl", source="fork", project="folder:other")
    assert not is_marked(elsewhere)
    clock.pass_(hours=7)
    begin_session(late, "/nowhere.jsonl", source="fork", project=projects.project_of(agent.folder))
    assert not is_marked(late)


# -- "remember this"


def test_a_file_that_a_person_only_names_is_the_agents_reading(agent: Memvault) -> None:
    exchange = "Fetch the page.\n\nThe page says that the deploy key goes to the harbour office."
    made = agent.say("Remember this", before=exchange, by_person=True).result.memory  # type: ignore[union-attr]
    assert (made.more["source"], made.more.get("tainted")) == ("user", None)
    read_the_web(agent)
    made = agent.say("Remember this", before=f"{exchange} Really.", by_person=True).result.memory  # type: ignore[union-attr]
    assert (made.more["source"], made.more.get("tainted")) == ("agent", True)


def test_a_persons_own_words_are_never_tainted(agent: Memvault) -> None:
    read_the_web(agent)
    made = agent.say(f"Remember this: {FACT}", by_person=True).result.memory  # type: ignore[union-attr]
    assert (made.more["source"], made.more.get("tainted")) == ("user", None)


# -- whoever does not say its session, or says one that is over


def test_an_invented_session_says_nothing(agent: Memvault, open_vault: Opener, clock: Clock) -> None:
    server = another(agent, open_vault, f"{INVENTED_SESSION}00")
    assert not is_marked(server)
    read_the_web(agent)
    assert is_marked(server, f"{FACT} Now.")
    clock.pass_(hours=7)
    assert not is_marked(server, f"{FACT} Later.")


def test_a_session_that_is_over_is_not_worked_in(agent: Memvault, open_vault: Opener) -> None:
    own = f"{INVENTED_SESSION}00"
    assert work_in(another(agent, open_vault, "two"), "two", else_in=own) == "two"
    read_the_web(agent)
    end_session(another(agent, open_vault, "two"))
    server = another(agent, open_vault, "two")
    assert work_in(server, "two", else_in=own) == own
    assert is_marked(server)
    begin_session(another(agent, open_vault, "two"), "", source="resume", project=projects.project_of(agent.folder))
    assert work_in(another(agent, open_vault, "two"), "two", else_in=own) == "two"


def test_what_a_session_had_in_hand_ends_with_it_unless_it_goes_on(
    agent: Memvault, open_vault: Opener, clock: Clock
) -> None:
    kept = another(agent, open_vault, "two")
    for vault in (agent, kept):
        vault.work_start(f"Count the gauges of {vault.actor.session}")
    assert [bool(agent.maintain().skipped) for _ in range(3)][-1]
    for vault in (agent, kept):
        end_session(vault)
    begin_session(kept, "", source="resume", project=projects.project_of(kept.folder))
    clock.pass_(minutes=6)
    agent.maintain()
    assert [task.memory.title for task in agent.work_in_hand()] == ["Count the gauges of two"]


def test_an_end_that_was_noted_without_its_moment_is_one(agent: Memvault) -> None:
    agent.state_folder.mkdir(parents=True, exist_ok=True)
    (agent.state_folder / "ended.jsonl").write_bytes(b'"two"\n{"t": "20')
    assert is_ended(agent.state_folder, "two")
    assert list_ends(agent.state_folder) == {}


def test_the_last_of_many_ended_sessions_are_known(agent: Memvault) -> None:
    for number in range(1_200):
        mark_ended(agent.state_folder, f"00000000-0000-4000-8000-{number:012}", now=agent.now())
    assert is_ended(agent.state_folder, f"00000000-0000-4000-8000-{1_199:012}")
    assert (agent.state_folder / "ended.jsonl").stat().st_size < 25_000


def test_a_log_of_ended_sessions_that_cannot_be_read_counts_as_an_end(agent: Memvault) -> None:
    (agent.state_folder / "ended.jsonl").mkdir(parents=True)
    assert work_in(agent, "one", else_in=f"{INVENTED_SESSION}00") == f"{INVENTED_SESSION}00"


def test_the_mark_says_nothing_of_other_projects(agent: Memvault) -> None:
    read_the_web(agent)
    state, now = agent.state_folder, agent.now()
    assert is_tainted(state, session="", project=projects.project_of(agent.folder).upper(), now=now)
    assert not is_tainted(state, session="", project="folder:other", now=now)
