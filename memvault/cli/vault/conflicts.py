"""`memvault conflicts`: memories that contradict each other, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Limit, Option
from memvault.cli.output import memory
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.diff import Side, side_by_side
from memvault.cli.output.memory import marks
from memvault.cli.output.report import Bar
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.errors import Misused
from memvault.text.display import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.core.memory import Memory
    from memvault.maintenance.conflicts import Conflict, Conflicts, Settled
    from memvault.maintenance.conflicts import Side as Found


CONFLICTS_EXAMPLES = ("memvault conflicts", "memvault conflicts --limit 3", "memvault conflicts --json")


def conflicts(desk: Desk, *, limit: Limit = 0) -> Answer:
    """List memories that contradict each other, side by side, the newest first.

    Two memories about the same thing that differ in a number, a date, a name, a version, a path or a "not" cannot both
    be right. They are never merged, and nobody but you says which one holds.
    """
    bar = Bar(desk, "Comparing")
    with desk.open() as vault:
        try:
            found = vault.conflicts(limit=limit, progress=bar)
        finally:
            bar.close()
    return Answer(
        result=_told(found),
        text=lambda paper: "\n\n".join(_conflict(conflict, paper) for conflict in found.conflicts),
        talk=(_remark(found),),
    )


def _conflict(conflict: Conflict, paper: Paper) -> str:
    differing = "; ".join(f"{one.sort} {one.older} → {one.newer}" for one in conflict.differences)
    parts = [
        side_by_side(_side(conflict, conflict.older, paper), _side(conflict, conflict.newer, paper), paper),
        paper.styles.warning(paper.block(f"differ in (older → newer): {one_line(differing)}", "  "))
        if differing
        else "",
        *_commands(_ways(conflict), paper),
    ]
    return "\n".join(filter(None, parts))


def _side(conflict: Conflict, side: Found, paper: Paper) -> Side:
    words = [one.newer if side is conflict.newer else one.older for one in conflict.differences]
    edited = f"edited {paper.day(side.at)}" if side.at != side.memory.created else ""
    return Side(side.memory.title, [*facts(side.memory, paper), edited], side.says, words)


def facts(memory: Memory, paper: Paper) -> list[str]:
    """What tells a memory from another: its id, its day, who said it, where it lies."""
    source = str(memory.more.get("agent") or memory.more.get("source") or "")
    return [
        short(memory.id),
        paper.day(memory.created),
        f"from {source}" if source else "",
        memory.path,
        *marks(memory),
    ]


def _commands(ways: Sequence[tuple[str, str]], paper: Paper) -> list[str]:
    width = max(len(command) for command, _ in ways)
    return [f"  {command:<{width}}  {paper.styles.faint(what)}" for command, what in ways]


def _ways(conflict: Conflict) -> list[tuple[str, str]]:
    newer, older = short(conflict.newer.memory.id), short(conflict.older.memory.id)
    return [
        (f"memvault resolve {newer} {older}", "the newer holds"),
        (f"memvault resolve {older} {newer}", "the older holds"),
        (f"memvault resolve {newer} {older} --both", "both hold"),
    ]


def _told(found: Conflicts) -> dict[str, object]:
    return {
        "conflicts": [
            {
                "newer": conflict.newer,
                "older": conflict.older,
                "score": conflict.score,
                "differences": conflict.differences,
                "commands": [command for command, _ in _ways(conflict)],
            }
            for conflict in found.conflicts
        ],
        "total": found.total,
    }


def _remark(found: Conflicts) -> str:
    if not found.total:
        return "Nothing contradicts anything else here."
    rest = found.total - len(found.conflicts)
    return (
        f"{plural(rest, 'more contradiction', 'more contradictions')}; --limit shows as many as you like."
        if rest
        else ""
    )


# `memvault resolve`: say which of two memories holds.

RESOLVE_EXAMPLES = (
    "memvault resolve 5f0c 0d1c",
    "memvault resolve 5f0c 0d1c --newest",
    "memvault resolve 5f0c 0d1c --both",
)

Keep = Annotated[str, Argument(metavar="KEEP", help="The memory that holds.", show_default=False)]
Other = Annotated[str, Argument(metavar="OTHER", help="The one whose place it takes.", show_default=False)]
Both = Annotated[bool, Option("--both", help="Both are right; they are not listed again.")]
Newest = Annotated[bool, Option("--newest", help="The newer of the two holds, in whatever order you name them.")]


def resolve(
    desk: Desk, keep: Keep, other: Other, *, both: Both = False, newest: Newest = False, dry_run: DryRun = False
) -> Answer:
    """Say which of two memories holds: the first one, the newer one, or both.

    The one that holds takes the other's place; the other stays where it is and is found, marked as superseded and after
    the one that holds. Any two memories can be settled so, whether `memvault conflicts` lists them or not.
    """
    if both and newest:
        raise Misused(reason="--both and --newest exclude each other.", command="memvault resolve")
    with desk.open() as vault:
        settled = vault.resolve(keep, other, both=both, newest=newest, dry_run=dry_run)
    return answer(settled, dry_run=dry_run)


def answer(settled: Settled, *, dry_run: bool) -> Answer:
    """The answer to a decision about two memories."""
    return Answer(
        result={
            "kept": settled.kept,
            "other": settled.other,
            "both": settled.both,
            "op": settled.op,
            "dry_run": dry_run,
        },
        text=lambda paper: _text(settled, paper, dry_run=dry_run),
        talk=(undo_hint(settled.op, dry_run=dry_run),),
    )


def _text(settled: Settled, paper: Paper, *, dry_run: bool) -> str:
    would = "would hold" if dry_run else "holds"
    first, second = (would, would) if settled.both else (would, "would be superseded" if dry_run else "superseded")
    return "\n".join((memory.named(settled.kept, first, paper), memory.named(settled.other, second, paper)))
