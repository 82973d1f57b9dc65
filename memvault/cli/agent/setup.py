"""`memvault setup`: everything put in place, from the vault to the hooks, and shown to work."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.agent.mcp import AGENTS as SERVED
from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option, Several, check_choices, choice_option
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.errors import FAILED, NotConfirmed, NoVault
from memvault.system.programs import install_command
from memvault.text.display import format_count, to_one_line

if TYPE_CHECKING:
    from memvault.agents.setup.setup import SetupOptions, SetupResult, SetupStep
    from memvault.storage.vault.create import CreateResult


SETUP_EXAMPLES = (
    "memvault setup",
    "memvault setup ~/memory --yes",
    "memvault setup ~/Notes --no-schedule --no-claude-md",
    "memvault setup --dry-run",
)

_DEFAULT_VAULT = "~/memory"
_HOOKED = ("claude-code", "codex")
_WORKS_SENTENCE = "Checked: a memory written by hand into the vault reached the hook's answer. (It is gone again.)"
_STATES = {"done": "done", "already": "already so", "would": "would be done", "left": "left out", "failed": "failed"}

Where = Annotated[str, Argument(metavar="PATH", help="The vault, or where it is to be; a folder of notes is adopted.")]
Yes = Annotated[bool, Option("--yes", help="Ask nothing: do all that is not left out.")]
Agents = Annotated[Several, choice_option("--agent", SERVED[:1] + _HOOKED[1:] + SERVED[1:], "Only for this agent: {}.")]
Profile = Annotated[
    str, Option("--profile", metavar="NAME", help="Of a new vault: minimal, production or research.", show_default=True)
]
NoHooks = Annotated[bool, Option("--no-hooks", help="Leave out the hooks.")]
NoServer = Annotated[bool, Option("--no-mcp", help="Leave out the MCP server.")]
NoClaudeMd = Annotated[bool, Option("--no-claude-md", help="Leave out the line in Claude Code's own CLAUDE.md.")]
NoSchedule = Annotated[bool, Option("--no-schedule", help="Leave out the daily upkeep.")]
NoCheck = Annotated[bool, Option("--no-check", help="Leave out the check at the end.")]


def setup(
    cli: CliContext,
    path: Where = "",
    *,
    agent: Agents = None,
    profile: Profile = "production",
    no_hooks: NoHooks = False,
    no_mcp: NoServer = False,
    no_claude_md: NoClaudeMd = False,
    no_schedule: NoSchedule = False,
    no_check: NoCheck = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Put everything in place: a vault, hooks, an MCP server, CLAUDE.md, daily upkeep.

    It asks before each part, says what it did and how that is undone, and ends with a check: a memory written by hand
    must reach the hook's answer. What is in place already stays as it is. `memvault uninstall` takes all of it back.
    """
    from memvault.agents.setup.setup import set_up
    from memvault.open_vault import system_clock

    talks = cli.has_person and not (yes or dry_run or cli.as_json)
    if not (talks or yes or dry_run):
        raise NotConfirmed(
            reason="It asks before it writes, and nobody is here to answer.", command=cli.repeat_command("--yes")
        )
    vault = _choose_vault(cli, path, talks=talks)
    left_out = {"hooks": no_hooks, "mcp": no_mcp, "claude_md": no_claude_md, "schedule": no_schedule, "check": no_check}
    wanted = _build_options(cli, agent, profile, left_out, talks=talks, dry_run=dry_run)
    done = set_up(vault, wanted, environment=cli.environment, clock=cli.clock or system_clock, zone=cli.zone)
    return _setup_result(done, () if no_mcp or _has_server() else (_missing_server(),))


def _has_server() -> bool:
    """Whether there is a server to be started: an agent that starts none would complain at every session."""
    return find_spec("mcp") is not None


def _missing_server() -> str:
    return (
        "No MCP server: what it needs is not installed. Install it, then run `memvault agent mcp install`:"
        f"\n  {install_command('mcp')}"
    )


def _choose_vault(cli: CliContext, path: str, *, talks: bool) -> Path:
    """The vault that is named, or found, or that the person asks for."""
    named = path or cli.vault_name or ""
    if not named:
        try:
            with cli.open_vault() as vault:
                named = str(vault.root)
        except NoVault:
            named = _DEFAULT_VAULT
        if talks:
            named = cli.ask_line(f"Where is your vault, or where is it to be? [{named}] ") or named
    if named.startswith("~"):
        home = cli.environment.get("HOME") or cli.environment.get("USERPROFILE")
        named = named.replace("~", home, 1) if home and named[1:2] in ("", "/", "\\") else named
    return Path(named)


