"""`memvault status`: the vault at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Option
from memvault.cli.output import report as reports
from memvault.cli.output.stats import stats as rendered
from memvault.cli.output.terminal import Paper
from memvault.text.display import one_line, plural, size

if TYPE_CHECKING:
    from memvault.recall.show import Status


STATUS_EXAMPLES = ("memvault status", "memvault --vault ~/memory status --json")


def status(desk: Desk) -> Answer:
    """Show the vault at a glance: what it holds, what is due, whether all is well."""
    from memvault.daemon.wanted import is_there

    with desk.open(asks=False) as vault:
        found = vault.status()
        ignored = sum(not one.is_answered for one in vault.settings.ignored)
    is_warm = is_there(desk.environment)
    warnings = (*(extension.problem for extension in found.extensions if extension.problem), *_ignored(ignored))
    return Answer(result=found, text=lambda paper: _text(found, paper, is_warm=is_warm), warnings=warnings)


def _text(found: Status, paper: Paper, *, is_warm: bool) -> str:
    sizes = f"identity {size(found.identity_bytes)} of about 3 KB, hot {size(found.hot_bytes)} of 10-20 KB"
    parts = [
        paper.styles.title(one_line(found.vault)),
        f"  {plural(found.memories, 'memory', 'memories')}",
        reports.counted("tiers", reports.tiers(found.tiers), paper),
        reports.counted("kinds", found.kinds, paper),
        reports.counted("statuses", found.statuses, paper),
        reports.labelled("pinned", str(found.pinned), paper) if found.pinned else "",
        reports.labelled("size", sizes, paper),
        reports.labelled("talks", _talks(found), paper) if found.conversations else "",
        reports.labelled("private", _private(found), paper) if found.private else "",
        reports.labelled("upkeep", _upkeep(found, paper), paper),
        reports.labelled("index", f"{found.backend}, in {found.index}", paper),
        reports.labelled("live", "a warm process answers: memvault watch --status", paper) if is_warm else "",
        reports.labelled("added", _added(found), paper) if found.extensions else "",
        reports.due(found.due),
        _health(found, paper),
    ]
    return "\n".join(filter(None, parts))


def _ignored(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    what = plural(count, "setting that only you may set is", "settings that only you may set are")
    return (f"In memvault.toml {what} ignored: `memvault config` names them.",)


def _talks(found: Status) -> str:
    return f"{plural(found.conversations, 'conversation', 'conversations')}, {plural(found.turns, 'turn', 'turns')}"


def _private(found: Status) -> str:
    return f"{plural(found.private, 'sealed memory', 'sealed memories')}: memvault private"


def _added(found: Status) -> str:
    """Whose additions are in force, and what they are."""
    told = (
        f"{one_line(extension.name)} ({', '.join(extension.adds) or 'nothing'})"
        for extension in found.extensions
        if not extension.problem
    )
    return "; ".join(told) or "nothing"


def _upkeep(found: Status, paper: Paper) -> str:
    return f"last on {paper.day(found.upkeep)}" if found.upkeep else "not yet on this machine: memvault maintain"


def _health(found: Status, paper: Paper) -> str:
    if not found.problems:
        return ""
    told = plural(found.problems, "file could not be read whole", "files could not be read whole")
    return paper.styles.warning(paper.block(f"{told}: `memvault doctor` says which, and why.", "  "))


# `memvault stats`: the vault in figures.

STATS_EXAMPLES = ("memvault stats", "memvault stats --days 7", "memvault stats --json")

Days = Annotated[int, Option("--days", metavar="N", help="Look back so many days.")]


def stats(desk: Desk, *, days: Days = 30) -> Answer:
    """Show the vault in figures: counts and weights, how much it is used, what is about to fade, what faded and came
    back, what is used and linked most."""
    with desk.open() as vault:
        found = vault.stats(days=days)
    return Answer(result=found, text=lambda paper: rendered(found, paper))


# `memvault report`: a page that shows the vault in pictures.

REPORT_EXAMPLES = (
    "memvault report --open",
    "memvault report --days 90 --output vault.html",
    "memvault report --output - > vault.html",
)

Output = Annotated[
    str,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write it there; - is stdout. Without it, into your cache folder.",
        show_default=False,
    ),
]
Open = Annotated[bool, Option("--open", help="Open it in the browser.")]


def report(desk: Desk, *, output: Output = "", days: Days = 30, open_: Open = False) -> Answer:
    """Write one page of HTML that shows the vault: its tiers, its weights, what is about to fade, when it is used, what
    it is about, what came and went. The page needs no network and no script."""
    to_stdout = output == "-"
    with desk.open() as vault:
        made = vault.report(Path(output) if output else None, days=days, write=not to_stdout)
    path = made.path
    if path is None:
        # A stdout that cannot carry every character is given them as HTML spells them.
        page = made.page.encode("ascii", "xmlcharrefreplace").decode() if desk.takes_ascii_only else made.page
        return Answer(result={"path": "", "page": made.page, "opened": False}, text=lambda _paper: page)
    if open_:
        from memvault.system import programs  # deferred: few ask for it

        programs.open_(str(path))
    return Answer(
        result={"path": str(path), "page": "", "opened": open_},
        text=lambda _paper: str(path),
        talk=("Wrote the report, and opened it." if open_ else "Wrote the report.",),
    )
