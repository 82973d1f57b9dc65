"""Complete a command line: commands, options, choices, and names from the index, in the form that a shell reads."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from memvault import __version__
from memvault.cli.argv import find_declaration, find_vault, split_argv
from memvault.cli.commands import COMMANDS, GROUPS, HEADINGS
from memvault.cli.context import CliContext
from memvault.cli.options import COMMON_OPTIONS, Argument, DeclaredParameter, Option
from memvault.errors import BadInput, MemvaultError
from memvault.recall.complete import NameMatch, match_marks, match_memories, match_names, match_operations
from memvault.storage.vault.context import VaultContext
from memvault.system import files, paths

_PROGRAM, _VARIABLE = "memvault", "_MEMVAULT_COMPLETE"
_HELP = NameMatch("--help", "Show this message and exit.")
_PROGRAM_OPTIONS = (_HELP, NameMatch("--version", "Print the version."), NameMatch("--vault", "The vault to use."))

# What stands in the index, by what an option or an argument is called.
_IN_INDEX: Mapping[str, Callable[[VaultContext, str], list[NameMatch]]] = MappingProxyType(
    {
        "MEMORY": match_memories,
        "OTHER": match_memories,
        "KEEP": match_memories,
        "OPERATION": match_operations,
        "TAG": lambda context, begun: match_marks(context, "tag", begun),
        "WORD": lambda context, begun: match_marks(context, "keyword", begun),
        "--person": lambda context, begun: match_marks(context, "person", begun),
    }
)


def complete_line(cli: CliContext) -> int:
    """Answer the shell, which asks through the environment how a command line may go on."""
    shell = cli.environment[_VARIABLE].removeprefix("complete_")
    words, begun = _read_line(shell, cli.environment)
    try:
        found = list_completions(cli, words, _unquote(begun))
    except MemvaultError:  # no vault, or none that can be read: there is nothing to offer
        found = []
    if cli.environment.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else 1
    cli.print_data(_FORMATS.get(shell, _format_bash)(found, begun))
    return 0


def list_completions(cli: CliContext, words: Sequence[str], begun: str) -> list[NameMatch]:
    """Return how a line may go on: the words before, and the one that is begun."""
    line = split_argv(words)
    if line.name == "help":
        return list_completions(cli, line.words, begun)
    if list(words[-1:]) == ["--vault"]:  # a folder, which the shell knows
        return []
    plain = [word for word in words if not word.startswith("-")]
    if line.name not in COMMANDS or (line.spelling in GROUPS and plain == [line.spelling]):
        offered = _PROGRAM_OPTIONS if begun.startswith("-") else _list_commands(line.spelling)
        return _that_begin(offered, begun)
    options, arguments = _load_parts(cli, line.name)
    awaited, place = _find_place(line.words, options)
    if awaited:
        return _list_values(cli, words, options[awaited], begun)
    if begun.startswith("-"):
        return _that_begin((*(NameMatch(name, part["help"]) for name, part in options.items()), _HELP), begun)
    if not arguments or (place >= len(arguments) and not arguments[-1]["several"]):
        return []
    return _list_values(cli, words, arguments[min(place, len(arguments) - 1)], begun)


_Part = dict[str, Any]  # an option or argument: its help, its choices, what it is called, and how many words it takes
_Parts = tuple[dict[str, _Part], list[_Part]]


def _load_parts(cli: CliContext, name: str) -> _Parts:
    """Return the options and arguments of a command: as noted before, as loading its module would take too long."""
    file = paths.cache_folder(cli.environment) / "completion.json"
    module = Path(__file__).parents[1] / f"{COMMANDS[name].module.replace('.', '/')}.py"
    stamp = f"{__version__} {module} {module.stat().st_mtime_ns}"
    try:
        noted = json.loads(files.read_file(file))
    except (MemvaultError, OSError, ValueError):
        noted = {}
    if noted.get(name, {}).get("stamp") != stamp:
        options, arguments = _read_parts(name)
        noted[name] = {"stamp": stamp, "options": options, "arguments": arguments}
        with suppress(MemvaultError, OSError):  # the next time takes as long again
            files.make_folder(file.parent)
            files.overwrite_file(file, json.dumps(noted, ensure_ascii=False).encode())
    return noted[name]["options"], noted[name]["arguments"]


def _read_parts(name: str) -> _Parts:
    function = COMMANDS[name].load_function()
    declared = [find_declaration(function, each) for each in function.__annotations__ if each not in ("cli", "return")]
    parts = [(kind, part) for kind, part in filter(None, declared)]
    common = [get_args(kind) for kind, _ in COMMON_OPTIONS.values()]
    options = {
        name: _describe_part(kind, part, names)
        for kind, part in (*parts, *common)
        if isinstance(part, Option)
        for names in part.names
        for name in names.split("/")
    }
    return options, [_describe_part(kind, part) for kind, part in parts if isinstance(part, Argument)]


def _describe_part(kind: Any, part: DeclaredParameter, name: str = "") -> _Part:
    choices = part.rest.get("autocompletion")
    return {
        "help": str(part.rest.get("help", "")),
        "choices": list(choices()) if choices else [],
        "called": [name, str(part.rest.get("metavar", ""))],
        "is_flag": kind in (bool, bool | None),
        "several": "list" in str(kind),
    }


def _list_commands(group: str) -> list[NameMatch]:
    """Return the actions of a group, or without one the commands and groups that stand first on a line."""
    if group in GROUPS:
        rows = ((name.removeprefix(f"{group} "), row) for name, row in COMMANDS.items() if row.group == group)
        return [NameMatch(name, row.help) for name, row in rows]
    if group:
        return []
    own = [NameMatch(name, row.help) for name, row in COMMANDS.items() if row.group in HEADINGS]
    return [*own, *(NameMatch(name, text) for name, text in GROUPS.items()), NameMatch("help", "Explain a command.")]


def _find_place(words: Sequence[str], options: Mapping[str, _Part]) -> tuple[str, int]:
    """Return the option whose value is awaited, or how many arguments stand there already."""
    awaited, place = "", 0
    for word in words:
        if awaited:
            awaited = ""
        elif word in options and not options[word]["is_flag"]:
            awaited = word
        else:
            place += not word.startswith("-")
    return awaited, place


def _list_values(cli: CliContext, words: Sequence[str], part: _Part, begun: str) -> list[NameMatch]:
    """Return the values of an option or argument: its choices, or what the index has of its kind."""
    if part["choices"]:
        return _that_begin(map(NameMatch, part["choices"]), begun)
    match = next((_IN_INDEX[name] for name in part["called"] if name in _IN_INDEX), None)
    if match is None:
        return []
    cli.vault_name = find_vault(words)
    with cli.open_vault(may_ask=False) as vault:
        return vault.run(match_names, match, begun)


def _that_begin(offered: Iterable[NameMatch], begun: str) -> list[NameMatch]:
    return [match for match in offered if match.value.startswith(begun)]


# What a shell says, and what it reads. The scripts are typer's, so those that it installed go on working.


def _read_line(shell: str, environment: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the words after the program's name, and the last one as far as it is typed, with its quotes."""
    if shell == "bash":
        text, place = environment.get("COMP_WORDS", ""), environment.get("COMP_CWORD", "")
        typed = text.split("\n") if "\n" in text else _split_words(text)
        count = int(place) if place.isdigit() else len(typed)
        return [_unquote(word) for word in typed[1:count]], (typed[count:] or [""])[0]
    text = environment.get("_TYPER_COMPLETE_ARGS", "")
    begun = environment.get("_TYPER_COMPLETE_WORD_TO_COMPLETE", "")
    typed = _split_words(text)
    if shell in _POWERSHELLS:
        return typed[1 : -1 if begun else None], begun
    is_begun = len(typed) > 1 and not text.endswith(" ")
    return (typed[1:-1], typed[-1]) if is_begun else (typed[1:], "")


