"""Lines of the Tasks plug-in: read, and ticked as the plug-in does it."""

from __future__ import annotations

from datetime import date

import pytest

from memvault.text.dates.task_lines import complete_task, find_tasks, read_task

TODAY = date(2026, 11, 26)


def test_a_line_says_what_and_when_and_how_often() -> None:
    found = read_task("- [ ] Water the ferns #home 📅 2026-11-30 🔁 every week ⏫")
    assert found is not None
    assert (found.text, found.due, str(found.repeat), found.priority) == (
        *("Water the ferns #home", date(2026, 11, 30), "every week"),
        4,
    )


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] Buy milk",
        "Water the ferns 📅 2026-11-30",
        "- [x] Done 📅 2026-11-30 ✅ 2026-11-20",
        "- [-] No 📅 2026-11-30",
    ],
)
def test_a_line_without_its_signs_or_that_is_over_is_none(line: str) -> None:
    assert find_tasks(line) == []


def test_lines_in_code_are_none_and_each_has_its_number() -> None:
    text = "# Plan\n\n- [ ] Rake 📅 2026-11-30\n```\n- [ ] not this 📅 2026-11-30\n```\n> 1. [ ] Prune ⏳ 2026-12-01\n"
    assert find_tasks(text) == [(3, "- [ ] Rake 📅 2026-11-30"), (7, "> 1. [ ] Prune ⏳ 2026-12-01")]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("- [ ] Rake 📅 2026-11-30", ["- [x] Rake 📅 2026-11-30 ✅ 2026-11-26"]),
        (
            "  * [ ] Ferns 📅 2026-11-20 🔁 every week ⏫ ^fern",
            [
                "  * [ ] Ferns ⏫ 🔁 every week 📅 2026-11-27",
                "  * [x] Ferns ⏫ 🔁 every week 📅 2026-11-20 ✅ 2026-11-26 ^fern",
            ],
        ),
        (
            "- [ ] Rent 🔁 every month on the 1st 🛫 2026-11-28 📅 2026-12-01",
            [
                "- [ ] Rent 🔁 every month on the 1st 🛫 2026-12-29 📅 2027-01-01",
                "- [x] Rent 🔁 every month on the 1st 🛫 2026-11-28 📅 2026-12-01 ✅ 2026-11-26",
            ],
        ),
        (
            "- [ ] Filter 🔁 every 2 weeks when done 📅 2026-11-01",
            [
                "- [ ] Filter 🔁 every 2 weeks when done 📅 2026-12-10",
                "- [x] Filter 🔁 every 2 weeks when done 📅 2026-11-01 ✅ 2026-11-26",
            ],
        ),
        ("- [/] x ⏳ 2026-01-02 #a 📅 2026-01-05 #b", ["- [x] x #a #b ⏳ 2026-01-02 📅 2026-01-05 ✅ 2026-11-26"]),
    ],
)
def test_a_line_is_ticked_as_the_plug_in_does_it(line: str, after: list[str]) -> None:
    assert complete_task(line, TODAY) == after


def test_a_line_that_will_not_be_done_comes_no_more() -> None:
    assert complete_task("- [ ] Ferns 🔁 every week 📅 2026-11-30", TODAY, cancel=True) == [
        "- [-] Ferns 🔁 every week 📅 2026-11-30 ❌ 2026-11-26"
    ]
