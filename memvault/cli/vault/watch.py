"""`memvault watch`: keep the index current while you work, and answer from warm memory."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Option
from memvault.cli.output import report
from memvault.cli.output.terminal import Paper
from memvault.errors import FAILED, Misused, NotStarted
from memvault.text.display import plural

if TYPE_CHECKING:
    from memvault.daemon.lifecycle import Alive


WATCH_EXAMPLES = (
    "memvault watch",
    "memvault --vault ~/memory watch",
    "memvault watch --daemon",
    "memvault watch --status",
    "memvault watch --stop",
    "memvault watch --install",
)

Daemon = Annotated[bool, Option("--daemon", help="Start the warm process, for all vaults, and go on.")]
Stop = Annotated[bool, Option("--stop", help="End the warm process.")]
Status = Annotated[bool, Option("--status", help="Say whether there is a warm process, and how it is.")]
Serve = Annotated[bool, Option("--serve", help="Be the warm process, here, for whoever looks after services.")]
Install = Annotated[bool, Option("--install", help="Have the warm process run whenever you are logged in.")]
Uninstall = Annotated[bool, Option("--uninstall", help="Have it run so no longer.")]


def watch(
    desk: Desk,
    *,
    daemon: Daemon = False,
    stop: Stop = False,
    status: Status = False,
    install: Install = False,
    uninstall: Uninstall = False,
    serve: Serve = False,
) -> Answer:
    """Keep the index current while you work, so that the next recall has nothing to catch up with.

    It runs until you end it, writes no note, and is never needed: every recall looks for changes by itself. The warm
    process does the same for every vault that is asked, and answers hooks and recalls at once.
    """
    given = (daemon, stop, status, install, uninstall, serve)
    chosen = [name for name, is_given in zip(_ACTIONS, given, strict=True) if is_given]
    if len(chosen) > 1:
        raise Misused(reason=f"{chosen[0]} and {chosen[1]} exclude each other.", command="memvault watch")
    return _ACTIONS[chosen[0]](desk) if chosen else _watched(desk)


def _watched(desk: Desk) -> Answer:
    from memvault.daemon.watch import ThreadBell, watch

    bell = ThreadBell()
    with _ended_by_signals(bell.silence):
        seen = watch(desk.open, bell, desk.say)
    return Answer(result=seen, talk=("Stopped.",))


def _daemon(desk: Desk) -> Answer:
    from memvault.daemon import lifecycle, wanted

    was_there = wanted.is_there(desk.environment)
    if not was_there and not lifecycle.start(desk.environment):
        was_there = wanted.is_there(desk.environment)  # somebody else was a moment faster
        if not was_there:
            raise NotStarted(log=lifecycle.log(desk.environment))
    found = lifecycle.met(desk.environment)
    if not found.answers or found.refusal:
        return Answer(result=found, talk=(_headline(found),), exit_code=FAILED)
    said = "It is running already." if was_there else "Started; `memvault watch --stop` ends it."
    return Answer(result=found, talk=(said,))


def _stop(desk: Desk) -> Answer:
    from memvault.daemon import lifecycle

    ended = lifecycle.stop(desk.environment)
    said = "Ended." if ended else "There was none."
    return Answer(result=lifecycle.status(desk.environment), talk=(said,))


def _status(desk: Desk) -> Answer:
    from memvault.daemon import lifecycle

    found = lifecycle.status(desk.environment)
    return Answer(result=found, text=lambda paper: _text(found, paper))


def _install(desk: Desk) -> Answer:
    from memvault.daemon import lifecycle

    path = lifecycle.install(desk.environment)
    return Answer(result={"service": path}, talk=(f"Installed: {path}. `memvault watch --uninstall` takes it away.",))


def _uninstall(desk: Desk) -> Answer:
    from memvault.daemon import lifecycle

    path = lifecycle.uninstall(desk.environment)
    said = f"Removed: {path}." if path else "It was not installed."
    return Answer(result={"service": path}, talk=(said,))


def _serve(desk: Desk) -> Answer:
    from memvault.daemon import lifecycle
    from memvault.daemon.handlers import serve
    from memvault.daemon.server import ASKED, IDLE

    def ready() -> None:
        desk.stdout.write(lifecycle.READY.decode())
        desk.stdout.flush()

    why = serve(desk.environment, ready, _ended_by_signals)
    # Whoever looks after services starts it again where it did not end because it should.
    return Answer(
        result=lifecycle.status(desk.environment),
        talk=(f"Ended: {why}.",),
        exit_code=0 if why in (ASKED, IDLE) else FAILED,
    )


_ACTIONS: Mapping[str, Callable[[Desk], Answer]] = MappingProxyType(
    {
        "--daemon": _daemon,
        "--stop": _stop,
        "--status": _status,
        "--install": _install,
        "--uninstall": _uninstall,
        "--serve": _serve,
    }
)


def _text(found: Alive, paper: Paper) -> str:
    if not found.answers:
        return _headline(found)
    rows = {
        "process": f"{found.process}, memvault {found.version}, since {found.since}",
        "answered": f"{found.answered:,}; left to the callers {found.left_alone:,}",
        "watching": plural(found.vaults, "vault", "vaults"),
        **({"unlocked": plural(found.unlocked, "private memory", "private memories")} if found.unlocked else {}),
        "memory": f"{found.megabytes:g} MB",
        "place": found.place,
    }
    polled = [("polled", f"{root}: {why}") for root, why in found.polled.items()]
    told = (report.labelled(*row, paper) for row in (*rows.items(), *polled))
    return "\n".join([_headline(found), *told])


def _headline(found: Alive) -> str:
    if not found.running:
        return "No warm process is running."
    if not found.answers:
        return "A warm process is running, and does not answer; `memvault watch --stop` ends it."
    if found.refusal:
        anew = "`memvault watch --stop`, then `memvault watch --daemon`, starts one that does"
        return f"A warm process is running, and does not serve you: {found.refusal}; {anew}."
    return "A warm process is running."


@contextmanager
def _ended_by_signals(end: Callable[[], object]) -> Iterator[None]:
    """Ctrl-C and a polite kill end the watch in good order."""
    before = {number: signal.signal(number, lambda *_: end()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
