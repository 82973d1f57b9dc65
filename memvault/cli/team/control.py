"""`memvault team …`: set up and look after the database of shared vaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, Option, action_argument, check_action, choice_option
from memvault.errors import FAILED, Misused
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.team.control import TeamControl, VaultRow

DSN = "MEMVAULT_TEAM_DSN"
ACTIONS, VERBS = ("add", "remove"), ("read", "write", "admin")  # spelled out for help, as elsewhere; a test compares

Dsn = Annotated[
    str,
    Option("--dsn", metavar="ADDRESS", help=f"The database, as postgresql://…; {DSN} unless given."),
]
VaultName = Annotated[str, Argument(metavar="NAME", help="The name of a shared vault.")]
Action = Annotated[str, action_argument(ACTIONS, "add or remove.")]
GitAddress = Annotated[str, Option("--git", metavar="URL", help="With add: the address of the vault's repository.")]
Private = Annotated[bool, Option("--private", help="With add: one person may read it, and no administrator.")]
To = Annotated[str, Option("--to", metavar="WHO", help="person:NAME or group:NAME, as the tokens name them.")]
As = Annotated[str, choice_option("--as", VERBS, "What they may do: {}.")]
Check = Annotated[str, action_argument(("verify",), "verify: check that each entry follows from the one before.")]

Result = TypeVar("Result")


def find_dsn(cli: CliContext, dsn: str, command: str) -> str:
    """Return the address of the database, as given or as the environment says."""
    found = dsn or cli.environment.get(DSN, "")
    if not found:
        raise Misused(reason=f"Give the database with --dsn, or set {DSN}.", command=f"memvault {command}")
    return found


def _control(cli: CliContext, dsn: str, command: str, act: Callable[[TeamControl], Result]) -> Result:
    from memvault.team.control import TeamControl, owner_of  # deferred, as below: nobody else needs the extra

    with owner_of(find_dsn(cli, dsn, command)) as connection:
        return act(TeamControl(connection))


TEAM_INIT_EXAMPLES = ("memvault team init --dsn postgresql://localhost/memory",)


def team_init(cli: CliContext, *, dsn: Dsn = "") -> CommandResult:
    """Make the schema of shared vaults in a database, or bring it up to date.

    Run it as a user who may create roles. It makes three: memvault_owner, memvault_worker and memvault_serve; the
    worker and the server run as members of the latter two. Running it again changes nothing.
    """
    from memvault.team.control import initialize

    done = initialize(find_dsn(cli, dsn, "team init"))
    told = f"Carried out {format_count(len(done), 'migration', 'migrations')}." if done else "The schema is up to date."
    return CommandResult(result={"migrations": done}, text=lambda _paper: told)


TEAM_VAULT_EXAMPLES = (
    "memvault team vault add handbook --git git@example.org:team/handbook.git",
    "memvault team vault add maja --git git@example.org:maja/memory.git --private",
    "memvault team vault remove handbook",
)


def team_vault(
    cli: CliContext, action: Action, name: VaultName, *, git: GitAddress = "", private: Private = False, dsn: Dsn = ""
) -> CommandResult:
    """Add a shared vault by the address of its repository, or remove one; its repository is not touched.

    The worker reads it next. Nobody may read it before `memvault team grant`.
    """
    check_action(action, ACTIONS, "memvault team vault")
    if action == "remove":
        _control(cli, dsn, "team vault", lambda control: control.remove_vault(name))
        return CommandResult(result={"removed": name}, text=lambda _paper: f"Removed: {name}")
    _control(cli, dsn, "team vault", lambda control: control.add_vault(name, git, private=private))
    return CommandResult(
        result={"added": name},
        text=lambda _paper: f"Added: {name}",
        messages=(f"Let somebody read it: memvault team grant {name} --to person:NAME --as read",),
    )


TEAM_GRANT_EXAMPLES = (
    "memvault team grant handbook --to group:staff --as read",
    "memvault team grant handbook --to person:maja@example.org --as write",
)


def team_grant(cli: CliContext, name: VaultName, *, to: To = "", as_: As = "read", dsn: Dsn = "") -> CommandResult:
    """Let a person or a group read, write or administer a shared vault.

    Who may write may read; who administers may not, unless that is granted too.
    """
    _control(cli, dsn, "team grant", lambda control: control.grant(name, to, as_))
    return CommandResult(result={"vault": name, "to": to, "as": as_}, text=lambda _paper: f"{to} may {as_} {name}.")


TEAM_REVOKE_EXAMPLES = ("memvault team revoke handbook --to group:staff",)


def team_revoke(cli: CliContext, name: VaultName, *, to: To = "", dsn: Dsn = "") -> CommandResult:
    """Take all rights in a shared vault from a person or a group."""
    taken = _control(cli, dsn, "team revoke", lambda control: control.revoke(name, to))
    told = f"Took {format_count(taken, 'grant', 'grants')} from {to}."
    return CommandResult(result={"vault": name, "to": to, "revoked": taken}, text=lambda _paper: told)


TEAM_STATUS_EXAMPLES = ("memvault team status",)


def team_status(cli: CliContext, *, dsn: Dsn = "") -> CommandResult:
    """List the shared vaults: how far each is indexed, who may read it, and what failed."""
    rows = _control(cli, dsn, "team status", lambda control: control.status())
    return CommandResult(
        result={"vaults": rows},
        text=lambda _paper: "\n".join(map(_format_row, rows)) or "There is no shared vault.",
        warnings=tuple(f"{row.name}: {row.problem}" for row in rows if row.problem),
        exit_code=FAILED if any(row.problem for row in rows) else 0,
    )


def _format_row(row: VaultRow) -> str:
    state = f"at {row.cursor[:10]}" if row.cursor else "not indexed yet"
    state += ", being rebuilt" if row.editions > 1 else ""
    held = f"{format_count(row.memories, 'memory', 'memories')}, {format_count(row.turns, 'turn', 'turns')}"
    name = f"{row.name} (private)" if row.private else row.name
    return f"{name}: {held}, {state}\n  {', '.join(row.grants) or 'granted to nobody'}"


TEAM_REBUILD_EXAMPLES = ("memvault team rebuild handbook",)


def team_rebuild(cli: CliContext, name: VaultName, *, dsn: Dsn = "") -> CommandResult:
    """Have the worker index a shared vault anew, beside the index in use; the new one takes its place once whole."""
    _control(cli, dsn, "team rebuild", lambda control: control.rebuild(name))
    return CommandResult(result={"rebuilding": name}, text=lambda _paper: f"To be built anew: {name}")


TEAM_AUDIT_EXAMPLES = ("memvault team audit verify", "memvault team audit > audit.jsonl")


def team_audit(cli: CliContext, action: Check = "", *, dsn: Dsn = "") -> CommandResult:
    """Export who read what of the shared vaults, as JSON lines, or check that nothing of it was changed.

    Each entry says who, when, which vaults, by which verb, and the ids that were given; never a text. An entry that
    was changed or removed breaks the chain. What was cut off at the end shows only against a copy of the last one.
    """
    check_action(action or "verify", ("verify",), "memvault team audit")
    if not action:
        rows = _control(cli, dsn, "team audit", lambda control: list(control.export_audit()))
        return CommandResult(result={"entries": rows}, text=lambda _paper: "\n".join(rows))
    count, broken = _control(cli, dsn, "team audit", lambda control: control.verify_audit())
    wrong = f"of which {len(broken)} do not follow: {', '.join(map(str, broken[:9]))}" if broken else "all in order"
    told = f"{format_count(count, 'entry', 'entries')}, {wrong}."
    return CommandResult(
        result={"entries": count, "broken": broken},
        text=lambda _paper: told,
        exit_code=FAILED if broken else 0,
    )
