"""Plays a transcript: each `$ ` line is carried out, and what it answers is written below it.

A line may be a memvault command, with text piped into it and variables before it, or one of a few words for files and
time. A line that begins with `;; ` is a remark. What memvault says on stderr is marked with `! `; an exit code other than 0 stands below as `[exit 3]`. What
differs from run to run (ids, names of operations, folders) is replaced by what does not.

    $ echo "some text" | memvault remember -
    $ TTY=60 memvault recall tea            stdout is a terminal, so many cells wide
    $ EDITOR="editor tea coffee" memvault edit tea      an editor that replaces one word by another
    $ write notes/a.md "text\n"    $ cat FILE    $ ls FOLDER    $ remove FILE    $ later 3 days
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from memvault import cli

START = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
EDITOR = Path(__file__).with_name("editor.py")

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_SHORT = re.compile(r"(?<![\w-])[0-9a-f]{8}(?![\w-])")
_OPERATION = re.compile(r"\b(\d{8}T\d{6}Z)-([0-9a-f]{6})\b")
_AT_A_PATH = re.compile(r"(vaults[/\\]{1,2}[0-9a-f-]{36})-[0-9a-f]{12}")
_DIGEST = re.compile(r"\b[0-9a-f]{32}\b")
_TOKEN = re.compile(r'(?<=memvault-recall token=)(\\?")[0-9a-f]{16}(?=\\?")')


class Terminal(io.StringIO):
    """A stream with a person at its other end."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


class Marked(io.TextIOBase):
    """stderr, written into the same page as stdout with a mark before each line."""

    def __init__(self, page: io.StringIO) -> None:
        self._page = page

    def write(self, text: str) -> int:
        self._page.write("".join(f"! {line}\n" for line in text.splitlines()))
        return len(text)


class Page(io.StringIO):
    """stdout of one command, with the bytes that went past its text."""

    encoding = "utf-8"  # type: ignore[assignment]

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal
        self.buffer = _Buffer(self)

    def isatty(self) -> bool:
        return self._terminal


class _Buffer(io.RawIOBase):
    def __init__(self, page: Page) -> None:
        self._page = page

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._page.write(data.decode("utf-8", "backslashreplace"))
        return len(data)


class Player:
    """One machine, on which a transcript is played from its first line to its last."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        self.top = folder
        self.home = folder / "home"
        self.home.mkdir()
        self._labels: dict[str, str] = {}
        self.environment = {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "PATH": os.environ.get("PATH", ""),
        }

    def play(self, transcript: str) -> str:
        """The transcript with every answer as it is now; only commands and remarks are taken from it."""
        lines = [line for line in transcript.splitlines() if line.startswith(("$ ", ";; "))]
        return "\n".join(self._answered(line) if line.startswith("$ ") else f"{line}\n" for line in lines)

    def _answered(self, line: str) -> str:
        answer, code = self._carry_out(self._real(line[2:]))
        said = self._steady(answer)
        if said and not said.endswith("\n"):
            said += "\n"
        return f"{line}\n{said}" + (f"[exit {code}]\n" if code else "")

    def _carry_out(self, line: str) -> tuple[str, int]:
        before, pipe, after = line.partition(" | memvault ")
        words = shlex.split(f"memvault {after}" if pipe else line)
        piped = self._own(shlex.split(before))[0] if pipe else None
        variables = {}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        return self._memvault(words[1:], piped, variables) if words[0] == "memvault" else self._own(words)

    def _memvault(self, words: list[str], piped: str | None, variables: dict[str, str]) -> tuple[str, int]:
        width = variables.pop("TTY", "")
        environment = {**self.environment, **variables}
        if width:
            environment |= {"COLUMNS": width, "NO_COLOR": "1"}
        if environment.get("EDITOR", "").startswith("editor"):
            program = f'"{sys.executable}" "{EDITOR}"'
            environment["EDITOR"] = environment["EDITOR"].replace("editor", program, 1)
        page = Page(terminal=bool(width))
        code = cli.run_command(
            words,
            environment=environment,
            stdin=Terminal() if piped is None else io.StringIO(piped),
            stdout=page,
            stderr=Marked(page),  # type: ignore[arg-type]
            clock=lambda: self.now,
            zone=UTC,
        )
        self._set_back()
        return page.getvalue(), code

    def _set_back(self) -> None:
        """Files that were made just now get the transcript's time: a note without a date is as old as its file."""
        for path in Path.cwd().rglob("*.md"):
            if path.stat().st_mtime - self.now.timestamp() > 86_400:
                os.utime(path, (self.now.timestamp(), self.now.timestamp()))

    def _own(self, words: list[str]) -> tuple[str, int]:
        """The few words besides memvault's; they know nothing of shells."""
        match words:
            case ["echo", text]:
                return text.encode().decode("unicode_escape").encode("latin-1").decode() + "\n", 0
            case ["cat", path]:
                return Path(path).read_text(encoding="utf-8"), 0
            case ["ls", *path]:
                return "".join(f"{found.name}\n" for found in sorted(Path(*path).iterdir())), 0
            case ["write", path, text]:
                self._write(Path(path), text.encode().decode("unicode_escape").encode("latin-1"))
            case ["remove", path]:
                shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink()
            case ["later", count, unit]:
                self.now += timedelta(**{unit.rstrip("s") + "s": float(count)})
            case _:
                raise AssertionError(f"a transcript cannot do this: {words}")
        return "", 0

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (self.now.timestamp(), self.now.timestamp()))

    # -- what differs from run to run

    def _steady(self, text: str) -> str:
        work = str(self.top / "work")
        text = text.replace(quote(work, safe=""), "~").replace(work, "~").replace(str(self.home), "~home")
        text = text.replace(sys.executable, "editor")
        text = _TOKEN.sub(r"\g<1>0123456789abcdef", text)
        text = _AT_A_PATH.sub(r"\1-000000000000", text)
        text = _UUID.sub(lambda found: self._label(found[0][:8]) + "-0000-4000-8000-000000000000", text)
        text = _OPERATION.sub(lambda found: f"{found[1]}-{self._label(found[2])}", text)
        text = _SHORT.sub(lambda found: self._label(found[0]), text)
        return _DIGEST.sub("0" * 32, text)

    def _label(self, id_: str) -> str:
        return self._labels.setdefault(id_, f"{len(self._labels) + 1:0{len(id_)}d}")

    def _real(self, line: str) -> str:
        """A command with the labels that stand in it turned back into what they stand for."""
        for id_, label in self._labels.items():
            line = re.sub(rf"(?<![\w]){label}(?!\w)", id_, line)
        return line
