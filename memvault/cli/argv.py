"""A command line taken apart at the command's name, and the plainest ones understood without a parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, get_args

from memvault.cli.commands import ALIASES, COMMANDS, GROUPS, MOVED, WRITTEN
from memvault.cli.options import Argument, BadOptionValue, Option

_VAULT_OPTION = "--vault"
PLAIN_FLAGS = frozenset({"--json", "--no-color"})
_HELP = frozenset({"-h", "--help"})
_FLAGS = PLAIN_FLAGS | _HELP
_LONGEST_NAME = 4  # words, of which one may be an option
_MOST_DIGITS = 9
# What may be declared of an option that is understood here; whatever else there is, the parser knows what it means.
_KNOWN_DECLARATIONS = frozenset({"metavar", "help", "show_default", "autocompletion", "callback"})

Declaration = tuple[Any, ...]  # a parameter's type, and what was declared of it


class CommandLine(NamedTuple):
    """The name of a command or group as the tables have it, all other words, and how the name was spelled."""

    name: str
    words: tuple[str, ...]
    spelling: str


class CommandCall(NamedTuple):
    """What is to be called, with the options that all commands have kept apart from its own."""

    function: Callable[..., object]
    common: Mapping[str, Any]
    own: Mapping[str, Any]


def split_argv(argv: Sequence[str]) -> CommandLine:
    """Return the command's name and all other words, which may stand on both sides of it.

    The name is empty where there is none, or something unknown stands before it.
    """
    places = _find_name(argv)
    typed = [argv[place] for place in places]
    for count in range(len(places), 0, -1):
        spelling = " ".join(typed[:count])
        name = spelling
        if spelling not in GROUPS or (len(typed) == count and _HELP.isdisjoint(argv)):
            name = ALIASES.get(spelling) or WRITTEN.get(spelling) or MOVED.get(spelling, spelling)
        command = name if name in COMMANDS or name in GROUPS else _find_command(name) if name != spelling else ""
        if command or count == 1:
            action = name.removeprefix(command).split() if command else ()
            rest = tuple(word for at, word in enumerate(argv) if at not in places[:count])
            if command == "config":
                return _read_config_line(rest, typed[count:])
            line = CommandLine(command or name, (*action, *rest), spelling)
            return _read_moved_option(line, typed[count] if len(typed) > count else "")
    return CommandLine("", tuple(argv), "")


def _read_moved_option(line: CommandLine, action: str) -> CommandLine:
    """Return a line whose option is a word of its own by now, as `doctor --fix`, in the words of now.

    The option may be one of a command's actions, as in `private forget --purge`.
    """
    text = (*line.words, "--").index("--")
    given = {word.partition("=")[0] for word in line.words[:text]}
    for head, words in ((line.name, line.words), (f"{line.name} {action}", _remove_first(line.words, action))):
        options = [name.removeprefix(f"{head} ") for name in MOVED if name.startswith(f"{head} --")]
        found = next((option for option in options if option in given), "")
        if found:
            spelling = f"{head} {found}"
            command = _find_command(MOVED[spelling])
            rest = [part for at, word in enumerate(words) for part in _drop_option(word, options if at < text else ())]
            return CommandLine(command, (*MOVED[spelling].removeprefix(command).split(), *rest), spelling)
    return line


def _remove_first(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    at = words.index(word) if word in words else len(words)
    return words[:at] + words[at + 1 :]


def _drop_option(word: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return what stays of a word where an option is left out: its value, if that is in the same word."""
    name, joined, value = word.partition("=")
    return (word,) if name not in options else (value,) if joined else ()


def _read_config_line(words: tuple[str, ...], typed: Sequence[str]) -> CommandLine:
    """Return what `config NAME`, `config NAME VALUE` and, of earlier versions, `config --unset NAME` are short for."""
    if "--unset" in words:
        return CommandLine("config unset", tuple(word for word in words if word != "--unset"), "config --unset")
    plain = [word for word in typed if not word.startswith("-")]
    if (not plain and "--user" not in words) or (len(plain) > 1 and "." not in plain[0]):
        return CommandLine("config", words, "config")
    return CommandLine("config set" if len(plain) > 1 else "config list", words, "config")


def _find_name(argv: Sequence[str]) -> list[int]:
    """Return where the words stand that may name the command, with the options of all commands passed over."""
    places: list[int] = []
    at = 0
    while at < len(argv) and len(places) < _LONGEST_NAME:
        word = argv[at]
        if word == _VAULT_OPTION:
            at += 1
        elif word not in _FLAGS and not word.startswith(f"{_VAULT_OPTION}="):
            if word.startswith("-") and (not places or word == "--"):
                break
            places.append(at)
        at += 1
    return places


