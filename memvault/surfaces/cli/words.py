"""A command line taken apart at the command's name, and the plainest ones understood without a parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from memvault.surfaces.cli.declare import Argument
from memvault.surfaces.cli.table import COMMANDS

_WITH_VALUE = "--vault"
PLAIN = frozenset({"--json", "--no-color"})
_FLAGS = PLAIN | {"-h", "--help"}


class Call(NamedTuple):
    """What is to be called, with the options that all commands have kept apart from its own."""

    function: Callable[..., object]
    common: Mapping[str, Any]
    own: Mapping[str, Any]


class Words(NamedTuple):
    """The command's name, and all other words; options may stand on both sides of it."""

    name: str
    options: tuple[str, ...]

    @classmethod
    def of(cls, argv: Sequence[str]) -> Words:
        """Find the name; it is empty where there is none, or something unknown stands before it."""
        at = 0
        while at < len(argv):
            word = argv[at]
            if word not in _FLAGS and word != _WITH_VALUE and not word.startswith(f"{_WITH_VALUE}="):
                break
            at += 2 if word == _WITH_VALUE else 1
        if at >= len(argv) or argv[at].startswith("-"):
            return cls("", tuple(argv))
        return cls(argv[at], (*argv[:at], *argv[at + 1 :]))


def plain_call(argv: Sequence[str]) -> Call | None:
    """The call that a line of mere words means, such as `recall who reviews`; None where a parser must look at it.

    That is most lines people type, and typer takes a third of the time that answering one of them takes.
    """
    name, options = Words.of(argv)
    if name not in COMMANDS:
        return None
    common: dict[str, Any] = {"vault": None, "as_json": False, "no_color": False}
    words = list(_without_common(options, common))
    if any(word.startswith("-") for word in words) or not words:
        return None
    function = COMMANDS[name].function()
    own = _own(function, words)
    return None if own is None else Call(function, common, own)


def _without_common(options: Sequence[str], common: dict[str, Any]) -> list[str]:
    """The words that are no common option; what those say is put where it belongs."""
    rest: list[str] = []
    words = iter(options)
    for word in words:
        if word == "--json":
            common["as_json"] = True
        elif word == "--no-color":
            common["no_color"] = True
        elif word == _WITH_VALUE:
            common["vault"] = next(words, "-")  # a missing value is for the parser to complain about
            rest += ["-"] * (common["vault"] == "-")
        else:
            rest.append(word)
    return rest


def _own(function: Callable[..., object], words: list[str]) -> dict[str, Any] | None:
    """The command's own parameters, if its arguments are such that mere words fill them."""
    defaults: Mapping[str, Any] = getattr(function, "__kwdefaults__", None) or {}
    names = [name for name in function.__annotations__ if name not in ("desk", "return")]
    declared = {name: _declaration(function, name) for name in names}
    arguments = [name for name, parts in declared.items() if parts and isinstance(parts[1], Argument)]
    if len(arguments) != 1 or None in declared.values() or names[0] != arguments[0]:
        return None
    kind = declared[arguments[0]]
    takes_many = kind is not None and kind[0] is not str
    if not takes_many and len(words) != 1:
        return None
    rest = {name: defaults.get(name) for name in names[1:]}
    return {arguments[0]: words if takes_many else words[0], **rest}


def _declaration(function: Callable[..., object], name: str) -> tuple[Any, ...] | None:
    """The type of a parameter and what was declared of it; None where the annotation is no plain name."""
    annotation = function.__annotations__[name]
    found = getattr(function, "__globals__", {}).get(annotation) if isinstance(annotation, str) else annotation
    return get_args(found) if found is not None and len(get_args(found)) == 2 else None
