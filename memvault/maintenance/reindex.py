"""Build the catalogue again from the files."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.storage.vault.context import Bench
from memvault.transcripts.search import refreshed


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What the new catalogue holds."""

    memories: int
    turns: int
    problems: tuple[str, ...]


def reindex(bench: Bench) -> Reindexed:
    """Fill a new catalogue from the files alone; nothing in the vault changes."""
    bench.freshen()
    passed_over = (f"{path}: {reason}" for path, reason in bench.vault.unreadable.items())
    turns = refreshed(bench).count()[1]
    return Reindexed(bench.catalogue.count(), turns, (*bench.catalogue.problems(), *passed_over))
