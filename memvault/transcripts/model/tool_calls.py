"""Parse command lines into programs, and describe tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

CommandWords = tuple[str, ...]

_DEEPEST = 4  # commands in quotes in commands
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

# Programs that only start another, with those of their options that take a value.
_WRAPPING = (
    "sudo doas env time nice ionice nohup exec command builtin stdbuf setsid xargs parallel npx bunx uvx "
    "watch caffeinate chronic ! { if then else elif do while until & \\"
)
_WRAPPING_OPTIONS = "-n -u -g -I -P -L -d -s -c -p -C -S --max-args --max-procs"
_WRAPPERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_WRAPPING.split(), frozenset(_WRAPPING_OPTIONS.split())),
    "timeout": frozenset(("-s", "-k", "--signal", "--kill-after")),
}
_WITH_A_WORD_AHEAD = frozenset({"timeout"})
_RUNNERS = frozenset({"uv", "poetry", "pdm", "hatch", "pipenv", "pixi", "rye"})
_WINDOWS_SHELLS = frozenset({"pwsh", "powershell", "cmd"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
_STARTERS = frozenset({"ssh", "su", "script", "flock", "docker", "podman", "kubectl", "wsl", "find", "fd"})
_MOST_AHEAD = 16
_CODE_FOLLOWS = re.compile(r"-\w*c|-command|/c|-lc", re.IGNORECASE)


def parse_commands(text: str, *, is_windows: bool = False, depth: int = 0) -> Iterator[CommandWords]:
    """Yield each program that a command line starts, by its own name, with its unquoted words.

    Text that is only printed or passed on starts nothing; text that a shell is given to run does. A value that is
    assigned to a variable counts as a command of its own, for it may be run by it.
    """
    if depth > _DEEPEST:
        return

    def replace_document(found: re.Match[str]) -> str:
        line = text[: found.start()].rpartition("\n")[2]
        return f"\n{found[4]}\n" if _RUNS_TEXT.search(line) else "\n"

    for words, nested in _split_commands(
        (_DOCUMENT.sub(replace_document, text) if "<<" in text else text), is_windows=is_windows
    ):
        for inner in nested:
            yield from parse_commands(inner, is_windows=is_windows, depth=depth + 1)
        yield from _find_programs(words, is_windows=is_windows, depth=depth)


def program_name(word: str) -> str:
    """Return the bare name of a program, however it is called."""
    return re.split(r"[\\/]", word)[-1].casefold().removesuffix(".exe")


def _split_commands(text: str, *, is_windows: bool) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of each simple command, and the commands in its quotes."""
    words: list[str] = []
    nested: list[str] = []
    word: str | None = None
    is_away = False  # the next word is the target of a redirection
    for token in _TOKEN.finditer(text):
        kind, text_part = str(token.lastgroup), token[0]
        if kind in ("space", "ends", "away"):
            if word is not None and not is_away:
                words.append(word)
            is_away = (is_away and word is None and kind == "space") or (kind == "away" and text_part[-1] in "<>|")
            word = None
            if kind == "ends":
                yield words, nested
                words, nested = [], []
            continue
        word = (word or "") + _unquote(kind, text_part, is_windows=is_windows)
        if kind == "double" and ("$(" in text_part or "`" in text_part):
            nested.append(re.sub(r"^.*?(?:\$\(|`)", "", text_part.strip('"'), count=1, flags=re.DOTALL))
    yield [*words, word] if word is not None and not is_away else words, nested


def _unquote(kind: str, text_part: str, *, is_windows: bool) -> str:
    match kind:
        case "single":
            return text_part[1:].removesuffix("'")
        case "double":
            return _DOUBLE_ESCAPE.sub(r"\1", text_part[1:].removesuffix('"'))
        case "escaped":
            return text_part if is_windows else text_part[1:]
        case _:
            return text_part


