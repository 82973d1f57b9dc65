"""The plugin for Claude Code: it says what the program says, brings what it promises, and never stops a session."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import frontmatter  # type: ignore[import-untyped]
import pytest

from memvault import __version__
from memvault.agents.setup.clients import CLAUDE_CODE_HOOKS
from memvault.agents.setup.entries import parse_call

ROOT = Path(__file__).parent.parent
MARKET = ROOT / ".claude-plugin" / "marketplace.json"
PLUGIN = ROOT / ".claude-plugin" / "memvault"
SCRIPT = PLUGIN / "hooks" / "memvault.sh"
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))
AGENTS = sorted(PLUGIN.glob("agents/*.md"))
REVIEWERS = {
    "analyzer": "review-importance",
    "patterns": "review-relevance",
    "knowledge-archaeologist": "review-novelty",
}

pytestmark = pytest.mark.skipif(not MARKET.is_file(), reason="only a checkout has the plugin")


def told(path: Path) -> dict[str, object]:
    found = json.loads(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


# -- what it says


def test_its_version_is_the_programs() -> None:
    assert told(PLUGIN / ".claude-plugin" / "plugin.json")["version"] == __version__


def test_the_marketplace_leads_to_it() -> None:
    [plugin] = told(MARKET)["plugins"]  # type: ignore[misc]
    assert (ROOT / plugin["source"] / ".claude-plugin" / "plugin.json").is_file()
    assert plugin["name"] == told(PLUGIN / ".claude-plugin" / "plugin.json")["name"] == "memvault"


def test_it_has_the_hooks_that_an_installation_has() -> None:
    events = told(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert isinstance(events, dict)
    assert list(events) == [event.name for event in CLAUDE_CODE_HOOKS.events]
    for event in CLAUDE_CODE_HOOKS.events:
        [group] = events[event.name]
        [handler] = group["hooks"]
        found = group.get("matcher", ""), handler.get("async", False), handler["timeout"]
        assert found == (event.matcher, event.in_background, event.timeout), event.name
        assert handler["command"] == 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/memvault.sh"'


def test_it_starts_the_server() -> None:
    call = parse_call(told(PLUGIN / ".mcp.json")["mcpServers"]["memvault"])  # type: ignore[index]
    assert call is not None
    assert call.does == "mcp"


def test_it_brings_skills_and_agents() -> None:
    assert [path.parent.name for path in SKILLS] == ["dig", "maintain", "recall", "remember"]
    assert [path.stem for path in AGENTS] == ["analyzer", "knowledge-archaeologist", "memory-reader", "patterns"]


@pytest.mark.parametrize("path", [*SKILLS, *AGENTS], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_of_them_says_what_it_is_and_when_to_use_it(path: Path) -> None:
    page = frontmatter.load(path)
    assert page["name"] == (path.parent.name if path.name == "SKILL.md" else path.stem)
    assert 60 < len(page["description"]) < 1_000
    assert "Use it" in page["description"]
    assert len(page.content.split()) > 60


@pytest.mark.parametrize(("agent", "prompt"), REVIEWERS.items())
def test_the_reviewers_are_told_what_the_programs_own_are_told(agent: str, prompt: str) -> None:
    text = (files("memvault.models.llm") / "prompts" / f"{prompt}.md").read_text("utf-8").strip()
    assert frontmatter.load(PLUGIN / "agents" / f"{agent}.md").content.startswith(text)


def test_it_explains_itself() -> None:
    assert len((PLUGIN / "README.md").read_text("utf-8").split()) > 40


@pytest.mark.skipif(shutil.which("claude") is None, reason="Claude Code is not installed here")
@pytest.mark.parametrize("path", [ROOT, PLUGIN], ids=["marketplace", "plugin"])
def test_claude_code_finds_it_valid(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["claude", "plugin", "validate", "--strict", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


# -- what its hook does


@pytest.fixture
def hook(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Calls the plugin's hook on a machine that has nothing but a shell."""
    if sys.platform == "win32" or shutil.which("sh") is None:
        pytest.skip("there is no sh here")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "cat", "mkdir"):
        (tools / name).symlink_to(str(shutil.which(name)))

    def call(**more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(tools / "sh"), str(SCRIPT)],
            input='{"hook_event_name": "Stop"}',
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": str(tools), "HOME": str(tmp_path), "CLAUDE_PLUGIN_DATA": str(tmp_path / "data"), **more},
        )

    return call


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_where_the_program_is_missing_it_says_so_once(hook) -> None:  # type: ignore[no-untyped-def]
    first, second = hook(), hook()
    assert (first.returncode, second.returncode) == (0, 0)
    assert "memvault setup" in json.loads(first.stdout)["systemMessage"]
    assert (second.stdout, second.stderr) == ("", "")


def test_where_it_can_note_nothing_it_says_nothing(hook, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "data").write_text("in the way")
    found = hook()
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.parametrize("place", ["bin/memvault", ".local/bin/memvault"])
def test_the_program_gets_the_event_and_its_answer_is_passed_on(place: str, hook, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program(tmp_path / place, "echo $1; cat")
    assert hook().stdout == 'hook\n{"hook_event_name": "Stop"}'


def test_however_the_program_ends_the_session_goes_on(hook, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program(tmp_path / "bin" / "memvault", "exit 2")
    assert (hook().returncode, hook().stdout) == (0, "")
