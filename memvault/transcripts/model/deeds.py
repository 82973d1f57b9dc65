"""What an agent's call of a tool comes to, in memvault's own few words; never a word of what the tool gave back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MADE, _EDITED = "made", "edited"

# Tool -> how its work on a file is told, and the members of its input that name the file.
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
# What a command is about, from the most telling: a command that does several things is told by the first.
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
_JUDGED = frozenset({"ran tests", "ran checks"})
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
_LOOKED_AT = 20_000  # characters of a command and of either end of what it printed
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that was done: in a word or two, and to which file, if to any."""

    did: str
    file: str = ""


def deeds(tool: str, given: Mapping[str, object], answer: object, *, folder: str = "") -> tuple[Deed, ...]:
    """What a call of a tool did that is worth a note; most calls did nothing."""
    if tool in _WRITERS:
        return _written(tool, given, answer, folder)
    if tool in _PATCHERS:
        return _patched(_text(given, "input") or _text(given, "patch") or _text(given, "command"), folder)
    if tool in SHELLS:
        command = _command(given)
        return _patched(command, folder) or _ran(command, answer)
    return ()


def within(path: str, folder: str) -> str:
    """A path as seen from a folder; one that lies elsewhere as it is."""
    line = " ".join(path.split()).replace("\\", "/")
    top = folder.replace("\\", "/").rstrip("/")
    inside = bool(top) and line.casefold().startswith(f"{top}/".casefold())
    return (line[len(top) + 1 :] if inside else line)[:_LONGEST_PATH]


def _written(tool: str, given: Mapping[str, object], answer: object, folder: str) -> tuple[Deed, ...]:
    did, members = _WRITERS[tool]
    path = next(filter(None, (_text(given, member) for member in members)), "")
    if did == _MADE and isinstance(answer, Mapping) and answer.get("type") == "update":
        did = "rewrote"
    return (Deed(did, within(path, folder)),) if path.strip() else ()


def _patched(text: str, folder: str) -> tuple[Deed, ...]:
    if "*** " not in text:
        return ()
    return tuple(Deed(_PATCH_WORDS[what], within(path, folder)) for what, path in _PATCHED.findall(text))


def _ran(command: str, answer: object) -> tuple[Deed, ...]:
    told = next((told for told, pattern in _COMMANDS if pattern.search(command)), "")
    if not told:
        return ()
    return (Deed(f"{told}{_outcome(answer)}" if told in _JUDGED else told),)


def _outcome(answer: object) -> str:
    """How it went, where what was printed says so; a command that ended well may have passed it through another."""
    if not isinstance(answer, Mapping):
        return ""
    printed = "\n".join(_ends(_text(answer, name)) for name in ("stdout", "stderr", "output"))
    if _FAILED.search(printed) or answer.get("exit_code") not in (None, 0):
        return ": failed"
    return ": passed" if _PASSED.search(printed) else ""


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"


def _command(given: Mapping[str, object]) -> str:
    value = given.get("command")
    if isinstance(value, list):
        value = " ".join(part for part in value if isinstance(part, str))
    return value[:_LOOKED_AT] if isinstance(value, str) else ""


def _text(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""
