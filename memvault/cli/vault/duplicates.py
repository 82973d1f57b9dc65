"""`memvault duplicates`: what says the same, merged or kept apart as a person decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Limit, Option, Several
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import DRY_RUN, ProgressBar, undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.cli.vault import conflicts
from memvault.cli.vault.conflicts import ComparedSide, format_side_by_side, list_facts
from memvault.core.ids import short_id
from memvault.errors import MemvaultError, Misused
from memvault.maintenance.conflicts import keep_both, list_duplicates, merge_memories
from memvault.text.display import format_count, to_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.api import Memvault
    from memvault.core.memory import Memory
    from memvault.maintenance.conflicts import DuplicateList, MergeResult


DUPLICATES_EXAMPLES = (
    "memvault duplicates",
    "memvault duplicates --review",
    "memvault duplicates --merge 5f0c 0d1c",
    "memvault duplicates --keep 5f0c 0d1c",
)

Memories = Annotated[Several, Argument(metavar="MEMORY", help="What to merge, or to keep apart.")]
Review = Annotated[bool, Option("--review", help="Go through them one by one, and decide.")]
Merge = Annotated[bool, Option("--merge", help="Make one of these memories.")]
Keep = Annotated[bool, Option("--keep", help="Keep these two apart; they are not offered again.")]


def duplicates(
    cli: CliContext,
    memory: Memories = None,
    *,
    review: Review = False,
    merge: Merge = False,
    keep: Keep = False,
    limit: Limit = 0,
    dry_run: DryRun = False,
) -> CommandResult:
    """List memories that say the same, and those that may.

    Upkeep merges the former by itself. You decide about the latter: one by one with --review, or with --merge or
    --keep. A merge keeps every sentence, tag and link of its sources, which go to the archive; `memvault undo` takes it
    back.
    """
    refs = memory or []
    _check_options(refs, review=review, merge=merge, keep=keep)
    if review and (cli.as_json or not cli.has_person):
        reason = "--review asks a person at a terminal; elsewhere, decide with --merge A B or --keep A B."
        raise Misused(reason=reason, command="memvault duplicates")
    with cli.open_vault() as vault:
        if merge:
            return _merge_result(vault.run(merge_memories, refs, dry_run=dry_run), dry_run=dry_run)
        if keep:
            return conflicts.resolve_result(vault.run(keep_both, *refs, dry_run=dry_run), dry_run=dry_run)
        found = _list_result(cli, vault, limit)
        if review:
            return review_pairs(cli, vault, found, dry_run=dry_run)
    return CommandResult(
        result=found, text=lambda paper: _format_duplicates(found, paper), messages=(_more_message(found),)
    )


def _check_options(refs: Sequence[str], *, review: bool, merge: bool, keep: bool) -> None:
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


def _list_result(cli: CliContext, vault: Memvault, limit: int) -> DuplicateList:
    with ProgressBar(cli, "Comparing") as bar:
        return vault.run(list_duplicates, limit=limit, progress=bar)


def _merge_result(merged: MergeResult, *, dry_run: bool) -> CommandResult:
    did = f"{'would be ' if dry_run else ''}merged from {len(merged.sources)}"
    return CommandResult(
        result={
            "memory": merged.memory,
            "text": merged.memory.body or "",
            "sources": merged.sources,
            "op": merged.op,
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join(
            (
                layers.format_outcome(merged.memory, did, paper),
                paper.wrap_block((merged.memory.body or "").strip(), "  "),
            )
        ),
        messages=(undo_message(merged.op, dry_run=dry_run),),
    )


# -- the list


def _format_duplicates(found: DuplicateList, paper: TerminalFormat) -> str:
    groups = [_format_group(group, "say the same", paper) for group in found.groups]
    pairs = [
        _format_group((one.newer, one.older), f"may say the same, alike {one.score:.2f}", paper)
        for one in found.proposals
    ]
    return "\n\n".join([*groups, *pairs])


def _format_group(memories: Sequence[Memory], how: str, paper: TerminalFormat) -> str:
    lines = [paper.styles.faint(f"{format_count(len(memories), 'memory', 'memories')} {how}")]
    for memory in memories:
        title = to_one_line(memory.title)
        lines += [f"  {paper.styles.title(title)}", paper.join_facts(list_facts(memory, paper), "    ")]
    ids = " ".join(short_id(memory.id) for memory in memories)
    ways = [f"  memvault duplicates --merge {ids}"]
    if len(memories) == 2:
        ways.append(f"  memvault duplicates --keep {ids}")
    return "\n".join([*lines, *ways])


def _more_message(found: DuplicateList) -> str:
    if not found.total:
        return "Nothing is said twice here."
    rest = found.total - len(found.groups) - len(found.proposals)
    parts = [
        f"{format_count(rest, 'more', 'more')}; --limit shows as many as you like." if rest else "",
        "The next `memvault maintain` merges what says the same." if found.groups and found.merging else "",
        "`memvault duplicates --review` goes through them one by one.",
    ]
    return " ".join(filter(None, parts))


# Going through likely duplicates one by one, with a person who decides.

_QUESTION = "[m]erge, [k]eep both, [s]kip or [q]uit? "
_ANSWERS = {"m": "merge", "merge": "merge", "k": "keep", "keep": "keep", "s": "skip", "skip": "skip", "": "skip"}
_ANSWERS |= {"q": "quit", "quit": "quit"}


def review_pairs(cli: CliContext, vault: Memvault, found: DuplicateList, *, dry_run: bool) -> CommandResult:
    """Show each pair with what it would become, and do as the person says."""
    review = _DuplicateReview(cli, vault, dry_run=dry_run)
    pairs = list(_list_pairs(found))
    for number, pair in enumerate(pairs, 1):
        if not review.review_pair(*pair, f"{number} of {len(pairs)}"):
            break
    return CommandResult(result=None, messages=(review.review_result(len(pairs)), DRY_RUN if dry_run else ""))


def _list_pairs(found: DuplicateList) -> Iterator[tuple[Memory, Memory]]:
    for base, *others in found.groups:
        yield from ((base, other) for other in others)
    yield from ((one.newer, one.older) for one in found.proposals)


class _DuplicateReview:
    """One sitting: what was decided so far, and what became of the memories that were merged."""

    def __init__(self, cli: CliContext, vault: Memvault, *, dry_run: bool) -> None:
        self._cli = cli
        self._vault = vault
        self._paper = cli.terminal_format()
        self._dry_run = dry_run
        self._became: dict[str, str] = {}
        self._decided: Counter[str] = Counter()

    def review_pair(self, one: Memory, other: Memory, count: str) -> bool:
        """Show a pair and carry out what the person says of it; whether they want to see the next."""
        ids = self._reload_memory(one.id), self._reload_memory(other.id)
        if ids[0] == ids[1]:
            return True  # they became one by way of a third
        try:
            merged = self._vault.run(merge_memories, ids, dry_run=True)
        except MemvaultError as error:  # one of them is not what it was when the pair was found
            self._cli.print_message(f"{count}: {error}\n  {error.advice}".rstrip())
            return True
        self._cli.print_data(f"{_format_pair(merged, self._paper)}\n")
        self._cli.stdout.flush()
        decision = self._ask_decision(count)
        self._decided[decision] += 1
        self._apply_decision(decision, *ids)
        return decision != "quit"

    def review_result(self, count: int) -> str:
        """What came of the sitting."""
        if not count:
            return "Nothing is said twice here."
        merged, kept = self._decided["merge"], self._decided["keep"]
        left = count - merged - kept
        parts = [
            f"Merged {merged}",
            f"kept {format_count(kept, 'pair', 'pairs')} apart",
            f"left {left} for another time",
        ]
        way_back = " Take one back with `memvault undo`." if (merged or kept) and not self._dry_run else ""
        return f"{', '.join(parts)}.{way_back}"

    def _reload_memory(self, id_: str) -> str:
        while id_ in self._became and self._became[id_] != id_:
            id_ = self._became[id_]
        return id_

    def _ask_decision(self, count: str) -> str:
        while True:
            answer = self._cli.ask_line(f"{count}: {_QUESTION}")
            if answer is None:
                return "quit"  # the terminal was closed
            if decision := _ANSWERS.get(answer.casefold()):
                return decision

    def _apply_decision(self, decision: str, one: str, other: str) -> None:
        try:
            if decision == "merge":
                made = self._vault.run(merge_memories, (one, other), dry_run=self._dry_run)
                if not self._dry_run:
                    self._became |= dict.fromkeys((one, other), made.memory.id)
            if decision == "keep":
                self._vault.run(keep_both, one, other, dry_run=self._dry_run)
        except MemvaultError as error:  # an editor saved one of them meanwhile; the others still wait
            self._decided[decision] -= 1
            self._cli.print_message(f"{error}\n  {error.advice}".rstrip())


def _format_pair(merged: MergeResult, paper: TerminalFormat) -> str:
    """The two as they are, and below them what they would become."""
    older, newer = sorted(merged.sources, key=lambda memory: (memory.created, memory.id))
    pair = format_side_by_side(_compared_side(older, paper), _compared_side(newer, paper), paper)
    head = paper.styles.title("Merged they would say:")
    return f"{pair}\n\n{head}\n{paper.wrap_block((merged.memory.body or '').strip(), '  ')}\n"


def _compared_side(memory: Memory, paper: TerminalFormat) -> ComparedSide:
    return ComparedSide(memory.title, list_facts(memory, paper), [memory.body or ""])
