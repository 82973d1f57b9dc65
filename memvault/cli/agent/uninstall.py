"""`memvault uninstall`: take back all that was installed on this machine; the vault stays."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.agent.setup import step_told
from memvault.cli.answer import Answer
from memvault.cli.context import Desk
from memvault.cli.declare import Option
from memvault.cli.options import DryRun
from memvault.cli.output.changes import DRY_RUN
from memvault.errors import FAILED, Misused

UNINSTALL_EXAMPLES = (
    "memvault uninstall --dry-run",
    "memvault uninstall",
    "memvault uninstall --yes",
)

_PLUGIN = "The plugin is Claude Code's to remove: claude plugin uninstall memvault@memvault"

UninstallYesOption = Annotated[bool, Option("--yes", help="Do not ask.")]


def uninstall(desk: Desk, *, yes: UninstallYesOption = False, dry_run: DryRun = False) -> Answer:
    """Take back what was installed: hooks, MCP servers, the line in CLAUDE.md, daily upkeep.

    Files that nobody else has changed since are what they were, byte for byte. No vault is touched, and memvault itself
    stays until you remove it as you installed it.
    """
    from memvault.api import Memvault, system_clock

    if not (yes or dry_run) and (
        not desk.has_person or not desk.confirms("Take back all that memvault installed on this machine?")
    ):
        raise Misused(reason="Nothing was taken back: it wants a yes, or --yes.", command="memvault uninstall")
    done = Memvault.take_back(
        desk.vault_named, environment=desk.environment, clock=desk.clock or system_clock, dry_run=dry_run
    )
    stays = f"The vault stays as it is: {done.vault}" if done.vault else "No vault was touched."
    failed = [step for step in done.steps if step.state == "failed"]
    some = [step for step in done.steps if step.state != "already"]
    return Answer(
        result=done,
        text=lambda paper: "\n".join(step_told(step, paper) for step in some),
        talk=("" if some else "Nothing was installed.", _PLUGIN if done.plugins else "", stays, DRY_RUN * dry_run),
        exit_code=FAILED if failed else 0,
    )
