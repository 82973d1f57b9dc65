from collections.abc import Iterable

from memvault.agents.spoken.intent import Intent
from memvault.agents.spoken.parse import parse_command


def parse_intent(prompt: str, *, phrases: Iterable[str] = ()) -> Intent | None:
    found = parse_command(prompt, phrases=phrases)
    return None if found is None else found.intent
