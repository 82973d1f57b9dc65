"""The first hour of a newcomer, timed: from `pip install` to an answer of Claude Code out of memory.

`MEMVAULT_TEST_CLAUDE=/path/to/claude python -m tests.clients.first_hour` prints how long each step takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path

from tests.clients.claude_code import ROOT, client_environment
from tests.clients.scripted_model import ScriptedModel, says, scripted_model

KEPT = "The spare modem of the Hollin gauge lies in the kingfisher locker."
ASKED = "Where is the spare modem of the Hollin gauge?"


class NotInstalled(Exception):
    """pip could not fetch what memvault needs."""


def first_hour(client: str, home: Path) -> Iterator[tuple[str, str]]:
    """Do what the manual tells a newcomer to do; yield each step once it is done, and what it said."""
    venv.create(home / "env", with_pip=True)
    ran = subprocess.run(
        [home / "env/bin/pip", "install", "-q", str(ROOT)], capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise NotInstalled(ran.stderr)
    yield "pip install", ran.stdout
    own, environment = str(home / "env/bin/memvault"), client_environment(home)
    project = home / "gauges"
    project.mkdir()

    def run(*words: str, **more: str) -> str:
        given = {**environment, **more}
        return subprocess.run(words, cwd=project, env=given, capture_output=True, text=True, check=True).stdout

    yield "setup", run(own, "setup", str(home / "memory"), "--yes", "--no-mcp", "--no-schedule")
    yield "remember", run(own, "--vault", str(home / "memory"), "remember", KEPT)
    with scripted_model() as model:
        model.answer_with(lambda: says(_answer_out_of(model))())
        yield "Claude Code", run(client, "-p", ASKED, ANTHROPIC_BASE_URL=model.address)


def _answer_out_of(model: ScriptedModel) -> str:
    """Answer as a model does that knows nothing but what it was sent."""
    return KEPT if KEPT in json.dumps(model.requests[-1]["messages"], ensure_ascii=False) else "I do not know."


def main() -> int:
    began = last = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        answer = ""
        for step, told in first_hour(os.environ["MEMVAULT_TEST_CLAUDE"], Path(folder)):
            answer, now = told, time.monotonic()
            print(f"{step:12} {now - last:5.1f} s", flush=True)
            last = now
    print(f"{'together':12} {time.monotonic() - began:5.1f} s, and Claude Code answers: {answer.strip()}")
    return KEPT not in answer


if __name__ == "__main__":
    sys.exit(main())
