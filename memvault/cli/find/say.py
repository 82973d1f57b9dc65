"""`memvault say`: do what a spoken command wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.agents.spoken.intent import Intent
from memvault.cli.context import Answer, Desk
from memvault.cli.options import AllowSecret, Argument, DryRun, Option, Redact, Several, on_secrets
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.terminal import Paper
from memvault.core import json as jsonable
from memvault.errors import Misused
from memvault.text.display import one_line

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import Said


SAY_EXAMPLES = (
    'memvault say "remember this: the gate code changes every quarter"',
    'memvault say "what do you remember about the gate?"',
    'memvault say "save progress"',
    "git log -1 --format=%B | memvault say 'this is significant' --before -",
)

Text = Annotated[Several, Argument(metavar="TEXT", help="What you would say to an assistant.", show_default=False)]
Before = Annotated[
    str,
    Option("--before", metavar="TEXT", help="What “this” means; `-` reads stdin.", show_default=False),
]


def say(
    desk: Desk,
    text: Text = None,
    *,
    before: Before = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> Answer:
    """Do what you would have an assistant do by saying so: remember this, save progress, dig deeper into something.

    It says what it understood, and what it did. What is no command is not obeyed.
    """
    words = " ".join(text or [])
    if not words.strip():
        raise Misused(reason="Say something.", command="memvault say")
    told = desk.read() if before == "-" else before
    secrets = on_secrets("say", redact=redact, allow=allow_secret)
    with desk.open() as vault:
        said = vault.say(words, before=told, secrets=secrets, dry_run=dry_run)
    return Answer(
        result={
            "intent": _named(said.intent),
            "said": said.sentence,
            "result": jsonable.plain(said.result),
            "op": said.op,
            "dry_run": dry_run,
        },
        text=lambda paper: _text(said, paper),
        talk=(undo_hint(said.op, dry_run=dry_run),),
    )


def _named(intent: Intent) -> dict[str, object]:
    told = jsonable.plain(intent)
    assert isinstance(told, dict)
    return {"name": type(intent).__name__, **told}


def _text(said: Said, paper: Paper) -> str:
    head = one_line(said.sentence)
    return "\n".join(filter(None, (f"{head[:1].upper()}{head[1:]}.", _found(said, paper))))


def _found(said: Said, paper: Paper) -> str:
    """What was looked for, as the command for it prints it."""
    from memvault.cli.find import dig
    from memvault.cli.output import recall as recalled
    from memvault.recall.recall import Recalled
    from memvault.transcripts.dig import Dug

    match said.result:
        case Dug() as dug:
            return dig.text(dug, paper)
        case Recalled() as found:
            return recalled.text(found, paper, whole=False)
        case _:
            return ""
