"""The parts of the one run that measures everything, each a module with `measured`, or with `measured_on` where a daemon is to be at work."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from tests.benchmarks.parts.size import WHOLE, Size
from tests.benchmarks.processes import Stage
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
    module = import_module(f"tests.benchmarks.parts.{part}")
    if hasattr(module, "measured"):
        rows = module.measured(size)
    else:  # it needs a daemon at work
        with tempfile.TemporaryDirectory() as name:
            stage = Stage(Path(name), size.notes)
            with stage.porter():
                rows = module.measured_on(stage, size)
    return [
        replace(row, part=part, notes=0 if part in ONCE else size.notes, command=command(part, size)) for row in rows
    ]


def command(part: str, size: Size) -> str:
    """What measures one part alone."""
    usual = asdict(WHOLE) | {"engines": size.engines, **({"notes": size.notes} if part in ONCE else {"notes": 0})}
    words = [f"--{name} {value:g}" for name, value in asdict(size).items() if value != usual[name]]
    return " ".join((f"python -m tests.benchmarks.everything --parts {part}", *words))
