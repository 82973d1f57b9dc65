"""Where one command is carried out: its streams, its machine, its clock, and the options that all commands have."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from memvault.cli.output.terminal import TerminalFormat, TextStyles, shows_links
from memvault.core.value import Record
from memvault.errors import NotPrinted, NotText
from memvault.text.display import neutralize_text, to_one_line

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from memvault.api import Memvault
    from memvault.cli.output.progress import ProgressLine


Clock = Callable[[], datetime]
VaultOpener = Callable[[str | None], "Memvault"]
"""Gives the vault that was named, or that is found; for whoever keeps open what it takes."""
_DEFAULT_WIDTH, _MAX_WIDTH = 80, 160


class CliContext:
    """One command's place of work; everything a command takes from outside itself comes from here."""

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        stdin: TextIO | None,
        stdout: TextIO,
        stderr: TextIO,
        clock: Clock | None = None,
        zone: tzinfo | None = None,
        opener: VaultOpener | None = None,
    ) -> None:
        self.environment = environment
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.vault_name: str | None = None
        self.line: tuple[str, tuple[str, ...]] = ("", ())  # the command's name, and all other words
        self.as_json = False
        self.no_color = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
        self.clock = clock
        self._zone = zone
        self._opener = opener
        self._progress: ProgressLine | None = None
        self._root: Path | None = None  # of the vault that was opened

    # -- the vault and the time

    def open_vault(self, *, may_ask: bool = True) -> Memvault:
        """The vault that is meant: the one named, or the one that is found.

        Where its file sets what only the person may set, they are asked about it once, unless `asks` is false.
        """
        vault = self._open_here() if self._opener is None else self._opener(self.vault_name)
        self._root = vault.root
        if self._opener is not None:
            return vault
        if not (
            may_ask and vault.settings.ignored and (self.has_person and self.has_stderr_terminal and not self.as_json)
        ):
            return vault
        if not self._ask_about_ignored(vault):
            return vault
        vault.close()
        return self._open_here()

    def _ask_about_ignored(self, vault: Memvault) -> bool:
        """Ask, once, whether to set for this vault what its file asks for; return whether that changed the settings."""
        from memvault.core.settings import find_setting  # deferred, all: hardly any vault asks for anything
        from memvault.open_vault import own_config_file
        from memvault.storage.vault.configure import answer_questions, open_questions
        from memvault.storage.vault.layout import CONFIG
        from memvault.storage.vault.vault_file import read_vault_file
        from memvault.system import files

        questions = open_questions(vault.settings)
        if not questions:
            return False
        self.print_message(f"{to_one_line(str(vault.root / CONFIG))} sets what only you may set, so it is ignored:")
        for one in questions:
            self.print_message(f"  {to_one_line(f'{one.name} = {one.written}')}\n    {find_setting(one.name).help}")
        answer = self.ask_line("Set it in your own config, for this vault? You are asked once. [y/N] ")
        if answer is None:  # nobody is there any more
            return False
        agrees = answer.casefold() in ("y", "yes")
        file = own_config_file(vault.environment, vault_id=read_vault_file(vault.root).id)
        with files.system_errors(file.path):
            answer_questions(file, questions, accept=agrees)
        written = f"Written to {file.path}, for this vault."
        self.print_message(written if agrees else "It stays ignored. `memvault config` lists it.")
        return agrees

    def _open_here(self) -> Memvault:
        from memvault.api import Memvault, system_clock  # deferred: help and usage errors need no vault

        vault = Memvault(
            self.vault_name,
            clock=self.clock or system_clock,
            zone=self._zone,
            environment=self.environment,
            folder=Path.cwd(),
        )
        vault.report_work = self.report_work
        return vault

    def now(self) -> datetime:
        """The time now, in UTC."""
        return self.clock() if self.clock else datetime.now(UTC)

    @property
    def zone(self) -> tzinfo:
        """The time zone that the person at this machine lives in."""
        return self._zone or datetime.now().astimezone().tzinfo or UTC

    # -- what comes in

    @property
    def has_person(self) -> bool:
        """Whether a person is at the other end of stdin, rather than a text or nobody."""
        return self.stdin is not None and _is_terminal(self.stdin)

    def confirm(self, question: str) -> bool:
        """Whether the person says yes; no answer is no."""
        return (self.ask_line(f"{question} [y/N] ") or "").casefold() in ("y", "yes")

    def ask_line(self, question: str) -> str | None:
        """What the person answers; None where nobody is there any more."""
        self.clear_progress()
        self.stderr.write(neutralize_text(question))
        self.stderr.flush()
        answer = self.stdin.readline() if self.stdin is not None else ""
        return answer.strip() if answer else None

    @property
    def has_stderr_terminal(self) -> bool:
        """Whether a person sees what is said on stderr as it is said."""
        return _is_terminal(self.stderr)

    def read_stdin(self) -> str:
        """All of stdin."""
        return "" if self.stdin is None else decode_text(_read_bytes(self.stdin), "The text on stdin")

    # -- what goes out

    def print_data(self, text: str) -> None:
        """Data, on stdout."""
        self.clear_progress()
        if text:
            self.stdout.write(text if text.endswith("\n") else f"{text}\n")

    def print_bytes(self, data: bytes) -> None:
        """Bytes exactly as they are, on stdout."""
        self.stdout.flush()
        self.stdout.buffer.write(data)
        self.stdout.buffer.flush()

    def print_message(self, text: str, label: str = "") -> None:
        """Talk, on stderr: an `error`, a `warning`, a `hint`, or without a label what was done."""
        self.clear_progress()
        if not text:
            return
        from memvault.cli.output.messages import format_message  # deferred: many commands say nothing

        is_terminal = self.has_stderr_terminal
        shown = format_message(
            text,
            label,
            width=self._measure_width() if is_terminal else 0,
            styles=TextStyles(has_color=is_terminal and self._obeys_colors and not self.no_color),
            vault=self.vault_name,
        )
        self.stderr.write(f"{shown}\n")
        self.stderr.flush()

    def complete_text(self, text: str) -> str:
        """A text for a program, whose commands name the vault that the line named."""
        from memvault.cli.output.messages import name_vault  # deferred, as above

        return name_vault(text, self.vault_name)

    def more_budget(self, budget: int) -> str:
        """The command line that was typed, with twice the budget."""
        return self.repeat_command("--budget", str(2 * budget))

    def repeat_command(self, option: str, value: str = "") -> str:
        """The command line that was typed, with one option more."""
        from memvault.cli.output.messages import repeat_command  # deferred, as above

        return repeat_command(*self.line, option, value)

    def report_work(self, stage: str, done: int, whole: int, *, in_bytes: bool = False) -> None:
        """Say on stderr how far long work is, but to no program."""
        if self.as_json:
            return
        if self._progress is None:
            from memvault.cli.output.progress import ProgressLine  # deferred: most commands are quick

            is_watched = self.has_stderr_terminal
            self._progress = ProgressLine(self.stderr, is_watched=is_watched, width=self._measure_width())
        self._progress.report(stage, done, whole, in_bytes=in_bytes)

    @contextmanager
    def progress_bar(
        self, stage: str, *, in_bytes: bool = False, is_silent: bool = False
    ) -> Iterator[Callable[[int, int], None]]:
        """Give what is told how much of a stage of long work is done, and of how much; the line goes at its end."""

        def report(done: int, whole: int) -> None:
            if not is_silent:
                self.report_work(stage, done, whole, in_bytes=in_bytes)

        try:
            yield report
        finally:
            self.clear_progress()

    def clear_progress(self) -> None:
        """Take the line about the progress away, where there is one."""
        if self._progress is not None:
            self._progress.close()
            self._progress = None

    def terminal_format(self) -> TerminalFormat:
        """What stdout is: a terminal of some width with colours, or a pipe."""
        if not _is_terminal(self.stdout):
            return TerminalFormat(zone=self.zone)
        has_color = self._obeys_colors and not self.no_color
        # Obsidian opens no folder that is none of its vaults.
        is_linked = has_color and self._root and shows_links(self.environment) and (self._root / ".obsidian").is_dir()
        return TerminalFormat(
            width=self._measure_width(),
            styles=TextStyles(has_color=has_color),
            zone=self.zone,
            root=self._root if is_linked else None,
        )

    @property
    def _obeys_colors(self) -> bool:
        return sys.platform != "win32" or bool({"WT_SESSION", "TERM", "ANSICON"} & set(self.environment))

    @property
    def is_ascii_only(self) -> bool:
        """Whether stdout cannot carry every character, so that JSON must spell some out."""
        return (getattr(self.stdout, "encoding", None) or "utf-8").casefold().replace("-", "") != "utf8"

    def _measure_width(self) -> int:
        given = self.environment.get("COLUMNS", "")
        try:
            width = int(given) if given.isdigit() else os.get_terminal_size(self.stdout.fileno()).columns
        except (OSError, ValueError):
            width = _DEFAULT_WIDTH
        return max(20, min(width or _DEFAULT_WIDTH, _MAX_WIDTH))


