"""One command from its words to its exit code: parsed, carried out, answered, and every error told in our manner."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import tzinfo
from typing import TextIO

from memvault import __version__
from memvault.cli.argv import CommandCall, find_vault, list_options, read_plain_call, split_argv
from memvault.cli.commands import ALIASES, COMMANDS, GROUPS, MOVED
from memvault.cli.context import CliContext, Clock, CommandResult, GuardedStream, report_print_error
from memvault.errors import MemvaultError, NotPrinted

_VERSION = frozenset({"--version", "-V"})
_HELP = frozenset({"--help", "-h", "--all", "--json", "--no-color"})
_COMPLETION = "_MEMVAULT_COMPLETE"
_SCRIPTS = ("--install-completion", "--show-completion")


def run_command(
    argv: Sequence[str],
    *,
    stdout: TextIO,
    stderr: TextIO,
    stdin: TextIO | None = None,
    environment: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
    zone: tzinfo | None = None,
) -> int:
    """Run one command line and return its exit code; every error becomes a sentence, never a traceback."""
    cli = CliContext(environment=environment, stdin=stdin, stdout=stdout, stderr=stderr, clock=clock, zone=zone)
    words = argv[: argv.index("--")] if "--" in argv else argv  # after `--` everything is text
    cli.as_json = "--json" in words  # known before the rest is understood, so that mistakes answer in JSON too
    cli.no_color |= "--no-color" in words
    cli.vault_name = find_vault(words)
    try:
        return _parse_and_call(argv, cli)
    except (BrokenPipeError, NotPrinted, KeyboardInterrupt):  # for whoever owns the streams
        raise
    except MemvaultError as error:
        return _print_failure(error, split_argv(argv)[0], cli)
    except Exception as error:  # the last line of defence: a bug of ours is told, not thrown at a person
        if environment.get("MEMVAULT_DEBUG"):
            raise
        from memvault.system.crash import record_bug  # deferred: nobody should ever need it

        names = {word for name in (*COMMANDS, *ALIASES, *MOVED) for word in name.split()}
        bug = record_bug(error, argv, names, environment, cli.now())
        return _print_failure(bug, split_argv(argv)[0], cli)


def _parse_and_call(argv: Sequence[str], cli: CliContext) -> int:
    if argv and argv[0] in _VERSION:
        cli.print_data(f"memvault {__version__}")
        return 0
    if cli.environment.get(_COMPLETION, "").startswith("complete_"):
        from memvault.cli.parsing.complete import complete_line  # deferred: only a shell asks

        return complete_line(cli)
    if argv and argv[0] in _SCRIPTS:
        from memvault.cli.parsing.complete import install_completion  # deferred: it is done once

        cli.print_data(install_completion(argv[1] if len(argv) > 1 else "", show=argv[0] == _SCRIPTS[1]))
        return 0
    line = split_argv(argv)
    if line.name == "help":
        return _parse_and_call([*line.words, "--help"], cli)
    if (not line.name or line.name in GROUPS) and line.name not in COMMANDS and _HELP.issuperset(line.words):
        return _print_help(line.name, cli, everything="--all" in line.words)
    if line.name and line.name not in COMMANDS:
        from memvault.cli.parsing.parser import correct_command  # deferred: most words are spelled right

        corrected = correct_command(line)
        cli.print_message("" if cli.as_json else f"Read as `memvault {split_argv(corrected).name}`.", "hint")
        return _parse_and_call(corrected, cli)
    call = read_plain_call(argv)
    if call is None:
        from memvault.cli.parsing.parser import parse_argv  # deferred: typer is a third of a start

        with redirect_stdout(cli.stdout), redirect_stderr(cli.stderr):
            parsed = parse_argv(argv)
        if isinstance(parsed, int):
            return parsed
        call = parsed
    return call_command(call, argv, cli)


def _print_help(group: str, cli: CliContext, *, everything: bool) -> int:
    from memvault.cli.output import help as pages  # deferred: most lines name a command

    paper = cli.terminal_format()
    cli.print_data(
        pages.format_group_help(group, paper) if group else pages.format_program_help(paper, everything=everything)
    )
    return 0


def call_command(call: CommandCall, argv: Sequence[str], cli: CliContext) -> int:
    """Call a command, print its result and return its exit code; errors are left to the caller."""
    cli.no_color |= call.common["no_color"]
    cli.vault_name = call.common["vault"]
    cli.as_json = call.common["as_json"]
    name, words, spelling = split_argv(argv)
    cli.line = (name, words)
    answer = call.function(cli, **call.own)
    hint = f"`memvault {spelling}` is now `memvault {MOVED[spelling]}`." if spelling in MOVED else ""
    if not isinstance(answer, CommandResult):
        return 0
    if cli.as_json:
        from memvault.transfer import json_values as jsonable  # deferred: most answers are for people

        warnings = tuple(cli.complete_text(text) for text in (*answer.warnings, hint) if text)
        envelope = jsonable.success_envelope(name, answer.result, warnings)
        cli.print_data(jsonable.to_json_page(envelope, ascii_only=cli.is_ascii_only))
        return answer.exit_code
    cli.print_data(answer.text(cli.terminal_format()))
    cli.stdout.flush()
    for warning in answer.warnings:
        cli.print_message(warning, "warning")
    for sentence in answer.messages:
        cli.print_message(sentence)
    cli.print_message(hint, "hint")
    return answer.exit_code


def _print_failure(error: MemvaultError, command: str, cli: CliContext) -> int:
    from memvault.core.secrets.erase import redact_error  # deferred: most commands go well

    error = redact_error(error)
    advice = _complete_options(error.advice, cli)
    if cli.as_json:
        from memvault.transfer import json_values as jsonable  # deferred, as above

        envelope = jsonable.error_envelope(command, error, hint=cli.complete_text(advice))
        cli.print_data(jsonable.to_json_page(envelope, ascii_only=cli.is_ascii_only))
    else:
        sentence = str(error)
        # A sentence begins with a capital; an option or a path stays as it is spelled.
        cli.print_message("T" + sentence[1:] if sentence.startswith("the ") else sentence, "error")
        cli.print_message(advice, "hint")
    return error.exit_code


def _complete_options(advice: str, cli: CliContext) -> str:
    """Return advice in which an option that stands alone is the line that was typed, with that option."""
    name, words = cli.line
    if not name or "`--" not in advice:
        return advice
    from memvault.cli.output.messages import repeat_with_options  # deferred: few texts name an option

    return repeat_with_options(advice, name, words, list_options(name))


# The command line as a process: its real streams made safe for any text and any reader.


def run_process(argv: Sequence[str]) -> int:
    """Run a command line on this process's own streams."""
    stdout, stderr = (_guard_stream(sys.stdout, "stdout"), _guard_stream(sys.stderr, "stderr"))
    try:
        code = run_command(argv, stdin=sys.stdin, stdout=stdout, stderr=stderr)
        stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        _discard_output(stdout)
        return 0
    except NotPrinted as error:
        code = report_print_error(error)
        _discard_output(stdout)
        _discard_output(stderr)
    return code


def _discard_output(stream: TextIO) -> None:
    """What Python still holds back must go nowhere, or it complains about the stream on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _guard_stream(stream: TextIO | None, name: str) -> TextIO:
    """The stream, patient and plain, made so that no text can break the printing of it.

    What it cannot show is spelled out; one that leads nowhere out of this process stays what it is.
    """
    if stream is None:  # closed by whoever started us
        stream = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - it stands for a stream of the process
    elif (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        # A pipe on Windows would otherwise speak the console's old code page, which no other program expects.
        encoding = "utf-8" if sys.platform == "win32" and not stream.isatty() else None
        reconfigure(encoding=encoding, errors="backslashreplace")
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    if not isinstance(raw, io.RawIOBase):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(GuardedStream(raw, name, stream)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=getattr(stream, "line_buffering", False) or getattr(stream, "write_through", False),
    )
