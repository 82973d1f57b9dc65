"""`memvault status`, `stats` and `report`: the vault at a glance, in figures, and on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Option
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.errors import CannotOpen
from memvault.text.display import format_count, format_size, to_one_line

if TYPE_CHECKING:
    from memvault.maintenance.report import FadingMemory, Figures, RankedMemory, ReportEvent, WeightGroup
    from memvault.maintenance.vault_status import VaultStatus
    from memvault.storage.pauses import PausePeriod


_TIERS = {"0": "identity", "1": "hot", "2": "memories", "3": "archived"}

STATUS_EXAMPLES = ("memvault status", "memvault --vault ~/memory status --json")


def status(cli: CliContext) -> CommandResult:
    """Show the vault at a glance: what it holds, what is due, whether all is well."""
    from memvault.system.daemon import is_running
    from memvault.system.project import project_of

    with cli.open_vault(may_ask=False) as vault:
        found = vault.status()
        ignored = sum(not one.is_answered for one in vault.settings.ignored)
        pause = vault.find_pause(project=project_of(vault.folder))
    is_warm = is_running(cli.environment)
    paused = () if pause is None else (f"Paused: nothing is remembered or given by itself{_until(pause, cli)}.",)
    warnings = (*(extension.problem for extension in found.extensions if extension.problem), *_ignored_message(ignored))
    return CommandResult(
        result=found,
        text=lambda paper: _format_status(found, paper, is_warm=is_warm),
        messages=paused,
        warnings=warnings,
    )


def _until(pause: PausePeriod, cli: CliContext) -> str:
    until = f", until {cli.terminal_format().format_minute(pause.until)}" if pause.until else ""
    return f"{until} (memvault agent resume ends it)"


def _format_status(found: VaultStatus, paper: TerminalFormat, *, is_warm: bool) -> str:
    sizes = (
        f"identity {format_size(found.identity_bytes)} of about 3 KB, hot {format_size(found.hot_bytes)} of 10-20 KB"
    )
    upkeep = f"last on {paper.format_day(found.upkeep)}" if found.upkeep else ""
    sealed = format_count(found.private, "sealed memory", "sealed memories")
    parts = [
        paper.styles.title(to_one_line(found.vault)),
        f"  {format_count(found.memories, 'memory', 'memories')}",
        _format_counts("tiers", {_TIERS[tier]: count for tier, count in found.tiers.items()}, paper),
        _format_counts("kinds", found.kinds, paper),
        _format_counts("statuses", found.statuses, paper),
        paper.format_label("pinned", str(found.pinned)) if found.pinned else "",
        paper.format_label("size", sizes),
        paper.format_label("talks", _count_conversations(found)) if found.conversations else "",
        paper.format_label("private", f"{sealed}: memvault private") if found.private else "",
        paper.format_label("upkeep", upkeep or "not yet on this machine: memvault maintain"),
        paper.format_label("index", found.backend),
        paper.format_label("live", "a daemon answers: memvault vault watch status") if is_warm else "",
        paper.format_label("added", _format_extensions(found)) if found.extensions else "",
        _format_due(found.due),
        _format_health(found, paper),
    ]
    return "\n".join(filter(None, parts))


def _format_counts(label: str, counts: Mapping[str, int], paper: TerminalFormat) -> str:
    """How many there are of each; nothing where there is none of any."""
    return paper.format_label(label, ", ".join(f"{name} {count}" for name, count in counts.items())) if counts else ""


def _format_due(memories: Sequence[Memory]) -> str:
    """The reminders whose day has come."""
    rows = [f"  {short_id(memory.id)}  {to_one_line(memory.title)}" for memory in memories]
    return "\n".join(["Due:", *rows]) if rows else ""


def _ignored_message(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    what = format_count(count, "setting that only you may set is", "settings that only you may set are")
    return (f"In memvault.toml {what} ignored: `memvault config` names them.",)


def _count_conversations(found: VaultStatus) -> str:
    conversations = format_count(found.conversations, "conversation", "conversations")
    return f"{conversations}, {format_count(found.turns, 'turn', 'turns')}"


def _format_extensions(found: VaultStatus) -> str:
    """Whose additions are in force, and what they are."""
    told = (
        f"{to_one_line(extension.name)} ({', '.join(extension.adds) or 'nothing'})"
        for extension in found.extensions
        if not extension.problem
    )
    return "; ".join(told) or "nothing"


def _format_health(found: VaultStatus, paper: TerminalFormat) -> str:
    if not found.problems:
        return ""
    told = format_count(found.problems, "file could not be read whole", "files could not be read whole")
    return paper.styles.warning(paper.wrap_block(f"{told}: `memvault vault doctor` says which, and why.", "  "))


# `memvault vault stats`: the vault in figures.

STATS_EXAMPLES = ("memvault vault stats", "memvault vault stats --days 7", "memvault vault stats --json")

Days = Annotated[int, Option("--days", metavar="N", help="Look back so many days.", show_default=True)]


def stats(cli: CliContext, *, days: Days = 30) -> CommandResult:
    """Show the vault in figures: counts and weights, how much it is used, what is about to fade, what faded and came
    back, what is used and linked most."""
    with cli.open_vault() as vault:
        found = vault.stats(days=days)
    return CommandResult(result=found, text=lambda paper: format_stats(found, paper))


# `memvault vault report`: a page that shows the vault in pictures.

REPORT_EXAMPLES = (
    "memvault vault report --open",
    "memvault vault report --days 90 --output vault.html",
    "memvault vault report --output - > vault.html",
)

Output = Annotated[
    str,
    Option("--output", "-o", metavar="FILE", help="Write it there; - is stdout. Without it, into your cache folder."),
]
Open = Annotated[bool, Option("--open", help="Open it in the browser.")]


def report(cli: CliContext, *, output: Output = "", days: Days = 30, open_: Open = False) -> CommandResult:
    """Write one page of HTML that shows the vault: its tiers, its weights, what is about to fade, when it is used, what
    it is about, what came and went. The page needs no network and no script."""
    from memvault.web.report import write_report  # deferred: `status` draws nothing

    to_stdout = output == "-"
    with cli.open_vault() as vault:
        made = write_report(vault, Path(output) if output else None, days=days, write=not to_stdout)
    path = made.path
    if path is None:
        # A stdout that cannot carry every character is given them as HTML spells them.
        page = made.page.encode("ascii", "xmlcharrefreplace").decode() if cli.is_ascii_only else made.page
        return CommandResult(result={"path": "", "page": made.page, "opened": False}, text=lambda _paper: page)
    said = ""
    if open_:
        from memvault.system import programs  # deferred: few ask for it

        try:
            programs.open_target(str(path))
        except CannotOpen as error:  # the page is written all the same, and can be opened anywhere
            open_, said = False, f"Wrote the report. Open it yourself: {error.data['reason']}."
    return CommandResult(
        result={"path": str(path), "page": "", "opened": open_},
        text=lambda _paper: str(path),
        messages=(said or ("Wrote the report, and opened it." if open_ else "Wrote the report."),),
    )


# The figures of a vault as a person reads them on a terminal.

SHOWN = 10


def format_stats(found: Figures, paper: TerminalFormat) -> str:
    """All figures, those that are nothing left out."""
    from memvault.maintenance.report import HORIZON  # deferred: `status` needs no figures

    lines = [
        [paper.format_day(row.at), f"{row.weight:.2f}", short_id(row.id), row.title] for row in found.fading[:SHOWN]
    ]
    low, high = (bound // 1024 for bound in found.sizes.hot_budget)
    identity = f"identity {format_size(found.sizes.identity)} of about {found.sizes.identity_budget // 1024} KB"
    facts = [
        format_count(found.memories, "memory", "memories"),
        f"mean weight {found.weight:.2f}" if found.memories else "",
        f"{found.below:,} below {found.threshold:.2f}" if found.below else "",
        f"{found.pinned:,} pinned" if found.pinned else "",
        identity,
        f"hot {format_size(found.sizes.hot)} of {low}-{high} KB",
        f"{format_size(found.sizes.all)} in all",
    ]
    parts = [
        f"{paper.styles.title(found.vault)}\n{paper.join_facts(facts, '  ')}",
        _format_groups(found, paper),
        _format_use(found, paper),
        _format_table(
            f"About to fade, within {HORIZON} days", "FADES | >WEIGHT | ID? | TITLE~", lines, found.fading, paper
        ),
        *_format_history(found, paper),
        _format_ranked("Used most", found.most_used, "USES", paper),
        _format_ranked("Linked most", found.most_linked, "LINKS", paper),
    ]
    return "\n\n".join(filter(None, parts))


def _format_groups(found: Figures, paper: TerminalFormat) -> str:
    named = (("tier", found.tiers), ("kind", found.kinds), ("status", found.statuses), ("age", found.ages))
    rows = [row for label, groups in named for row in _group_rows(label, groups)]
    return format_table("| | >MEMORIES | >WEIGHT", rows, paper) if rows else ""


def _group_rows(label: str, groups: Sequence[WeightGroup]) -> list[list[str]]:
    return [
        ["" if number else label, group.name, f"{group.count:,}", f"{group.weight:.2f}"]
        for number, group in enumerate(groups)
    ]


def _format_use(found: Figures, paper: TerminalFormat) -> str:
    used = found.touches
    if not used.ever:
        return ""
    counts = f"{format_count(used.in_period, 'use', 'uses')} in {format_count(found.days, 'day', 'days')}"
    rates = f"{used.per_day:.1f} a day, {used.per_week:.1f} a week"
    return paper.wrap_block(
        f"{counts}: {rates}. {used.ever:,} in the journals; the numbers below count earlier uses too."
    )


def _format_history(found: Figures, paper: TerminalFormat) -> list[str]:
    told = found.history
    named = (("Faded", told.faded), ("Returned", told.returned), ("Merged", told.merged))
    parts = [_format_events(heading, events, found.days, paper) for heading, events in named]
    forgotten = f"Forgotten: {told.forgotten:,}." if told.forgotten else ""
    return [*parts, forgotten]


def _format_events(heading: str, events: Sequence[ReportEvent], days: int, paper: TerminalFormat) -> str:
    lines = [
        [paper.format_day(event.at), event.what, short_id(event.id), event.title or "(no longer in the vault)"]
        for event in events[:SHOWN]
    ]
    head = f"{heading} in {format_count(days, 'day', 'days')}"
    return _format_table(head, "DAY | WHAT | ID? | TITLE~", lines, events, paper)


def _format_ranked(heading: str, rows: Sequence[RankedMemory], unit: str, paper: TerminalFormat) -> str:
    lines = [[f"{row.count:,}", short_id(row.id), row.title] for row in rows]
    return _format_table(heading, f">{unit} | ID? | TITLE~", lines, rows, paper)


def _format_table(
    heading: str,
    headings: str,
    lines: list[list[str]],
    rows: Sequence[FadingMemory | ReportEvent | RankedMemory],
    paper: TerminalFormat,
) -> str:
    if not lines:
        return ""
    total = len(rows)
    head = paper.styles.title(
        heading if total <= len(lines) else f"{heading}: {total:,}, of them the first {len(lines)}"
    )
    return f"{head}\n{format_table(headings, lines, paper, [row.path for row in rows])}"
