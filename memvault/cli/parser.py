"""From words to a call: typer reads the command line of one command, and nobody is called yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.main import get_command

from memvault.cli.argv import PLAIN, Call, Words
from memvault.cli.commands import COMMANDS
from memvault.cli.options import COMMON, BadValue, Declared
from memvault.cli.options import Argument as DeclaredArgument
from memvault.errors import Misused, UnknownCommand

PROGRAM = "memvault"
ABOUT = "Memory for AI assistants, as plain markdown files that you own."
# typer's parent of all mistakes in a command line. Named by way of its child, because newer typers carry
# click inside themselves and `import click` finds nothing.
_Mistake: type[Exception] = typer.BadParameter.__mro__[1]
_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def parse(argv: Sequence[str]) -> Call | int:
    """The call that the words mean, or an exit code where help was all that was wanted."""
    words = Words.of(argv)
    if not words.name:
        return _parsed(whole_program(), list(argv) if set(argv) - PLAIN else ["--help"], PROGRAM)
    if words.name not in COMMANDS:
        raise UnknownCommand(name=words.name, near=_near(words.name))
    return _parsed(one_command(words.name), list(words.options), f"{PROGRAM} {words.name}")


def complete() -> int:
    """Answer the shell, which asks through the environment how a command line may go on."""
    found = _parsed(whole_program(), [], PROGRAM)
    return found if isinstance(found, int) else 0


def _parsed(command: Any, words: list[str], name: str) -> Call | int:
    try:
        found: Call | int | None = command.main(words, prog_name=name, standalone_mode=False)
    except SystemExit as done:  # typer's completion ends the process by itself
        return done.code if isinstance(done.code, int) else 0
    except _Mistake as mistake:
        raise Misused(reason=_reason(mistake), command=name) from None
    return 0 if found is None else found


def _reason(mistake: Any) -> str:
    """What was wrong, in words that do not change with the version of typer."""
    if hasattr(mistake, "possibilities"):
        near = f" (did you mean {mistake.possibilities[0]}?)" if mistake.possibilities else ""
        return f"There is no option {mistake.option_name}{near}."
    return _sentence(mistake.format_message() if hasattr(mistake, "format_message") else str(mistake))


def _sentence(said: str) -> str:
    text = " ".join(said.split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _near(name: str) -> str:
    from difflib import get_close_matches  # deferred: only for a typing slip

    near = get_close_matches(name.casefold(), COMMANDS, n=1, cutoff=0.5)
    return f" (did you mean `{PROGRAM} {near[0]}`?)" if near else ""


# -- typer's side of it


def one_command(name: str) -> Any:
    """The parser of one command; no other command's module is imported."""
    app = _app(add_completion=False)
    _add(app, name)
    return get_command(app)


def whole_program() -> Any:
    """The parser of all commands, for help, completion and the options of the program itself."""
    app = _app(add_completion=True)
    app.callback(help=ABOUT)(_as_typer_reads_it(_program))
    for name in COMMANDS:
        _add(app, name)
    return get_command(app)


def _app(*, add_completion: bool) -> typer.Typer:
    return typer.Typer(
        name=PROGRAM,
        add_completion=add_completion,
        context_settings=_SETTINGS,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )


def _add(app: typer.Typer, name: str) -> None:
    row = COMMANDS[name]
    function = row.function()
    examples = "\n\n".join(("Examples:", *row.examples()))
    described = app.command(
        name,
        help=_unwrapped(function.__doc__ or row.help),
        short_help=row.help,
        epilog=examples,
        rich_help_panel=row.group,
        context_settings=_SETTINGS,
    )
    described(_as_typer_reads_it(function))


def _unwrapped(text: str) -> str:
    """The paragraphs of a docstring, each on one line: help is wrapped to the terminal it is shown on."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _as_typer_reads_it(function: Callable[..., object]) -> Callable[..., Call]:
    """A stand-in with the command's own options and those that all commands have; it only notes what was given."""

    def called(**given: Any) -> Call:
        common = {name: given.pop(name) for name in COMMON}
        return Call(function, common, given)

    _, *own = signature(function, eval_str=True).parameters.values()  # the first is the desk
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=row.default, annotation=_for_typer(row.kind))
        for name, row in COMMON.items()
    ]
    keyword_only = [
        parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=_for_typer(parameter.annotation)) for parameter in own
    ]
    called.__signature__ = Signature([*keyword_only, *shared])  # type: ignore[attr-defined]  # read by typer
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in (*keyword_only, *shared)}
    return called


def _for_typer(annotation: Any) -> Any:
    """An annotation with what was declared turned into typer's own."""
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, declared = get_args(annotation)
    return Annotated[kind, _as_typer(declared)] if isinstance(declared, Declared) else annotation


def _as_typer(declared: Declared) -> Any:
    rest = dict(declared.rest)
    if check := rest.get("callback"):
        rest["callback"] = _checked(check)
    made = typer.Argument if isinstance(declared, DeclaredArgument) else typer.Option
    return made(*declared.names, **rest)


def _checked(check: Callable[[Any], object]) -> Callable[[Any], object]:
    def checked(value: Any) -> object:
        try:
            return check(value)
        except BadValue as bad:
            raise typer.BadParameter(str(bad)) from None

    return checked


def _program(
    _desk: object,
    *,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.", is_eager=True)] = False,
) -> None:
    """Nothing happens where only options of the program stand."""
