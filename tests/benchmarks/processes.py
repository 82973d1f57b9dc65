"""Whole processes: a machine of their own, how long they take, and the daemon they ask."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.benchmarks.corpus import write
from tests.benchmarks.measuring import by_turns

FLOOR = "python -c pass"
QUERY = ("government", "system")
ALONE = {"MEMVAULT_NO_RESIDENT": "1"}
_TRIES = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One command as it is called: its words, its variables and what it reads."""

    words: Sequence[str]
    environment: Mapping[str, str]
    data: bytes = b""


def machine(folder: Path) -> dict[str, str]:
    """An environment of its own, so that nothing of this person is read or written."""
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    return {**{name: str(folder / name.lower()) for name in names}, "PATH": os.environ.get("PATH", "")}


def program(python: str, *, as_module: bool = False) -> list[str]:
    """How memvault is called: by the script beside that interpreter where there is one."""
    script = Path(python).with_name("memvault")
    return [python, "-m", "memvault"] if as_module or not script.exists() else [str(script)]


def seconds(call: Call, folder: Path) -> float:
    """The wall time of one whole process."""
    started = time.perf_counter()
    subprocess.run(call.words, env=dict(call.environment), cwd=folder, input=call.data, check=True, capture_output=True)
    return time.perf_counter() - started


def taken(calls: Mapping[str, Call], folder: Path, runs: int) -> dict[str, list[float]]:
    """The wall seconds of some commands that take turns."""
    return by_turns({label: partial(seconds, call, folder) for label, call in calls.items()}, runs)


def ratio(times: Sequence[float], floor: Sequence[float]) -> float:
    """How many times as long as the floor of the same turn, in the median."""
    return statistics.median(mine / least for mine, least in zip(times, floor, strict=True))


class Stage:
    """A vault of made-up notes on a machine of its own, and memvault as it is called there."""

    def __init__(self, folder: Path, notes: int, python: str = sys.executable, *, as_module: bool = False) -> None:
        self.folder, self.python = folder, python
        self.vault = folder / "vault"
        self.memvault = program(python, as_module=as_module)
        # What a session that begins may start besides would be measured with all that follows.
        self.environment = {**machine(folder), "MEMVAULT_SCHEDULE_AT_SESSION_START": "false"}
        if len(self.memvault) > 1:  # as a module it is found only where this one was
            self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        for name in ("home", "xdg_cache_home"):
            (folder / name).mkdir()
        write(self.vault, notes)
        self.run("init", str(self.vault))

    def run(self, *words: str) -> bytes:
        """What a command prints."""
        command = [*self.memvault, *words]
        done = subprocess.run(command, env=self.environment, cwd=self.folder, check=True, capture_output=True)
        return done.stdout

    def call(self, *words: str, data: bytes = b"", alone: bool = False) -> Call:
        """A command of memvault on the vault; `alone` keeps the daemon out of it."""
        name, *rest = words
        at = ("--vault", str(self.vault))
        placed = (name, *at, *rest) if name == "hook" else (*at, name, *rest)
        return Call((*self.memvault, *placed), {**self.environment, **(ALONE if alone else {})}, data)

    def floor(self) -> Call:
        """Python itself, doing nothing."""
        return Call((self.python, "-c", "pass"), self.environment)

    def status(self) -> Mapping[str, float]:
        """What the daemon says of itself."""
        told: Mapping[str, float] = json.loads(self.run("watch", "--status", "--json"))["result"]
        return told

    @contextmanager
    def porter(self) -> Iterator[None]:
        """A daemon that answers: it leaves what is asked to the command until it has looked everything over."""
        self.run("watch", "--daemon")
        try:
            for _ in range(_TRIES):
                seconds(self.call("recall", *QUERY), self.folder)
                if self.status()["answered"]:
                    break
            else:
                raise TimeoutError
            yield
        finally:
            self.run("watch", "--stop")


def event(name: str, folder: Path, session: str, **more: object) -> bytes:
    """One event as an agent tells it."""
    told = {"hook_event_name": name, "session_id": session, "cwd": str(folder), "transcript_path": "", **more}
    return json.dumps(told).encode()


def events(folder: Path, session: str) -> dict[str, bytes]:
    """One of each kind that comes often."""
    tool = {"tool_name": "Edit", "tool_input": {"file_path": str(folder / "a.py")}, "tool_response": {}}
    asks = "What did we say about the government system, and how many people it takes?"
    return {
        "hook, a prompt that asks": event("UserPromptSubmit", folder, session, prompt=asks),
        "hook, a prompt that does not": event("UserPromptSubmit", folder, session, prompt="please go on"),
        "hook, a tool was used": event("PostToolUse", folder, session, tool_use_id=session, **tool),
        "hook, an answer was given": event("Stop", folder, session, last_assistant_message=f"Done, {session}."),
        "hook, a session begins": event("SessionStart", folder, session, source="startup"),
    }
