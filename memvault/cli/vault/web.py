"""`memvault web`: the vault as pages in the browser."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Option, action_argument, check_action
from memvault.errors import CannotOpen

WEB_EXAMPLES = ("memvault web", "memvault web --no-open", "memvault web stop")
ACTIONS = ("serve", "stop")

Action = Annotated[
    str,
    action_argument(
        ACTIONS, "Without one it opens the browser. serve serves here, until Ctrl-C or 15 idle minutes; stop ends it."
    ),
]
NoOpen = Annotated[bool, Option("--no-open", help="Print the address, and open no browser.")]
Port = Annotated[int, Option("--port", metavar="N", help="Serve at this port; any that is free unless you say which.")]


def web(cli: CliContext, action: Action = "", *, no_open: NoOpen = False, port: Port = 0) -> CommandResult:
    """Open the vault in your browser: search, read, edit, approve, undo, and see what was given and why.

    A process of its own serves the page, on this machine alone, and ends after 15 idle minutes. The address that is
    printed works once, within two minutes.
    """
    from memvault.web import serve as serving  # deferred: a page of help needs no server

    if action:
        check_action(action, ACTIONS, "memvault web")
    with cli.open_vault() as vault:
        match action:
            case "stop":
                said = "Ended." if serving.stop_page(vault) else "There was none."
            case "serve":
                zone = None if cli.clock is None else cli.zone
                was_asked = serving.serve_page(vault, port=port, clock=cli.clock, zone=zone, say=cli.print_message)
                said = "Ended, as you asked." if was_asked else "Ended: nobody came for a while."
            case _:
                return _open_address(
                    serving.find_page(vault) or serving.start_page(vault, port=port), opens=not no_open
                )
    return CommandResult(result={"url": "", "opened": False}, messages=(said,))


def _open_address(address: str, *, opens: bool) -> CommandResult:
    problem = ""
    if opens:
        from memvault.system import programs  # deferred, as above

        try:
            programs.open_target(address)
        except CannotOpen as error:
            problem = f"{error} Open the address yourself."
    return CommandResult(
        result={"url": address, "opened": opens and not problem},
        text=lambda _paper: address,
        messages=("It works once, within two minutes. `memvault web stop` ends the process.",),
        warnings=(problem,) if problem else (),
    )
