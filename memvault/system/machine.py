"""The machine whose schedulers are meant, and the one place where their programs are run."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memvault.errors import SchedulerFailed
from memvault.system.programs import find_program

# "systemctl:/path/to/a/fake --option,crontab:true": programs to run instead, so that tests need no scheduler.
STAND_INS = "MEMVAULT_SCHEDULER_COMMANDS"
_PATIENCE = 60
_NOT_THERE = 127  # as shells have it


class Ended(NamedTuple):
    """How a program ended, and what it gave."""

    code: int
    out: bytes
    complaint: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as its schedulers see it: its variables, its system, its user."""

    environment: Mapping[str, str]
    platform: str = sys.platform
    user: int = os.getuid() if sys.platform != "win32" else 0

    def ask(self, program: str, *words: str, feed: bytes = b"") -> Ended:
        """Run a scheduler's program and see how it ends; one that is not there ends with 127."""
        # In the C locale, so that what they say can be understood whatever the person's language.
        environment = {**self.environment, "LC_ALL": "C"}
        try:
            done = subprocess.run(
                [*self._program(program), *words],
                input=feed,
                env=environment,
                capture_output=True,
                check=False,
                timeout=_PATIENCE,
            )
        except FileNotFoundError:
            return Ended(_NOT_THERE, b"", f"{program} is not installed")
        except OSError as error:
            return Ended(_NOT_THERE, b"", f"{program} cannot be started ({error.strerror or error})")
        except subprocess.TimeoutExpired:
            return Ended(_NOT_THERE, b"", f"{program} did not answer within {_PATIENCE} seconds")
        said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split()) if done.returncode else ""
        return Ended(done.returncode, done.stdout, said or f"exit code {done.returncode}")

    def tell(self, program: str, *words: str, feed: bytes = b"", way_out: str) -> None:
        """Run a scheduler's program; where it fails, say so and what may be done instead."""
        ended = self.ask(program, *words, feed=feed)
        if ended.code:
            raise failed(" ".join((program, *words)), ended, way_out=way_out)

    def _program(self, name: str) -> list[str]:
        instead = dict(row.split(":", 1) for row in self.environment.get(STAND_INS, "").split(",") if ":" in row)
        if name in instead:
            return shlex.split(instead[name])
        # Windows would look into the current folder first, which may be a vault.
        return [find_program(name, self.environment) or name] if sys.platform == "win32" else [name]

    def memvault(self, python: str = sys.executable) -> tuple[str, ...]:
        """How this memvault is called from anywhere: its console script, or else the interpreter with its name."""
        [stand_in, *_] = self._program("memvault")
        if stand_in != "memvault":
            return (stand_in,)
        # Not resolved: behind the links of a virtual environment lies an interpreter that knows no memvault.
        script = Path(python).absolute().with_name("memvault.exe" if self.platform == "win32" else "memvault")
        return (str(script),) if script.is_file() else (str(Path(python).absolute()), "-m", "memvault")


def failed(asked: str, ended: Ended, *, way_out: str) -> SchedulerFailed:
    """The error for a program that did not do what it was asked."""
    return SchedulerFailed(asked=asked, reason=ended.complaint.rstrip("."), way_out=way_out)
