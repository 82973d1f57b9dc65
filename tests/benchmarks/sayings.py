"""What a person and two agents come to know in a year: made-up memories, and which of them say the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.benchmarks.phrases import DETAILS, FRAMES, PARTS, PEOPLE, PHRASES, PROJECTS, ROOMS, STEPS, TOOLS, Wordings

START = datetime(2026, 1, 1, tzinfo=UTC)
AGENTS = ("", "claude-code", "codex")  # who writes a memory down; empty is the person
TWINS, CONTRADICTIONS, SERIES = (
    0.045,
    0.015,
    0.004,
)  # of the memories: said again, contradicted, come up again and again
IMPORTED = 0.02
EACH = 1 + TWINS + CONTRADICTIONS + 2.5 * SERIES

KINDS = {
    "fact": "semantic",
    "decision": "semantic",
    "preference": "semantic",
    "procedure": "procedural",
    "episode": "episodic",
    "reminder": "prospective",
}
SHARES = {"fact": 34, "decision": 14, "preference": 4, "procedure": 10, "episode": 30, "reminder": 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One memory as it comes about: when, by whom, about what, and what it says once more or contradicts."""

    id: str
    at: datetime
    sort: str  # what it is by nature: fact, decision, preference, procedure, episode or reminder
    project: str
    text: str
    truth: str  # those that say the same have the same
    fact: str  # those that speak of the same have the same, also where they contradict each other
    how: str  # new, copied, restated, contradicted or again
    agent: str
    session: str
    source: str
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Thought:
    """What is said, before it is put into words."""

    sort: str
    frame: Wordings
    phrases: Mapping[str, Wordings]
    details: tuple[Wordings, ...]
    slots: Mapping[str, object]

    def words(self, wording: int) -> str:
        """It in words: the same wording twice is the same text."""
        phrases = {name: self._put(ways, wording) for name, ways in self.phrases.items()}
        lead = self.frame[wording % len(self.frame)].format(**self.slots, **phrases)
        more = " ".join(self._put(each, wording) for each in self.details)
        text = f"{lead}\n\n{more}" if more else lead
        return text[0].upper() + text[1:]

    def _put(self, ways: Wordings, wording: int) -> str:
        return ways[wording % len(ways)].format(**self.slots)


def sessions_of_day(day: int) -> list[tuple[str, str]]:
    """The conversations of a day, each with who is in it."""
    made, when = random.Random(f"day {day}"), START + timedelta(days=day)
    return [(f"{when:%Y%m%d}-{number}", made.choice(AGENTS)) for number in range(made.randint(2, 5))]


class Sayings:
    """About so many memories over so many days, in the order in which they come about."""

    def __init__(self, count: int, days: int, seed: int) -> None:
        self._made = random.Random(seed)
        self._days = days
        self._taken: set[tuple[object, ...]] = set()
        self._count = round(count / EACH)

    def in_order(self) -> list[Saying]:
        """All of them, by their time."""
        return sorted(
            (saying for number in range(self._count) for saying in self._about(number)), key=lambda one: one.at
        )

    def _about(self, number: int) -> Iterator[Saying]:
        made = self._made
        at = START + timedelta(days=self._days * (number + made.random()) / self._count)
        chance = made.random()
        if chance < SERIES:
            yield from self._series(at, str(number))
            return
        sort = made.choices(list(SHARES), list(SHARES.values()))[0]
        due = at + timedelta(days=made.randint(3, 60)) if sort == "reminder" else None
        thought = self._thought(sort, sort, at, due)
        first = self._saying(thought, 0, at, str(number), str(number), "new", due)
        yield first
        later = at + timedelta(days=made.uniform(0.2, 30))
        if chance < SERIES + TWINS:
            how = "copied" if made.random() < 1 / 3 else "restated"
            yield self._saying(thought, how == "restated", later, str(number), str(number), how, due)
        elif chance < SERIES + TWINS + CONTRADICTIONS:
            other = self._changed(thought)
            yield self._saying(other, made.randrange(2), later, f"{number}*", str(number), "contradicted", due)

    def _series(self, at: datetime, truth: str) -> Iterator[Saying]:
        thought = self._thought("episode", "recurring", at, None)
        for turn in range(self._made.choice((3, 3, 4))):
            how = "again" if turn else "new"
            yield self._saying(thought, turn, at, truth, truth, how, None)
            at += timedelta(days=self._made.uniform(1, 12))

    def _thought(self, sort: str, put: str, at: datetime, due: datetime | None) -> _Thought:
        """Something that nobody has said before."""
        made = self._made
        while True:
            slots: dict[str, object] = {
                "project": made.choice(PROJECTS),
                "part": made.choice(PARTS),
                "person": made.choice(PEOPLE),
                "tool": made.choice(TOOLS),
                "n": made.randint(2, 40),
                "date": f"{at:%Y-%m-%d}",
                "due": f"{due:%Y-%m-%d}" if due else "",
                "other": made.choice(PEOPLE),
                "part2": made.choice(PARTS),
                "tool2": made.choice(TOOLS),
                "room": made.choice(ROOMS),
            }
            frame = made.choice(FRAMES[put])
            phrases = {name: made.choice(ways) for name, ways in PHRASES.items() if f"{{{name}}}" in frame[0]}
            if "{steps}" in frame[0]:
                phrases["steps"] = (self._steps(),)
            key = (frame, slots["project"], slots["part"], *phrases.values())
            if key not in self._taken:
                self._taken.add(key)
                return _Thought(sort, frame, phrases, tuple(made.sample(DETAILS, made.randint(0, 4))), slots)

    def _steps(self) -> str:
        """A few steps in their order, one of which names a number."""
        counted = self._made.choice([number for number, step in enumerate(STEPS) if "{n}" in step])
        chosen = sorted({counted, *self._made.sample(range(len(STEPS)), 4)})
        return "\n".join(f"{turn}. {STEPS[number]}" for turn, number in enumerate(chosen, 1))

    def _changed(self, thought: _Thought) -> _Thought:
        """The same with another number."""
        other = self._made.choice([n for n in range(2, 41) if n != thought.slots["n"]])
        return replace(thought, slots={**thought.slots, "n": other})

    def _saying(
        self, thought: _Thought, wording: int, at: datetime, truth: str, fact: str, how: str, due: datetime | None
    ) -> Saying:
        made = self._made
        session, agent = made.choice(sessions_of_day((at - START).days))
        is_imported = how == "new" and made.random() < IMPORTED
        return Saying(
            id=str(UUID(int=made.getrandbits(128), version=4)),
            at=at.replace(microsecond=0),
            sort=thought.sort,
            project=str(thought.slots["project"]),
            text=thought.words(wording),
            truth=truth,
            fact=fact,
            how=how,
            agent=agent,
            session=session,
            source="import" if is_imported else "agent" if agent else "user",
            due=due,
        )