def _build_options(
    cli: CliContext, agent: Several, profile: str, left_out: dict[str, bool], *, talks: bool, dry_run: bool
) -> SetupOptions:
    from memvault.agents.setup.setup import SetupOptions, choose_agents

    named = check_choices(agent, "the agent", dict.fromkeys((*_HOOKED, *SERVED)))
    here = choose_agents(named, environment=cli.environment)
    hooks, servers = here.hooks, here.servers if _has_server() else ()
    ask = _SetupPrompt(cli, left_out, talks=talks)
    return SetupOptions(
        hooks=hooks if hooks and ask("hooks", f"Have {' and '.join(hooks)} call memvault at their events?") else (),
        servers=servers if servers and ask("mcp", f"Have {' and '.join(servers)} start its MCP server?") else (),
        claude_md=(not named or "claude-code" in named)
        and ask("claude_md", "Have Claude Code load the vault's CLAUDE.md in every session?"),
        schedule=ask("schedule", "Have upkeep run once a day?"),
        check=not left_out["check"],
        profile=profile,
        dry_run=dry_run,
    )


class _SetupPrompt:
    """Asks whether a part is wanted, unless it was left out or nobody is to be asked."""

    def __init__(self, cli: CliContext, left_out: dict[str, bool], *, talks: bool) -> None:
        self._cli, self._left_out, self._talks = cli, left_out, talks

    def __call__(self, part: str, question: str) -> bool:
        if self._left_out[part]:
            return False
        if not self._talks:
            return True
        return (self._cli.ask_line(f"{question} [Y/n] ") or "y").casefold() in ("y", "yes")


def _setup_result(done: SetupResult, more: tuple[str, ...]) -> CommandResult:
    check = {
        None: (),
        True: (_WORKS_SENTENCE,),
        False: (f"Checked, and it does not work yet: {done.complaint.rstrip('.')}.",),
    }[done.checked]
    return CommandResult(
        result={**_build_json(done), "ok": done.ok},
        text=lambda paper: "\n".join(format_step(step, paper) for step in done.steps),
        messages=(*check, *more, DRY_RUN if done.dry_run else "Take all of it back with: memvault uninstall"),
        exit_code=0 if done.ok else FAILED,
    )


def _build_json(done: SetupResult) -> dict[str, object]:
    return take_fields(done, "vault", "steps", "checked", "complaint", "dry_run")


def format_step(step: SetupStep, paper: TerminalFormat) -> str:
    """What became of one part: where, how it is undone, what else there is to say."""
    state = _STATES[step.state]
    head = f"{step.part}: {state}. {step.did}"
    rows = (("in", step.where), ("undo", step.undo if step.state != "failed" else ""))
    told = [paper.format_label(label, text) for label, text in rows if text]
    return "\n".join([paper.wrap_block(head), *told, *(paper.wrap_block(note, "  ") for note in step.notes)])


# `memvault uninstall`: take back all that was installed on this machine; the vault stays.

UNINSTALL_EXAMPLES = ("memvault uninstall --dry-run", "memvault uninstall", "memvault uninstall --yes")

_PLUGIN = "The plugin is Claude Code's to remove: claude plugin uninstall memvault@memvault"

UninstallYesOption = Annotated[bool, Option("--yes", help="Do not ask.")]