def _find_command(name: str) -> str:
    """Return the command that a name begins with: a spelling may stand for a command and its action."""
    words = name.split()
    return next((found for n in range(len(words), 0, -1) if (found := " ".join(words[:n])) in COMMANDS), "")


def read_plain_call(argv: Sequence[str]) -> CommandCall | None:
    """The call that a line of mere words and usual options means; None where a parser must look at it.

    So most lines people type are understood, and typer takes a third of the time that answering one of them takes.
    """
    name, words, _spelling = split_argv(argv)
    if name not in COMMANDS:
        return None
    function = COMMANDS[name].load_function()
    names = [name for name in function.__annotations__ if name not in ("cli", "return")]
    declared = {name: find_declaration(function, name) for name in names}
    options = {  # the parameters that are told by a name, by each of their names
        option: (name, parts[0], parts[1])
        for name, parts in declared.items()
        if parts is not None and isinstance(parts[1], Option)
        for option in parts[1].names
    }
    given = _ArgvReader()
    if None in declared.values() or not given.read_line(words, options) or not given.words:
        return None
    argument = _read_argument(declared, given.words)
    if argument is None:
        return None
    defaults: Mapping[str, Any] = getattr(function, "__kwdefaults__", None) or {}
    own = {name: defaults.get(name) for name in names[1:]}
    return CommandCall(function, given.common, {names[0]: argument, **own, **given.own})


def _read_argument(declared: Mapping[str, Declaration | None], words: list[str]) -> list[str] | str | None:
    """What mere words mean where a command has one argument, and that stands first; else None."""
    arguments = [parts for parts in declared.values() if parts and isinstance(parts[1], Argument)]
    first = next(iter(declared.values()), None)
    if len(arguments) != 1 or first is None or not isinstance(first[1], Argument):
        return None
    if first[0] is not str:
        return words
    return words[0] if len(words) == 1 else None


class _ArgvReader:
    """What stands on a line: mere words, what all commands understand, and what this one does."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.common: dict[str, Any] = {"vault": None, "as_json": False, "no_color": False}
        self.own: dict[str, Any] = {}

    def read_line(self, line: Sequence[str], options: Mapping[str, tuple[str, Any, Option]]) -> bool:
        """Take all of it; whether nothing is left to a parser, which has a sentence for every mistake."""
        rest = iter(line)
        for word in rest:
            if word in PLAIN_FLAGS:
                self.common["as_json" if word == "--json" else "no_color"] = True
            elif word == _VAULT_OPTION:
                self.common["vault"] = next(rest, "-")
                if self.common["vault"] == "-":
                    return False
            elif not word.startswith("-"):
                self.words.append(word)
            elif word not in options or not self._read_option(rest, *options[word]):
                return False
        return True

    def _read_option(self, rest: Iterator[str], name: str, kind: Any, option: Option) -> bool:
        """Take one option, and its value where it has one."""
        if not _KNOWN_DECLARATIONS.issuperset(option.rest):
            return False
        if kind is bool:
            self.own[name] = True
            return True
        text, check = next(rest, "-"), option.rest.get("callback")
        if text.startswith("-"):
            return False
        if kind == _TEXT_LIST and check is None:
            self.own.setdefault(name, []).append(text)
            return True
        read = _PARSERS.get(kind)
        value = read(text) if read is not None and name not in self.own else None
        try:
            self.own[name] = check(value) if check and value is not None else value
        except BadOptionValue:
            return False
        return value is not None


def _parse_whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def _parse_fraction(text: str) -> float | None:
    return float(text) if text.isascii() and text.replace(".", "", 1).isdigit() else None


_TEXT_LIST = list[str] | None
_PARSERS: Mapping[Any, Callable[[str], Any]] = {
    int: _parse_whole,
    float | None: _parse_fraction,
    str: str,
    str | None: str,
}


def find_vault(words: Sequence[str]) -> str | None:
    """Return the vault that a line names, also one that cannot be read otherwise."""
    named = [word.partition("=")[2] for word in words if word.startswith(f"{_VAULT_OPTION}=")]
    named += [after for word, after in pairwise(words) if word == _VAULT_OPTION]
    return named[-1] if named else None


def list_options(name: str) -> frozenset[str]:
    """Return the names of the options of a command."""
    function = COMMANDS[name].load_function()
    parts = (find_declaration(function, each) for each in function.__annotations__ if each not in ("cli", "return"))
    return frozenset(option for part in parts if part and isinstance(part[1], Option) for option in part[1].names)


def find_declaration(function: Callable[..., object], name: str) -> Declaration | None:
    """The type of a parameter and what was declared of it; None where the annotation is no plain name."""
    annotation = function.__annotations__[name]
    found = getattr(function, "__globals__", {}).get(annotation) if isinstance(annotation, str) else annotation
    return get_args(found) if found is not None and len(get_args(found)) == 2 else None
