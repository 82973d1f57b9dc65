"""`memvault forget`: move memories to the trash, and do not learn them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Agent,
    Argument,
    Device,
    DryRun,
    Option,
    Ref,
    Session,
    Several,
    Source,
    Tainted,
    build_origin,
)
from memvault.cli.output.changes import DRY_RUN, move_result, undo_message
from memvault.errors import Misused, NotConfirmed
from memvault.memories.forget import forget_memories, restore_memory
from memvault.privacy.audit import ForgetOriginResult, MemoryOrigin, forget_origin
from memvault.text.display import format_count, neutralize_text

if TYPE_CHECKING:
    from memvault.privacy.purge.purge import PurgeResult
    from memvault.privacy.purge.verify import VerifyResult


_COMMAND = "memvault forget"
_SHOWN = 10
_FOR_GOOD = "No undo brings it back."

Which = Annotated[Several, Argument(metavar="MEMORY", help="An id (4 characters or more), a file name or a title.")]
Part = Annotated[str, Option("--part", metavar="TEXT", help="Forget only what it says about this; the rest stays.")]
Verify = Annotated[bool, Option("--verify", help="Then look through every byte, and prove that it is so.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Agree beforehand, where it is more than one, or for good.")]


# `memvault vault purge`: a memory taken out of everything, and the proof of it.

PURGE_EXAMPLES = ("memvault vault purge --verify 5f0c", "memvault vault purge --session 5f0c1234 --verify")


def purge(
    cli: CliContext,
    refs: Which = None,
    *,
    session: Session = "",
    verify: Verify = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Take a memory, or with --session a whole conversation and what was made of it, out of everything, for good.

    Notes, what undo keeps, journals, the index, blocks, and what conversations say of it go, after a question. It is
    not learned again, and a conversation not taken in again. No undo brings it back; `memvault forget` can be undone.
    """
    if len(refs or ()) + bool(session) != 1:
        raise Misused(reason="Name one memory, or one session with --session.", command="memvault vault purge")
    ref, is_session = (refs or [session])[0], bool(session)
    with cli.open_vault() as vault:
        would, _ = vault.purge(ref, is_session=is_session, dry_run=True)
        if dry_run:
            return CommandResult(
                result=_purge_json(would, None),
                text=lambda _paper: neutralize_text(_purge_question(would)),
                messages=(DRY_RUN,),
            )
        if not yes and not (cli.has_person and cli.confirm(f"{_purge_question(would)} {_FOR_GOOD} Go on?")):
            raise NotConfirmed(reason=_purge_question(would), command=cli.repeat_command("--yes"))
        done, proof = vault.purge(ref, is_session=is_session, verify=verify)
    found = [f"{path} says the same; it is yours to change, or to forget too" for path in done.left]
    found += [f"{path} names it, by a link or its title; it is yours to change" for path in done.linking]
    found += [f"{path} has damaged parts, into which nobody can look" for path in done.unseen]
    found += [f"{path} has a block that could not be written anew, and may show it still" for path in done.blocks]
    found += [f"{path} was exported, and has it still; delete it" for path in done.exports]
    if proof:
        found += [f"it stands in {path} all the same" for path in proof.found]
        found += [f"{path} is sealed, and only its key opens it: it was not looked into" for path in proof.sealed]
        found += [f"{path} could not be looked into" for path in proof.unread]
    return CommandResult(
        result=_purge_json(done, proof),
        text=lambda _paper: neutralize_text("\n".join(_purge_report(done, proof))),
        warnings=tuple(found),
        messages=proof.beyond if proof else ("--verify proves it.",),
        exit_code=1 if done.blocks or (proof and (proof.found or proof.unread)) else 0,
    )


def _purge_json(done: PurgeResult, proof: VerifyResult | None) -> dict[str, object]:
    return {"purged": done, "verified": proof}


def _purge_question(done: PurgeResult) -> str:
    files = format_count(len(done.notes), "note goes", "notes go")
    named = f" ({', '.join((*done.notes, *done.talks))})" if done.notes or done.talks else ""
    talk = " and the conversation itself" if done.talks else ""
    return f"“{done.title}” is forgotten for good: {files}{talk}{named}, and all that was ever made of it."


