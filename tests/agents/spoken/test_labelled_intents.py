"""Commands told from talk about them, on a labelled set of which two parts were not looked at while rules were made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from memvault.agents.spoken.intent import INTENTS_BY_NAME, Dig, Intent, Pause, Remember, Significant, WhatAbout
from memvault.agents.spoken.listening import may_hold_command
from memvault.text.dates.due import split_moment
from tests.agents.spoken import parse_intent
from tests.benchmarks.judgement.commands import measure

LABELLED = Path(__file__).parents[2] / "labelled" / "intents.jsonl"
SEEN = LABELLED.parent / "seen"
CREATES = frozenset(("remember", "significant", "save"))
NONE = "none"
LATER = {
    "todo",
    "pause-session",
    "forget",
    "done",
    "list",
    "update",
}  # named otherwise there, or in the seen half alone
PARTS = ("tuned", "held", "later", "later-held")


class Row(NamedTuple):
    prompt: str
    meant: str
    text: str | None
    found: Intent | None

    @property
    def name(self) -> str:
        kinds = {type(make("x")): name for name, make in reversed(INTENTS_BY_NAME.items())}
        return NONE if self.found is None else kinds[type(self.found)]


def rows(part: str) -> Iterator[Row]:
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if told["set"] == part:
            yield Row(told["prompt"], told["intent"], told.get("text"), parse_intent(told["prompt"]))


def shares(found: list[Row], names: frozenset[str]) -> tuple[float, float]:
    """The share rightly taken of all taken for such a command, and of all that are one."""
    taken = [row for row in found if row.name in names]
    meant = [row for row in found if row.meant in names]
    return sum(row.name == row.meant for row in taken) / len(taken), sum(row.name == row.meant for row in meant) / len(
        meant
    )


@pytest.mark.parametrize("part", PARTS)
def test_commands_are_told_from_talk_about_them(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(rows(part))
    every, creations = shares(found, frozenset(INTENTS_BY_NAME)), shares(found, CREATES)
    with capsys.disabled():
        print(
            f"\nintents ({part}): precision {every[0]:.3f}, recall {every[1]:.3f};"
            f" of what creates {creations[0]:.3f}, {creations[1]:.3f}"
        )
    assert creations[0] >= 0.99  # a false creation is worse than a miss
    assert every[0] >= 0.98
    assert every[1] >= 0.95


@pytest.mark.parametrize("part", PARTS)
def test_what_is_meant_is_taken_and_no_more(part: str) -> None:
    told = [row for row in rows(part) if row.text is not None and row.name == row.meant]
    rightly = sum(argument(row.found) in (row.text, split_moment(row.text or "")[0]) for row in told)
    assert rightly / len(told) >= 0.95


def test_the_set_has_what_it_says() -> None:
    found = [row for part in PARTS for row in rows(part)]
    assert len(found) >= 460
    assert sum(row.meant == NONE for row in found) >= 230
    assert {row.meant for row in found} == {NONE, *INTENTS_BY_NAME} - LATER


def test_a_glance_never_misses_what_reading_finds() -> None:
    assert [row.prompt for part in PARTS for row in rows(part) if row.found and not may_hold_command(row.prompt)] == []


def test_commands_of_the_seen_half_are_found_and_nothing_else_is_taken_for_one() -> None:
    figures = measure(SEEN)
    assert figures["ordinary sentences taken for one (0)"].startswith("0 of ")
    assert float(figures["commands: found, and which (>= .93)"].split("(")[1][:5]) >= 0.97
    assert float(figures["commands: what it is about, exactly"].split("(")[1][:5]) >= 0.95


def argument(found: Intent | None) -> str | None:
    match found:
        case Remember(text=text) | Significant(text=text):
            return text
        case Dig(topic=topic) | WhatAbout(topic=topic):
            return topic
        case Pause() | _:
            return None
