"""Memories as lines of JSON, one each, for programs."""

from __future__ import annotations

from memvault.core import json as jsonable
from memvault.storage.vault.context import Bench
from memvault.transfer.exporters.taken import Taken


def made(_bench: Bench, taken: tuple[Taken, ...]) -> bytes:
    """One line a memory: its fields, where it lies, its text, what it weighs today and how often it was used."""
    return "".join(f"{jsonable.line(_row(one), ascii_only=False)}\n" for one in taken).encode("utf-8", "replace")


def _row(one: Taken) -> dict[str, object]:
    own = jsonable.memory(one.memory)
    dropped = ("version", "problem")
    kept = {name: value for name, value in own.items() if name not in dropped}
    return {**kept, "effective_weight": round(one.weight, 4), "uses": jsonable.plain(one.use), "text": one.text}
