"""`memvault model`: the language model, for those who configured one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.errors import Misused
from memvault.render import reports
from memvault.render.escape import one_line
from memvault.render.figures import plural
from memvault.render.paper import Paper
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Argument
from memvault.surfaces.cli.desk import Desk

if TYPE_CHECKING:
    from memvault.verbs.model import ModelStatus, Tested

EXAMPLES = ("memvault model status", "memvault model test", "memvault model status --json")

ACTIONS = ("status", "test")

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="What to do: status or test; status unless you say otherwise.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]

_NONE = "No language model: rules of memvault's own do all the judging."
_HOW = "`memvault config --user model.provider claude` would have your Claude Code asked; the manual tells of others."


def model(desk: Desk, action: Action = "status") -> Answer:
    """Show which language model is configured and how it stands, or ask it one small question.

    `status` sends nothing anywhere. `test` is one real call, with no text of yours in it. No vault is needed: the model
    is set in your own config, and never by a file inside a vault.
    """
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command="memvault model")
    from memvault.api import Memvault

    adviser = Memvault.own_model(environment=desk.environment, now=desk.now())
    return _tested(adviser.test()) if action == "test" else _status(adviser.status())


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
        [f"Language model: {one_line(named)}", *(reports.labelled(label, text, paper) for label, text in rows)]
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
