"""`memvault worker`: keep the database of shared vaults in step with their repositories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Option, number_option
from memvault.cli.team.control import Dsn, find_dsn
from memvault.errors import FAILED
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.team.worker import FinishedJob

Once = Annotated[bool, Option("--once", help="Work on what is due, and end.")]
Folder = Annotated[
    Path | None, Option("--folder", metavar="FOLDER", help="Where it keeps the repositories; the cache unless given.")
]
Poll = Annotated[int, number_option("--poll", metavar="SECONDS", help_="How long a vault waits for the next look; 5.")]

WORKER_EXAMPLES = ("memvault worker --once", "memvault worker --poll 30 --folder /var/lib/memvault")
_POLL = 5


def worker(
    cli: CliContext, *, once: Once = False, folder: Folder = None, poll: Poll = 0, dsn: Dsn = ""
) -> CommandResult:
    """Fetch the repositories of shared vaults, and index what their commits changed.

    There may be many workers; each vault has one at a time. One that is killed leaves nothing behind: rows and the
    vault's place in its history change together.
    """
    from memvault.system import paths  # deferred, all: nobody else needs the extra
    from memvault.team.control import connect
    from memvault.team.engines.schema import WORKER
    from memvault.team.worker import Worker

    seconds = float(poll or _POLL)
    kept = folder or paths.cache_folder(cli.environment) / "team"
    with connect(find_dsn(cli, dsn, "worker"), role=WORKER) as connection:
        working = Worker(connection, kept, cli.environment, seconds=seconds)
        done = working.run_due()
        while not once:
            for job in working.run_due():
                if job.rows or job.problem:
                    cli.print_message(_format_job(job))
            working.wait(seconds)
    return CommandResult(
        result={"jobs": done},
        text=lambda _paper: "\n".join(map(_format_job, done)) or "Nothing is due.",
        exit_code=FAILED if any(job.problem for job in done) else 0,
    )


def _format_job(job: FinishedJob) -> str:
    told = job.problem or f"{format_count(job.rows, 'row', 'rows')} changed, at {job.commit[:10] or 'no commit yet'}"
    return f"{job.vault}: {told}"
