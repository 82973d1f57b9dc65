"""Blocks in CLAUDE.md and its kin that may still show what was forgotten for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memvault import files
from memvault.errors import MemvaultError
from memvault.verbs.bench import Bench
from memvault.verbs.claude_md import OWN, claude_md
from memvault.verbs.purge.subject import Subject

_WRITERS = frozenset({"claude-md", "maintain"})


def renewed(bench: Bench, found: Subject) -> tuple[str, ...]:
    """Write every block anew that shows it; those that cannot be written are given back."""
    failed = []
    for path in dict.fromkeys(_written(bench)):
        if not path.is_file() or not found.is_in(files.read(path)):
            continue
        try:
            claude_md(bench, target=path)
        except MemvaultError:
            failed.append(str(path))
    return tuple(failed)


def _written(bench: Bench) -> Iterator[Path]:
    """The files into which memvault ever put a block, as far as the log tells."""
    yield bench.vault.root / OWN
    for operation in bench.vault.log.operations():
        if operation.verb in _WRITERS:
            for step in operation.steps:
                if step.do in ("create", "rewrite", "outside"):
                    yield bench.vault.root / step.path
