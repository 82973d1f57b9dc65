"""A model behind the seam, by whichever provider a test wants."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memvault.models.llm.ask import CallBudget, CallLog, ModelClient, Setup
from memvault.models.llm.model import create_provider
from tests.conftest import START
from tests.models.server import Server, serving

PROGRAM = str(Path(__file__).with_name("program.py"))
# Not the tests' own interpreter with all its packages' start-up: -I -S is ready in half the time.
STAND_IN = (sys.executable, "-I", "-S", PROGRAM)

FORM: dict[str, object] = {
    "type": "object",
    "properties": {"word": {"type": "string"}, "score": {"type": "number", "minimum": 0, "maximum": 10}},
    "required": ["word"],
}

Made = Callable[..., ModelClient]


def unscrubbed(text: str) -> str:
    return text


@pytest.fixture
def machine() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nowhere"}


@pytest.fixture
def log(tmp_path: Path) -> CallLog:
    return CallLog(tmp_path / "log", START)


@pytest.fixture
def model(machine: dict[str, str], log: CallLog) -> Made:
    """Makes a model: `model("command", command=(…))`."""

    def make(kind: str, *, most: int = 100, scrub: Callable[[str], str] = unscrubbed, **given: Any) -> ModelClient:
        variables = {**machine, **given.pop("variables", {})}
        setup = Setup(environment=variables, **given)
        return ModelClient(
            create_provider(kind, setup), scrub=scrub, environment=variables, budget=CallBudget(most), log=log
        )

    return make


@pytest.fixture
def program(model: Made) -> Made:
    """Makes a model whose provider is a program that behaves as the words say."""
    return lambda *how, **given: model("command", command=(*STAND_IN, *how), **given)


@pytest.fixture
def claude(model: Made) -> Made:
    """Makes a model whose provider is a stand-in for Claude Code that behaves as the word says."""
    return lambda how, **given: model("claude", command=(*STAND_IN, "claude", how), **given)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    made = Pipe(tmp_path / "pipe")
    yield made
    os.close(made.reading)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def openai(model: Made, server: Server) -> Made:
    """Makes a model whose provider is the stand-in server."""
    return lambda **given: model("openai", **{"url": server.url, "name": "small", **given})


# -- a pipe by which it is seen who still lives

_PATIENCE = 30.0


class Pipe:
    """A pipe that is at its end once everybody who holds it is dead."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self.reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        # A pipe that nobody has written to yet has no end either; our own hold on it gives it one.
        self.writing = os.open(path, os.O_WRONLY)

    def is_held(self, *, by: int = 1) -> bool:
        """Whether so many come to hold it, and say so by a line each."""
        said = b""
        while said.count(b"\n") < by and (more := self._said()):
            said += more
        return said.count(b"\n") >= by

    def is_over(self) -> bool:
        """Whether nobody else holds it any more; what they said is read away first."""
        os.close(self.writing)
        while (said := self._said()) is not None:
            if not said:
                return True
        return False

    def _said(self) -> bytes | None:
        return os.read(self.reading, 100) if select.select([self.reading], [], [], _PATIENCE)[0] else None
