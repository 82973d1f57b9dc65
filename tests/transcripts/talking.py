"""Conversations for tests: short, dated, on two topics that share no word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

GAUGES = (
    ("Noor", "The gauge at Hollin stopped reporting at three in the night."),
    ("Tom", "Was it the modem of the gauge again, or the battery?"),
    ("Noor", "The modem hangs when its port is not closed before the restart of the gauge."),
    ("Tom", "Then close the port of the modem first, and the gauge will report."),
)
CONCERT = (
    ("Tom", "When is the concert of the quartet, and who plays the viola?"),
    ("Noor", "The quartet plays on Saturday in the chapel, and I play the viola."),
    ("Tom", "I will bring flowers for the whole quartet to the concert."),
)


def chat(
    path: Path,
    *sittings: Sequence[tuple[str, str]],
    id_: str = "talk-1",
    days: Sequence[str] = ("2026-01-05", "2026-01-12"),
) -> Path:
    """A file in the plain chat format: each sitting on a day of its own."""
    turns = []
    for number, sitting in enumerate(sittings):
        day = days[number % len(days)]
        for place, (speaker, text) in enumerate(sitting):
            time = f"{day}T09:{place:02d}:00Z"
            turns.append(
                {"id": f"{number}.{place}", "session": f"s{number}", "time": time, "speaker": speaker, "text": text}
            )
    speakers = sorted({turn["speaker"] for turn in turns})
    path.write_text(json.dumps({"id": id_, "speakers": speakers, "turns": turns}), encoding="utf-8")
    return path
