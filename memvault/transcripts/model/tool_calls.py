"""A command line taken apart: which programs it starts, each with its words."""

from __future__ import annotations

import re
from collections.abc import Iterator

Words = tuple[str, ...]

_DEEPEST = 4  # commands within quotes within commands
_TOKEN = re.compile(
    r"""(?P<away>\d*[<>]&[\d-]|(?:\d*|&)[<>]+[|]?)
    |(?P<ends>[;&|\n()`]+|\$\()
    |(?P<space>[ \t\r]+|\\\n|(?<![^\s;&|(])\#[^\n]*)
    |(?P<single>'[^']*'?)
    |(?P<double>"(?:\\.|[^"\\])*"?)
    |(?P<escaped>\\.)
    |(?P<plain>[^\s;&|()`'"\\<>$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_DOCUMENT = re.compile(r"(<<-?[ \t]*(['\"]?)(\w+)\2[^\n]*\n)(.*?)(?:\n[ \t]*\3(?=\s|\)|$)|\Z)", re.DOTALL)
_RUNS_TEXT = re.compile(r"(?:^|[\s;&|(/])(?:ba|z|da|k)?sh(?:[ \t]+-\w*)*[ \t]*$")
_DOUBLE_ESCAPE = re.compile(r'\\([\\"$`\n])')
_ASSIGNED = re.compile(r"\w+\+?=(.*)", re.DOTALL)

# What only starts another program, with those of its options that take a word of their own.
_CARRIERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            *(
                "sudo",
                "doas",
                "env",
                "time",
                "nice",
                "ionice",
                "nohup",
                "exec",
                "command",
                "builtin",
                "stdbuf",
                "setsid",
            ),
            *(
                "xargs",
                "parallel",
                "npx",
                "bunx",
                "uvx",
                "watch",
                "caffeinate",
                "chronic",
                "!",
                "{",
                "if",
                "then",
                "else",
            ),
            *("elif", "do", "while", "until", "&", "\\"),
        ),
        frozenset(
            ("-n", "-u", "-g", "-I", "-P", "-L", "-d", "-s", "-c", "-p", "-C", "-S", "--max-args", "--max-procs")
        ),
    ),
    "timeout": frozenset(("-s", "-k", "--signal", "--kill-after")),
}
_WITH_A_WORD_AHEAD = frozenset({"timeout"})
_RUNNERS = frozenset({"uv", "poetry", "pdm", "hatch", "pipenv", "pixi", "rye"})
_WINDOWS_SHELLS = frozenset({"pwsh", "powershell", "cmd"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
_STARTERS = frozenset({"ssh", "su", "script", "flock", "docker", "podman", "kubectl", "wsl", "find", "fd"})
_MOST_AHEAD = 16
_CODE_FOLLOWS = re.compile(r"-\w*c|-command|/c|-lc", re.IGNORECASE)


def commands(text: str, *, is_windows: bool = False, depth: int = 0) -> Iterator[Words]:
    """Each program that a command line starts, by its own name, with its words without their quotes.

    What is only printed or handed on as text starts nothing; what a shell is given to run does. A value that is given
    to a variable counts as a command of its own, for it may be run by it.
    """
    if depth > _DEEPEST:
        return
    for words, nested in _simple(_without_documents(text), is_windows=is_windows):
        for inner in nested:
            yield from commands(inner, is_windows=is_windows, depth=depth + 1)
        yield from _started(words, is_windows=is_windows, depth=depth)


def program(word: str) -> str:
    """The bare name of a program, however it is called."""
    return re.split(r"[\\/]", word)[-1].casefold().removesuffix(".exe")


def _without_documents(text: str) -> str:
    """Texts behind `<<` are left out, but where a shell is to run them."""

    def kept(found: re.Match[str]) -> str:
        line = text[: found.start()].rpartition("\n")[2]
        return f"\n{found[4]}\n" if _RUNS_TEXT.search(line) else "\n"

    return _DOCUMENT.sub(kept, text) if "<<" in text else text


def _simple(text: str, *, is_windows: bool) -> Iterator[tuple[list[str], list[str]]]:
    """The words of each simple command, and what stands in its quotes to be run by itself."""
    words: list[str] = []
    nested: list[str] = []
    word: str | None = None
    is_away = False  # the next word is where something is read from or written to
    for token in _TOKEN.finditer(text):
        kind, said = str(token.lastgroup), token[0]
        if kind in ("space", "ends", "away"):
            if word is not None and not is_away:
                words.append(word)
            is_away = (is_away and word is None and kind == "space") or (kind == "away" and said[-1] in "<>|")
            word = None
            if kind == "ends":
                yield words, nested
                words, nested = [], []
            continue
        word = (word or "") + _unquoted(kind, said, is_windows=is_windows)
        if kind == "double" and ("$(" in said or "`" in said):
            nested.append(re.sub(r"^.*?(?:\$\(|`)", "", said.strip('"'), count=1, flags=re.DOTALL))
    yield [*words, word] if word is not None and not is_away else words, nested


def _unquoted(kind: str, said: str, *, is_windows: bool) -> str:
    match kind:
        case "single":
            return said[1:].removesuffix("'")
        case "double":
            return _DOUBLE_ESCAPE.sub(r"\1", said[1:].removesuffix('"'))
        case "escaped":
            return said if is_windows else said[1:]
        case _:
            return said


def _started(words: list[str], *, is_windows: bool, depth: int) -> Iterator[Words]:
    """What a simple command comes to start, itself and by those that only start others."""
    rest = list(words)
    while rest:
        name = program(rest[0])
        if assigned := _ASSIGNED.fullmatch(rest[0]):
            yield (program(assigned[1]),)
            rest = rest[1:]
        elif name in _CARRIERS:
            rest = _carried(name, rest[1:])
            if rest and " " in rest[0]:
                yield from commands(" ".join(rest), is_windows=is_windows, depth=depth + 1)
        elif name in _RUNNERS and rest[1:2] == ["run"]:
            rest = _carried(name, rest[2:])
        else:
            break
    if not rest:
        return
    yield (program(rest[0]), *rest[1:])
    yield from _handed_on(program(rest[0]), rest[1:], is_windows=is_windows, depth=depth)


def _carried(name: str, rest: list[str]) -> list[str]:
    """What stands behind the options of a program that starts another."""
    takes = _CARRIERS.get(name, frozenset())
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in takes else rest[1:]
    return rest[1:] if name in _WITH_A_WORD_AHEAD else rest


def _handed_on(name: str, rest: list[str], *, is_windows: bool, depth: int) -> Iterator[Words]:
    """The commands among the words of a command: what a shell, here or elsewhere, is to run."""
    if name in _STARTERS:  # options of theirs stand before it, so it may begin with any word
        yield from ((program(word), *rest[place:]) for place, word in enumerate(rest[:_MOST_AHEAD], 1))
    for code in _code(name, rest):
        yield from commands(code, is_windows=is_windows or name in _WINDOWS_SHELLS, depth=depth + 1)


def _code(name: str, rest: list[str]) -> list[str]:
    """What a command hands on to be run as a command line."""
    if name == "eval":
        return [" ".join(rest)]
    if name in _STARTERS:
        return [word for word in rest[:_MOST_AHEAD] if " " in word]
    place = next((place for place, word in enumerate(rest, 1) if _CODE_FOLLOWS.fullmatch(word)), len(rest))
    if name in _WINDOWS_SHELLS:
        return [" ".join(rest[place:])]
    return rest[place : place + 1] if name in _SHELLS else []
