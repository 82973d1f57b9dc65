"""Blocks in CLAUDE.md and its kin that may still show what was forgotten for good."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from memvault.context.claude_md import OWN, claude_md
from memvault.context.claude_md_text import FORMATS
from memvault.errors import MemvaultError
from memvault.privacy.purge.subject import Subject
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.text.managed_block import BEGIN

_TELLING = len("<!-- memvault:begin")
_WRITERS = frozenset({"claude-md", "maintain"})


def renewed(bench: Bench, found: Subject) -> tuple[str, ...]:
    """Write every block anew that shows it; those that could not be written, and show it still, are given back."""
    return _each(bench, lambda data: found.is_in(data) or found.is_shown_in(data.decode("utf-8", "replace")))


def all_renewed(bench: Bench) -> tuple[str, ...]:
    """Write every block anew that is still there; those that could not be written are given back."""
    return _each(bench, lambda _data: True)


def _each(bench: Bench, is_meant: Callable[[bytes], bool]) -> tuple[str, ...]:
    failed = []
    for path in written(bench):
        try:
            if path.is_file() and has_mark(data := files.read(path)) and is_meant(data):
                claude_md(bench, target=path, format=_format_of(path))
        except (MemvaultError, OSError):
            failed.append(str(path))
    return tuple(failed)


def has_mark(data: bytes) -> bool:
    """Whether a file has a block of ours in it, sound or not."""
    return BEGIN[:_TELLING].encode() in data


def written(bench: Bench) -> tuple[Path, ...]:
    """The files into which memvault ever put a block, as far as the log tells."""
    return tuple(dict.fromkeys(_written(bench)))


def _format_of(path: Path) -> str:
    """How an agent that looks for a file of this name wants its block."""
    return next((name for name, format_ in FORMATS.items() if path.as_posix().endswith(format_.file)), "claude")


def _written(bench: Bench) -> Iterator[Path]:
    """The files into which memvault ever put a block, as far as the log tells."""
    yield bench.vault.root / OWN
    for operation in bench.vault.log.operations():
        if operation.verb in _WRITERS:
            for step in operation.steps:
                if step.do in ("create", "rewrite", "outside") and bench.vault.place(step.path) is None:
                    yield bench.vault.root / step.path
