"""One exchange between a person and an agent, in short: what was asked, what was answered, which files it was about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What was asked and answered at a time; both are cut, without secrets and without private spans."""

    at: datetime
    session: str = ""
    project: str = ""
    asked: str = ""
    answered: str = ""
    files: tuple[str, ...] = ()  # those that the agent wrote to meanwhile, as seen from the project's folder
    did: tuple[str, ...] = ()  # what else it did, in our own few words: "ran tests: failed"
