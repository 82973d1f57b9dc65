"""How long the hook takes as a whole process, against `python -c pass`: `python -m tests.benchmarks.hooks --notes 1000`.

Give `--python` the interpreter of an environment in which the wheel is installed, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from tests.benchmarks.corpus import write
from tests.benchmarks.startup import machine, seconds

QUESTION = "What do we know about the government system?"
SESSIONS = count()

Command = Sequence[str]


def event(name: str, folder: Path, **more: object) -> bytes:
    """One event of a session of its own."""
    common = {"hook_event_name": name, "session_id": f"session-{next(SESSIONS)}", "cwd": str(folder)}
    return json.dumps({**common, "transcript_path": "", **more}).encode()


def hook_seconds(command: Command, environment: Mapping[str, str], folder: Path, payload: bytes) -> float:
    """The wall time of one whole hook."""
    started = time.perf_counter()
    subprocess.run(command, env=dict(environment), cwd=folder, check=True, capture_output=True, input=payload)
    return time.perf_counter() - started


def together(command: Command, environment: Mapping[str, str], folder: Path, payloads: Sequence[bytes]) -> float:
    """The wall time until all of some hooks that start at once have answered."""
    started = time.perf_counter()
    running = [
        subprocess.Popen(
            command, env=dict(environment), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None
        )
        for _ in payloads
    ]
    for process, payload in zip(running, payloads, strict=True):
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
    for process in running:
        assert process.stdout is not None
        process.stdout.read()
        process.stdout.close()
        process.wait()
    return time.perf_counter() - started


def events(folder: Path) -> dict[str, bytes]:
    """The events that an agent waits for, and the one that it sends most."""
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(folder / "a.py")}, "tool_response": {}}
    return {
        "SessionStart": event("SessionStart", folder, source="startup"),
        "UserPromptSubmit, with a cue": event("UserPromptSubmit", folder, prompt=QUESTION),
        "UserPromptSubmit, without": event("UserPromptSubmit", folder, prompt="yes, go on"),
        "PostToolUse": event("PostToolUse", folder, **edit),
        "Stop": event("Stop", folder, last_assistant_message="The government system is made of three parts."),
        "an event that is left alone": event("SubagentStop", folder),
    }


def report(label: str, times: Sequence[float], floor: Sequence[float]) -> None:
    ratio = statistics.median(mine / least for mine, least in zip(times, floor, strict=True))
    print(f"{label:34}{statistics.median(times) * 1000:10.1f}{ratio:8.1f}")


def measure(ways: Mapping[str, tuple[Command, Mapping[str, str]]], pass_: Command, folder: Path, runs: int) -> None:
    """Every event by each way, in turns, so that whatever else the machine does is shared alike."""
    floor: list[float] = []
    taken: dict[str, list[float]] = {}
    for _ in range(runs):
        environment = next(iter(ways.values()))[1]
        floor.append(seconds(list(pass_), dict(environment), folder))
        for way, (command, around) in ways.items():
            for label, payload in events(folder).items():
                taken.setdefault(f"{label}{way}", []).append(hook_seconds(command, around, folder, payload))
            ten = [event("UserPromptSubmit", folder, prompt=QUESTION) for _ in range(10)]
            taken.setdefault(f"ten prompts at once{way}", []).append(together(command, around, folder, ten))
    print(f"{'':34}{'median ms':>10}{'ratio':>8}")
    for label, times in {"python -c pass": floor, **taken}.items():
        report(label, times, floor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vault = folder / "vault"
        environment = {**machine(folder), "MEMVAULT_SCHEDULE_AT_SESSION_START": "no"}
        write(vault, given.notes)
        memvault = [str(Path(given.python).with_name("memvault"))]
        seconds([*memvault, "init", str(vault)], environment, folder)
        seconds([*memvault, "--vault", str(vault), "recall", QUESTION], environment, folder)
        hook = [*memvault, "hook", "--vault", str(vault)]
        ways = {"": (hook, {**environment, "MEMVAULT_NO_RESIDENT": "1"})}
        print(f"{given.notes:,} notes")
        measure(ways, [given.python, "-c", "pass"], folder, given.runs)


if __name__ == "__main__":
    main()
