"""`memvault duplicates`: what says the same, merged or kept apart as a person decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Limit, Option, Several
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.report import Bar
from memvault.cli.output.terminal import Paper
from memvault.cli.vault import resolve
from memvault.cli.vault.conflicts import facts
from memvault.core.ids import short
from memvault.errors import Misused
from memvault.text.escape import one_line
from memvault.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.api import Memvault
    from memvault.core.memory import Memory
    from memvault.maintenance.conflicts import Merged
    from memvault.maintenance.findings import Duplicates


DUPLICATES_EXAMPLES = (
    "memvault duplicates",
    "memvault duplicates --review",
    "memvault duplicates --merge 5f0c 0d1c",
    "memvault duplicates --keep 5f0c 0d1c",
)

Memories = Annotated[Several, Argument(metavar="MEMORY", help="What to merge, or to keep apart.", show_default=False)]
Review = Annotated[bool, Option("--review", help="Go through them one by one, and decide.")]
Merge = Annotated[bool, Option("--merge", help="Make one of these memories.")]
Keep = Annotated[bool, Option("--keep", help="Keep these two apart; they are not offered again.")]


def duplicates(
    desk: Desk,
    memory: Memories = None,
    *,
    review: Review = False,
    merge: Merge = False,
    keep: Keep = False,
    limit: Limit = 0,
    dry_run: DryRun = False,
) -> Answer:
    """List memories that say the same, and those that may.

    Upkeep merges the former by itself. You decide about the latter: one by one with --review, or with --merge or
    --keep. A merge keeps every sentence, tag and link of its sources, which go to the archive; `memvault undo` takes it
    back.
    """
    refs = memory or []
    _check(refs, review=review, merge=merge, keep=keep)
    if review and (desk.as_json or not desk.has_person):
        reason = "--review asks a person at a terminal; elsewhere, decide with --merge A B or --keep A B."
        raise Misused(reason=reason, command="memvault duplicates")
    with desk.open() as vault:
        if merge:
            return _merged(vault.merge(*refs, dry_run=dry_run), dry_run=dry_run)
        if keep:
            return resolve.answer(vault.keep_both(*refs, dry_run=dry_run), dry_run=dry_run)
        found = _found(desk, vault, limit)
        if review:
            from memvault.cli.vault.sitting import go_through  # deferred: a listing has no use for it

            return go_through(desk, vault, found, dry_run=dry_run)
    return Answer(result=found, text=lambda paper: _text(found, paper), talk=(_remark(found),))


def _check(refs: Sequence[str], *, review: bool, merge: bool, keep: bool) -> None:
    if review + merge + keep > 1:
        reason = "--review, --merge and --keep exclude each other."
    elif merge and len(refs) < 2:
        reason = "--merge needs two memories or more."
    elif keep and len(refs) != 2:
        reason = "--keep needs two memories."
    elif refs and not (merge or keep):
        reason = "Say what to do with these memories: --merge or --keep."
    else:
        return
    raise Misused(reason=reason, command="memvault duplicates")


def _found(desk: Desk, vault: Memvault, limit: int) -> Duplicates:
    bar = Bar(desk, "Comparing")
    try:
        return vault.duplicates(limit=limit, progress=bar)
    finally:
        bar.close()


def _merged(merged: Merged, *, dry_run: bool) -> Answer:
    did = f"{'would be ' if dry_run else ''}merged from {len(merged.sources)}"
    return Answer(
        result={
            "memory": merged.memory,
            "text": merged.memory.body or "",
            "sources": merged.sources,
            "op": merged.op,
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join(
            (layers.named(merged.memory, did, paper), paper.block((merged.memory.body or "").strip(), "  "))
        ),
        talk=(undo_hint(merged.op, dry_run=dry_run),),
    )


# -- the list


def _text(found: Duplicates, paper: Paper) -> str:
    groups = [_together(group, "say the same", paper) for group in found.groups]
    pairs = [
        _together((one.newer, one.older), f"may say the same, alike {one.score:.2f}", paper) for one in found.proposals
    ]
    return "\n\n".join([*groups, *pairs])


def _together(memories: Sequence[Memory], how: str, paper: Paper) -> str:
    lines = [paper.styles.faint(f"{plural(len(memories), 'memory', 'memories')} {how}")]
    for memory in memories:
        title = one_line(memory.title)
        lines += [f"  {paper.styles.title(title)}", paper.facts(facts(memory, paper), "    ")]
    ids = " ".join(short(memory.id) for memory in memories)
    ways = [f"  memvault duplicates --merge {ids}"]
    if len(memories) == 2:
        ways.append(f"  memvault duplicates --keep {ids}")
    return "\n".join([*lines, *ways])


def _remark(found: Duplicates) -> str:
    if not found.total:
        return "Nothing is said twice here."
    rest = found.total - len(found.groups) - len(found.proposals)
    parts = [
        f"{plural(rest, 'more', 'more')}; --limit shows as many as you like." if rest else "",
        "The next `memvault maintain` merges what says the same." if found.groups and found.merging else "",
        "`memvault duplicates --review` goes through them one by one.",
    ]
    return " ".join(filter(None, parts))
