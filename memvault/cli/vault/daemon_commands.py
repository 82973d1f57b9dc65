"""The commands that the daemon answers, in the very words of a process of its own."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from threading import Lock

from memvault.agents.hooks.event import LeaveToCaller
from memvault.cli.argv import read_plain_call, split_argv
from memvault.cli.context import CliContext, VaultOpener
from memvault.cli.main import call_command
from memvault.cli.parsing.parser import parse_argv
from memvault.daemon.server import DaemonRequest

READ_COMMANDS = frozenset({"recall", "vault list", "show", "session timeline"})
"""They ask nobody anything, and need nothing that a process has but one of."""

_UNSUPPORTED_OPTIONS = frozenset({"-h", "--help", "--version", "-V", "--batch"})
_parsing = Lock()
# What the first request would load, and what is loaded where it is needed only.
_PRELOADED = (
    *("memvault.cli.find.recall", "memvault.cli.find.show", "memvault.cli.find.batch"),
    *("memvault.transfer.json_values", "memvault.storage.index.update"),
)


def preload() -> None:
    """Load what the first request would load."""
    for name in _PRELOADED:
        import_module(name)


def run_read_command(request: DaemonRequest, environment: Mapping[str, str], opener: VaultOpener) -> Sequence[bytes]:
    """Return the exit code of a command, its data and its messages."""
    if split_argv(request.words)[0] not in READ_COMMANDS or any(map(_is_unsupported, request.words)):
        raise LeaveToCaller
    try:
        with _parsing:  # typer was made for one command in a process
            call = read_plain_call(request.words) or parse_argv(request.words)
    except Exception:
        raise LeaveToCaller from None
    if isinstance(call, int):
        raise LeaveToCaller
    stdin, stdout, stderr = (_MemoryStream(terminal=terminal) for terminal in request.terminals)
    cli = CliContext(environment=environment, stdin=stdin, stdout=stdout, stderr=stderr, opener=opener)
    try:
        code = call_command(call, request.words, cli)
    except Exception:
        raise LeaveToCaller from None
    return str(code).encode(), stdout.get_data(), stderr.get_data()


def _is_unsupported(word: str) -> bool:
    """Return whether a word asks for help, for stdin, or names a file as seen from the caller's folder."""
    return word.partition("=")[0] in _UNSUPPORTED_OPTIONS or (word.endswith(".md") and bool({"/", "\\"} & set(word)))


class _MemoryStream(io.TextIOWrapper):
    """A stream in memory that stands for one of the caller's."""

    def __init__(self, *, terminal: bool) -> None:
        self._memory = io.BytesIO()
        self._terminal = terminal
        super().__init__(self._memory, encoding="utf-8", errors="backslashreplace")

    def isatty(self) -> bool:
        """Return whether a person is at the caller's end."""
        return self._terminal

    def get_data(self) -> bytes:
        """Return all that was written."""
        self.flush()
        return self._memory.getvalue()

    def readable(self) -> bool:
        """It cannot be read: what the caller's stdin holds stays there."""
        raise LeaveToCaller
