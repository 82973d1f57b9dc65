"""`memvault conflicts`: memories that contradict each other, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Limit, Option
from memvault.cli.output import memory
from memvault.cli.output.changes import ProgressBar, undo_message
from memvault.cli.output.terminal import PLAIN, TerminalFormat, TextStyles
from memvault.core.ids import short_id
from memvault.core.value import replace, take_fields
from memvault.errors import Misused
from memvault.maintenance.conflicts import list_conflicts, resolve_conflict
from memvault.text.display import format_count, neutralize_text, pad_text, to_one_line, wrap_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.core.memory import Memory
    from memvault.maintenance.conflicts import Conflict, ConflictList, ResolveResult
    from memvault.maintenance.conflicts import ConflictSide as Found


CONFLICTS_EXAMPLES = ("memvault conflicts", "memvault conflicts --limit 3", "memvault conflicts --json")


def conflicts(cli: CliContext, *, limit: Limit = 0) -> CommandResult:
    """List memories that contradict each other, side by side, the newest first.

    Two memories about the same thing that differ in a number, a date, a name, a version, a path or a "not" cannot both
    be right. They are never merged, and nobody but you says which one holds.
    """
    with cli.open_vault() as vault, ProgressBar(cli, "Comparing") as bar:
        found = vault.run(list_conflicts, limit=limit, progress=bar)
    return CommandResult(
        result=_build_json(found),
        text=lambda paper: "\n\n".join(_format_conflict(conflict, paper) for conflict in found.conflicts),
        messages=(_more_message(found),),
    )


def _format_conflict(conflict: Conflict, paper: TerminalFormat) -> str:
    differing = "; ".join(f"{one.sort} {one.older} → {one.newer}" for one in conflict.differences)
    ways = _list_choices(conflict)
    width = max(len(command) for command, _ in ways)
    parts = [
        format_side_by_side(
            _compared_side(conflict, conflict.older, paper), _compared_side(conflict, conflict.newer, paper), paper
        ),
        paper.styles.warning(paper.wrap_block(f"differ in (older → newer): {to_one_line(differing)}", "  "))
        if differing
        else "",
        *[f"  {command:<{width}}  {paper.styles.faint(what)}" for command, what in ways],
    ]
    return "\n".join(filter(None, parts))


def _compared_side(conflict: Conflict, side: Found, paper: TerminalFormat) -> ComparedSide:
    words = [one.newer if side is conflict.newer else one.older for one in conflict.differences]
    edited = f"edited {paper.format_day(side.at)}" if side.at != side.memory.created else ""
    return ComparedSide(side.memory.title, [*list_facts(side.memory, paper), edited], side.says, words)


def list_facts(memory: Memory, paper: TerminalFormat) -> list[str]:
    """What tells a memory from another: its id, its day, who said it, where it lies."""
    source = str(memory.more.get("agent") or memory.more.get("source") or "")
    return [
        short_id(memory.id),
        paper.format_day(memory.created),
        f"from {source}" if source else "",
        memory.path,
        *memory.remarks,
    ]


def _list_choices(conflict: Conflict) -> list[tuple[str, str]]:
    newer, older = short_id(conflict.newer.memory.id), short_id(conflict.older.memory.id)
    return [
        (f"memvault resolve {newer} {older}", "the newer holds"),
        (f"memvault resolve {older} {newer}", "the older holds"),
        (f"memvault resolve {newer} {older} --both", "both hold"),
    ]


def _build_json(found: ConflictList) -> dict[str, object]:
    return {
        "conflicts": [
            {
                **take_fields(conflict, "newer", "older", "score", "differences"),
                "commands": [command for command, _ in _list_choices(conflict)],
            }
            for conflict in found.conflicts
        ],
        "total": found.total,
    }


def _more_message(found: ConflictList) -> str:
    if not found.total:
        return "No contradictions found."
    rest = found.total - len(found.conflicts)
    return (
        f"{format_count(rest, 'more contradiction', 'more contradictions')}; --limit shows as many as you like."
        if rest
        else ""
    )


# `memvault resolve`: say which of two memories holds.

RESOLVE_EXAMPLES = (
    "memvault resolve 5f0c 0d1c",
    "memvault resolve 5f0c 0d1c --newest",
    "memvault resolve 5f0c 0d1c --both",
)

Keep = Annotated[str, Argument(metavar="KEEP", help="The memory that holds.")]
Other = Annotated[str, Argument(metavar="OTHER", help="The one whose place it takes.")]
Both = Annotated[bool, Option("--both", help="Both are right; they are not listed again.")]
Newest = Annotated[bool, Option("--newest", help="The newer of the two holds, in whatever order you name them.")]


def resolve(
    cli: CliContext, keep: Keep, other: Other, *, both: Both = False, newest: Newest = False, dry_run: DryRun = False
) -> CommandResult:
    """Say which of two memories holds: the first one, the newer one, or both.

    The one that holds takes the other's place; the other stays where it is and is found, marked as superseded and after
    the one that holds. Any two memories can be settled so, whether `memvault conflicts` lists them or not.
    """
    if both and newest:
        raise Misused(reason="--both and --newest exclude each other.", command="memvault resolve")
    with cli.open_vault() as vault:
        settled = vault.run(resolve_conflict, keep, other, both=both, newest=newest, dry_run=dry_run)
    return resolve_result(settled, dry_run=dry_run)


def resolve_result(settled: ResolveResult, *, dry_run: bool) -> CommandResult:
    """The answer to a decision about two memories."""
    return CommandResult(
        result={**take_fields(settled, "kept", "other", "both", "op"), "dry_run": dry_run},
        text=lambda paper: _format_resolved(settled, paper, dry_run=dry_run),
        messages=(undo_message(settled.op, dry_run=dry_run),),
    )


def _format_resolved(settled: ResolveResult, paper: TerminalFormat, *, dry_run: bool) -> str:
    would = "would hold" if dry_run else "holds"
    first, second = (would, would) if settled.both else (would, "would be superseded" if dry_run else "superseded")
    return "\n".join(
        (memory.format_outcome(settled.kept, first, paper), memory.format_outcome(settled.other, second, paper))
    )


# Two memories beside each other, or one below the other where the page is narrow.

WIDE = 100
"""From so many cells on there is room for two columns."""

_BAR = "  |  "
_INDENT = "  "


class ComparedSide(NamedTuple):
    """One of the two: its title, short facts about it, what it says, and the words in that to set off."""

    title: str
    facts: Sequence[str]
    texts: Sequence[str]
    differing: Sequence[str] = ()


class _ComparedLine(NamedTuple):
    """A line as it is, by which it is measured, and how it is set off."""

    text: str
    style: str
    differing: Sequence[str] = ()

    def format_line(self, styles: TextStyles, width: int = 0) -> str:
        """The line as it is printed, filled up to a width."""
        padded = pad_text(self.text, width) if width else self.text
        match self.style:
            case "title":
                return styles.title(padded)
            case "faint":
                return styles.faint(padded)
            case _:
                return _highlight_words(padded, self.differing, styles)


def format_side_by_side(older: ComparedSide, newer: ComparedSide, paper: TerminalFormat) -> str:
    """The older left and the newer right; on a narrow page or in a pipe the newer first, and the older below it."""
    if paper.width < WIDE:
        return "\n".join(line.format_line(paper.styles) for side in (newer, older) for line in _side_lines(side, paper))
    width = (paper.width - len(_BAR)) // 2
    columns = [list(_side_lines(side, replace(paper, width=width))) for side in (older, newer)]
    empty = _ComparedLine("", "")
    rows = (
        f"{left.format_line(paper.styles, width)}{_BAR}{right.format_line(paper.styles)}".rstrip()
        for left, right in zip_longest(*columns, fillvalue=empty)
    )
    return "\n".join(rows)


def _side_lines(side: ComparedSide, paper: TerminalFormat) -> Iterator[_ComparedLine]:
    for line in wrap_text(to_one_line(side.title), paper.width):
        yield _ComparedLine(line, "title")
    for line in replace(paper, styles=PLAIN).join_facts(list(side.facts), _INDENT).split("\n"):
        yield _ComparedLine(line, "faint")
    for text in side.texts:
        for line in paper.wrap_block(neutralize_text(text.strip()), _INDENT).split("\n"):
            yield _ComparedLine(line, "", side.differing)


def _highlight_words(line: str, words: Sequence[str], styles: TextStyles) -> str:
    """The line with the words in which the two differ set off."""
    wanted = "|".join(re.escape(to_one_line(word)) for word in sorted(words, key=len, reverse=True) if word.strip())
    if not (wanted and styles.has_color):
        return line
    return re.sub(rf"(?<!\w)(?:{wanted})(?!\w)", lambda found: styles.match(found[0]), line)
