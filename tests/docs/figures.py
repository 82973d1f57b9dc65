"""The table in docs/benchmarks.md that comes from kept runs of all benchmarks. `python -m tests.docs.figures --write` renews it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.benchmarks import table
from tests.benchmarks.table import Row, Verdict

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "benchmarks.md"
RUNS = DOCS / "assets"
_BLOCK = re.compile(r"<!-- from the runs -->\n.*?<!-- end -->", re.DOTALL)


def runs() -> list[Row]:
    """The rows of all runs that are kept beside the manual."""
    found = sorted(RUNS.glob("everything-*.json"))
    return [row for path in found for row in table.read(path.read_text(encoding="utf-8"))]


def renewed(page: str, rows: Sequence[Row]) -> str:
    """The page with the table as the rows have it."""
    return _BLOCK.sub(lambda _: f"<!-- from the runs -->\n{figures(rows)}\n<!-- end -->", page)


def figures(rows: Iterable[Row]) -> str:
    """A line for each thing that is held to something, a column for each number of notes; what falls short is bold."""
    lines: dict[tuple[str, str, str], dict[int, Row]] = {}
    for row in rows:
        if row.bar is None or "numpy" in row.name or (row.name.endswith("p95") and row.verdict is not Verdict.MISSED):
            continue  # all of them are in the JSON
        lines.setdefault((row.name, row.unit, row.against), {})[row.notes] = row
    counts = sorted({row.notes for line in lines.values() for row in line.values() if row.notes})
    head = ["what", "against", "must", *(f"{count:,} notes" for count in counts)]
    body = [_line(key, line, counts) for key, line in lines.items()]
    return "\n".join([_cells(head), "|" + "---|" * len(head), *body])


def _line(key: tuple[str, str, str], line: dict[int, Row], counts: Sequence[int]) -> str:
    name, unit, against = key
    # What does not depend on how many notes there are stands in the first column.
    values = [line.get(count) or (line.get(0) if place == 0 else None) for place, count in enumerate(counts)]
    figures = ("" if one is None else _value(one) for one in values)
    # Where a bar differs with the number of notes, they stand one after the other.
    bars = dict.fromkeys(table.mark_of(row, row.bar) for row in line.values() if row.bar is not None)
    return _cells([name, against or ("" if unit == table.TIMES else unit), " / ".join(bars), *figures])


def _value(row: Row) -> str:
    value = table.figure_of(row.value)
    told = f"{value} ({row.shown})" if row.shown and not row.name.endswith("p95") else value
    return f"**{told}**" if row.verdict is Verdict.MISSED else told


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    now = renewed(page, runs())
    if "--write" in sys.argv[1:]:
        PAGE.write_text(now, encoding="utf-8")
    sys.exit(int(now != page and "--write" not in sys.argv[1:]))


if __name__ == "__main__":
    main()
