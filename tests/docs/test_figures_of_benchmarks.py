"""The table of figures in the manual is that of the runs which are kept beside it."""

from __future__ import annotations

from tests.benchmarks.table import TIMES, Row
from tests.docs import figures


def test_the_page_has_the_runs_as_they_are_kept() -> None:
    page = figures.PAGE.read_text(encoding="utf-8")
    rows = figures.runs()
    assert rows
    assert figures.renewed(page, rows) == page


def test_what_falls_short_is_bold_and_each_number_of_notes_has_a_column() -> None:
    few = Row("recall", 1.5, TIMES, "python", bar=2.0, aim=1.4, notes=10)
    many = Row("recall", 2.5, TIMES, "python", bar=2.0, aim=1.4, notes=100)
    once = Row("files at once", 28.9, "s", bar=60)
    assert figures.figures([few, many, once]).splitlines() == [
        "| what | against | must | 10 notes | 100 notes |",
        "|---|---|---|---|---|",
        "| recall | python | <= 2 | 1.5 | **2.5** |",
        "| files at once | s | <= 60 | 28.9 |  |",
    ]
