"""`memvault model`: the language model, for those who configured one, and what reviewers say of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, Several
from memvault.cli.output import report
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused
from memvault.text.display import one_line, plural

if TYPE_CHECKING:
    from memvault.memories.reviewers import Reviewed
    from memvault.memories.verdict import Answer as Said
    from memvault.models.llm.ask import Failure
    from memvault.models.llm.model import Adviser, ModelStatus, Tested


MODEL_EXAMPLES = (
    "memvault model status",
    "memvault model test",
    'memvault model review "Always run the migrations before the tests"',
    "memvault model status --json",
)

ACTIONS = ("status", "test", "review")

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="What to do: status, test or review; status unless you say otherwise.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]

Words = Annotated[
    Several, Argument(metavar="TEXT", help="What is to be reviewed; `-` reads stdin.", show_default=False)
]

_NONE = "No language model: rules of memvault's own do all the judging."
_HOW = "`memvault config --user model.provider claude` would have your Claude Code asked; the manual tells of others."


def model(desk: Desk, action: Action = "status", text: Words = None) -> Answer:
    """Show which language model is configured and how it stands, ask it one small question, or have a text reviewed.

    `status` sends nothing anywhere. `test` is one real call, with no text of yours in it. Neither needs a vault: the
    model is set in your own config, and never by a file inside a vault. `review` tells what each reviewer says of a
    text, held against the memories that are there, and stores nothing; without a model, rules review.
    """
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command="memvault model")
    if bool(text) != (action == "review"):
        raise Misused(reason="A text goes with review, and with nothing else.", command="memvault model")
    if text:
        return _reviewed(desk, desk.read() if text == ["-"] else " ".join(text))
    from memvault.api import Memvault

    adviser = Memvault.own_model(environment=desk.environment, now=desk.now())
    if action == "test":
        _announce(adviser, "one small question", "model.max_seconds", desk)
        return _tested(adviser.test())
    return _status(adviser.status())


def _announce(adviser: Adviser, what: str, limit: str, desk: Desk) -> None:
    """Say who is asked and how long that may take, before anybody has to wait for it."""
    if adviser.ask is not None and not desk.as_json:
        seconds = adviser.seconds(limit)
        desk.say(f"Asking {one_line(adviser.named)} {what}; that may take up to {seconds:g} s ({limit}).")


def _status(found: ModelStatus) -> Answer:
    if found.provider == "none":
        return Answer(result=found, text=lambda _paper: _NONE, talk=(_HOW,))
    return Answer(
        result=found,
        text=lambda paper: _told(found, paper),
        talk=("`memvault model test` asks it one small question.",) if found.is_ready else (),
        warnings=found.problems,
    )


def _told(found: ModelStatus, paper: Paper) -> str:
    spent = found.spent
    cost = f", ${spent.cost:.4f}" if spent.cost else ""
    calls = f"{plural(spent.calls, 'call', 'calls')} this month, {spent.failed} without an answer{cost}"
    rows = [*found.facts.items(), ("calls", calls), *([("log", found.log)] if found.log else [])]
    named = " ".join(filter(None, (found.provider, found.model)))
    return "\n".join(
        [f"Language model: {one_line(named)}", *(report.labelled(label, text, paper) for label, text in rows)]
    )


def _tested(found: Tested) -> Answer:
    named = one_line(" ".join(filter(None, (found.provider, found.model))))
    if found.ok:
        return Answer(
            result=found,
            text=lambda _paper: f"{named} answered, and kept to the form, in {found.seconds:.1f} s.",
            talk=(found.advice,),
        )
    if found.provider == "none":
        return Answer(result=found, text=lambda _paper: _NONE, talk=(_HOW,), exit_code=1)
    return Answer(
        result=found,
        text=lambda _paper: f"{named} gave no answer: {one_line(found.detail)}.",
        talk=("Until it does, rules of memvault's own judge in its place.",),
        exit_code=1,
    )


def _reviewed(desk: Desk, text: str) -> Answer:
    with desk.open() as vault:
        _announce(vault.model(), "for a review", "model.review_seconds", desk)
        found = vault.review(text)
    return Answer(
        result=found,
        text=lambda paper: _verdict(found, paper),
        warnings=tuple(f"{name}: {failure.detail}." for name, failure in _failures(found)),
        talk=("Nothing was stored.",),
    )


def _failures(found: Reviewed) -> list[tuple[str, Failure]]:
    return [(name, failure) for name, failure in found.failures.items() if failure.reason != "none"]


def _verdict(found: Reviewed, paper: Paper) -> str:
    rows = [report.labelled(one_line(said.by), _said(said), paper) for said in found.answers]
    return "\n".join([f"Verdict: {found.outcome}, as {one_line(found.verdict.reason)}.", *rows])


def _said(said: Said) -> str:
    scores = {"importance": said.importance, "relevance": said.relevance, "novelty": said.novelty}
    given = {name: f"{score:g}" for name, score in scores.items() if score is not None}
    told = [text if name == said.by else f"{name} {text}" for name, text in given.items()]
    told += ["trivial"] if said.trivial else []
    return "; ".join(filter(None, (", ".join(told), said.reason)))
