"""`memvault session given`: what was put before a model, why each memory of it, and what came beside memories."""

from __future__ import annotations

from memvault import Memvault
from memvault.agents.hooks.session import inject_session
from memvault.storage.journal.exchanges import Interaction, record_exchange
from tests.command_line import Line
from tests.conftest import Clock, Opener

PROJECT = "folder:gauges"


def test_it_tells_the_memories_with_why_and_what_came_beside_them(
    vault: Memvault, line: Line, clock: Clock, open_vault: Opener
) -> None:
    vault.remember("Call Maja.", kind="prospective", more={"due": clock.now, "scope": "global"})
    record_exchange(
        vault.state_folder, Interaction(at=clock.now, project=PROJECT, asked="Mend it.", files=("poll.py",))
    )
    with open_vault(vault.root, agent="codex") as agent:
        inject_session(agent, event="SessionStart", session="s1", project=PROJECT, source="startup")
    told = line("--vault", str(vault.root), "last").out
    assert "Call Maja" in told
    assert "it is due" in told
    assert "codex" in told
    assert "and 1 recent exchange" in told
    (row,) = line("--vault", str(vault.root), "last", "--json").json["result"]["injections"]
    assert [memory["why"] for memory in row["memories"]] == ["it is due"]
    assert row["agent"] == "codex"
    assert row["also"][0] == "1 recent exchange"


def test_a_session_that_began_with_nothing_is_no_injection(vault: Memvault, line: Line) -> None:
    inject_session(vault, event="SessionStart", session="s1", project=PROJECT, source="startup")
    ran = line("--vault", str(vault.root), "last")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing was injected yet" in ran.err
