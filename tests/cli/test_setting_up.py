"""Setting up as a person meets it: asked before each part, answered plainly, nothing done unasked."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path

import pytest

from memvault.cli.agent import mcp
from memvault.cli.context import CliContext
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import Misused
from memvault.system.programs import STAND_INS
from tests.command_line import Line, Ran, Stream
from tests.conftest import Clock

NOBODYS = {STAND_INS: "memvault:/opt/memvault,crontab:false,systemctl:false"}


@pytest.fixture
def typed(line: Line):  # type: ignore[no-untyped-def]
    """Runs `memvault WORDS…` for a person who types answers."""

    return lambda *words, answers: line(*words, typed=answers, **NOBODYS)


def parts(ran: Ran) -> list[str]:
    return [text.partition(":")[0] for text in ran.out.splitlines() if not text.startswith(" ")]


def test_it_asks_where_and_before_each_part(typed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = typed("setup", "--no-mcp", "--no-check", answers="mine\ny\nn\nN\n")
    assert "where is it to be? [~/memory]" in ran.err
    assert "call memvault" in ran.err
    assert parts(ran) == ["vault", "name", "hooks"]
    assert (tmp_path / "work" / "mine" / "memvault.toml").is_file()


def test_who_only_presses_return_gets_the_usual(typed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = typed("setup", "--no-mcp", "--no-check", "--no-schedule", answers="\n\n\n")
    assert parts(ran) == ["vault", "name", "hooks", "claude-md"]
    assert (tmp_path / "home" / "memory" / "memvault.toml").is_file()


def test_a_vault_that_is_found_is_offered(typed, in_vault: Line, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = typed("setup", "--no-mcp", "--no-check", "--no-schedule", "--no-hooks", answers="\nn\n")
    assert f"[{tmp_path / 'work'}]" in ran.err
    assert parts(ran) == ["vault", "name"]


def test_the_way_back_wants_a_yes(typed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    typed("setup", "--no-mcp", "--no-check", "--no-schedule", answers="\n\n\n")
    settings = tmp_path / "home" / ".claude" / "settings.json"
    assert typed("uninstall", answers="\n").code == 2
    assert settings.exists()
    ran = typed("uninstall", answers="y\n")
    assert (ran.code, parts(ran)) == (0, ["hooks", "claude-md", "name"])
    assert not settings.exists()


def test_a_hook_that_does_not_work_ends_with_one_and_says_why(line: Line) -> None:
    ran = line("setup", "v", "--yes", "--no-mcp", "--no-schedule", "--no-claude-md", **NOBODYS)
    assert ran.code == 1
    assert "it does not work yet: /opt/memvault cannot be started" in ran.err


def test_hooks_follow_the_profile_of_the_vault(line: Line) -> None:
    line("init", ".", "--profile", "minimal")
    assert line("agent", "hooks", "install", "--json").json["result"]["events"] == [
        "PostToolUse",
        "PostToolUseFailure",
        "SessionEnd",
    ]
    assert len(line("agent", "hooks", "install", "--profile", "production", "--json").json["result"]["events"]) == 8


# -- what stands behind `memvault agent mcp`


@pytest.fixture
def desk(in_vault: Line, environment: dict[str, str], clock: Clock) -> CliContext:
    return CliContext(
        environment={**environment, **NOBODYS}, stdin=None, stdout=Stream(), stderr=Stream(), clock=clock, zone=UTC
    )


def test_a_server_is_entered_looked_at_and_taken_out(desk: CliContext, tmp_path: Path) -> None:
    path = tmp_path / "work" / ".cursor" / "mcp.json"
    dry = mcp.manage_entry(desk, "install", agent="cursor", project=True, dry_run=True)
    assert dry.text(TerminalFormat()).startswith(
        "Would install: memvault as a server of cursor (project)\n  runs      memvault mcp"
    )
    assert not path.exists()
    mcp.manage_entry(desk, "install", agent="cursor", project=True)
    assert json.loads(path.read_text())["mcpServers"]["memvault"] == {"command": "memvault", "args": ["mcp"]}
    assert "A server of cursor (project)" in mcp.manage_entry(desk, "status").text(TerminalFormat())
    assert "and the file with it" in mcp.manage_entry(desk, "uninstall").text(TerminalFormat())
    assert not path.exists()
    assert mcp.manage_entry(desk, "status").text(TerminalFormat()).startswith("Not installed")
    assert mcp.manage_entry(desk, "uninstall").messages[0].startswith("No servers")


def test_the_vault_is_written_down_only_where_it_was_named(desk: CliContext, tmp_path: Path) -> None:
    desk.vault_name = str(tmp_path / "work")
    mcp.manage_entry(desk, "install")
    found = json.loads((tmp_path / "home" / ".claude.json").read_text())["mcpServers"]["memvault"]
    assert found["args"] == ["mcp", "--vault", str(tmp_path / "work")]
    assert mcp.manage_entry(desk, "status").exit_code == 1  # /opt/memvault is not there


def test_what_is_no_action_is_told(desk: CliContext) -> None:
    with pytest.raises(Misused, match="install, uninstall, status"):
        mcp.manage_entry(desk, "start")