def decode_text(data: bytes, what: str) -> str:
    """Text from outside, in UTF-8, or in UTF-16 where it says so."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise NotText(what=what, byte=error.start + 1) from None


def _read_bytes(stream: TextIO) -> bytes:
    buffer = getattr(stream, "buffer", None)
    return stream.read().encode() if buffer is None else buffer.read()


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:
        return False  # closed by whoever started us


# Where what is printed leaves the process: a slow reader is waited for, and a stream that fails is told of plainly.

_PAUSE = 0.01


class GuardedStream(io.RawIOBase):
    """One of this process's streams, which takes all that it is given, or raises NotPrinted."""

    def __init__(self, raw: io.RawIOBase, name: str, stream: TextIO) -> None:
        super().__init__()
        self._raw = raw
        self._name = name
        self._stream = stream  # which would close the raw one when nobody holds it any more

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            while (count := self._raw.write(data)) is None:  # it is full, and was told not to wait
                wait_for_reader(self.fileno())
        except BrokenPipeError:
            raise
        except OSError as error:
            raise print_error(error, self._name) from error
        return count

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()


def wait_for_reader(number: int) -> None:
    """Come back when a stream may take more."""
    if sys.platform == "win32":  # there only sockets can be waited for
        from time import sleep

        sleep(_PAUSE)
        return
    from select import select  # deferred: hardly any stream is set not to wait by itself

    select((), (number,), ())


def print_error(error: OSError, name: str) -> NotPrinted:
    """The error to tell where a stream takes no more."""
    from memvault.system.files import describe_error  # deferred: nearly every stream takes what it is given

    return NotPrinted(stream=name, reason=describe_error(error))


def report_print_error(error: NotPrinted) -> int:
    """Say so on stderr, if that takes anything; the exit code that goes with it."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"error: {error}\nhint: {error.advice}\n")
            sys.stderr.flush()
    return error.exit_code


# What a command gives back: data for a program, text for a person, and what is said besides.

TextFormatter = Callable[[TerminalFormat], str]


class CommandResult(Record):
    """A command's answer: `result` goes into the JSON envelope, `text` to stdout, `talk` to stderr."""

    result: object
    text: TextFormatter = lambda _paper: ""
    messages: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    exit_code: int = 0
