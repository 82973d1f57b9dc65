"""`memvault used`: say that a way of doing something was followed, and whether it worked."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import AllowSecret, DryRun, Option, Redact, Ref, on_secrets
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import left_out, remarks, undo_hint, warnings
from memvault.cli.output.doing import followed
from memvault.errors import Misused

USED_EXAMPLES = ("memvault used 5f0c --success", 'memvault used 5f0c --failure --note "The lock file was still there"')

Success = Annotated[bool, Option("--success", help="It worked.")]
Failure = Annotated[bool, Option("--failure", help="It did not.")]
Note = Annotated[
    str,
    Option(
        "--note", metavar="TEXT", help="What told that it worked, or how it failed; kept in it.", show_default=False
    ),
]


def used(
    desk: Desk,
    ref: Ref,
    *,
    success: Success = False,
    failure: Failure = False,
    note: Note = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> Answer:
    """Say that a way of doing something was followed, and whether it worked.

    The numbers in its file follow with the next upkeep; a note goes into it at once.
    """
    if success == failure:
        raise Misused(reason="Say whether it worked: --success or --failure.", command="memvault used")
    secrets = on_secrets("used", redact=redact, allow=allow_secret)
    with desk.open() as vault:
        found = vault.used(ref, ok=success, note=note, secrets=secrets, dry_run=dry_run)
    standing = found.standing
    did = "would be noted" if dry_run else followed(standing.count, standing.rate)
    return Answer(
        result={
            "memory": found.memory,
            "worked": found.ok,
            "usage_count": standing.count,
            "success_rate": standing.rate,
            "noted_in": found.field,
            "op": found.op,
            "dry_run": dry_run,
            **left_out(found.left_out),
        },
        text=lambda paper: layers.named(found.memory, did, paper),
        talk=(*remarks(found.left_out), undo_hint(found.op, dry_run=dry_run)),
        warnings=warnings(found.left_out),
    )
