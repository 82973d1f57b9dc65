"""Long work tells how far it is: a line that is drawn anew on a terminal, now and then one elsewhere, none to programs."""

from __future__ import annotations

import io

import pytest

from memvault.cli.context import CliContext
from memvault.cli.output.progress import ProgressLine, WorkState, format_progress


class Desk:
    """A line about progress on a stream in memory, with a clock that is set by hand."""

    def __init__(self, *, is_watched: bool) -> None:
        self.now = 100.0
        self.stream = io.StringIO()
        self.line = ProgressLine(self.stream, is_watched=is_watched, width=72, clock=lambda: self.now, ticks=False)

    def look(self, seconds: float) -> str:
        """What is written within so many seconds."""
        self.now += seconds
        before = self.stream.tell()
        self.line.draw()
        return self.stream.getvalue()[before:]


def test_a_terminal_sees_a_bar_with_rate_and_time_left_after_a_moment() -> None:
    desk = Desk(is_watched=True)
    assert desk.look(5) == ""
    desk.line.report("Indexing", 0, 1_000)
    assert desk.look(0.29) == ""
    desk.line.report("Indexing", 150, 1_000)
    assert desk.look(0.01).strip() == "Indexing [###.................] 150 of 1,000 · 500/s · 2 s left"
    desk.line.report("Indexing", 1_000, 1_000)
    drawn = desk.look(0.7)
    assert drawn.startswith("\rIndexing [####################] 1,000 of 1,000 · 1,000/s · 0 s left ")
    assert len(drawn) == 72
    desk.line.clear()
    assert desk.look(1) == ""
    assert desk.stream.getvalue().endswith("\r" + " " * 71 + "\r")


def test_elsewhere_a_line_is_written_every_ten_seconds() -> None:
    desk = Desk(is_watched=False)
    desk.line.report("Exporting", 0, 0)
    assert desk.look(9.9) == ""
    assert desk.look(0.1) == "Exporting … 10 s\n"
    desk.line.report("Exporting", 300, 3_600)
    assert desk.look(9.9) == ""
    assert desk.look(0.1) == "Exporting 300 of 3,600 · 15/s · 4 min left\n"
    desk.line.clear()
    assert desk.look(60) == ""
    assert "\r" not in desk.stream.getvalue()


def test_the_rate_is_that_of_the_stage_and_the_line_fits_the_terminal() -> None:
    desk = Desk(is_watched=True)
    desk.line.report("Indexing", 10, 10)
    desk.now += 60
    desk.line.report("Indexing conversations", 0, 1_000)
    desk.line.report("Indexing conversations", 500, 1_000)
    shown = desk.look(1)
    assert "500/s" in shown
    assert len(shown.removeprefix("\r")) == 71


@pytest.mark.parametrize(
    ("state", "seconds", "text"),
    [
        (WorkState("Fetching", 0), 0.5, "Fetching …"),
        (WorkState("Fetching", 0), 75, "Fetching … 1 min"),
        (WorkState("Comparing", 0, 30), 60, "Comparing 30 · 30/min"),
        (
            WorkState("Reading", 0, 5 << 20, 20 << 20, in_bytes=True),
            5,
            "Reading 5.0 MB of 20.0 MB · 1.0 MB/s · 15 s left",
        ),
        (WorkState("Embedding", 0, 1, 2_000), 10, "Embedding 1 of 2,000 · 6/min · 5.6 h left"),
    ],
)
def test_what_is_told(state: WorkState, seconds: float, text: str) -> None:
    assert format_progress(state, seconds, with_bar=False) == text


def test_a_program_is_told_nothing_and_a_line_is_cleared_before_anything_is_printed() -> None:
    out, err = io.StringIO(), io.StringIO()
    cli = CliContext(environment={}, stdin=None, stdout=out, stderr=err)
    cli.as_json = True
    cli.report_work("Indexing", 1, 2)
    assert cli._progress is None
    cli.as_json = False
    cli.report_work("Indexing", 1, 2)
    assert cli._progress is not None
    cli.print_message("Done.")
    assert cli._progress is None
    assert err.getvalue() == "Done.\n"
