"""The tasks in hand, as they are put before a model, and the token of the fence around whatever is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memvault.context.quote import TOKEN_BYTES, Entry, entry
from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import without_private
from memvault.memories.open_tasks import open_tasks
from memvault.storage.vault.context import Bench
from memvault.text.tokens import clip, estimate

# Every hook asks this, so nothing is imported here that searches.

WORKING_ROOM = 1_000
"""Tokens: tasks in hand are outside the budget, and yet not without end."""


def new_token() -> str:
    """What nobody can know beforehand, to tell the end of a fence by."""
    return os.urandom(TOKEN_BYTES).hex()


def tasks_in_hand(bench: Bench, project: str) -> list[Memory]:
    """The tasks that were taken in hand in this session and for this project, the latest begun first."""
    return [memory for memory in open_tasks(bench) if _is_own(bench, memory, project)]


def _is_own(bench: Bench, memory: Memory, project: str) -> bool:
    own = str(memory.more.get("project", "")).casefold()
    is_here = not own or own == project.casefold()
    return is_here and str(memory.more.get("session", "")) == bench.actor.session


def entries_of(bench: Bench, tasks: Sequence[Memory]) -> Iterator[tuple[Memory, Entry]]:
    """Tasks as they are given, as far as there is room for such."""
    room = WORKING_ROOM
    for memory in tasks:
        body = without_private(bench.text(memory)).strip()
        if (tokens := min(estimate(body), room)) <= 0:
            return
        room -= tokens
        kind = bench.settings.kinds[memory.kind]
        yield memory, Entry(kind.heading, entry(memory, clip(body, tokens)))
