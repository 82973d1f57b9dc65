"""`memvault vault keywords`: which there are, what goes with one, one name for several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Limit, Several
from memvault.cli.output.changes import undo_message
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.value import take_fields
from memvault.errors import Misused
from memvault.text.display import format_count, to_one_line

if TYPE_CHECKING:
    from memvault.recall.keywords import KeywordDetails, KeywordList, RenameResult


KEYWORDS_EXAMPLES = (
    "memvault vault keywords",
    "memvault vault keywords pipewire",
    "memvault vault keywords merge pipewire pipe-wire",
    "memvault vault keywords rename k8s kubernetes",
)

_COMMAND = "memvault vault keywords"

Words = Annotated[
    Several, Argument(metavar="WORD", help="A keyword to look up; or `merge KEEP OTHER...`, or `rename OLD NEW`.")
]


def keywords(cli: CliContext, words: Words = None, *, limit: Limit = 0, dry_run: DryRun = False) -> CommandResult:
    """List the keywords of the vault, look one up, or give several one name.

    Tags and topics of memories and the keywords of conversations are keywords; spellings that differ in case,
    hyphens or the plural alone count as one. A word shows what bears it and which others stand beside it. After merge
    or rename, memories and conversations bear the new name; `memvault undo` takes it back.
    """
    match words or []:
        case []:
            with cli.open_vault() as vault:
                return _list_result(vault.list_keywords(limit=limit))
        case ["merge", keep, *others] if others:
            with cli.open_vault() as vault:
                return _rename_result(vault.merge_keywords(keep, *others, dry_run=dry_run), dry_run=dry_run)
        case ["rename", old, new]:
            with cli.open_vault() as vault:
                return _rename_result(vault.rename_keyword(old, new, dry_run=dry_run), dry_run=dry_run)
        case ["merge" | "rename" as action, _, *_]:
            wanted = "merge KEEP OTHER..." if action == "merge" else "rename OLD NEW"
            reason = f"It is `{_COMMAND} {wanted}`; a keyword of several words goes in quotes."
            raise Misused(reason=reason, command=_COMMAND)
        case found:
            with cli.open_vault() as vault:
                return _lookup_result(vault.find_keyword(" ".join(found), limit=limit))


def _list_result(found: KeywordList) -> CommandResult:
    left = found.total - len(found.keywords)
    rows = [[one.name, f"{one.memories}", f"{one.topics}", ", ".join(one.spellings)] for one in found.keywords]
    return CommandResult(
        result={"keywords": found.keywords, "total": found.total},
        text=lambda paper: format_table("KEYWORD~ | >MEMORIES | >TOPICS | ALSO SPELLED?", rows, paper) if rows else "",
        messages=(
            f"{format_count(left, 'more', 'more')} not shown."
            if left
            else ""
            if rows
            else "There are no keywords yet.",
        ),
    )


def _lookup_result(found: KeywordDetails) -> CommandResult:
    word = found.keyword
    near = f"Maybe the same: {', '.join(found.near)}." if found.near else ""
    nothing = "" if word.total else f"No memory or topic has the keyword “{word.name}”."
    return CommandResult(
        result=found, text=lambda paper: _format_keyword(found, paper) if word.total else "", messages=(nothing, near)
    )


def _format_keyword(found: KeywordDetails, paper: TerminalFormat) -> str:
    word = found.keyword
    counts = [
        format_count(word.memories, "memory", "memories"),
        format_count(word.topics, "topic of conversations", "topics of conversations") if word.topics else "",
        f"also spelled {', '.join(word.spellings)}" if word.spellings else "",
    ]
    beside = ", ".join(f"{to_one_line(one.name)} {one.count}" for one in found.together)
    lines = [paper.styles.title(to_one_line(word.name)), paper.join_facts(counts, "  ")]
    lines += [paper.wrap_block(f"beside it: {beside}", "  ")] if beside else []
    return "\n".join([*lines, *(_format_memory(memory, paper) for memory in found.memories)])


def _format_memory(memory: Memory, paper: TerminalFormat) -> str:
    return f"  {paper.styles.faint(short_id(memory.id))}  {to_one_line(memory.title)}"


def _rename_result(found: RenameResult, *, dry_run: bool) -> CommandResult:
    counts = [format_count(len(found.memories), "memory", "memories")]
    counts += [format_count(found.topics, "topic of conversations", "topics of conversations")] if found.topics else []
    instead = f" instead of {', '.join(found.instead_of)}" if found.instead_of else ""
    verb = "would bear" if dry_run else "bears" if len(found.memories) + found.topics == 1 else "bear"
    did = f"{' and '.join(counts)} {verb} {found.keyword}{instead}"
    return CommandResult(
        result={**take_fields(found, "keyword", "instead_of", "memories", "topics", "left", "op"), "dry_run": dry_run},
        text=lambda paper: "\n".join([to_one_line(did), *(_format_memory(memory, paper) for memory in found.memories)]),
        messages=(undo_message(found.op, dry_run=dry_run),),
        warnings=tuple(f"“{to_one_line(one.memory.title)}” keeps the old one: {one.why}" for one in found.left),
    )
