"""`memvault vault watch`: keep the index current while you work, and answer from warm memory."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import action_argument, check_action
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import FAILED, NotStarted
from memvault.system import daemon as control
from memvault.system import memory_holders
from memvault.system.daemon import DaemonStatus
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.daemon.watcher import WatchResult
    from memvault.open_vault import OpenVault

WATCH_EXAMPLES = (
    "memvault vault watch",
    "memvault --vault ~/memory vault watch",
    "memvault vault watch start",
    "memvault vault watch status",
    "memvault vault watch stop",
    "memvault vault watch install",
)

# A purge wants this process to start again; and Windows tells of Ctrl-C only between two waits.
_LOOK_SECONDS = 1.0 if sys.platform == "win32" else 2.0

ACTIONS = ("start", "stop", "status", "install", "uninstall")
_SERVE = "serve"  # what whoever looks after services calls

Action = Annotated[
    str,
    action_argument(
        ACTIONS,
        "Without one it watches, here. For the daemon, of all vaults: start, stop, status; install has it run whenever "
        "you are logged in, uninstall ends that.",
    ),
]


def watch(cli: CliContext, action: Action = "") -> CommandResult:
    """Keep the index current while you work, so that the next recall has nothing to catch up with.

    It runs until you end it, writes no note, and is never needed: every recall looks for changes by itself. The daemon
    does the same for every vault that is asked, and answers hooks and recalls at once.
    """
    if not action:
        is_over = threading.Event()
        mark = memory_holders.read_mark(cli.environment)
        with _stop_on_signals(is_over.set), memory_holders.register_holder(cli.environment, mark):
            result = watch_vault(
                cli.open_vault,
                is_over,
                cli.print_message,
                is_outdated=lambda: memory_holders.read_mark(cli.environment) != mark,
            )
        if not is_over.is_set():
            memory_holders.restart_process({})
        return CommandResult(result=result, messages=("Stopped.",))
    if action != _SERVE:
        check_action(action, ACTIONS, "memvault vault watch")
    return _ACTIONS[action](cli)


def watch_vault(
    open_vault: Callable[[], OpenVault],
    is_over: threading.Event,
    say: Callable[[str], None],
    *,
    is_outdated: Callable[[], bool] = lambda: False,
) -> WatchResult:
    """Keep the index of a vault current until it is over, or something was purged that this process may have read."""
    from memvault.daemon.watcher import VaultWatcher  # deferred, here and below: a page of help needs none

    watcher = VaultWatcher(
        open_vault, say=say, ready=lambda root: say(f"Watching {root}; Ctrl-C ends it."), ended=is_over.set
    )
    watcher.start()
    while not is_over.wait(_LOOK_SECONDS) and not is_outdated():
        pass
    return watcher.stop()


def _start_daemon(cli: CliContext) -> CommandResult:
    was_there = control.is_running(cli.environment)
    if not was_there and not control.start_daemon(cli.environment):
        was_there = control.is_running(cli.environment)  # somebody else was a moment faster
        if not was_there:
            raise NotStarted(log=control.log_path(cli.environment))
    found = control.await_status(cli.environment)
    if not found.answers or found.refusal:
        return CommandResult(result=found, messages=(_format_headline(found),), exit_code=FAILED)
    said = "It is running already." if was_there else "Started; `memvault vault watch stop` ends it."
    return CommandResult(result=found, messages=(said,))


def _stop_daemon(cli: CliContext) -> CommandResult:
    ended = control.stop_daemon(cli.environment)
    said = "Ended." if ended else "There was none."
    return CommandResult(result=control.read_status(cli.environment), messages=(said,))


def _daemon_status(cli: CliContext) -> CommandResult:
    found = control.read_status(cli.environment)
    return CommandResult(result=found, text=lambda paper: _format_status(found, paper))


def _install_service(cli: CliContext) -> CommandResult:
    from memvault.maintenance.schedule.install import install_service
    from memvault.system.programs import Machine

    machine = Machine(cli.environment)
    control.stop_daemon(cli.environment)  # there can be one only
    path = install_service(machine, (*machine.memvault_command(), *control.SERVE))
    return CommandResult(
        result={"service": path}, messages=(f"Installed: {path}. `memvault vault watch uninstall` takes it away.",)
    )


def _uninstall_service(cli: CliContext) -> CommandResult:
    from memvault.maintenance.schedule.install import remove_service
    from memvault.system.programs import Machine

    path = remove_service(Machine(cli.environment))
    said = f"Removed: {path}." if path else "It was not installed."
    return CommandResult(result={"service": path}, messages=(said,))


def _serve_daemon(cli: CliContext) -> CommandResult:
    from memvault.cli.vault.daemon_commands import preload, run_read_command
    from memvault.daemon.handlers import serve_daemon
    from memvault.daemon.server import ASKED, IDLE, RENEWED

    def report_ready() -> None:
        cli.stdout.write(control.READY.decode())
        cli.stdout.flush()

    preload()
    why = serve_daemon(cli.environment, report_ready, _stop_on_signals, run_read_command)
    if why == RENEWED:
        if sys.platform == "win32":
            control.start_daemon(cli.environment, wait=False)
        else:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever waited for the first one has gone
        memory_holders.restart_process({})
    # Whoever looks after services starts it again where it did not end because it should.
    return CommandResult(
        result=control.read_status(cli.environment),
        messages=(f"Ended: {why}.",),
        exit_code=0 if why in (ASKED, IDLE) else FAILED,
    )


_ACTIONS: Mapping[str, Callable[[CliContext], CommandResult]] = MappingProxyType(
    {
        "start": _start_daemon,
        "stop": _stop_daemon,
        "status": _daemon_status,
        "install": _install_service,
        "uninstall": _uninstall_service,
        _SERVE: _serve_daemon,
    }
)


def _format_status(found: DaemonStatus, paper: TerminalFormat) -> str:
    if not found.answers:
        return _format_headline(found)
    rows = {
        "process": f"{found.process}, memvault {found.version}, since {found.since}",
        "answered": f"{found.answered:,}; left to the callers {found.left_alone:,}",
        "watching": format_count(found.vaults, "vault", "vaults"),
        **({"unlocked": format_count(found.unlocked, "private memory", "private memories")} if found.unlocked else {}),
        "memory": f"{found.megabytes:g} MB",
        "place": found.place,
    }
    polled = [("polled", f"{root}: {why}") for root, why in found.polled.items()]
    told = (paper.format_label(*row) for row in (*rows.items(), *polled))
    return "\n".join([_format_headline(found), *told])


def _format_headline(found: DaemonStatus) -> str:
    if not found.running:
        return "No daemon is running."
    if not found.answers:
        return "A daemon is running, and does not answer; `memvault vault watch stop` ends it."
    if found.refusal:
        anew = "`memvault vault watch stop`, then `memvault vault watch start`, starts one that does"
        return f"A daemon is running, and does not serve you: {found.refusal}; {anew}."
    return "A daemon is running."


@contextmanager
def _stop_on_signals(end: Callable[[], object]) -> Iterator[None]:
    """Ctrl-C and a polite kill end the watch in good order."""
    before = {number: signal.signal(number, lambda *_: end()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