def _split_words(text: str) -> list[str]:
    """Return the words of a line as a shell has them; the last may lack its closing quote."""
    reader = shlex.shlex(text, posix=True, punctuation_chars=False)
    reader.whitespace_split, reader.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(reader)
    except ValueError:
        words.append(reader.token)
    return words


def _unquote(word: str) -> str:
    return "".join(_split_words(word)[:1]) if set(word) & set("\"'\\") else word


def _format_bash(found: Sequence[NameMatch], begun: str) -> str:
    return "\n".join(_quote_for_bash(match.value, begun[:1]) for match in found)


def _quote_for_bash(value: str, mark: str) -> str:
    """Return a value as it goes on from the quote with which the word begins, if there is one."""
    if mark == "'":
        return "'" + value.replace("'", "'\\''") + "'"
    if mark == '"':
        return '"' + re.sub(r'(["\\$`])', r"\\\1", value) + '"'
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)


def _format_zsh(found: Sequence[NameMatch], _begun: str) -> str:
    if not found:
        return "_files"
    rows = (f"{match.value.replace(':', chr(92) + ':')}:{match.help}" for match in found)
    quoted = " ".join("'" + row.replace("'", "'\\''") + "'" for row in rows)
    return f"local -a _memvault_names; _memvault_names=({quoted}); _describe memvault _memvault_names -U"


