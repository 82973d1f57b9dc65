"""`memvault save-progress`: keep what came of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Option, Several
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import undo_hint
from memvault.core import json as jsonable
from memvault.text.figures import plural

if TYPE_CHECKING:
    from memvault.transcripts.progress import Progress


SAVE_PROGRESS_EXAMPLES = (
    "memvault save-progress",
    "memvault save-progress 'The gauges report again; Maja still has to sign.'",
    "memvault save-progress --transcript session.jsonl",
)

Text = Annotated[Several, Argument(metavar="TEXT", help="What came of it, in your own words.", show_default=False)]
Session = Annotated[
    str, Option("--session", metavar="ID", help="Which session; without it, the latest.", show_default=False)
]
Transcript = Annotated[
    str, Option("--transcript", metavar="FILE", help="Take this transcript in first.", show_default=False)
]


def save_progress(
    desk: Desk, text: Text = None, *, session: Session = "", transcript: Transcript = "", dry_run: DryRun = False
) -> Answer:
    """Keep what came of a session: what was asked, decided, changed and left open, as a milestone.

    Run again, it brings the same milestone up to date. The memories that the session used are linked from it.
    """
    with desk.open() as vault:
        found = vault.save_progress(" ".join(text or []), session=session, transcript=transcript, dry_run=dry_run)
    did = "would be " * dry_run + ("made" if found.new else "brought up to date")
    return Answer(
        result=_told(found, dry_run=dry_run),
        text=lambda paper: layers.named(found.memory, did, paper),
        talk=(
            f"It links to {plural(len(found.used), 'memory', 'memories')} that the session used." if found.used else "",
            "You had written into it, so what is new stands below." if found.kept_apart else "",
            undo_hint(found.op, dry_run=dry_run),
        ),
    )


def _told(found: Progress, *, dry_run: bool) -> dict[str, object]:
    return {
        "memory": jsonable.memory(found.memory, body=True),
        "session": found.session,
        "new": found.new,
        "used": [memory.id for memory in found.used],
        "op": found.op,
        "dry_run": dry_run,
    }
