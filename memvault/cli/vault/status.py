"""`memvault status`: the vault at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Option
from memvault.cli.output import report as reports
from memvault.cli.output.stats import format_stats as rendered
from memvault.cli.output.terminal import TerminalFormat
from memvault.text.display import format_count, format_size, to_one_line

if TYPE_CHECKING:
    from memvault.maintenance.vault_status import VaultStatus


STATUS_EXAMPLES = ("memvault status", "memvault --vault ~/memory status --json")


def status(cli: CliContext) -> CommandResult:
    """Show the vault at a glance: what it holds, what is due, whether all is well."""
    from memvault.system.daemon import is_running

    with cli.open_vault(may_ask=False) as vault:
        found = vault.status()
        ignored = sum(not one.is_answered for one in vault.settings.ignored)
    is_warm = is_running(cli.environment)
    warnings = (*(extension.problem for extension in found.extensions if extension.problem), *_ignored_message(ignored))
    return CommandResult(
        result=found, text=lambda paper: _format_status(found, paper, is_warm=is_warm), warnings=warnings
    )


def _format_status(found: VaultStatus, paper: TerminalFormat, *, is_warm: bool) -> str:
    sizes = (
        f"identity {format_size(found.identity_bytes)} of about 3 KB, hot {format_size(found.hot_bytes)} of 10-20 KB"
    )
    parts = [
        paper.styles.title(to_one_line(found.vault)),
        f"  {format_count(found.memories, 'memory', 'memories')}",
        reports.format_counts("tiers", reports.name_tiers(found.tiers), paper),
        reports.format_counts("kinds", found.kinds, paper),
        reports.format_counts("statuses", found.statuses, paper),
        reports.format_label("pinned", str(found.pinned), paper) if found.pinned else "",
        reports.format_label("size", sizes, paper),
        reports.format_label("talks", _count_conversations(found), paper) if found.conversations else "",
        reports.format_label("private", _count_private(found), paper) if found.private else "",
        reports.format_label("upkeep", _format_upkeep(found, paper), paper),
        reports.format_label("index", f"{found.backend}, in {found.index}", paper),
        reports.format_label("live", "a daemon answers: memvault watch --status", paper) if is_warm else "",
        reports.format_label("added", _format_extensions(found), paper) if found.extensions else "",
        reports.format_due(found.due),
        _format_health(found, paper),
    ]
    return "\n".join(filter(None, parts))


def _ignored_message(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    what = format_count(count, "setting that only you may set is", "settings that only you may set are")
    return (f"In memvault.toml {what} ignored: `memvault config` names them.",)


def _count_conversations(found: VaultStatus) -> str:
    conversations = format_count(found.conversations, "conversation", "conversations")
    return f"{conversations}, {format_count(found.turns, 'turn', 'turns')}"


def _count_private(found: VaultStatus) -> str:
    return f"{format_count(found.private, 'sealed memory', 'sealed memories')}: memvault private"


def _format_extensions(found: VaultStatus) -> str:
    """Whose additions are in force, and what they are."""
    told = (
        f"{to_one_line(extension.name)} ({', '.join(extension.adds) or 'nothing'})"
        for extension in found.extensions
        if not extension.problem
    )
    return "; ".join(told) or "nothing"


def _format_upkeep(found: VaultStatus, paper: TerminalFormat) -> str:
    return f"last on {paper.format_day(found.upkeep)}" if found.upkeep else "not yet on this machine: memvault maintain"


def _format_health(found: VaultStatus, paper: TerminalFormat) -> str:
    if not found.problems:
        return ""
    told = format_count(found.problems, "file could not be read whole", "files could not be read whole")
    return paper.styles.warning(paper.wrap_block(f"{told}: `memvault doctor` says which, and why.", "  "))


# `memvault stats`: the vault in figures.

STATS_EXAMPLES = ("memvault stats", "memvault stats --days 7", "memvault stats --json")

Days = Annotated[int, Option("--days", metavar="N", help="Look back so many days.", show_default=True)]


def stats(cli: CliContext, *, days: Days = 30) -> CommandResult:
    """Show the vault in figures: counts and weights, how much it is used, what is about to fade, what faded and came
    back, what is used and linked most."""
    with cli.open_vault() as vault:
        found = vault.stats(days=days)
    return CommandResult(result=found, text=lambda paper: rendered(found, paper))


# `memvault report`: a page that shows the vault in pictures.

REPORT_EXAMPLES = (
    "memvault report --open",
    "memvault report --days 90 --output vault.html",
    "memvault report --output - > vault.html",
)

Output = Annotated[
    str,
    Option("--output", "-o", metavar="FILE", help="Write it there; - is stdout. Without it, into your cache folder."),
]
Open = Annotated[bool, Option("--open", help="Open it in the browser.")]


def report(cli: CliContext, *, output: Output = "", days: Days = 30, open_: Open = False) -> CommandResult:
    """Write one page of HTML that shows the vault: its tiers, its weights, what is about to fade, when it is used, what
    it is about, what came and went. The page needs no network and no script."""
    to_stdout = output == "-"
    with cli.open_vault() as vault:
        made = vault.report(Path(output) if output else None, days=days, write=not to_stdout)
    path = made.path
    if path is None:
        # A stdout that cannot carry every character is given them as HTML spells them.
        page = made.page.encode("ascii", "xmlcharrefreplace").decode() if cli.is_ascii_only else made.page
        return CommandResult(result={"path": "", "page": made.page, "opened": False}, text=lambda _paper: page)
    if open_:
        from memvault.system import programs  # deferred: few ask for it

        programs.open_target(str(path))
    return CommandResult(
        result={"path": str(path), "page": "", "opened": open_},
        text=lambda _paper: str(path),
        messages=("Wrote the report, and opened it." if open_ else "Wrote the report.",),
    )
