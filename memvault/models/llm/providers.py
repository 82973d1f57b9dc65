"""Every provider in one table; each is imported when somebody is to be asked, and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType

from memvault.models.llm.ask import Answered, Deadline, Failure, Provider, Question, Setup, Standing
from memvault.system.guard import Broken, attempt

Maker = Callable[[Setup], Provider]


def _from(module: str) -> Maker:
    def make(setup: Setup) -> Provider:
        maker: Maker = import_module(f"memvault.models.llm.{module}").make
        return maker(setup)

    return make


PROVIDERS: Mapping[str, Maker] = MappingProxyType(
    {
        "none": _from("providers"),
        "claude": _from("claude_cli"),
        "openai": _from("openai"),
        "command": _from("command"),
    }
)


def provider(name: str, setup: Setup, *, table: Mapping[str, Maker] = PROVIDERS) -> Provider:
    """The provider of that name; the table may have been added to."""
    return table[name](setup)


# A provider that somebody else wrote, held to what providers promise.

_LONGEST_DETAIL = 200


class GuardedProvider:
    """Passes everything on, and makes values of what goes wrong."""

    def __init__(self, name: str, inner: Provider | Failure) -> None:
        self.name = name
        self._inner = inner

    @property
    def model(self) -> str:
        """Which model it asks, where it says so."""
        named = attempt(lambda: str(getattr(self._inner, "model", "")))
        return "" if isinstance(named, Broken) else named

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Ask once; an answer after the deadline is none."""
        inner = self._inner
        if isinstance(inner, Failure):
            return inner
        found: object = attempt(lambda: inner.answer(question, deadline))
        if isinstance(found, Broken):
            return _failure(found)
        if deadline.left <= 0:
            return Failure("late", "it answered after the deadline")
        if isinstance(found, Failure):
            return replace(found, detail=_told(found.detail))
        return found if isinstance(found, Answered) else Failure("malformed", "it gave no answer in the form of one")

    def standing(self, deadline: Deadline) -> Standing:
        """How it stands."""
        inner = self._inner
        if isinstance(inner, Failure):
            return Standing(problems=(f"{inner.detail}.",))
        found: object = attempt(lambda: inner.standing(deadline))
        if isinstance(found, Broken):
            return Standing(problems=(f"{_failure(found).detail}.",))
        return found if isinstance(found, Standing) else Standing()


def guarded(name: str, maker: Maker) -> Maker:
    """A maker of providers that are never an exception."""

    def make(setup: Setup) -> Provider:
        inner = attempt(lambda: maker(setup))
        return GuardedProvider(name, _failure(inner) if isinstance(inner, Broken) else inner)

    return make


def _told(detail: object) -> str:
    """Somebody else's words on one short line; the key that a server refuses could be in them."""
    from memvault.core.secrets.scan import redacted  # deferred: its patterns are many, and mostly there is an answer

    return " ".join(redacted(str(detail)).split())[:_LONGEST_DETAIL].rstrip(".")


def _failure(broken: Broken) -> Failure:
    """As a provider of ours that fails."""
    return Failure("failed", f"the provider broke down ({broken.name})")


# Nobody: the rules of memvault's own do all the judging.


@dataclass(frozen=True, slots=True)
class Nobody:
    """A provider that is never asked, and would not answer."""

    name: str = "none"
    model: str = ""

    def answer(self, _question: Question, _deadline: Deadline) -> Failure:
        """No answer."""
        return Failure("none", "no language model is configured")

    def standing(self, _deadline: Deadline) -> Standing:
        """Nothing to be told."""
        return Standing()


def make(_setup: Setup) -> Nobody:
    """Nobody."""
    return Nobody()
