"""`memvault say`: do what a spoken command wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.core.intents import Intent
from memvault.errors import Misused
from memvault.render import jsonable
from memvault.render.escape import one_line
from memvault.render.paper import Paper
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Argument, Option
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import AllowSecret, DryRun, Redact, Several, on_secrets
from memvault.surfaces.cli.writing import undo_hint

if TYPE_CHECKING:
    from memvault.verbs.say import Said

EXAMPLES = (
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
    from memvault.surfaces.cli import dig, recalled
    from memvault.verbs.dig import Dug
    from memvault.verbs.recall import Recalled

    match said.result:
        case Dug() as dug:
            return dig.text(dug, paper)
        case Recalled() as found:
            return recalled.text(found, paper, whole=False)
        case _:
            return ""
