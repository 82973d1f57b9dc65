"""Made-up chats, each about one part of one project: the sayings of a made-up year, with the talk that stands around them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.benchmarks.phrases import FRAMES, PARTS, PEOPLE, PHRASES, PROJECTS, ROOMS, TOOLS

Said = tuple[str, str]  # who and what

_TURNS = (24, 60)
_POINTED = 0.4  # of the turns that say "it" for what they speak of
_SORTS = ("fact", "decision", "preference", "episode", "reminder")
_OPENINGS = ("", "", "", "I think ", "As far as I know ", "You know, ", "Well, ", "And ", "By the way, ")
_REPLIES = (
    "Good to know.",
    "I see, thanks.",
    "Oh, I had not heard of that.",
    "That makes sense to me.",
    "Really? Since when?",
    "Who looks after it?",
    "Sounds good. Anything else?",
    "Fine with me.",
    "I wonder how long that holds.",
    "Could you write that down somewhere?",
)
_REPLY_SHARE = 0.35


class Chats:
    """Two people who talk shop, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._made = random.Random(seed)

    def talks(self, count: int) -> Iterator[list[Said]]:
        """So many chats, no two of them about the same project or part."""
        topics = zip(self._made.sample(PROJECTS, count), self._made.sample(PARTS, count), strict=True)
        for project, part in topics:
            yield list(self._talk(project, part))

    def _talk(self, project: str, part: str) -> Iterator[Said]:
        made = self._made
        people, tools, rooms = made.sample(PEOPLE, 3), made.sample(TOOLS, 2), made.sample(ROOMS, 2)
        for turn in range(made.randint(*_TURNS)):
            if turn and made.random() < _REPLY_SHARE:
                yield "AB"[turn % 2], made.choice(_REPLIES)
                continue
            pointed = turn > 0 and made.random() < _POINTED
            slots: dict[str, object] = {
                "project": project,
                "part": part,
                **{name: made.choice(people) for name in ("person", "other")},
                **{name: made.choice(tools) for name in ("tool", "tool2")},
                **{name: made.randint(2, 40) for name in ("n",)},
                **{name: f"2026-{made.randint(1, 12):02}-{made.randint(1, 28):02}" for name in ("date", "due")},
                "part2": part,
                "room": made.choice(rooms),
                "steps": "",
            }
            yield "AB"[turn % 2], self._sentence(slots, pointed=pointed)

    def _sentence(self, slots: dict[str, object], *, pointed: bool) -> str:
        made = self._made
        frame = made.choice(made.choice(FRAMES[made.choice(_SORTS)]))
        phrases = {name: made.choice(made.choice(ways)).format(**slots) for name, ways in PHRASES.items()}
        text = frame.format(**slots, **phrases)
        if pointed:
            project, part = slots["project"], slots["part"]
            text = text.replace(f"the {part} of {project}", "it").replace(f"the {project} {part}", "it")
        return f"{made.choice(_OPENINGS)}{text}"
