"""From words to a call: typer reads the command line of one command, and nobody is called yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher, get_close_matches
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.main import get_command

from memvault.cli.argv import CommandCall, CommandLine, split_argv
from memvault.cli.commands import ALIASES, COMMANDS, GROUPS, MOVED
from memvault.cli.options import COMMON_OPTIONS, BadOptionValue, DeclaredParameter
from memvault.cli.options import Argument as DeclaredArgument
from memvault.errors import Misused, UnknownCommand

PROGRAM = "memvault"
# typer's parent of all mistakes in a command line. Named by way of its child, because newer typers carry
# click inside themselves and `import click` finds nothing.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def parse_argv(argv: Sequence[str]) -> CommandCall | int:
    """The call that the words mean, or an exit code where help was all that was wanted."""
    name, words, _spelling = split_argv(argv)
    if not name:
        app = _new_app()
        app.command()(_typer_function(_program_callback))
        return _run_parser(get_command(app), list(argv), PROGRAM)
    return _run_parser(command_parser(name), list(words), f"{PROGRAM} {name}")


def _run_parser(command: Any, words: list[str], name: str) -> CommandCall | int:
    try:
        found: CommandCall | int | None = command.main(words, prog_name=name, standalone_mode=False)
    except _UsageError as mistake:
        raise Misused(reason=_mistake_reason(mistake), command=name) from None
    return 0 if found is None else found


def _mistake_reason(mistake: Any) -> str:
    """What was wrong, in words that do not change with the version of typer."""
    if hasattr(mistake, "possibilities"):
        near = f" (did you mean {mistake.possibilities[0]}?)" if mistake.possibilities else ""
        return f"There is no option {mistake.option_name}{near}."
    text = " ".join((mistake.format_message() if hasattr(mistake, "format_message") else str(mistake)).split())
    text = re.sub(r"is not a valid (?:int|integer|float)\b", "is no number", text)
    return text if text.endswith((".", "?", "!")) else f"{text}."


# -- typer's side of it


def command_parser(name: str) -> Any:
    """The parser of one command; no other command's module is imported."""
    app = _new_app()
    row = COMMANDS[name]
    function = row.load_function()
    examples = "\n\n".join(("Examples:", *row.load_examples()))
    described = app.command(
        name.removeprefix(f"{row.group} "),
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in (function.__doc__ or row.help).split("\n\n")),
        short_help=row.help,
        epilog=examples,
        context_settings=_SETTINGS,
    )
    described(_typer_function(function))
    return get_command(app)


def _new_app() -> typer.Typer:
    return typer.Typer(
        name=PROGRAM,
        add_completion=False,
        context_settings=_SETTINGS,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )


def _typer_function(function: Callable[..., object]) -> Callable[..., CommandCall]:
    """A stand-in with the command's own options and those that all commands have; it only notes what was given."""

    def note_call(**given: Any) -> CommandCall:
        common = {name: given.pop(name) for name in COMMON_OPTIONS}
        return CommandCall(function, common, given)

    _, *own = signature(function, eval_str=True).parameters.values()  # the first is the CliContext
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_typer_annotation(kind))
        for name, (kind, default) in COMMON_OPTIONS.items()
    ]
    keyword_only = [
        parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=_typer_annotation(parameter.annotation))
        for parameter in own
    ]
    note_call.__signature__ = Signature([*keyword_only, *shared])  # type: ignore[attr-defined]  # read by typer
    note_call.__annotations__ = {parameter.name: parameter.annotation for parameter in (*keyword_only, *shared)}
    return note_call


def _typer_annotation(annotation: Any) -> Any:
    """An annotation with what was declared turned into typer's own."""
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, declared = get_args(annotation)
    return Annotated[kind, _typer_parameter(declared)] if isinstance(declared, DeclaredParameter) else annotation


def _typer_parameter(declared: DeclaredParameter) -> Any:
    rest = dict(declared.rest)
    if check := rest.get("callback"):
        rest["callback"] = _typer_callback(check)
    made = typer.Argument if isinstance(declared, DeclaredArgument) else typer.Option
    return made(*declared.names, **rest)


def _typer_callback(check: Callable[[Any], object]) -> Callable[[Any], object]:
    def check_value(value: Any) -> object:
        try:
            return check(value)
        except BadOptionValue as bad:
            raise typer.BadParameter(str(bad)) from None

    return check_value


def _program_callback(
    _cli: object,
    *,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.", is_eager=True)] = False,
) -> None:
    """Nothing happens where only options of the program stand."""


# What command was meant where none is spelled so: the one that a single slip of a key leads to.


_SHORTEST = 4  # letters; of a shorter word too many are one slip away
_NEVER_GUESSED = frozenset({"forget", "purge", "rm", "delete", "undo", "uninstall", "init", "setup"})
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
