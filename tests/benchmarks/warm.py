"""How long hooks and recalls take with a warm process, against `python -c pass` in the same run: `python -m tests.benchmarks.warm --notes 1000`.

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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.corpus import write
from tests.benchmarks.startup import machine

QUERY = ("government", "system")
PROMPTS = {
    "a prompt that asks": "What did we say about the government system, and how many people it takes?",
    "a prompt that does not": "please go on",
}


def event(name: str, folder: Path, session: str, **more: object) -> bytes:
    told = {"hook_event_name": name, "session_id": session, "cwd": str(folder), "transcript_path": "", **more}
    return json.dumps(told).encode()


def events(folder: Path, session: str) -> dict[str, bytes]:
    """One of each kind that comes often."""
    tool = {"tool_name": "Edit", "tool_input": {"file_path": str(folder / "a.py")}, "tool_response": {}}
    prompts = {
        f"hook, {label}": event("UserPromptSubmit", folder, session, prompt=said) for label, said in PROMPTS.items()
    }
    return {
        **prompts,
        "hook, a tool was used": event("PostToolUse", folder, session, tool_use_id=session, **tool),
        "hook, an answer was given": event("Stop", folder, session, last_assistant_message=f"Done, {session}."),
        "hook, a session begins": event("SessionStart", folder, session, source="startup"),
    }


@contextmanager
def porter(memvault: list[str], environment: dict[str, str], folder: Path) -> Iterator[None]:
    subprocess.run([*memvault, "watch", "--daemon"], env=environment, cwd=folder, check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run([*memvault, "watch", "--stop"], env=environment, cwd=folder, check=True, capture_output=True)


def seconds(command: list[str], environment: dict[str, str], folder: Path, data: bytes) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, cwd=folder, input=data, check=True, capture_output=True)
    return time.perf_counter() - started


def warm_up(memvault: list[str], environment: dict[str, str], folder: Path) -> None:
    """Ask until it answers: it leaves what is asked to the command until it has looked everything over."""
    command = [*memvault, "--vault", str(folder / "vault"), "recall", *QUERY]
    for _ in range(200):
        subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)
        shown = [*memvault, "watch", "--status", "--json"]
        told = subprocess.run(shown, env=environment, check=True, capture_output=True)
        if json.loads(told.stdout)["result"]["answered"]:
            return
    raise TimeoutError


def measure(given: argparse.Namespace, memvault: list[str], environment: dict[str, str], folder: Path) -> None:
    at = ["--vault", str(folder / "vault")]
    cold = {**environment, "MEMVAULT_NO_RESIDENT": "1"}
    taken: dict[str, list[float]] = {}
    warm_up(memvault, environment, folder)
    for run in range(given.runs + 1):
        rows: dict[str, tuple[list[str], dict[str, str], bytes]] = {
            "python -c pass": ([given.python, "-c", "pass"], environment, b""),
            "recall": ([*memvault, *at, "recall", *QUERY], environment, b""),
            "recall --limit 5": ([*memvault, *at, "recall", *QUERY, "--limit", "5"], environment, b""),
            "recall, without it": ([*memvault, *at, "recall", *QUERY], cold, b""),
        }
        for label, data in events(folder, f"session-{run}").items():
            rows[label] = ([*memvault, "hook", *at], environment, data)
        for label, (command, variables, data) in rows.items():  # in turns: what else goes on is shared alike
            taken.setdefault(label, []).append(seconds(command, variables, folder, data))
    show({label: times[1:] for label, times in taken.items()})


def show(taken: dict[str, list[float]]) -> None:
    floor = taken["python -c pass"]
    print(f"{'':30}{'median ms':>10}{'p95 ms':>10}{'ratio':>8}")
    for label, times in taken.items():
        ratio = statistics.median(mine / least for mine, least in zip(times, floor, strict=True))
        late = statistics.quantiles(times, n=20)[-1]
        print(f"{label:30}{statistics.median(times) * 1000:10.1f}{late * 1000:10.1f}{ratio:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--module", action="store_true", help="start it by `python -m memvault`")
    given = parser.parse_args()
    script = Path(given.python).with_name("memvault")
    memvault = [given.python, "-m", "memvault"] if given.module or not script.exists() else [str(script)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # What a session that begins may start besides would be measured with all that follows.
        environment = {**machine(folder), "MEMVAULT_SCHEDULE_AT_SESSION_START": "false"}
        for variable in ("home", "xdg_cache_home"):
            (folder / variable).mkdir()
        write(folder / "vault", given.notes)
        subprocess.run([*memvault, "init", str(folder / "vault")], env=environment, check=True, capture_output=True)
        print(f"{given.notes:,} notes, called as {' '.join(Path(word).name for word in memvault)}")
        with porter(memvault, environment, folder):
            measure(given, memvault, environment, folder)
            told = subprocess.run([*memvault, "watch", "--status"], env=environment, check=True, capture_output=True)
            print(told.stdout.decode())


if __name__ == "__main__":
    main()