def _find_programs(words: list[str], *, is_windows: bool, depth: int) -> Iterator[CommandWords]:
    """Yield the programs that a simple command starts, itself and through wrappers."""
    rest = list(words)
    while rest:
        name = program_name(rest[0])
        if assigned := _ASSIGNED.fullmatch(rest[0]):
            yield (program_name(assigned[1]),)
            rest = rest[1:]
        elif name in _WRAPPERS:
            rest = _skip_options(name, rest[1:])
            if rest and " " in rest[0]:
                yield from parse_commands(" ".join(rest), is_windows=is_windows, depth=depth + 1)
        elif name in _RUNNERS and rest[1:2] == ["run"]:
            rest = _skip_options(name, rest[2:])
        else:
            break
    if not rest:
        return
    yield (program_name(rest[0]), *rest[1:])
    yield from _nested_commands(program_name(rest[0]), rest[1:], is_windows=is_windows, depth=depth)


def _skip_options(name: str, rest: list[str]) -> list[str]:
    """Return the words after the options of a wrapper."""
    takes = _WRAPPERS.get(name, frozenset())
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in takes else rest[1:]
    return rest[1:] if name in _WITH_A_WORD_AHEAD else rest


def _nested_commands(name: str, rest: list[str], *, is_windows: bool, depth: int) -> Iterator[CommandWords]:
    """Yield the commands among the words of a command: what a shell, here or elsewhere, runs."""
    if name in _STARTERS:  # their options come first, so it may begin with any word
        yield from ((program_name(word), *rest[place:]) for place, word in enumerate(rest[:_MOST_AHEAD], 1))
    for code in _shell_code(name, rest):
        yield from parse_commands(code, is_windows=is_windows or name in _WINDOWS_SHELLS, depth=depth + 1)


def _shell_code(name: str, rest: list[str]) -> list[str]:
    """Return the command lines that a command passes on to be run."""
    if name == "eval":
        return [" ".join(rest)]
    if name in _STARTERS:
        return [word for word in rest[:_MOST_AHEAD] if " " in word]
    place = next((place for place, word in enumerate(rest, 1) if _CODE_FOLLOWS.fullmatch(word)), len(rest))
    if name in _WINDOWS_SHELLS:
        return [" ".join(rest[place:])]
    return rest[place : place + 1] if name in _SHELLS else []


# Tool calls as short descriptions in memvault's own words; never a word of the tool's output.

_MADE, _EDITED = "made", "edited"

# Tool -> how its action is called, and the members of its input that name the file.
_WRITERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Write": (_MADE, ("file_path",)),
    "Edit": (_EDITED, ("file_path",)),
    "MultiEdit": (_EDITED, ("file_path",)),
    "NotebookEdit": (_EDITED, ("notebook_path", "file_path")),
}
_PATCHERS = frozenset({"apply_patch", "ApplyPatch"})
SHELLS = frozenset({"Bash", "PowerShell", "shell", "local_shell", "exec_command"})

