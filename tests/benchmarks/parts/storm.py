"""Very many files at once under the watch."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.benchmarks.parts.size import Size
from tests.benchmarks.table import Row
from tests.stress.storm import WITHIN, watched

FOLDERS = 40


def measured(size: Size) -> list[Row]:
    """How long until all are known, and how many are missing then."""
    with tempfile.TemporaryDirectory() as name:
        _, took, missing = watched(Path(name), size.storm, FOLDERS)
    return [
        Row(f"{size.storm:,} files at once, until all are known", took, "s", bar=WITHIN),
        Row(f"{size.storm:,} files at once, missing", float(missing), "", bar=0),
    ]
