"""Claude Code as a provider, by a stand-in program with its envelope."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memvault.models.llm.ask import CallLog, Deadline, Failure, Setup
from memvault.models.llm.model import create_provider
from tests.models.conftest import FORM, STAND_IN, Made
from tests.models.program import GOOD


def asked(model: Any, system: str = "the system") -> Any:
    return model.complete_json(system, "the prompt", FORM, 30.0)


@pytest.mark.parametrize("how", ["good", "verbose", "plain"])
def test_the_answer_is_taken_out_of_each_form_of_envelope_with_its_cost(claude: Made, log: CallLog, how: str) -> None:
    assert asked(claude(how)) == GOOD
    assert log.sum_month().cost == pytest.approx(0.0042)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        *(("signed-out", "refused"), ("error", "failed"), ("exit", "failed"), ("unsaid", "failed")),
        *(("garbage", "failed"), ("other", "failed"), ("empty", "failed"), ("prose", "malformed")),
    ],
)
@pytest.mark.points(quick=4)
def test_each_bad_envelope_is_a_failure_that_quotes_nothing(claude: Made, how: str, reason: str) -> None:
    failure = asked(claude(how))
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert "hunter2" not in failure.detail
    assert "weather" not in failure.detail


def test_it_is_called_without_tools_settings_or_hooks_and_the_prompt_is_no_argument(
    model: Made, tmp_path: Path
) -> None:
    target = tmp_path / "seen"
    asked(model("claude", command=(*STAND_IN, "echo", str(target)), variables={"ANTHROPIC_BASE_URL": "http://here"}))
    seen = json.loads(target.read_text("utf-8"))
    assert seen["stdin"] == "the prompt"
    assert seen["argv"] == [
        *("-p", "--safe-mode", "--tools", "", "--no-session-persistence", "--strict-mcp-config"),
        *("--model", "haiku", "--system-prompt", "the system"),
        *("--output-format", "json", "--json-schema", json.dumps(FORM)),
    ]
    assert seen["environment"]["ANTHROPIC_BASE_URL"] == "http://here"
    assert seen["files"] == []


def test_instructions_that_are_no_argument_any_more_are_not_cut(claude: Made) -> None:
    assert asked(claude("good"), system="x" * 200_000).reason == "oversized"


def standing(how: str, machine: dict[str, str]) -> Any:
    setup = Setup(environment=machine, command=(*STAND_IN, "claude", how))
    return create_provider("claude", setup).standing(Deadline.within(30))


def test_it_stands_well_where_it_is_signed_in(machine: dict[str, str]) -> None:
    found = standing("good", machine)
    assert found.problems == ()
    assert dict(found.facts) == {"program": sys.executable, "signed in": "yes"}


def test_it_says_what_is_missing(machine: dict[str, str]) -> None:
    assert "/login" in standing("signed-out", machine).problems[0]
    nowhere = create_provider("claude", Setup(environment={"PATH": "/nowhere"}))
    assert "install Claude Code" in nowhere.standing(Deadline.within(1)).problems[0]
