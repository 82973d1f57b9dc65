"""What is put before a model: a person's preferences, the right memory for a prompt, silence, and what wraps it all.

`python -m tests.benchmarks.judgement.given` lists what is missed in the half that may be looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from operator import and_, gt
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.agents.hooks.session import inject_session
from memvault.text.statements.action_match import BEARS, is_rule, parse_rule, rate_bearing, read_action
from tests.places import in_memory

SEEN = Path(__file__).parents[2] / "labelled" / "seen"
OTHERS, MANY = 150, 100
BUDGET = 500
Row = Mapping[str, Any]


def measure(half: Path) -> dict[str, str]:
    """Return every figure of what is given, for one half of the sets."""
    people, others = read_rows(half, "people"), read_rows(half, "others")
    return {
        **measure_card(people, others),
        **measure_many(people, others),
        **measure_prompts(read_rows(half, "prompts")),
        **measure_actions(read_rows(half, "actions")),
        **measure_wrapping(),
    }


def measure_actions(rows: Sequence[Row]) -> dict[str, str]:
    """Return how many actions that a rule bears on are given it, and how many others are, too."""
    given = [is_given(row) for row in rows]
    bears = [row["bears"] for row in rows]
    return {
        "actions: given the rule that bears (>= .8)": f"{sum(map(and_, given, bears))} of {sum(bears)}",
        "actions: given one that does not (<= .05)": f"{sum(map(gt, given, bears))} of {len(bears) - sum(bears)}",
    }


def is_given(row: Row) -> bool:
    """Return whether a rule would be given before an action."""
    action = read_action(row["tool"], row["input"], row["cwd"])
    return action is not None and is_rule(row["memory"]) and rate_bearing(parse_rule(row["memory"]), action) >= BEARS


def read_rows(half: Path, name: str) -> list[Row]:
    """Return the rows of a set."""
    return [json.loads(line) for line in (half / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


class Day:
    """A clock that shows a day, until it is set to another."""

    now = datetime(2026, 4, 16, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def new_vault() -> Iterator[tuple[Memvault, Day]]:
    """Yield an empty vault of its own, which is deleted afterwards, and its clock."""
    with TemporaryDirectory(dir=in_memory(os.environ)) as name:
        environment, day = {"HOME": name}, Day()
        Memvault.init(f"{name}/vault", clock=day, environment=environment)
        with Memvault(f"{name}/vault", clock=day, environment=environment) as vault:
            yield vault, day


def store(vault: Memvault, preferences: Sequence[Row], others: Sequence[Row]) -> None:
    """Remember preferences among other memories."""
    for row in preferences:
        vault.remember(row["text"], near="ignore", secrets="keep")
    for row in others:
        vault.remember(row["text"], title=row["title"], kind=row["kind"], near="ignore", secrets="keep")


def measure_card(people: Sequence[Row], others: Sequence[Row]) -> dict[str, str]:
    """Return how many of twenty preferences are before the model at a start and in a small context."""
    started = asked = known = 0
    for person in people:
        chosen = Random(person["id"]).sample(list(others), OTHERS)
        with new_vault() as (vault, _):
            store(vault, person["preferences"], chosen)
            start = inject_session(vault, event="SessionStart", session="s", project="", source="startup").text
            for row in person["preferences"]:
                known += 1
                started += holds(start, row)
                asked += holds(vault.context(row["question"], budget=BUDGET).text, row)
    return {
        "preferences at session start (>= 95 %)": share(started, known),
        "preferences in a context of 500 (>= 95 %)": share(asked, known),
    }


def measure_many(people: Sequence[Row], others: Sequence[Row]) -> dict[str, str]:
    """Return how many of a hundred preferences are in a small context when they are called for."""
    asked = [*find_missed(people, others)]
    return {"100 preferences in a context (>= 80 %)": share(sum(not row for row in asked), len(asked))}


def find_missed(people: Sequence[Row], others: Sequence[Row]) -> Iterator[Row | None]:
    """Yield for each question of a person with a hundred preferences the one that is missed, or None."""
    for person in people:
        random = Random(person["id"])
        pool = [row for other in people if other is not person for row in other["preferences"]]
        own = person["preferences"]
        with new_vault() as (vault, _):
            store(vault, [*own, *random.sample(pool, MANY - len(own))], random.sample(list(others), OTHERS))
            for row in own:
                yield None if holds(vault.context(row["question"], budget=BUDGET).text, row) else row


def measure_prompts(rows: Sequence[Row]) -> dict[str, str]:
    """Return how often the right memory is among the two of a prompt, and how often nothing is given where nothing fits."""
    found = [(row, ask_prompt(row)) for row in rows]
    right = [
        any(row["memories"][number]["text"] in text for number in row["right"]) for row, text in found if row["right"]
    ]
    silent = [not text for row, text in found if not row["right"]]
    return {
        "prompt: the right memory among two (>= .75)": f"{sum(right)} of {len(right)}",
        "prompt: silent where nothing fits (>= .9)": f"{sum(silent)} of {len(silent)}",
    }


def ask_prompt(row: Row) -> str:
    """Return what a prompt is given in a vault of a row's memories."""
    with new_vault() as (vault, day):
        today = day.now
        for each in row["memories"]:
            day.now = datetime.fromisoformat(f"{each['created']}T09:00:00+00:00")
            vault.remember(
                each["text"],
                title=each["title"],
                kind=each["kind"],
                weight=each["weight"],
                near="ignore",
                secrets="keep",
            )
        day.now = today
        text = inject_prompt(vault, row["prompt"], event="UserPromptSubmit", session="s", project="").text
    return "\n".join(line.removeprefix("> ") for line in text.splitlines())


def measure_wrapping() -> dict[str, str]:
    """Return how many characters stand around one memory, and how many more around another."""
    texts = (
        "The spare modem of the Hollin gauge lies in the green box.",
        "The Hollin gauge was given a new modem in March.",
    )
    sizes = []
    for count in (1, 2):
        with new_vault() as (vault, _):
            for text in texts[:count]:
                vault.remember(text, kind="semantic", near="ignore")
            given = inject_prompt(
                vault, "Where is the modem of the Hollin gauge?", event="UserPromptSubmit", session="s", project=""
            )
            sizes.append(len(given.text) - sum(len(text) for text in texts[:count] if text in given.text))
    return {
        "characters around one memory (<= 180)": str(sizes[0]),
        "around a further one (<= 40)": str(sizes[1] - sizes[0]),
    }


def holds(text: str, row: Row) -> bool:
    """Return whether a text gives a preference whole."""
    return row["text"] in text


def share(part: int, whole: int) -> str:
    """Return a share in percent, and of how many."""
    return f"{100 * part / whole:.1f} % of {whole}"


def main() -> None:
    """List each preference and each prompt that is missed in the half that may be looked at."""
    people, others = read_rows(SEEN, "people"), read_rows(SEEN, "others")
    for row in find_missed(people, others):
        if row:
            print(f"{row['topic']:10} {row['text']}\n    {row['question']}")
    for row in read_rows(SEEN, "prompts"):
        print(f"{row['prompt']}\n  right: {[row['memories'][at]['text'] for at in row['right']]}\n  {ask_prompt(row)}")


if __name__ == "__main__":
    main()
