"""Whether spoken commands are found, and whether moments are read as they were meant."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from memvault.agents.spoken.intent import INTENTS_BY_NAME, Intent
from memvault.agents.spoken.listening import find_command
from memvault.core.settings import Settings
from memvault.text.dates.dates import WholeDay
from memvault.text.dates.due import find_said

# What the labels call a command, where it has another name here.
_LABEL_OF = {"todo": "remind", "about": "recall", "maintain": "maintenance"}


def measure(half: Path) -> dict[str, str]:
    """Return how many commands, ordinary sentences and moments of a half were judged rightly."""
    commands, ordinary = _read_rows(half / "commands.jsonl"), _read_rows(half / "ordinary.jsonl")
    found = [_hear(row["text"]) for row in commands]
    named = [heard is not None and heard[0] == row["command"] for heard, row in zip(found, commands, strict=True)]
    exact = [
        right and heard is not None and _bare(heard[1]) == _bare(row["thing"])
        for right, heard, row in zip(named, found, commands, strict=True)
    ]
    taken = sum(heard is not None for heard in found)
    false = sum(_hear(row["text"]) is not None for row in ordinary)
    moments = _read_rows(half / "moments.jsonl")
    known = Counter(row["command"] for row in commands)
    right_of = Counter(row["command"] for row, right in zip(commands, named, strict=True) if right)
    return {
        "commands: found, and which (>= .93)": _share(sum(named), len(commands)),
        **{f"  {name}": f"{right_of[name]} of {count}" for name, count in known.most_common()},
        "commands: what it is about, exactly": _share(sum(exact), sum(named)),
        "commands: precision (1.00)": _share(taken, taken + false),
        "ordinary sentences taken for one (0)": f"{false} of {len(ordinary)}",
        "moments: day and hour": _share(sum(map(_is_read_rightly, moments)), len(moments)),
    }


def _read_rows(path: Path) -> Sequence[Mapping[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _hear(text: str) -> tuple[str, str] | None:
    """Return the command that a text holds, by the name of its label, and what it is about."""
    found = find_command(text, Settings({}))
    if found is None:
        return None
    name = intent_name(found.intent)
    return _LABEL_OF.get(name, name), str(getattr(found.intent, "text", getattr(found.intent, "topic", "")))


def intent_name(intent: Intent) -> str:
    """Return the name of a command, as the settings call it."""
    if getattr(intent, "to_do", False):
        return "todo"
    return next(name for name, make in INTENTS_BY_NAME.items() if type(make("x")) is type(intent))


def _bare(text: str) -> str:
    return re.sub(r"^(?:the )|[\s.!?。]+$", "", text.strip(), flags=re.IGNORECASE)


def _is_read_rightly(row: Mapping[str, str | None]) -> bool:
    said = datetime.fromisoformat(f"{row['said_on']}T08:00:00").replace(tzinfo=UTC)
    found = find_said(str(row["text"]), now=said, zone=UTC)
    if found is None or row["date"] is None:
        return found is None and row["date"] is None
    hour = None if isinstance(found, WholeDay) else f"{found:%H:%M}"
    return (f"{found:%Y-%m-%d}", hour) == (row["date"], row["time"])


def _share(right: int, of: int) -> str:
    return f"{right} of {of} ({right / of:.3f})" if of else "none"
