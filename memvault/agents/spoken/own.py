"""A person's own phrases for commands, as the settings give them: `remember = merk dir`."""

from __future__ import annotations

import re
from functools import cache

from memvault.agents.spoken.intent import BY_NAME
from memvault.agents.spoken.prompt_text import folded
from memvault.agents.spoken.rule import Group, Language, Rule, Takes

_TEXTS = frozenset(("remember", "todo", "significant"))
_TOPICS = frozenset(("dig", "about"))


def own_phrase(row: str) -> tuple[str, str] | None:
    """The command and the phrase that a row names; None where it does not."""
    name, found, phrase = row.partition("=")
    words = " ".join(folded(phrase).split())
    return (name.strip().lower(), words) if found and words and name.strip().lower() in BY_NAME else None


@cache
def own_rules(rows: tuple[str, ...]) -> tuple[Language, ...]:
    """The rules that a person's own phrases make; what is no such row makes none."""
    named = [found for row in rows if (found := own_phrase(row))]
    if not named:
        return ()
    groups = tuple(Group((phrase.split()[0],), _rules(name, _pattern(phrase))) for name, phrase in named)
    courtesies = r"please|bitte|s'il te plaît|por favor|per favore|alsjeblieft"
    return (Language(r"ok(?:ay)?|hey|claude", courtesies, courtesies, groups),)


def _pattern(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", " ")


def _rules(name: str, phrase: str) -> tuple[Rule, ...]:
    ends = r"(?!\w)" if phrase[-1:].isascii() else ""
    if name in _TOPICS:
        return (Rule(name, f"{phrase}{ends}", Takes.TOPIC),)
    if name not in _TEXTS:
        return (Rule(name, f"{phrase}{ends}"),)
    return (
        Rule(name, f"{phrase}{ends}"),
        Rule(name, rf"{phrase}\s*[:–—]", Takes.TEXT),
        Rule(name, rf"{phrase}{ends}[\s,]*(?=\S)", Takes.CLAUSE),
    )
