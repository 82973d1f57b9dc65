"""Entries of ours come and go in somebody's settings, and every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.agents.setup import entries, json_edit
from memvault.agents.setup.clients import HOOK_AGENTS, SERVER_AGENTS, AgentFolders
from memvault.agents.setup.json_edit import JsonObject, MalformedJson, parse_json, to_python
from tests.agents.setup.random_settings import settings

CLAUDE, CODEX = HOOK_AGENTS["claude-code"], HOOK_AGENTS["codex"]
PROGRAM = ("/home/Noor Å/memvault", "hook")


def groups(
    agent: str = "claude-code", words: tuple[str, ...] = PROGRAM, profile: str = "production"
) -> dict[str, dict[str, object]]:
    row = HOOK_AGENTS[agent]
    return entries.build_hook_groups(row, row.select_events(profile), words, "linux")


# -- laws


@given(settings(), st.sampled_from(["claude-code", "codex"]), st.sampled_from(["minimal", "production"]))
def test_hooks_put_in_and_taken_out_leave_the_very_same_text(text: str, agent: str, profile: str) -> None:
    ours = groups(agent, profile=profile)
    there = entries.add_hooks(text, ours)
    assert entries.has_exact_hooks(there, CLAUDE, ours)
    assert entries.remove_entries(there, CLAUDE, text) == text


@given(settings())
def test_with_hooks_all_that_was_there_still_stands_as_it_was(text: str) -> None:
    before, after = to_python(parse_json(text)), to_python(parse_json(entries.add_hooks(text, groups())))
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert {name: value for name, value in after.items() if name != "hooks"} == {
        name: value for name, value in before.items() if name != "hooks"
    }
    for event, others in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(others)] == others


@given(settings(lenient=True), st.sampled_from(["cursor", "vscode"]))
def test_a_server_put_in_and_taken_out_leaves_the_very_same_text_remarks_and_all(text: str, name: str) -> None:
    agent = SERVER_AGENTS[name]
    entry = entries.build_server(agent, ("/opt/memvault", "mcp"))
    there = entries.add_server(text, agent, entry)
    assert entries.has_server(there, agent, entry)
    assert entries.remove_entries(there, agent, text) == text


@given(settings(), st.sampled_from(["  ", "\t"]), st.booleans())
def test_what_somebody_adds_meanwhile_stays_and_the_rest_is_as_before(text: str, blank: str, is_first: bool) -> None:
    def edited(text: str) -> str:
        root = parse_json(text)
        assert isinstance(root, JsonObject)
        place = root.start + 1 if is_first or not root.members else root.members[0].node.end
        comma_before, comma_after = ("", ",") if is_first and root.members else (",", "")
        if not root.members:
            comma_before = ""
        return f'{text[:place]}{comma_before}{blank}"theirs": [1]{comma_after}{text[place:]}'

    root = parse_json(text)
    assert isinstance(root, JsonObject)
    if root.members:  # else who adds the first member also takes the room that ours had
        there = edited(entries.add_hooks(text, groups()))
        assert entries.remove_entries(there, CLAUDE, text) == edited(text)


@given(settings())
def test_a_program_that_writes_the_file_anew_in_its_own_form_keeps_ours_recognisable(text: str) -> None:
    written = json.dumps(to_python(parse_json(entries.add_hooks(text, groups()))), indent=2)
    assert entries.has_exact_hooks(written, CLAUDE, groups())
    assert to_python(parse_json(entries.remove_entries(written, CLAUDE, text))) == to_python(parse_json(text))


# -- the form of what is put in


def test_the_indentation_is_that_of_the_file() -> None:
    text = '{\n\t"env": {}\n}\n'
    assert '\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{\n\t\t\t\t"hooks": [' in entries.add_hooks(text, groups())


def test_the_line_endings_are_those_of_the_file() -> None:
    there = entries.add_hooks('{\r\n  "env": {}\r\n}\r\n', groups())
    assert there.count("\n") == there.count("\r\n") > 20


def test_what_stands_on_one_line_stays_on_one_line() -> None:
    there = entries.add_hooks('{"env": {}}\n', groups(profile="minimal"))
    assert there.count("\n") == 1


def test_a_remark_stays_on_the_line_it_is_about() -> None:
    agent = SERVER_AGENTS["vscode"]
    text = '{\n  "servers": {\n    "web": {} // by hand\n  }\n}\n'
    there = entries.add_server(text, agent, entries.build_server(agent, ("m", "mcp")))
    assert '"web": {}, // by hand\n    "memvault": {' in there


def test_letters_stay_letters() -> None:
    assert "/home/Noor Å/memvault" in entries.add_hooks("{}", groups())


def test_taking_out_one_of_two_behind_a_remark_does_not_swallow_the_other() -> None:
    agent = SERVER_AGENTS["cursor"]
    text = '{"mcpServers": { // mine\n  "memvault": {"command": "memvault", "args": ["mcp"]}, "web": {}}}'
    bare = entries.remove_entries(text, agent, "{}")
    assert to_python(parse_json(bare, lenient=True)) == {"mcpServers": {"web": {}}}


# -- what is ours


def test_a_handler_of_ours_beside_another_in_one_group_goes_alone() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"command": "beep"}, {"command": "memvault hook"}]}]}}'
    assert entries.remove_entries(text, CLAUDE, "{}") == '{"hooks": {"Stop": [{"hooks": [{"command": "beep"}]}]}}'


@pytest.mark.parametrize(
    "command", ["notmemvault hook", "memvault recall x", "echo memvault hook", "memvault-hook", ""]
)
def test_what_only_looks_like_ours_is_left_alone(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    assert entries.find_entries(text, CLAUDE) == ()


@pytest.mark.parametrize(
    "hooks", [[], "x", {"Stop": {}}, {"Stop": ["x"]}, {"Stop": [{"hooks": {}}]}, {"Stop": [{"hooks": ["x", None, 1]}]}]
)
def test_hooks_in_no_form_of_ours_hold_none(hooks: object) -> None:
    assert entries.find_entries(json.dumps({"hooks": hooks}), CLAUDE) == ()


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('{\n"hooks": []}', "hooks is not an object", 2),
        ('{"hooks": {\n"SessionStart": {}}}', "hooks.SessionStart is not a list", 2),
        ("[]", "it is not an object", 1),
    ],
)
def test_what_has_another_form_is_refused_with_its_line(text: str, reason: str, line: int) -> None:
    with pytest.raises(MalformedJson, match=reason) as caught:
        entries.add_hooks(text, groups())
    assert caught.value.line == line


# -- agents


def test_claude_code_starts_the_program_itself() -> None:
    handler = CLAUDE.format_handler(CLAUDE.events[0], ("C:\\Program Files\\memvault.exe", "hook"), "win32")
    assert handler == {"type": "command", "command": "C:\\Program Files\\memvault.exe", "args": ["hook"], "timeout": 10}


def test_codex_gets_a_line_for_its_shell() -> None:
    assert CODEX.format_handler(CODEX.events[0], PROGRAM, "linux")["command"] == "'/home/Noor Å/memvault' hook"
    windows = CODEX.format_handler(CODEX.events[0], ("C:\\It's\\memvault.exe", "hook"), "win32")
    assert windows["commandWindows"] == "& 'C:\\It''s\\memvault.exe' 'hook'"


def test_the_minimal_profile_has_two_events_of_each() -> None:
    assert [event.name for event in CLAUDE.select_events("minimal")] == [
        "PostToolUse",
        "PostToolUseFailure",
        "SessionEnd",
    ]
    assert [event.name for event in CODEX.select_events("minimal")] == ["PostToolUse", "Stop"]
    assert CLAUDE.select_events("research") == CLAUDE.events


def test_nothing_that_blocks_a_session_may_take_longer_than_ten_seconds() -> None:
    assert all(event.timeout <= 10 for event in CLAUDE.events if not event.in_background)


@pytest.mark.parametrize(
    ("platform", "name", "scope", "expected"),
    [
        ("linux", "claude-code", "user", "home/.claude.json"),
        ("linux", "claude-code", "project", "proj/.mcp.json"),
        ("linux", "claude-desktop", "user", "home/.config/Claude/claude_desktop_config.json"),
        ("darwin", "claude-desktop", "user", "home/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "claude-desktop", "user", "roaming/Claude/claude_desktop_config.json"),
        ("linux", "cursor", "user", "home/.cursor/mcp.json"),
        ("win32", "cursor", "project", "proj/.cursor/mcp.json"),
        ("linux", "vscode", "user", "home/.config/Code/User/mcp.json"),
        ("darwin", "vscode", "user", "home/Library/Application Support/Code/User/mcp.json"),
        ("win32", "vscode", "user", "roaming/Code/User/mcp.json"),
        ("linux", "vscode", "project", "proj/.vscode/mcp.json"),
    ],
)
def test_every_agent_keeps_its_servers_somewhere(platform: str, name: str, scope: str, expected: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    environment = {"HOME": str(tmp_path / "home"), "APPDATA": str(tmp_path / "roaming")}
    ground = AgentFolders(environment=environment, project=tmp_path / "proj", platform=platform)
    assert SERVER_AGENTS[name].find_file(ground, scope) == tmp_path / expected


@pytest.mark.parametrize(
    ("name", "scope", "expected"),
    [
        ("claude-code", "user", "home/.claude/settings.json"),
        ("claude-code", "project", "proj/.claude/settings.json"),
        ("claude-code", "local", "proj/.claude/settings.local.json"),
        ("codex", "user", "home/.codex/hooks.json"),
        ("codex", "project", "proj/.codex/hooks.json"),
    ],
)
def test_every_agent_keeps_its_hooks_somewhere(name: str, scope: str, expected: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    ground = AgentFolders(environment={"HOME": str(tmp_path / "home")}, project=tmp_path / "proj")
    assert HOOK_AGENTS[name].find_file(ground, scope) == tmp_path / expected


def test_folders_that_were_moved_are_found(tmp_path) -> None:  # type: ignore[no-untyped-def]
    environment = {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/g"}
    ground = AgentFolders(environment=environment, project=tmp_path, platform="linux")
    found = [HOOK_AGENTS[name].find_file(ground, "user").as_posix() for name in HOOK_AGENTS]
    found += [SERVER_AGENTS[name].find_file(ground, "user").as_posix() for name in ("claude-code", "vscode")]
    assert found == ["/c/settings.json", "/x/hooks.json", "/c/.claude.json", "/g/Code/User/mcp.json"]


def test_a_diff_shows_what_is_put_in_and_hardly_anything_else() -> None:
    before = '{\n  "env": {\n    "TOKEN": "hush"\n  },\n  "a": 1,\n  "b": 2\n}\n'
    told = json_edit.diff_lines(before, entries.add_hooks(before, groups()), name="settings.json")
    assert '+  "hooks": {' in told
    assert "hush" not in told
