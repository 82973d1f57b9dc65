"""`memvault worker` and `memvault serve`: keep the database of shared vaults in step, and answer out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Option, Several, number_option
from memvault.cli.team.control import Dsn, find_dsn
from memvault.errors import FAILED, Misused
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.team.worker import FinishedJob

Once = Annotated[bool, Option("--once", help="Work on what is due, and end.")]
Folder = Annotated[
    Path | None, Option("--folder", metavar="FOLDER", help="Where it keeps the repositories; the cache unless given.")
]
Poll = Annotated[int, number_option("--poll", metavar="SECONDS", help_="How long a vault waits for the next look; 4.")]

WORKER_EXAMPLES = ("memvault worker --once", "memvault worker --poll 30 --folder /var/lib/memvault")
_POLL = 4


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


Host = Annotated[str, Option("--host", metavar="HOST", help="Where it listens; 127.0.0.1 unless given.")]
Port = Annotated[int, number_option("--port", metavar="N", help_="For people and agents; 8700 unless given.")]
MetricsPort = Annotated[
    int, number_option("--metrics-port", metavar="N", help_="For Prometheus, on 127.0.0.1; 8701 unless given.")
]
Issuer = Annotated[str, Option("--issuer", metavar="URL", help="Who issues the tokens, as they say it.")]
Audience = Annotated[str, Option("--audience", metavar="NAME", help="For whom the tokens are: this server.")]
Keys = Annotated[str, Option("--keys", metavar="URL", help="The issuer's key set (JWKS): an https address or a file.")]
GroupsClaim = Annotated[str, Option("--groups-claim", metavar="NAME", help="What in a token names groups; groups.")]
Origin = Annotated[Several, Option("--origin", metavar="URL", help="Let pages of this origin ask, too.")]
Connections = Annotated[
    int, number_option("--connections", metavar="N", help_="At most so many to the database; 8 unless given.")
]

SERVE_EXAMPLES = (
    "memvault serve --issuer https://id.example.org --audience memvault --keys https://id.example.org/jwks",
)
_PORT, _METRICS_PORT, _CONNECTIONS = 8700, 8701, 8
_SECRET = "MEMVAULT_WEBHOOK_SECRET"


def serve(
    cli: CliContext,
    *,
    host: Host = "127.0.0.1",
    port: Port = 0,
    metrics_port: MetricsPort = 0,
    issuer: Issuer = "",
    audience: Audience = "",
    keys: Keys = "",
    groups_claim: GroupsClaim = "groups",
    origin: Origin = None,
    connections: Connections = 0,
    dsn: Dsn = "",
) -> CommandResult | None:
    """Serve shared vaults to people and agents over HTTP: a JSON API, and MCP.

    Who asks is in the token that they send, issued by your OpenID provider. It keeps no state: run as many copies as
    you like, behind a proxy that speaks TLS.
    """
    needed = {"--issuer": issuer, "--audience": audience, "--keys": keys}
    if missing := [name for name, given in needed.items() if not given]:
        raise Misused(reason=f"Give {', '.join(missing)}: without tokens nobody is let in.", command="memvault serve")
    from memvault.team.answers import ConnectionPool, SharedAnswers  # deferred, all: nobody else needs the extra
    from memvault.team.server import TeamServer, run_servers
    from memvault.team.tokens import TokenCheck, TokenRules

    rules = TokenRules(issuer=issuer, audience=audience, keys=keys, groups_claim=groups_claim)
    answers = SharedAnswers(ConnectionPool(find_dsn(cli, dsn, "serve"), connections or _CONNECTIONS), cli.now)
    server = TeamServer(
        answers,
        TokenCheck(rules),
        clock=cli.now,
        origins=tuple(origin or ()),
        webhook_secret=cli.environment.get(_SECRET, ""),
    )
    places = ((host, port or _PORT), ("127.0.0.1", metrics_port or _METRICS_PORT))
    run_servers(server, *places, print_message=cli.print_message)
    return None