def _purge_report(done: PurgeResult, proof: VerifyResult | None) -> list[str]:
    rows = [
        f"“{done.title}” is forgotten for good",
        f"  {format_count(len(done.notes), 'note', 'notes')}, "
        f"and {format_count(done.kept, 'copy', 'copies')} kept for undo",
        *(f"  the conversation itself: {path}" for path in done.talks),
        *(f"  the report {path}" for path in done.reports),
        f"  {format_count(done.turns, 'turn', 'turns')} of conversations, "
        f"{format_count(done.lines, 'line', 'lines')} of records",
        "  the index, to be built again",
    ]
    if proof and not (proof.found or proof.unread):
        rows.append(f"  verified: it is in none of {format_count(proof.looked_at, 'file', 'files')}")
    return rows


FORGET_EXAMPLES = (
    "memvault forget 5f0c 0d1c",
    "memvault forget --dry-run 5f0c",
    'memvault forget 5f0c --part "where the password is"',
    "memvault forget --session 5f0c1234",
    "memvault forget --source web --yes",
)


def forget(
    cli: CliContext,
    refs: Which = None,
    *,
    source: Source = "",
    session: Session = "",
    agent: Agent = "",
    device: Device = "",
    tainted: Tainted = False,
    part: Part = "",
    yes: Yes = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Move memories, or all of one origin, to the trash, and do not learn them again.

    Nothing is deleted: `memvault vault restore` brings one back from the vault's .trash, `memvault undo` all of them.
    `memvault vault purge` does delete.
    """
    wanted = build_origin(source=source, session=session, agent=agent, device=device, tainted=tainted)
    if not (refs or wanted):
        raise Misused(reason="Name the memories to forget, or where they came from: --source web.", command=_COMMAND)
    if refs and wanted:
        raise Misused(reason="Name memories, or where they came from; not both.", command=_COMMAND)
    if part:
        if wanted or len(refs or ()) != 1:
            raise Misused(reason="--part goes with one memory, and with no other choice.", command=_COMMAND)
        return _forget_part(cli, (refs or [""])[0], part, dry_run=dry_run)
    if wanted:
        return _forget_origin(cli, wanted, yes=yes, dry_run=dry_run)
    with cli.open_vault() as vault:
        gone = vault.run(forget_memories, refs or (), dry_run=dry_run)
    return move_result(*gone, did="moved to the trash", dry_run=dry_run)


def _forget_part(cli: CliContext, ref: str, part: str, *, dry_run: bool) -> CommandResult:
    with cli.open_vault() as vault:
        gone = vault.forget_part(ref, part, dry_run=dry_run)
    would = "Would forget" if dry_run else "Forgot"
    return CommandResult(
        result={"memory": gone.memory, "part": gone.part},
        text=lambda _paper: neutralize_text(f"{would} of “{gone.memory.title}”: {gone.part}"),
        messages=(undo_message(gone.op, dry_run=dry_run),),
    )


def _forget_origin(cli: CliContext, wanted: MemoryOrigin, *, yes: bool, dry_run: bool) -> CommandResult:
    with cli.open_vault() as vault:
        found = vault.run(forget_origin, wanted, dry_run=True)
        if dry_run:
            return _forget_result(found, "would move to the trash", DRY_RUN)
        count = format_count(len(found.memories), "memory", "memories")
        if not yes and not (cli.has_person and cli.confirm(f"Move {count} ({wanted}) to the trash?")):
            raise NotConfirmed(reason=f"{count} would have gone to the trash.", command=cli.repeat_command("--yes"))
        done = vault.run(forget_origin, wanted)
    return _forget_result(done, "moved to the trash", f"Undo: memvault undo {done.op}")


def _forget_result(done: ForgetOriginResult, what: str, talk: str) -> CommandResult:
    rows = [f"  {memory.id[:8]} · {memory.title}" for memory in done.memories[:_SHOWN]]
    more = [f"  and {len(done.memories) - _SHOWN} more"] if len(done.memories) > _SHOWN else []
    head = f"{format_count(len(done.memories), 'memory', 'memories')}: {what}"
    stays = (f"What was said there stays in the archive, and recall finds it: {path}" for path in done.talks)
    return CommandResult(
        result=done,
        text=lambda _paper: neutralize_text("\n".join([head, *rows, *more])),
        messages=(talk, *stays),
        warnings=done.refused,
    )


# `memvault vault restore`: bring a memory back from the trash or the archive.

RESTORE_EXAMPLES = ("memvault vault restore 5f0c", 'memvault vault restore "Maja and hazelnuts"')


def restore(cli: CliContext, ref: Ref, *, dry_run: DryRun = False) -> CommandResult:
    """Bring a memory back from the trash or the archive, to where it was before."""
    with cli.open_vault() as vault:
        return move_result(vault.run(restore_memory, ref, dry_run=dry_run), did="brought back", dry_run=dry_run)