def uninstall(cli: CliContext, *, yes: UninstallYesOption = False, dry_run: DryRun = False) -> CommandResult:
    """Take back what was installed: hooks, MCP servers, the line in CLAUDE.md, daily upkeep.

    Files that nobody else has changed since are what they were, byte for byte. No vault is touched, and memvault itself
    stays until you remove it as you installed it.
    """
    from memvault.agents.setup.setup import remove_setup
    from memvault.open_vault import system_clock

    clock = cli.clock or system_clock
    known = remove_setup(cli.vault_name, environment=cli.environment, clock=clock, dry_run=True)
    is_there = any(step.state != "already" for step in known.steps)
    if (
        is_there
        and not (yes or dry_run)
        and (not cli.has_person or not cli.confirm("Take back all that memvault installed on this machine?"))
    ):
        raise NotConfirmed(reason="Nothing was taken back.", command=cli.repeat_command("--yes"))
    done = remove_setup(cli.vault_name, environment=cli.environment, clock=clock, dry_run=dry_run)
    stays = f"The vault stays as it is: {done.vault}" if done.vault else "No vault was touched."
    failed = [step for step in done.steps if step.state == "failed"]
    some = [step for step in done.steps if step.state != "already"]
    return CommandResult(
        result=done,
        text=lambda paper: "\n".join(format_step(step, paper) for step in some),
        messages=("" if some else "Nothing was installed.", _PLUGIN if done.plugins else "", stays, DRY_RUN * dry_run),
        exit_code=FAILED if failed else 0,
    )


# `memvault init`: make a vault, or adopt a folder of notes.

INIT_EXAMPLES = (
    "memvault init ~/memory",
    "memvault init ~/memory --sample",
    "memvault init ~/Notes --home memvault   # adopts the notes that are there",
    "memvault init ~/Notes --inject Projects",
)


Folder = Annotated[
    str, Argument(metavar="PATH", help="The folder: a new one, or one with notes in it.", show_default=True)
]
VaultProfile = Annotated[
    str,
    Option("--profile", metavar="NAME", help="Which defaults: minimal, production or research.", show_default=True),
]
Sample = Annotated[bool, Option("--sample", help="Add a dozen memories to look at.")]
Home = Annotated[str, Option("--home", metavar="FOLDER", help="Where the tier folders go, within the vault.")]
Inject = Annotated[
    str,
    Option(
        "--inject",
        metavar="FOLDERS",
        help="Folders of your notes that may be injected, with commas; written to your own config.",
    ),
]
Nested = Annotated[bool, Option("--nested", help="Allow a vault inside another vault.")]


def init(
    cli: CliContext,
    path: Folder = ".",
    *,
    profile: VaultProfile = "production",
    sample: Sample = False,
    home: Home = "",
    inject: Inject = "",
    nested: Nested = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Make a vault, or adopt a folder of notes.

    A folder that has notes in it already is adopted: not one of them is changed.
    """
    from memvault.api import Memvault, system_clock

    made = Memvault.init(
        path,
        profile=profile,
        home=home,
        sample=sample,
        nested=nested,
        inject=[name.strip() for name in inject.split(",") if name.strip()],
        dry_run=dry_run,
        clock=cli.clock or system_clock,
        environment=cli.environment,
    )
    named = f'"{path}"' if " " in path else path  # as a shell takes it
    hint = f'Remember something in it: memvault --vault {named} remember "..."'
    fields = take_fields(made, "path", "id", "adopted", "notes", "written", "inject")
    return CommandResult(
        result={**fields, "dry_run": dry_run},
        text=lambda paper: _format_made(made, paper, dry_run=dry_run),
        messages=() if dry_run else (*_list_injected(made), *_list_proposals(cli, made, named), hint),
    )


def _list_proposals(cli: CliContext, made: CreateResult, named: str) -> tuple[str, ...]:
    """What the inbox will ask about the notes that were adopted; nothing where it has no question."""
    if not made.adopted:
        return ()
    cli.vault_name = made.path
    with cli.open_vault(may_ask=False) as vault:
        cards = vault.inbox(kinds=["adoption"]).cards
    questions = (f"  {to_one_line(card.question)}" for card in cards)
    return ("\n".join([f"`memvault --vault {named} review` asks you:", *questions]),) if cards else ()


def _list_injected(made: CreateResult) -> tuple[str, ...]:
    if not made.inject:
        return ()
    return (f"Notes in {', '.join(made.inject)} may be injected. Written to {made.config}, for this vault.",)


def _format_made(made: CreateResult, paper: TerminalFormat, *, dry_run: bool) -> str:
    verb = ("Would adopt" if dry_run else "Adopted") if made.adopted else ("Would make" if dry_run else "Made")
    what = f"{format_count(made.notes, 'note', 'notes')} as a vault, changing none" if made.adopted else "a vault"
    head = paper.wrap_block(f"{verb} {what}: {made.path}")
    return "\n".join([head, *(f"  {name}" for name in made.written)] if dry_run else [head])
