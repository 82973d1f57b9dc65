"""What is told where a spoken command could not be carried out: nobody is to believe that something was kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import Event, answer

if TYPE_CHECKING:
    from memvault.agents.spoken.intents import Intent


def told(event: Event, reason: str, environment: Mapping[str, str]) -> dict[str, object] | None:
    """The answer to a prompt that holds a command; None to any other event."""
    if event.name != "UserPromptSubmit" or event.is_machine:
        return None
    from memvault.api.context import command_of  # deferred: whatever went wrong may have been before it was loaded

    found = command_of(event.text("prompt"), environment)
    return None if found is None else answer(event, message=f"memvault: {_sentence(found, reason)}")


def _sentence(found: Intent, reason: str) -> str:
    from memvault.agents.spoken.intents import Remember, SaveProgress, Significant

    what = "stored" if isinstance(found, Remember | Significant | SaveProgress) else "done"
    return f"not {what}, as far as is known: {reason.rstrip('.')}. Say it again, or use `memvault say` in a terminal."
