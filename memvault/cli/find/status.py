"""`memvault status`: the vault at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.context import Answer, Desk
from memvault.cli.output import report as reports
from memvault.cli.output.terminal import Paper
from memvault.text.escape import one_line
from memvault.text.figures import plural, size

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
