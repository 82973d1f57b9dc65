"""A command line to run in this process, on the fixed clock, with streams of its own."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memvault import cli
from tests.conftest import Clock


class Stream(io.TextIOWrapper):
    """A stream in memory that may be a terminal, in an encoding of choice."""

    def __init__(self, data: bytes = b"", *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(data), encoding=encoding, errors="backslashreplace", newline="")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    @property
    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


class Ran(NamedTuple):
    """What came of a command line."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Line = Callable[..., Ran]


@pytest.fixture
def line(tmp_path: Path, environment: dict[str, str], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Line:
    """Runs `memvault WORDS…` in an empty folder."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def run(
        *words: str,
        stdin: bytes | None = None,
        typed: str | None = None,  # by a person, who sees stderr
        terminal: bool = False,
        encoding: str = "utf-8",
        **variables: str,
    ) -> Ran:
        out, err = Stream(terminal=terminal, encoding=encoding), Stream(terminal=terminal or typed is not None)
        code = cli.run_command(
            words,
            environment={**environment, **variables},
            stdin=Stream((typed or "").encode(), terminal=True) if stdin is None else Stream(stdin),
            stdout=out,
            stderr=err,
            clock=clock,
            zone=UTC,
        )
        return Ran(code, out.text, err.text)

    return run


@pytest.fixture
def in_vault(line: Line) -> Line:
    """The same, in a fresh vault with one memory, `tea`."""
    line("init", ".")
    line("remember", "Sara prefers tea to coffee.", "--title", "tea")
    return line


@pytest.fixture
def in_sample(line: Line) -> Line:
    """The same, in the sample vault."""
    line("init", ".", "--sample")
    return line
