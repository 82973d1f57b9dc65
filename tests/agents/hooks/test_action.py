"""Before an edit or a command: the one rule of the person that bears on it, once; with a guard they are asked."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memvault import Memvault
from memvault.agents.hooks.handler import answer_event
from tests.conftest import Opener

RULE = "Never edit the files below third_party/zlib."
GLOBAL = {"scope": "global"}
Act = Callable[..., dict[str, object]]


@pytest.fixture
def act(vault: Memvault, environment: dict[str, str]) -> Act:
    """Tells of an action, as Claude Code does before it; the answer for it."""
    number = iter(range(100))

    def told(path: str = "third_party/zlib/a.c", session: str = "s1", **more: object) -> dict[str, object]:
        event = {
            "hook_event_name": "PreToolUse",
            "session_id": session,
            "cwd": str(vault.root),
            "tool_name": "Edit",
            "tool_input": {"file_path": f"{vault.root}/{path}", "old_string": "a", "new_string": "b"},
            "tool_use_id": f"t{next(number)}",
            **more,
        }
        out = answer_event(json.dumps(event).encode(), ("--vault", str(vault.root)), environment)
        return json.loads(out)["hookSpecificOutput"] if out else {}

    return told


def test_the_rule_itself_is_given_once_in_a_session(vault: Memvault, act: Act) -> None:
    made = vault.remember(RULE, more=GLOBAL).memory
    told = act()
    assert told["additionalContext"] == f"The user's own rule ({made.id[:8]}), for what you are about to do: {RULE}"
    assert "permissionDecision" not in told
    assert act() == {}
    assert act(session="s2")
    (shown,) = vault.list_injections()
    assert [given.why for given in shown.given] == ["it bears on an action"]
    assert shown.injection.agent == "claude-code"


def test_other_work_and_looking_are_left_alone(vault: Memvault, act: Act) -> None:
    vault.remember(RULE, more=GLOBAL)
    assert act("src/main.c") == {}
    assert act(tool_name="Bash", tool_input={"command": "cat third_party/zlib/a.c"}) == {}
    assert act(tool_name="Read") == {}


def test_at_most_one_rule_is_given_the_one_that_bears_most(vault: Memvault, act: Act) -> None:
    vault.remember("Never change a file of third_party.", more=GLOBAL, near="ignore")
    vault.remember(RULE, more=GLOBAL, near="ignore")
    assert str(act()["additionalContext"]).endswith(RULE)
    assert str(act()["additionalContext"]).endswith("of third_party.")


def test_a_guard_has_the_person_asked(vault: Memvault, act: Act) -> None:
    vault.remember(RULE, more={**GLOBAL, "guard": True})
    told = act()
    assert (told["permissionDecision"], told["permissionDecisionReason"]) == ("ask", f"memvault: {RULE}")


def test_only_what_the_person_said_is_given(vault: Memvault, act: Act, open_vault: Opener) -> None:
    open_vault(vault.root, agent="claude-code", session="s9").remember(RULE, more=GLOBAL)
    vault.remember(f"{RULE} So it says.", source="import", more=GLOBAL, near="ignore")
    vault.remember(f"{RULE} So we do.", more={"project": "folder:other", "scope": "project"}, near="ignore")
    assert act() == {}


def test_in_a_pause_nothing_is_said(vault: Memvault, act: Act) -> None:
    vault.remember(RULE, more=GLOBAL)
    vault.pause()
    assert act() == {}
