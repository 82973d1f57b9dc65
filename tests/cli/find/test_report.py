"""`stats` and `report` on the command line: what they answer, where the page goes, who opens it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memvault.system import programs
from tests.command_line import Line

STATS = (
    "vault at days memories weight threshold below pinned tiers kinds statuses ages touches fading history most_used "
    "most_linked sizes"
)


def test_stats_in_json_have_the_members_that_the_manual_names(in_vault: Line) -> None:
    assert set(in_vault("vault", "stats", "--json").json["result"]) == set(STATS.split())


def test_the_page_goes_to_stdout_whole(in_vault: Line) -> None:
    ran = in_vault("vault", "report", "--output", "-")
    assert ran.out.startswith("<!doctype html>")
    assert ran.out.endswith("</html>\n")
    assert ran.err == ""
    assert in_vault("vault", "report", "-o", "-", "--json").json["result"]["page"] == ran.out


def test_a_narrow_stdout_gets_every_character_as_html_spells_it(in_vault: Line) -> None:
    in_vault("remember", "会議 are on Fridays at ten.", "--title", "会議", "--tag", "会議")
    ran = in_vault("vault", "report", "--output", "-", encoding="ascii")
    assert "&#20250;&#35696;" in ran.out
    assert "\\u" not in ran.out


def test_the_path_is_the_answer_and_the_page_is_opened_on_request(
    in_vault: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(programs, "open_target", opened.append)
    ran = in_vault("vault", "report")
    assert opened == []
    path = Path(ran.out.strip())
    assert path.is_absolute()
    assert path.is_file()
    assert in_vault("vault", "report", "--open", "--json").json["result"] == {
        "path": str(path),
        "page": "",
        "opened": True,
    }
    assert opened == [str(path)]


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_report_can_be_read_by_its_owner_alone(in_vault: Line) -> None:
    in_vault("vault", "report", "--output", "mine.html")
    assert Path("mine.html").stat().st_mode & 0o777 == 0o600
