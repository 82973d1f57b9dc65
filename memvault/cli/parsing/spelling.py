"""What command was meant where none is spelled so: the one that a single slip of a key leads to."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches

from memvault.cli.argv import CommandLine
from memvault.cli.commands import ALIASES, COMMANDS, GROUPS, MOVED
from memvault.errors import UnknownCommand

_SHORTEST = 4  # letters; of a shorter word too many are one slip away
_NEVER_GUESSED = frozenset({"forget", "rm", "delete", "undo", "uninstall", "init", "setup"})
"""What a person should have meant for sure."""


def correct_command(line: CommandLine) -> tuple[str, ...]:
    """Return a line with the command that it means by a slip of one key; else raise UnknownCommand with the nearest."""
    group = line.name if line.name in GROUPS else ""
    typed = _first_word(line.words) if group else line.spelling
    known = {*COMMANDS, *ALIASES, *MOVED}
    first = {name.split()[0] for name in known}
    names = {name.removeprefix(f"{group} ") for name in COMMANDS if name.startswith(f"{group} ")} if group else first
    meant = [name for name in names if len(typed) >= _SHORTEST and _is_one_slip(typed.casefold(), name)]
    if len(meant) == 1 and meant[0] not in _NEVER_GUESSED:
        rest = list(line.words)
        if group:
            rest.remove(typed)
        return (*filter(None, (group, meant[0])), *rest)
    spelled = f"{group} {typed}".strip()
    near = _find_nearest((spelled,) if group else (spelled, " ".join((spelled, *line.words[:1]))), known)
    raise UnknownCommand(name=spelled, near=f" (did you mean `memvault {near}`?)" if near else "")


def _first_word(words: Sequence[str]) -> str:
    """Return the first word that is no option of all commands, and no vault."""
    pairs = zip(("", *words), words, strict=False)
    return next((word for before, word in pairs if not word.startswith("-") and before != "--vault"), "")


def _is_one_slip(typed: str, word: str) -> bool:
    """Return whether one letter is too many, missing or wrong, or two stand in the wrong order."""
    same = next((at for at, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b), min(len(typed), len(word)))
    rest, other = typed[same:], word[same:]
    slips = (rest[1:] == other, rest == other[1:], rest[1:] == other[1:], rest[1:2] + rest[:1] + rest[2:] == other)
    return typed != word and any(slips)


def _find_nearest(spellings: tuple[str, ...], known: set[str]) -> str:
    """Return the command that is spelled most like one of these; empty where none is near."""
    near = [
        (SequenceMatcher(None, found, spelling).ratio(), found)
        for spelling in (spelling.casefold() for spelling in spellings)
        for found in get_close_matches(spelling, sorted(known), n=1, cutoff=0.6)
    ]
    return max(near, default=(0.0, ""))[1]
