"""`memvault agent say`: do what a spoken command wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.agents.spoken.intent import Intent
from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import AllowSecret, Argument, DryRun, Option, Redact, Several, secret_policy
from memvault.cli.output.changes import undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import Misused
from memvault.text.display import to_one_line
from memvault.transfer import json_values as jsonable

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import SpokenResult


SAY_EXAMPLES = (
    'memvault agent say "remember this: the gate code changes every quarter"',
    'memvault agent say "what do you remember about the gate?"',
    'memvault agent say "save progress"',
    "git log -1 --format=%B | memvault agent say 'this is significant' --before -",
)

Text = Annotated[Several, Argument(metavar="TEXT", help="What you would say to an assistant.")]
Before = Annotated[str, Option("--before", metavar="TEXT", help="What “this” means; `-` reads stdin.")]


def say(
    cli: CliContext,
    text: Text = None,
    *,
    before: Before = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Do what you would have an assistant do by saying so: remember this, save progress, dig deeper into something.

    It says what it understood, and what it did. What is no command is not obeyed.
    """
    words = " ".join(text or [])
    if not words.strip():
        raise Misused(reason="Say something.", command="memvault agent say")
    told = cli.read_stdin() if before == "-" else before
    secrets = secret_policy("agent say", redact=redact, allow=allow_secret)
    with cli.open_vault() as vault:
        said = vault.say(words, before=told, secrets=secrets, dry_run=dry_run)
    return CommandResult(
        result={
            "intent": _intent_json(said.intent),
            "said": said.sentence,
            "result": jsonable.to_json(said.result),
            "op": said.op,
            "dry_run": dry_run,
        },
        text=lambda paper: _format_said(said, paper),
        messages=(undo_message(said.op, dry_run=dry_run),),
    )


def _intent_json(intent: Intent) -> dict[str, object]:
    told = jsonable.to_json(intent)
    assert isinstance(told, dict)
    return {"name": type(intent).__name__, **told}


def _format_said(said: SpokenResult, paper: TerminalFormat) -> str:
    head = to_one_line(said.sentence)
    return "\n".join(filter(None, (f"{head[:1].upper()}{head[1:]}.", _format_found(said, paper))))


def _format_found(said: SpokenResult, paper: TerminalFormat) -> str:
    """What was looked for, as the command for it prints it."""
    from memvault.cli.find import dig
    from memvault.cli.output import hits as recalled
    from memvault.recall.recall import RecallResult
    from memvault.transcripts.dig import DigResult

    match said.result:
        case DigResult() as dug:
            return dig.format_dig(dug, paper)
        case RecallResult() as found:
            return recalled.format_hits(found, paper, whole=False)
        case _:
            return ""
