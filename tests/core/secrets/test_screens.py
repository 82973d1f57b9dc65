"""What is picked up by itself and not worth a memory, and what is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.secrets.screens import TRIVIA_SCREENS, Captured, normalize_content, trivial_reason

NOTHING = (
    "ok",
    "Thanks so much, that is exactly what I was looking for, have a great day!",
    "Got it, sounds good, let me know if you need anything else from me on this.",
    "Let me take a look at the file and see what is going on here.",
    "I'll now run the tests and check that everything still passes.",
    "Vielen Dank dir, alles klar, passt so, ich melde mich dann später noch einmal.",
    "Merci beaucoup, c'est parfait, tout est bon pour moi, à plus tard !",
    "..................................................................",
    "test test test test test test test test test test test test",
    "On branch main. nothing to commit, working tree clean, nothing added",
    "$ cd project && source .venv/bin/activate && python -m pytest -q | tail -n 20",
)
SOMETHING = (
    "We decided to keep gauge readings in Postgres because SQLite locked under load.",
    "Sara prefers tea to coffee and does not drink anything after six in the evening.",
    "Let me note that the Hollin pump must be restarted every Monday before nine.",
    "Thanks for the review. The API limit is 500 requests per minute per key.",
    "All tests pass only when TZ is set to UTC, otherwise the decay tests fail.",
    "Das Team trifft sich jeden Dienstag um zehn in Raum 4.12 zur Durchsicht.",
    "Let's use pnpm instead of npm in all repositories from now on, said Bo.",
    "昨日の会議で、センサーのデータは毎晩データベースに保存し、三十日後に古いものから順番に自動で削除することに決まりました。",
)


@pytest.mark.parametrize("text", NOTHING)
def test_trivial_texts_are_screened_with_a_reason(text: str) -> None:
    assert trivial_reason(Captured(text))


@pytest.mark.parametrize("text", SOMETHING)
def test_particular_texts_pass_the_screens(text: str) -> None:
    assert trivial_reason(Captured(text)) == ""


def test_shortest_length_can_be_set() -> None:
    text = "Ilse keeps the keys of the gauge house at Hollin."
    assert len(text) == 49
    assert trivial_reason(Captured(text)) == ""
    assert "50" in trivial_reason(Captured(text, 50))


@given(st.text(max_size=300))
def test_every_screen_has_an_answer_to_every_text(text: str) -> None:
    assert all(isinstance(screen(Captured(text)), str) for screen in TRIVIA_SCREENS.values())


def test_the_same_content_is_the_same_however_it_is_set() -> None:
    assert normalize_content("  High WATER\n at Hollin ") == normalize_content("high water at hollin")
    assert normalize_content("cafe\u0301") == normalize_content("caf\u00e9")


def test_courtesies_reactions_and_output_are_trivial_in_all_languages_and_short_facts_are_not() -> None:
    seen = Path(__file__).parents[2] / "labelled" / "seen"
    rows = [json.loads(line) for line in (seen / "trivial-2.jsonl").read_text(encoding="utf-8").splitlines()]
    stopped = [bool(trivial_reason(Captured(row["text"]))) for row in rows]
    right = sum(found and row["trivial"] for found, row in zip(stopped, rows, strict=True))
    assert right / sum(stopped) >= 0.97
    assert right / sum(row["trivial"] for row in rows) >= 0.97
    requests = [json.loads(line) for line in (seen / "requests-2.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum(not trivial_reason(Captured(row["text"])) for row in requests) <= 8
