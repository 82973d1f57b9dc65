"""`memvault maintain`: keep the vault in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Option, Several, listed, split
from memvault.cli.output import report
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.report import Bar
from memvault.cli.output.terminal import Paper
from memvault.errors import MaintenanceUnderWay
from memvault.text.display import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.api import Memvault
    from memvault.storage.journal.runs import Done, Maintained


_SHOWN = 5
MAINTAIN_EXAMPLES = (
    "memvault maintain --dry-run",
    "memvault maintain",
    "memvault maintain --only decay,stale,archive",
)

Only = Annotated[Several, listed("--only", "RULES", "Only these rules, such as decay,archive; see the manual.")]
Scheduled = Annotated[bool, Option("--scheduled", help="For timers: says nothing, asks nothing, keeps a log.")]
All = Annotated[bool, Option("--all", help="List every change, however many there are.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Agree beforehand to what would be asked (prune.after_months).")]


def maintain(
    desk: Desk,
    *,
    dry_run: DryRun = False,
    only: Only = None,
    scheduled: Scheduled = False,
    everything: All = False,
    yes: Yes = False,
) -> Answer:
    """Keep the vault in order: let weights fade, put away what faded, merge what says the same, refresh Tier 1.

    Every change has its reason, shown by --dry-run; nothing is deleted; `memvault undo` takes a run back. It may run
    as often or as seldom as you like: everything follows from dates.
    """
    with desk.open(asks=not scheduled) as vault:
        try:
            found = _carried_out(desk, vault, split(only), dry_run=dry_run, scheduled=scheduled, yes=yes)
        except MaintenanceUnderWay:
            if scheduled:
                return Answer(result={"skipped": "upkeep is under way already"})
            raise
    if scheduled:
        return Answer(result=_told(found, dry_run=dry_run))  # what was refused stands in the log, and is no failure
    return Answer(
        result=_told(found, dry_run=dry_run),
        text=lambda paper: _text(found, paper, dry_run=dry_run, everything=everything),
        talk=_talk(found, dry_run=dry_run),
        warnings=tuple(f"{path}: {why}" for path, why in found.refused),
    )


def _carried_out(
    desk: Desk, vault: Memvault, only: Sequence[str], *, dry_run: bool, scheduled: bool, yes: bool
) -> Maintained:
    if not (dry_run or scheduled or yes) and desk.has_person:
        yes = _agrees(desk, vault, only)
    bar = Bar(desk, "Upkeep")
    try:
        return vault.maintain(only=only, prune=yes, dry_run=dry_run, scheduled=scheduled, progress=bar)
    finally:
        bar.close()


def _agrees(desk: Desk, vault: Memvault, only: Sequence[str]) -> bool:
    """Whether the person lets go of what may be pruned, where anything may."""
    if not vault.settings.whole("prune.after_months") or (only and "prune" not in only):
        return False
    found = vault.maintain(only=only, dry_run=True).prunable
    if not found:
        return False
    for done in found:
        desk.say(f"  {done.title}: {done.why}")
    return desk.confirms(f"Move {plural(len(found), 'archived memory', 'archived memories')} to the trash?")


def _lines(found: Sequence[Done]) -> list[report.Line]:
    return [report.Line(done.id, done.title or done.path, done.to, done.rules, done.why) for done in found]


def _told(found: Maintained, *, dry_run: bool) -> dict[str, object]:
    return {
        "changes": [
            {
                "id": done.id,
                "title": done.title,
                "path": done.path,
                "to": done.to,
                "rules": done.rules,
                "why": done.why,
            }
            for done in found.done
        ],
        "counts": report.counts(_lines(found.done)),
        "refused": [{"path": path, "why": why} for path, why in found.refused],
        "prunable": [done.path for done in found.prunable],
        "expired": found.expired,
        "conflicts": found.conflicts,
        "duplicates": found.proposals,
        "memories": found.memories,
        "skipped": found.skipped,
        "next": found.next,
        "op": found.op,
        "dry_run": dry_run,
    }


def _text(found: Maintained, paper: Paper, *, dry_run: bool, everything: bool) -> str:
    if found.skipped:
        return f"There is nothing to do: {found.skipped}."
    changes = report.run(_lines(found.done), paper, everything=everything)
    summary = report.summary(found.memories, len(found.done), len(found.refused), dry_run=dry_run)
    return "\n\n".join(filter(None, [changes, summary]))


def _talk(found: Maintained, *, dry_run: bool) -> tuple[str, ...]:
    prunable = plural(len(found.prunable), "archived memory", "archived memories")
    expired = plural(len(found.expired), "file", "files")
    goes = "would go" if dry_run else "went"
    parts = (
        f"{expired} {goes}, kept as long as you set: {', '.join(found.expired[:_SHOWN])}" if found.expired else "",
        report.waiting(found.conflicts, found.proposals),
        f"{prunable} may go to the trash: `memvault maintain --yes` lets go of them." if found.prunable else "",
        undo_hint(found.op, dry_run=dry_run),
    )
    return tuple(filter(None, parts))


# `memvault reindex`: build the index again from the files.

REINDEX_EXAMPLES = ("memvault reindex",)


def reindex(desk: Desk) -> Answer:
    """Throw the index away and build it again from the files.

    It is never needed: the index mends itself. It is there for when you would rather be sure.
    """
    with desk.open() as vault:
        built = vault.reindex()
    talked = f" and {plural(built.turns, 'turn', 'turns')} of conversations" if built.turns else ""
    return Answer(
        result={"memories": built.memories, "turns": built.turns},
        text=lambda _paper: f"Indexed {plural(built.memories, 'memory', 'memories')}{talked}.",
        warnings=built.problems,
    )
