"""The hook under fire: events that no agent would send, each answered validly or not at all.

Run it as `python -m tests.stress.hooks --inputs 10000`; `--events FOLDER` takes recorded events along.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from unittest.mock import patch

from memvault import Memvault
from memvault.agents.hooks import handler

SESSION = "00000000-0000-4000-8000-000000000001"
LONGEST_SECONDS = 4.0

_COMMON = {"session_id": SESSION, "transcript_path": "/home/noor/.claude/projects/-x/t.jsonl", "cwd": "/home/noor/x"}
_TODOS = [{"content": "Mend the poller", "status": "in_progress", "activeForm": "Mending"}]
_TOOLS: tuple[dict[str, object], ...] = (
    {"tool_name": "Write", "tool_input": {"file_path": "/home/noor/x/a.py"}, "tool_response": {"type": "create"}},
    {"tool_name": "Edit", "tool_input": {"file_path": "/home/noor/x/a.py"}, "tool_response": {}},
    {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": {"stdout": "1 failed"}},
    {"tool_name": "WebFetch", "tool_input": {"url": "https://example.org"}, "tool_response": "page"},
    {"tool_name": "TodoWrite", "tool_input": {"todos": _TODOS}, "tool_response": {"oldTodos": [], "newTodos": _TODOS}},
    {"tool_name": "TaskCreate", "tool_input": {"subject": "Mend it"}, "tool_response": {"task": {"id": "1"}}},
    {"tool_name": "TaskUpdate", "tool_input": {"taskId": "1", "status": "completed"}, "tool_response": {}},
)
EVENTS: tuple[dict[str, object], ...] = (
    {**_COMMON, "hook_event_name": "SessionStart", "source": "startup"},
    {**_COMMON, "hook_event_name": "SessionStart", "source": "compact"},
    {**_COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "Where is the spare modem of the Hollin gauge?"},
    {**_COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "Remember this: the office opens at nine."},
    {**_COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "<task-notification>\n<task-id>a</task-id>"},
    *({**_COMMON, "hook_event_name": "PostToolUse", "tool_use_id": f"t{n}", **tool} for n, tool in enumerate(_TOOLS)),
    {**_COMMON, "hook_event_name": "PostToolUseFailure", **_TOOLS[0], "error": "Exit code 1"},
    {**_COMMON, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "In the green box."},
    {**_COMMON, "hook_event_name": "SubagentStop", "agent_id": "a1", "last_assistant_message": "Done."},
    {**_COMMON, "hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None},
    {**_COMMON, "hook_event_name": "SessionEnd", "reason": "other"},
    {**_COMMON, "hook_event_name": "SomethingOfTomorrow", "news": [1, 2]},
)
_ODD: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1e308, 10**400, "", " ", "\x00", "\ud800", "\u202e\U000e0041", "../../..", "/", "~"),
    *(
        *([], {}, [[]], {"": {}}, ["x"] * 50, "x" * 20_000, "<private>", "</private>", "{" * 500, "SessionStart"),
        "folder:",
    ),
)
_SCRAPS = (b"", b'"', b"{", b"}", b"null", b"\x00", b"\xf0\x9f", b"9" * 400, b"\\ud800", b"[" * 3_000, b"\r\n", b",")


def mutated(event: Mapping[str, object], made: Random) -> bytes:
    """An event with something wrong: a member that is gone, doubled or of another type, or bytes that are none."""
    told = dict(event)
    for _ in range(made.randrange(0, 3)):
        _spoil(told, made)
    data = json.dumps(told).encode()
    if made.random() < 0.4:
        at, length = made.randrange(len(data) + 1), made.randrange(0, 12)
        data = data[:at] + made.choice(_SCRAPS) + data[at + length :]
    return data if made.random() < 0.97 else data[: made.randrange(len(data) + 1)]


def _spoil(told: dict[str, object], made: Random) -> None:
    name = made.choice(sorted(told)) if told else "cwd"
    value = told.get(name)
    if isinstance(value, dict) and value and made.random() < 0.7:
        told[name] = inner = dict(value)
        _spoil(inner, made)
    elif made.random() < 0.2:
        told.pop(name, None)
    else:
        told[name] = made.choice(_ODD)


def check(answer: bytes) -> None:
    """Raise AssertionError unless an answer is nothing, or one line that an agent can read."""
    if not answer:
        return
    assert answer.endswith(b"\n")
    assert answer.count(b"\n") == 1
    told = json.loads(answer)
    assert told.keys() <= {"hookSpecificOutput", "systemMessage"}
    inner = told.get("hookSpecificOutput", {})
    assert inner.keys() <= {"hookEventName", "additionalContext"}
    assert isinstance(told.get("systemMessage", ""), str)
    assert len(inner.get("additionalContext", "")) <= 10_000


def inputs(events: Sequence[Mapping[str, object]], count: int, seed: int) -> Iterator[bytes]:
    """Each event as it is, and mutations of them."""
    yield from (json.dumps(event).encode() for event in events)
    made = Random(seed)
    for _ in range(count):
        yield mutated(made.choice(events), made)


def answer(raw: bytes, environment: Mapping[str, str]) -> tuple[bytes, float]:
    """What the hook answers to some bytes, and how long that takes."""
    started = time.perf_counter()
    told = handler.answer_event(raw, [], environment)
    return told, time.perf_counter() - started


def surroundings(folder: Path) -> dict[str, str]:
    """A machine of its own with an empty vault, on which nothing is started that would outlive this."""
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    Memvault.init(folder / "vault")
    return {
        **{each: str(folder / each.lower()) for each in names},
        "PATH": os.environ.get("PATH", ""),
        "MEMVAULT_DIR": str(folder / "vault"),
        "MEMVAULT_SCHEDULE_AT_SESSION_START": "no",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=Path)
    given = parser.parse_args()
    recorded = [json.loads(path.read_bytes()) for path in sorted(given.events.glob("*.json"))] if given.events else []
    answered, slowest = 0, 0.0
    with (
        tempfile.TemporaryDirectory() as name,
        patch("memvault.agents.hooks.session.start_save", lambda *_, **__: None),
    ):
        environment = surroundings(Path(name))
        for raw in inputs([*EVENTS, *recorded], given.inputs, given.seed):
            told, seconds = answer(raw, environment)
            check(told)
            answered, slowest = answered + bool(told), max(slowest, seconds)
        log = Path(environment["XDG_STATE_HOME"], "memvault", "hooks.log")
        trouble = Counter(line.rpartition(": ")[2] for line in log.read_text().splitlines()) if log.exists() else {}
    print(f"{given.inputs:,} inputs: all ended well, {answered:,} answered; the slowest took {slowest:.2f} s")
    print(f"logged: {dict(trouble) or 'nothing'}")
    assert slowest < LONGEST_SECONDS


if __name__ == "__main__":
    main()