_RUN = r"(?:^|[;&|(]\s*|\b(?:uv|poetry|pdm|hatch|pipenv) run |\b(?:npx|bunx|sudo|nice|time|env) )(?:\S*/)?"
_PACKAGES = r"(?:npm|pnpm|yarn|bun)(?: run)?"
# What a command does, the most important first: of several actions the first counts.
_COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (told, re.compile(_RUN + pattern, re.IGNORECASE | re.MULTILINE))
    for told, pattern in (
        (
            "ran tests",
            rf"(?:pytest|py\.test|python[\d.]* -m (?:pytest|unittest)|tox|nox|{_PACKAGES} (?:test|t)\b|jest|vitest"
            r"|mocha|cargo (?:test|nextest)|go test|make (?:test|check)\b|ctest|mvn \S*\s*(?:test|verify)"
            r"|\S*gradlew? \S*test|dotnet test|rspec|phpunit|bundle exec rspec|mix test|swift test)",
        ),
        ("committed", r"git (?:-C \S+ )?commit\b"),
        ("pushed", r"git (?:-C \S+ )?push\b"),
        ("merged or rebased", r"git (?:-C \S+ )?(?:merge|rebase|cherry-pick)\b"),
        ("switched branches", r"git (?:-C \S+ )?(?:switch|checkout -b)\b"),
        (
            "ran checks",
            rf"(?:ruff|mypy|pyright|eslint|tsc|flake8|pylint|cargo clippy|golangci-lint|{_PACKAGES} lint)\b",
        ),
        (
            "built",
            rf"(?:make\b|cargo build|go build|{_PACKAGES} build|cmake --build|docker build|python[\d.]* -m build)",
        ),
        (
            "installed packages",
            rf"(?:(?:python[\d.]* -m )?pip[\d.]* install|uv (?:add|sync|pip install)|{_PACKAGES} (?:install|add|i)\b"
            r"|cargo add|go get|apt(?:-get)? install|brew install|poetry add)",
        ),
    )
)
_WITH_OUTCOME = frozenset({"ran tests", "ran checks"})
_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|errors?)\b|\bFAILED\b|^FAIL\b|Found [1-9]\d* errors?"
    r"|\b(?:failures|errors)=[1-9]|Traceback \(most recent",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|^ok\b|^OK$|All checks passed|no issues found", re.MULTILINE
)
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PATCH_WORDS = {"Add": _MADE, "Update": _EDITED, "Delete": "deleted"}
_LOOKED_AT = 20_000  # characters of a command, and of either end of its output
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class ToolAction:
    """One action of a tool, and its file, if any."""

    action: str
    file: str = ""


def tool_actions(
    tool: str, arguments: Mapping[str, object], answer: object, *, folder: str = ""
) -> tuple[ToolAction, ...]:
    """Return the noteworthy actions of a tool call; most calls have none."""
    if tool in _WRITERS:
        did, members = _WRITERS[tool]
        path = next(filter(None, (_string_field(arguments, member) for member in members)), "")
        if did == _MADE and isinstance(answer, Mapping) and answer.get("type") == "update":
            did = "rewrote"
        return (ToolAction(did, relative_path(path, folder)),) if path.strip() else ()
    if tool in _PATCHERS:
        return _patch_actions(
            _string_field(arguments, "input")
            or _string_field(arguments, "patch")
            or _string_field(arguments, "command"),
            folder,
        )
    if tool in SHELLS:
        value = arguments.get("command")
        if isinstance(value, list):
            value = " ".join(part for part in value if isinstance(part, str))
        command = value[:_LOOKED_AT] if isinstance(value, str) else ""
        return _patch_actions(command, folder) or _command_actions(command, answer)
    return ()


def relative_path(path: str, folder: str) -> str:
    """Return a path relative to a folder; one that lies elsewhere unchanged."""
    line = " ".join(path.split()).replace("\\", "/")
    top = folder.replace("\\", "/").rstrip("/")
    inside = bool(top) and line.casefold().startswith(f"{top}/".casefold())
    return (line[len(top) + 1 :] if inside else line)[:_LONGEST_PATH]


def _patch_actions(text: str, folder: str) -> tuple[ToolAction, ...]:
    if "*** " not in text:
        return ()
    return tuple(ToolAction(_PATCH_WORDS[what], relative_path(path, folder)) for what, path in _PATCHED.findall(text))


def _command_actions(command: str, answer: object) -> tuple[ToolAction, ...]:
    action = next((action for action, pattern in _COMMANDS if pattern.search(command)), "")
    if not action:
        return ()
    return (ToolAction(f"{action}{_test_outcome(answer)}" if action in _WITH_OUTCOME else action),)


def _test_outcome(answer: object) -> str:
    """Return how a command ended, where its output says so; its exit code may be another's."""
    if not isinstance(answer, Mapping):
        return ""
    printed = "\n".join(_head_and_tail(_string_field(answer, name)) for name in ("stdout", "stderr", "output"))
    if _FAILED.search(printed) or answer.get("exit_code") not in (None, 0):
        return ": failed"
    return ": passed" if _PASSED.search(printed) else ""


def _head_and_tail(text: str) -> str:
    return text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"


def _string_field(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""
