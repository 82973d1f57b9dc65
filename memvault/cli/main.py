"""One command from its words to its exit code: parsed, carried out, answered, and every error told in our manner."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import tzinfo
from typing import TextIO

from memvault import __version__
from memvault.cli.argv import Call, Words, plain_call
from memvault.cli.context import Answer, Clock, Desk, outlet, told
from memvault.errors import MemvaultError, NotPrinted

_VERSION = frozenset({"--version", "-V"})
_COMPLETION = "_MEMVAULT_COMPLETE"


def run(
    argv: Sequence[str],
    *,
    stdout: TextIO,
    stderr: TextIO,
    stdin: TextIO | None = None,
    environment: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
    zone: tzinfo | None = None,
) -> int:
    """Carry one command line out and give its exit code; whatever goes wrong is a sentence, never a traceback."""
    desk = Desk(environment=environment, stdin=stdin, stdout=stdout, stderr=stderr, clock=clock, zone=zone)
    words = _before_dashes(argv)
    desk.as_json = "--json" in words  # known before the rest is understood, so that mistakes answer in JSON too
    desk.colourless |= "--no-color" in words
    try:
        return _carried_out(argv, desk)
    except (BrokenPipeError, NotPrinted, KeyboardInterrupt):  # for whoever owns the streams
        raise
    except MemvaultError as error:
        return _told(error, _name(argv), desk)
    except Exception as error:  # the last line of defence: a bug of ours is told, not thrown at a person
        if environment.get("MEMVAULT_DEBUG"):
            raise
        from memvault.cli.output.crash import bug  # deferred: nobody should ever need it

        return _told(bug(error, argv, environment, desk.now()), _name(argv), desk)


def _carried_out(argv: Sequence[str], desk: Desk) -> int:
    if argv and argv[0] in _VERSION:
        desk.put(f"memvault {__version__}")
        return 0
    call = None if _COMPLETION in desk.environment else plain_call(argv)
    if call is None:
        from memvault.cli.parser import complete, parse  # deferred: typer is a third of a start

        with redirect_stdout(desk.stdout), redirect_stderr(desk.stderr):
            parsed = complete() if _COMPLETION in desk.environment else parse(argv)
        if isinstance(parsed, int):
            return parsed
        call = parsed
    return carried_out(call, argv, desk)


def carried_out(call: Call, argv: Sequence[str], desk: Desk) -> int:
    """Carry out what a command line was understood to mean; errors are raised, and told by nobody."""
    desk.colourless |= call.common["no_color"]
    desk.vault_named = call.common["vault"]
    desk.as_json = call.common["as_json"]
    answer = call.function(desk, **call.own)
    return _given(answer, _name(argv), desk) if isinstance(answer, Answer) else 0


def _given(answer: Answer, command: str, desk: Desk) -> int:
    if desk.as_json:
        from memvault.core import json as jsonable  # deferred: most answers are for people

        envelope = jsonable.success(command, answer.result, answer.warnings)
        desk.put(jsonable.page(envelope, ascii_only=desk.takes_ascii_only))
        return answer.exit_code
    desk.put(answer.text(desk.paper()))
    desk.stdout.flush()
    for sentence in (*(f"warning: {warning}" for warning in answer.warnings), *answer.talk):
        desk.say(sentence)
    return answer.exit_code


def _told(error: MemvaultError, command: str, desk: Desk) -> int:
    from memvault.core.secrets.erase import veiled  # deferred: most commands go well

    error = veiled(error)
    if desk.as_json:
        from memvault.core import json as jsonable  # deferred, as above

        desk.put(jsonable.page(jsonable.failure(command, error), ascii_only=desk.takes_ascii_only))
    else:
        desk.say(f"memvault: {_capital(str(error))}")
        desk.say(f"  {error.advice}" if error.advice else "")
    return error.exit_code


def _capital(sentence: str) -> str:
    """A sentence begins with a capital; an option or a path stays as it is spelled."""
    return sentence[:1].upper() + sentence[1:] if sentence.startswith("the ") else sentence


def _name(argv: Sequence[str]) -> str:
    return Words.of(argv).name


def _before_dashes(argv: Sequence[str]) -> Sequence[str]:
    """What stands before `--`, after which everything is text."""
    return argv[: argv.index("--")] if "--" in argv else argv


# The command line as a process: its real streams made safe for any text and any reader.


def run_here(argv: Sequence[str]) -> int:
    """Carry a command line out on this process's own streams."""
    stdout, stderr = outlet(_safe(sys.stdout), "stdout"), outlet(_safe(sys.stderr), "stderr")
    try:
        code = run(argv, stdin=sys.stdin, stdout=stdout, stderr=stderr)
        stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        _stop_up(stdout)
        return 0
    except NotPrinted as error:
        code = told(error)
        _stop_up(stdout)
        _stop_up(stderr)
    return code


def _stop_up(stream: TextIO) -> None:
    """What Python still holds back must go nowhere, or it complains about the stream on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _safe(stream: TextIO | None) -> TextIO:
    """The stream, made so that no text can break the printing of it: what it cannot show is spelled out."""
    if stream is None:  # closed by whoever started us
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - it stands for a stream of the process
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        # A pipe on Windows would otherwise speak the console's old code page, which no other program expects.
        encoding = "utf-8" if sys.platform == "win32" and not stream.isatty() else None
        reconfigure(encoding=encoding, errors="backslashreplace")
    return stream
