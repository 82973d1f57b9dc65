"""`memvault keywords`: which there are, what goes with one, one name for several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Limit, Several
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.errors import Misused
from memvault.text.display import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.core.memory import Memory
    from memvault.recall.keywords import Left, Listed, Looked, Renamed


KEYWORDS_EXAMPLES = (
    "memvault keywords",
    "memvault keywords pipewire",
    "memvault keywords merge pipewire pipe-wire",
    "memvault keywords rename k8s kubernetes",
)

_COMMAND = "memvault keywords"

Words = Annotated[
    Several,
    Argument(
        metavar="WORD",
        help="A keyword to look up; or `merge KEEP OTHER...`, or `rename OLD NEW`.",
        show_default=False,
    ),
]


def keywords(desk: Desk, words: Words = None, *, limit: Limit = 0, dry_run: DryRun = False) -> Answer:
    """List the keywords of the vault, look one up, or give several one name.

    Tags and topics of memories and the keywords of conversations are keywords; spellings that differ in case,
    hyphens or the plural alone count as one. A word shows what bears it and which others stand beside it. After merge
    or rename, memories and conversations bear the new name; `memvault undo` takes it back.
    """
    match words or []:
        case []:
            with desk.open() as vault:
                return _listed(vault.keywords(limit=limit))
        case ["merge", keep, *others] if others:
            with desk.open() as vault:
                return _renamed(vault.merge_keywords(keep, *others, dry_run=dry_run), dry_run=dry_run)
        case ["rename", old, new]:
            with desk.open() as vault:
                return _renamed(vault.rename_keyword(old, new, dry_run=dry_run), dry_run=dry_run)
        case ["merge" | "rename" as action, _, *_]:
            wanted = "merge KEEP OTHER..." if action == "merge" else "rename OLD NEW"
            reason = f"It is `{_COMMAND} {wanted}`; a keyword of several words goes in quotes."
            raise Misused(reason=reason, command=_COMMAND)
        case found:
            with desk.open() as vault:
                return _looked(vault.keyword(" ".join(found), limit=limit))


def _listed(found: Listed) -> Answer:
    left = found.total - len(found.keywords)
    columns = (
        Column("KEYWORD", gives_way=True),
        Column("MEMORIES", right=True),
        Column("TOPICS", right=True),
        Column("ALSO SPELLED", may_go=True),
    )
    rows = [[one.name, f"{one.memories}", f"{one.topics}", ", ".join(one.spellings)] for one in found.keywords]
    return Answer(
        result={"keywords": found.keywords, "total": found.total},
        text=lambda paper: table(columns, rows, paper) if rows else "",
        talk=(f"{plural(left, 'more', 'more')} not shown." if left else "" if rows else "There are no keywords yet.",),
    )


def _looked(found: Looked) -> Answer:
    word = found.keyword
    near = f"Maybe the same: {', '.join(found.near)}." if found.near else ""
    nothing = "" if word.total else f"Nothing bears the keyword “{word.name}”."
    return Answer(result=found, text=lambda paper: _told(found, paper) if word.total else "", talk=(nothing, near))


def _told(found: Looked, paper: Paper) -> str:
    word = found.keyword
    counts = [
        plural(word.memories, "memory", "memories"),
        plural(word.topics, "topic of conversations", "topics of conversations") if word.topics else "",
        f"also spelled {', '.join(word.spellings)}" if word.spellings else "",
    ]
    beside = ", ".join(f"{one_line(one.name)} {one.count}" for one in found.together)
    lines = [paper.styles.title(one_line(word.name)), paper.facts(counts, "  ")]
    lines += [paper.block(f"beside it: {beside}", "  ")] if beside else []
    return "\n".join([*lines, *(_memory(memory, paper) for memory in found.memories)])


def _memory(memory: Memory, paper: Paper) -> str:
    return f"  {paper.styles.faint(short(memory.id))}  {one_line(memory.title)}"


def _renamed(found: Renamed, *, dry_run: bool) -> Answer:
    counts = [plural(len(found.memories), "memory", "memories")]
    counts += [plural(found.topics, "topic of conversations", "topics of conversations")] if found.topics else []
    instead = f" instead of {', '.join(found.instead_of)}" if found.instead_of else ""
    verb = "would bear" if dry_run else "bears" if len(found.memories) + found.topics == 1 else "bear"
    did = f"{' and '.join(counts)} {verb} {found.keyword}{instead}"
    return Answer(
        result={
            "keyword": found.keyword,
            "instead_of": found.instead_of,
            "memories": found.memories,
            "topics": found.topics,
            "left": found.left,
            "op": found.op,
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join([one_line(did), *(_memory(memory, paper) for memory in found.memories)]),
        talk=(undo_hint(found.op, dry_run=dry_run),),
        warnings=_kept(found.left),
    )


def _kept(left: Sequence[Left]) -> tuple[str, ...]:
    return tuple(f"“{one_line(one.memory.title)}” keeps the old one: {one.why}" for one in left)
