"""The parts of the one run that measures everything, each a module with `measured`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType

from tests.benchmarks.parts.size import Size
from tests.benchmarks.table import Row

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "questions": "what finding costs beside other engines",
        "recalls": "whole recalls by a process that runs on, and the look at every file",
        "commands": "hooks and recalls as whole processes",
        "saves": "from a save in an editor until it can be recalled",
        "index": "building the index, and one note changed in it",
        "memory": "what a recall and the daemon hold in memory",
        "crowd": "many callers at once while notes change",
        "storm": "very many files at once under the watch",
        "harm": "indexing that is killed, and an index that is damaged",
    }
)
ONCE = frozenset({"storm", "harm"})  # which do not depend on the number of notes


def measured(part: str, size: Size) -> list[Row]:
    """The rows of one part, in this process and its children."""
    rows: list[Row] = import_module(f"tests.benchmarks.parts.{part}").measured(size)
    return [replace(row, part=part, notes=0 if part in ONCE else size.notes) for row in rows]
