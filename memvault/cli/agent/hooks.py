"""`memvault agent hooks`: have Claude Code or Codex call memvault by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, action_argument, check_action, choice_option
from memvault.cli.output.changes import format_entry, install_result, remove_result
from memvault.errors import FAILED, Misused

if TYPE_CHECKING:
    from memvault.agents.setup.install import HookInstallResult, HookSetup, HookStatus
    from memvault.api import Memvault


HOOKS_EXAMPLES = (
    "memvault agent hooks install",
    "memvault agent hooks install --scope local --profile minimal",
    "memvault agent hooks install --agent codex",
    "memvault agent hooks status",
    "memvault agent hooks uninstall",
)

ACTIONS = ("status", "install", "uninstall")
# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
AGENTS = ("claude-code", "codex")
SCOPES = ("user", "project", "local")
PROFILES = ("minimal", "production", "research")

Action = Annotated[
    str, action_argument(ACTIONS, "What to do: status, install or uninstall; status unless you say otherwise.")
]
Agent = Annotated[
    str, choice_option("--agent", AGENTS, "Whose hooks: {}. Without it install means claude-code, uninstall all.")
]
Scope = Annotated[
    str,
    choice_option(
        "--scope",
        SCOPES,
        "In which settings: {} (yours, this project's, or yours in it). Without it install means user, uninstall all.",
    ),
]
Profile = Annotated[
    str,
    choice_option(
        "--profile", PROFILES, "How many events: {}; minimal has few, the others all. The vault's otherwise."
    ),
]


def hooks(
    cli: CliContext,
    action: Action = "status",
    *,
    agent: Agent = "",
    scope: Scope = "",
    profile: Profile = "",
    dry_run: DryRun = False,
) -> CommandResult:
    """Have an agent call memvault at its events, see whether it does, or stop that.

    Everything else in the agent's settings stays byte for byte, and `uninstall` takes out what `install` put in. With
    --vault, the hooks are for that vault alone; without, for the one that memvault finds where the agent is at work.
    """
    _check_options(action, profile)
    from memvault.agents.setup.install import HookSetup

    found = HookSetup.from_environment(cli.environment, cli.now())
    match action:
        case "install":
            with cli.open_vault() as vault:
                done = _install_hooks(cli, vault, found, agent, scope, profile, dry_run=dry_run)
                return install_result(done, f"hooks of {done.agent}", "agent hooks", done.events, messages=done.notes)
        case "uninstall":
            return remove_result(found.remove(agent=agent, scope=scope, dry_run=dry_run), "hooks")
        case _:
            return _status_result(found.status())


def _check_options(action: str, profile: str) -> None:
    check_action(action, ACTIONS, "memvault agent hooks")
    if profile and action != "install":
        raise Misused(reason="--profile goes with install.", command="memvault agent hooks")
    if profile and profile not in PROFILES:
        raise Misused(reason=f"The profile must be one of {', '.join(PROFILES)}.", command="memvault agent hooks")


def _install_hooks(
    cli: CliContext, vault: Memvault, found: HookSetup, agent: str, scope: str, profile: str, *, dry_run: bool
) -> HookInstallResult:
    from memvault.agents.setup.install import EntryOptions, is_found_anywhere

    return found.install(
        EntryOptions(
            agent=agent or "claude-code",
            scope=scope or "user",
            profile=profile or vault.settings.text("vault.profile"),
            vault=str(vault.root) if cli.vault_name else "",
            is_found=is_found_anywhere(vault),
            dry_run=dry_run,
        )
    )


def _status_result(found: HookStatus) -> CommandResult:
    problems = (*(problem for place in found.places for problem in place.problems), *found.problems)
    passed = (
        f"{found.passed_over} has a memvault.toml and is no vault: hooks pass it over, and use the vault that is yours."
    )
    beside = (passed,) if found.passed_over else ()
    if not found.places:
        through = f"The plugin is enabled in {' and '.join(found.plugins)}." if found.plugins else ""
        return CommandResult(
            result=found,
            text=lambda _paper: through or "Not installed: no agent calls memvault by itself.",
            messages=(*(() if through else ("`memvault agent hooks install` has Claude Code do so.",)), *beside),
            warnings=problems,
        )
    return CommandResult(
        result=found,
        text=lambda paper: "\n".join(
            format_entry(f"Hooks of {each.agent} ({each.scope})", each.events, each, "", paper) for each in found.places
        ),
        messages=(*found.notes, *beside),
        warnings=problems,
        exit_code=FAILED if problems else 0,
    )
