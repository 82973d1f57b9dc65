"""`memvault history`: what was done to one memory; and what operations changed, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Limit, Option, Ref
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.plan import Operation, OperationStep
from memvault.core.value import take_fields
from memvault.storage.journal.undo import TextChange, diff_operations, list_memory_history
from memvault.text.dates.dates import read_moment
from memvault.text.display import neutralize_text, to_one_line

HISTORY_EXAMPLES = ("memvault history 5f0c", "memvault history 5f0c --diff", "memvault history 5f0c --limit 3")

_USUAL = 20
_DONE = {"create": "made", "rewrite": "changed", "move": "moved", "remove": "removed", "note": "noted"}
Diff = Annotated[bool, Option("--diff", help="Show what was changed, line by line.")]


def history(cli: CliContext, ref: Ref, *, diff: Diff = False, limit: Limit = 0) -> CommandResult:
    """Show what was done to one memory, by whom and why, under all names it had; the newest comes first.

    One that is gone is found by its id, its path or the name of its file.
    """
    with cli.open_vault() as vault:
        found = vault.run(list_memory_history, ref)
        shown, here = found[: limit or _USUAL], vault.device
        changes = vault.run(diff_operations, shown) if diff else ()
    left = len(found) - len(shown)
    return CommandResult(
        result={"operations": operations_json(shown, changes), "total": len(found)},
        text=lambda paper: format_history(shown, changes, here, paper),
        messages=(f"{left:,} earlier ones: {cli.repeat_command('--limit', str(len(found)))}" if left else "",),
    )


def operations_json(
    found: Sequence[Operation], changes: Sequence[tuple[TextChange, ...]]
) -> list[Operation] | list[dict[str, object]]:
    """Operations for a program, with their changes where those were asked for."""
    if not changes:
        return list(found)
    return [
        {
            **take_fields(op, "op", "verb", "at", "device", "agent", "session", "undoes", "state", "refused"),
            "changes": [
                {**take_fields(one.step, "do", "path", "to", "why"), **take_fields(one, "diff", "problem")}
                for one in parts
            ],
        }
        for op, parts in zip(found, changes, strict=True)
    ]


def format_history(
    found: Sequence[Operation], changes: Sequence[tuple[TextChange, ...]], device: str, paper: TerminalFormat
) -> str:
    """Operations with what each did and why, one below the other."""
    parts = changes or [()] * len(found)
    return "\n\n".join(
        format_operation(op, paper, device=device, changes=each) for op, each in zip(found, parts, strict=True)
    )


def format_operation(
    op: Operation, paper: TerminalFormat, *, device: str = "", changes: Sequence[TextChange] = ()
) -> str:
    """One operation with every change it made, and why; line by line where the changes are given."""
    who = [
        f"by {op.agent}" if op.agent else "",
        f"in session {op.session}" if op.session else "",
        f"on {op.device}" if op.device and op.device != device else "",
    ]
    facts = [op.op, op.state, format_time(op.at, paper), *who, f"takes back {op.undoes}" if op.undoes else ""]
    rows: list[str] = []
    for step, change in zip(op.steps, changes or (None,) * len(op.steps), strict=True):
        rows.append(paper.wrap_block(_format_step(step), "  "))
        rows += [_format_change(change, paper)] if change and (change.diff or change.problem) else []
    refused = [
        paper.styles.warning(paper.wrap_block(f"not done: {to_one_line(reason)}", "  ")) for reason in op.refused
    ]
    return "\n".join(
        [paper.styles.title(op.verb), paper.join_facts(facts, "  "), *dict.fromkeys(rows), *refused]
    )  # a decision of several lines is told once


def format_time(at: str, paper: TerminalFormat) -> str:
    """The time of an operation, as the reader's clock has it."""
    moment = read_moment(at)
    return at if moment is None else paper.format_minute(moment)


def _format_step(step: OperationStep) -> str:
    target = f" to {step.to}" if step.to else ""
    reason = f" ({step.why})" if step.why else ""
    return to_one_line(f"{_DONE.get(step.do, step.do)} {step.path}{target}{reason}")


def _format_change(change: TextChange, paper: TerminalFormat) -> str:
    if change.problem:
        return paper.styles.faint(f"    {change.problem}")
    styles = {"+": paper.styles.good, "-": paper.styles.bad, "@": paper.styles.faint}
    return "\n".join(styles.get(line[:1], str)(paper.wrap_block(neutralize_text(line), "    ")) for line in change.diff)
