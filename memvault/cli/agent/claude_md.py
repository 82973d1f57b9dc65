"""`memvault agent claude-md`: write what is remembered into CLAUDE.md and its kin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, Option, action_argument, check_action
from memvault.cli.output.changes import undo_message
from memvault.core.ids import short_id
from memvault.core.value import take_fields
from memvault.errors import FAILED
from memvault.text.display import format_count, to_one_line

if TYPE_CHECKING:
    from memvault.context.claude_md import ClaudeMdResult


CLAUDE_MD_EXAMPLES = (
    "memvault agent claude-md",
    "memvault agent claude-md check",
    "memvault agent claude-md --format agents --target ~/src/tidemark",
    "memvault agent claude-md --format rules --target ~/.claude/rules",
)

_MAX_NAMED = 5

Target = Annotated[
    str | None, Option("--target", metavar="PATH", help="The file, or its folder; without it, the vault's own.")
]
Format = Annotated[
    str,
    Option(
        "--format",
        metavar="NAME",
        help="For which agent: claude, agents (AGENTS.md), gemini, cursor or rules (.claude/rules).",
        show_default=True,
        autocompletion=lambda: ["claude", "agents", "gemini", "cursor", "rules"],
    ),
]
Project = Annotated[
    str,
    Option("--project", metavar="NAME", help="Whose project it is for; without it, the one that the target lies in."),
]
Action = Annotated[str, action_argument(("check",), "check: write nothing; end with 1 where the block is not current.")]


def claude_md(
    cli: CliContext,
    action: Action = "",
    *,
    target: Target = None,
    format: Format = "claude",  # noqa: A002 - as the option is called
    project: Project = "",
    dry_run: DryRun = False,
) -> CommandResult:
    """Write what is remembered into CLAUDE.md, or into another agent's file.

    The block holds who you are, what is hot, an index of the rest, and how to find more. What stands outside it stays
    byte for byte.
    """
    check_action(action or "check", ("check",), "memvault agent claude-md")
    check = bool(action)
    path = None if target is None else Path(target)
    with cli.open_vault() as vault:
        found = vault.claude_md(path, format=format, project=project, check=check, dry_run=dry_run)
    return CommandResult(
        result={**_build_json(found), "check": check, "dry_run": dry_run},
        text=lambda paper: (
            found.text if dry_run and not check else paper.wrap_block(_format_outcome(found, check=check))
        ),
        messages=(*_list_messages(found), undo_message(found.op, dry_run=dry_run)),
        exit_code=FAILED if check and not found.current else 0,
    )


def _build_json(found: ClaudeMdResult) -> dict[str, object]:
    return {
        **take_fields(found, "path", "format", "current", "changed", "text"),
        "left_out": [take_fields(each, "part", "id", "title", "cut") for each in found.left_out],
        **take_fields(found, "unlisted", "notes", "op"),
    }


def _format_outcome(found: ClaudeMdResult, *, check: bool) -> str:
    name = to_one_line(found.path)
    if check and not found.current:
        return f"{name} is not current: the same command without `check` brings it up to date."
    return f"{name} is up to date now." if found.changed else f"{name} is current."


def _list_messages(found: ClaudeMdResult) -> list[str]:
    named = [f"{to_one_line(each.title)} ({short_id(each.id)})" for each in found.left_out[:_MAX_NAMED]]
    more = len(found.left_out) - len(named)
    names = ", ".join([*named, *([f"and {more:,} more"] if more else [])])
    said = [f"Not given whole, for lack of room: {names}." if named else ""]
    if found.unlisted:
        said.append(
            f"{format_count(found.unlisted, 'memory is', 'memories are')} not listed in the index, for lack of room."
        )
    return [*filter(None, said), *found.notes]
