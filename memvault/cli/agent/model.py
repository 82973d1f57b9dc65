"""`memvault model`: the language model, for those who configured one, and what reviewers say of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, Several, action_argument, check_action
from memvault.cli.output import report
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import Misused
from memvault.text.display import format_count, to_one_line

if TYPE_CHECKING:
    from memvault.memories.reviewers import ReviewAnswer as Said
    from memvault.memories.reviewers import ReviewResult
    from memvault.models.llm.ask import Failure
    from memvault.models.llm.model import ModelAccess, ModelStatus, ModelTest


MODEL_EXAMPLES = (
    "memvault model status",
    "memvault model test",
    'memvault model review "Always run the migrations before the tests"',
    "memvault model status --json",
)

ACTIONS = ("status", "test", "review")

Action = Annotated[
    str, action_argument(ACTIONS, "What to do: status, test or review; status unless you say otherwise.")
]

Words = Annotated[Several, Argument(metavar="TEXT", help="What is to be reviewed; `-` reads stdin.")]

_NONE = "No language model: rules of memvault's own do all the judging."
_HOW = "`memvault config --user model.provider claude` would have your Claude Code asked; the manual tells of others."


def model(cli: CliContext, action: Action = "status", text: Words = None) -> CommandResult:
    """Show which language model is configured and how it stands, ask it one small question, or have a text reviewed.

    `status` sends nothing anywhere. `test` is one real call, with no text of yours in it. Neither needs a vault: the
    model is set in your own config, and never by a file inside a vault. `review` tells what each reviewer says of a
    text, held against the memories that are there, and stores nothing; without a model, rules review.
    """
    check_action(action, ACTIONS, "memvault model")
    if bool(text) != (action == "review"):
        raise Misused(reason="A text goes with review, and with nothing else.", command="memvault model")
    if text:
        return _review_text(cli, cli.read_stdin() if text == ["-"] else " ".join(text))
    from memvault.api import Memvault

    adviser = Memvault.own_model(environment=cli.environment, now=cli.now())
    if action == "test":
        _announce_wait(adviser, "one small question", "model.max_seconds", cli)
        return _test_result(adviser.test_model())
    return _status_result(adviser.status())


def _announce_wait(adviser: ModelAccess, what: str, limit: str, cli: CliContext) -> None:
    """Say who is asked and how long that may take, before anybody has to wait for it."""
    if adviser.ask is not None and not cli.as_json:
        seconds = adviser.time_limit(limit)
        cli.print_message(
            f"Asking {to_one_line(adviser.model_name)} {what}; that may take up to {seconds:g} s ({limit})."
        )


def _status_result(found: ModelStatus) -> CommandResult:
    if found.provider == "none":
        return CommandResult(result=found, text=lambda _paper: _NONE, messages=(_HOW,))
    return CommandResult(
        result=found,
        text=lambda paper: _format_status(found, paper),
        messages=("`memvault model test` asks it one small question.",) if found.is_ready else (),
        warnings=found.problems,
    )


def _format_status(found: ModelStatus, paper: TerminalFormat) -> str:
    spent = found.spent
    cost = f", ${spent.cost:.4f}" if spent.cost else ""
    calls = f"{format_count(spent.calls, 'call', 'calls')} this month, {spent.failed} without an answer{cost}"
    rows = [*found.facts.items(), ("calls", calls), *([("log", found.log)] if found.log else [])]
    named = " ".join(filter(None, (found.provider, found.model)))
    return "\n".join(
        [f"Language model: {to_one_line(named)}", *(report.format_label(label, text, paper) for label, text in rows)]
    )


def _test_result(found: ModelTest) -> CommandResult:
    named = to_one_line(" ".join(filter(None, (found.provider, found.model))))
    if found.ok:
        return CommandResult(
            result=found,
            text=lambda _paper: f"{named} answered, and kept to the form, in {found.seconds:.1f} s.",
            messages=(found.advice,),
        )
    if found.provider == "none":
        return CommandResult(result=found, text=lambda _paper: _NONE, messages=(_HOW,), exit_code=1)
    return CommandResult(
        result=found,
        text=lambda _paper: f"{named} gave no answer: {to_one_line(found.detail)}.",
        messages=("Until it does, rules of memvault's own judge in its place.",),
        exit_code=1,
    )


def _review_text(cli: CliContext, text: str) -> CommandResult:
    with cli.open_vault() as vault:
        _announce_wait(vault.open_model(), "for a review", "model.review_seconds", cli)
        found = vault.review_text(text)
    return CommandResult(
        result=found,
        text=lambda paper: _format_verdict(found, paper),
        warnings=tuple(f"{name}: {failure.detail}." for name, failure in _list_failures(found)),
        messages=("Nothing was stored.",),
    )


def _list_failures(found: ReviewResult) -> list[tuple[str, Failure]]:
    return [(name, failure) for name, failure in found.failures.items() if failure.reason != "none"]


def _format_verdict(found: ReviewResult, paper: TerminalFormat) -> str:
    rows = [report.format_label(to_one_line(said.by), _read_text(said), paper) for said in found.answers]
    return "\n".join([f"Verdict: {found.outcome}, as {to_one_line(found.verdict.reason)}.", *rows])


def _read_text(said: Said) -> str:
    scores = {"importance": said.importance, "relevance": said.relevance, "novelty": said.novelty}
    given = {name: f"{score:g}" for name, score in scores.items() if score is not None}
    told = [text if name == said.by else f"{name} {text}" for name, text in given.items()]
    told += ["trivial"] if said.trivial else []
    return "; ".join(filter(None, (", ".join(told), said.reason)))
