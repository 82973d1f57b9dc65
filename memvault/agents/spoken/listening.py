"""Find the spoken command in a prompt: a quick look for changes spares most prompts the parsing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memvault.agents.spoken.hints import find_hints
from memvault.core.settings import Settings
from memvault.open_vault import load_personal_settings

if TYPE_CHECKING:
    from memvault.agents.spoken.intent import Intent
    from memvault.agents.spoken.parse import SpokenCommand


def may_hold_command(prompt: str, *, phrases: Iterable[str] = ()) -> bool:
    """Tell whether a prompt is worth parsing for a command; `phrases` are a person's own, as in the settings."""
    low = prompt.lower()
    own = (" ".join(phrase.partition("=")[2].lower().split())[:4] for phrase in phrases)
    return bool(find_hints(low)) or any(start and start in low for start in own)


def find_command(prompt: str, settings: Settings) -> SpokenCommand | None:
    """Return the command in a prompt and what else the prompt says; None where it holds none."""
    phrases = settings.texts("intents.phrases")
    if not may_hold_command(prompt, phrases=phrases):
        return None
    from memvault.agents.spoken.parse import parse_command  # deferred: most prompts need no reading

    return parse_command(prompt, phrases=phrases)


def find_obeyed_command(prompt: str, settings: Settings) -> SpokenCommand | None:
    """Return the command that an agent's hook is to obey; None where there is none, or `intents.obey` is off."""
    return find_command(prompt, settings) if settings.flag("intents.obey") else None


def find_without_vault(prompt: str, environment: Mapping[str, str]) -> Intent | None:
    """Return the command in a prompt where no vault could be opened, by the person's own settings."""
    settings = Settings({})
    with suppress(Exception):  # in settings that cannot be read there are no phrases
        settings = load_personal_settings(environment)
    found = find_obeyed_command(prompt, settings)
    return None if found is None else found.intent
