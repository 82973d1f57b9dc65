"""Commands in other programs' settings: which of them call memvault, by whatever path, and what for."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memvault.agents.setup.agent import PROJECT, Words

_NAME = "memvault"
_VAULT = "--vault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command that runs memvault: the program, what it is asked to do, and for which vault."""

    program: str
    does: str
    vault: str = ""
    words: Words = ()


def read_call(entry: object) -> Call | None:
    """What an entry of settings runs; None where that is not memvault."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("command"), str):
        return None
    args = entry.get("args")
    words = (entry["command"], *map(str, args)) if isinstance(args, list) else _of_line(entry["command"])
    told = _told(words)
    if told is None:
        return None
    vault, rest = "", []
    following = iter(told)
    for word in following:
        if word == _VAULT:
            vault = next(following, "")
        elif word.startswith(f"{_VAULT}="):
            vault = word.partition("=")[2]
        else:
            rest.append(word)
    return Call(program=words[0], does=rest[0] if rest else "", vault=vault, words=words)


def command(program: Words, does: str, *, vault: str = "") -> Words:
    """The words that have memvault do something, for the vault named or for the one it finds."""
    return (*program, does, *((_VAULT, vault) if vault else ()))


def command_in(scope: str, program: Words, does: str, *, vault: str = "") -> Words:
    """The words as they stand in settings of a scope: those that others read too name no path of this machine."""
    return command((_NAME,), does) if scope == PROJECT else command(program, does, vault=vault)


def _told(words: Words) -> Words | None:
    """What memvault is told by a command; None where it is another program's."""
    if not words:
        return None
    name = re.split(r"[\\/]", words[0])[-1].casefold().removesuffix(".exe")
    if name == _NAME:
        return words[1:]
    rest = words[2:] if words[1:2] == ("-P",) else words[1:]
    return rest[2:] if rest[:2] == ("-m", _NAME) else None


def _of_line(line: str) -> Words:
    """The words of a line meant for a shell; a path with backslashes stays one."""
    is_windows = re.search(r"[a-zA-Z]:\\", line) is not None
    try:
        words = shlex.split(line, posix=not is_windows)
    except ValueError:  # a shell would complain too: whatever it is, it is not ours
        return ()
    return tuple(_unquoted(words)) if is_windows else tuple(words)


def _unquoted(words: list[str]) -> Iterator[str]:
    for number, word in enumerate(words):
        if number or word != "&":
            yield word[1:-1] if word[:1] in "\"'" and word[:1] == word[-1:] and len(word) > 1 else word