def _format_fish(found: Sequence[NameMatch], _begun: str) -> str:
    return "\n".join(f"{match.value}\t{match.help}" for match in found)


def _format_powershell(found: Sequence[NameMatch], _begun: str) -> str:
    return "\n".join(f"{match.value}:::{match.help or ' '}" for match in found)


_POWERSHELLS = ("powershell", "pwsh")
_FORMATS: Mapping[str, Callable[[Sequence[NameMatch], str], str]] = MappingProxyType(
    {"bash": _format_bash, "zsh": _format_zsh, "fish": _format_fish} | dict.fromkeys(_POWERSHELLS, _format_powershell)
)

# The scripts themselves: typer's, which it installs.

_SHELLS = ("bash", "zsh", "fish", *_POWERSHELLS)
# zsh loads a script of ~/.zfunc by the first Tab, which the script is to answer too.
_ZSH_LAST = f"\ncompdef _{_PROGRAM}_completion {_PROGRAM}"
_ZSH_END = f"""
if [[ ${{funcstack[1]}} = _{_PROGRAM} ]]; then
  _{_PROGRAM}_completion "$@"
else
  compdef _{_PROGRAM}_completion {_PROGRAM}
fi
"""


def install_completion(name: str, *, show: bool) -> str:
    """Install completion for a shell, the one that is at work unless named; return what is to be printed."""
    from typer._completion_shared import _get_shell_name, get_completion_script, install  # deferred: it is done once

    shell = name or _get_shell_name() or ""
    if shell not in _SHELLS:
        known = f"`memvault --install-completion {_SHELLS[0]}`; there are {', '.join(_SHELLS)}"
        reason = f"it is none that is known: {known}" if shell else f"it cannot be told: name it, as in {known}"
        raise BadInput(what="the shell", value=shell, reason=reason)
    script = get_completion_script(prog_name=_PROGRAM, complete_var=_VARIABLE, shell=shell)
    script = script.removesuffix(_ZSH_LAST) + (_ZSH_END if shell == "zsh" else "")
    if show:
        return script
    _, path = install(shell=shell, prog_name=_PROGRAM, complete_var=_VARIABLE)
    if shell == "zsh":
        files.overwrite_file(Path(path), script.encode())
    return f"Installed completion for {shell}: {path}. It works in every {shell} that you start from now on."
