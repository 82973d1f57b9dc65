"""The seam: a system prompt, a prompt and a schema go in; a validated object or a failure comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from memvault.core.secrets.private_spans import without_private
from memvault.models.llm.calls import Budget, Call, CallLog
from memvault.models.llm.deadline import Deadline
from memvault.models.llm.extract import objects_in
from memvault.models.llm.schema import Schema, problem
from memvault.system.guard import Broken, attempt

INSIDE = "MEMVAULT_INSIDE"
"""Set for every program that the seam starts: whoever sees it was started by memvault, and must not ask in turn."""

MOST_ASKED = 1_000_000
"""So many bytes a prompt may have; nothing is cut off, as the cut could go through what must not be seen."""

MOST_ANSWERED = 1_000_000
"""So many bytes an answer may have, its envelope included."""

Reason = Literal[
    "none",  # no model is configured
    "unset",  # what is configured does not suffice
    "inside",  # memvault itself was started by a model
    "budget",  # the run has made all its calls
    "missing",  # no such program, nobody listens there
    "refused",  # not signed in, wrong key
    "failed",  # the program or the server reports an error
    "late",  # no answer before the deadline
    "oversized",  # more was asked or answered than is carried
    "malformed",  # an answer that is not what was asked for, twice
]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: one of a few reasons, and one sentence; never words of the model."""

    reason: Reason
    detail: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: how to answer, what about, and the form of the answer."""

    system: str
    prompt: str
    schema: dict[str, object]  # as JSON is written from it

    def again(self, trouble: str) -> Question:
        """The same question, told what was wrong with the first answer."""
        told = f"Your last answer could not be used: {trouble}. Answer again, with one JSON object and nothing else."
        return replace(self, prompt=f"{self.prompt}\n\n{told}")


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back: text that should hold an object, or the object itself; and its cost in US dollars, if known."""

    content: object
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """What a provider is made from: the person's settings, and the variables of this process."""

    environment: Mapping[str, str]
    command: tuple[str, ...] = ()
    url: str = ""
    name: str = ""
    key_env: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a provider can be asked, as far as can be told without asking: what it is, and what is wrong."""

    facts: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


class Provider(Protocol):
    """Somebody who can be asked; every trouble is a value, and comes before the deadline."""

    @property
    def name(self) -> str:
        """The name in the table of providers."""
        ...

    @property
    def model(self) -> str:
        """Which model it asks, where that is known."""
        ...

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Ask once."""
        ...

    def standing(self, deadline: Deadline) -> Standing:
        """How it stands, without asking."""
        ...


Scrub = Callable[[str], str]


class Ask(Protocol):
    """`Model.complete_json`, as those who use it are given it."""

    def __call__(
        self, system: str, prompt: str, schema: Schema, max_seconds: float, *, purpose: str = ""
    ) -> object | Failure:
        """A valid object, or why there is none."""
        ...


class Model:
    """The one way to a language model: nothing secret goes out, nothing that does not fit comes in."""

    def __init__(
        self, provider: Provider, *, scrub: Scrub, environment: Mapping[str, str], budget: Budget, log: CallLog
    ) -> None:
        self._provider = provider
        self._scrub = scrub
        self._inside = bool(environment.get(INSIDE))
        self._budget = budget
        self._log = log

    def complete_json(
        self, system: str, prompt: str, schema: Schema, max_seconds: float, *, purpose: str = ""
    ) -> object | Failure:
        """An object that fits the schema, or why there is none; at most two calls, both before the deadline."""
        deadline = Deadline.within(max_seconds)
        question = Question(self._cleaned(system), self._cleaned(prompt), dict(schema))
        found = self._once(question, deadline, purpose)
        if isinstance(found, Failure) and found.reason == "malformed":
            again = self._once(question.again(found.detail), deadline, purpose)
            # That there was no time or call left for a second try is not what went wrong.
            gave_up = isinstance(again, Failure) and again.reason in ("late", "budget")
            return found if gave_up else again
        return found

    def _cleaned(self, text: str) -> str:
        """What may leave: no private spans, no secrets, and only what UTF-8 can carry."""
        whole = text.encode("utf-8", "replace").decode()
        return self._scrub(without_private(whole))

    def _once(self, question: Question, deadline: Deadline, purpose: str) -> object | Failure:
        barred = self._barred(question, deadline)
        if barred is not None:
            return barred
        started = deadline.left
        answered = self._answer(question, deadline)
        found = answered if isinstance(answered, Failure) else _fitting(answered, question.schema)
        failure = found if isinstance(found, Failure) else None
        self._log.add(
            Call(
                provider=self._provider.name,
                model=self._provider.model,
                purpose=purpose,
                outcome=failure.reason if failure else "ok",
                detail=failure.detail if failure else "",
                seconds=started - deadline.left,
                cost=answered.cost,
            )
        )
        return found

    def _barred(self, question: Question, deadline: Deadline) -> Failure | None:
        """Why nobody is to be asked at all."""
        if self._provider.name == "none":
            return Failure("none", "no language model is configured")
        if self._inside:
            return Failure("inside", "memvault was started by a language model that memvault had asked")
        if len(question.system.encode()) + len(question.prompt.encode()) > MOST_ASKED:
            return Failure("oversized", f"more than {MOST_ASKED:,} bytes would be sent")
        if deadline.left <= 0:
            return Failure("late", "there was no time left to ask")
        if not self._budget.take():
            return Failure("budget", f"this run has made its {self._budget.most} calls (model.max_calls)")
        return None

    def _answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        answered = attempt(lambda: self._provider.answer(question, deadline))
        if isinstance(answered, Broken):  # it may be somebody else's, and what it raises is no reason to stop
            return Failure("failed", f"the provider broke down ({answered.name})")
        return answered


def _fitting(answered: Answered, schema: Schema) -> object | Failure:
    """The one object in an answer that fits; two different ones are none, as either could be a quotation."""
    content = answered.content
    candidates = objects_in(content) if isinstance(content, str) else [content]
    fitting: list[object] = []
    trouble = "there is no whole JSON object in it"
    for candidate in candidates:
        wrong = problem(candidate, schema)
        if wrong:
            trouble = wrong
        elif candidate not in fitting:
            fitting.append(candidate)
    if len(fitting) > 1:
        trouble = "there are several answers in it"
    return fitting[0] if len(fitting) == 1 else Failure("malformed", trouble, answered.cost)
