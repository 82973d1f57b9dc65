"""Every provider in one table; each is imported when somebody is to be asked, and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType

from memvault.models.llm.ask import Answered, Deadline, Failure, Provider, Question, Setup, Standing
from memvault.system.guard import ExtensionError, call_guarded

ProviderFactory = Callable[[Setup], Provider]


def _load_factory(module: str, name: str) -> ProviderFactory:
    def make_provider(setup: Setup) -> Provider:
        maker: ProviderFactory = getattr(import_module(f"memvault.models.llm.{module}"), name)
        return maker(setup)

    return make_provider


PROVIDERS: Mapping[str, ProviderFactory] = MappingProxyType(
    {
        "none": _load_factory("providers", "make_no_provider"),
        "claude": _load_factory("claude_cli", "make_claude"),
        "openai": _load_factory("openai", "make_openai"),
        "command": _load_factory("command", "make_program"),
    }
)


def create_provider(name: str, setup: Setup, *, table: Mapping[str, ProviderFactory] = PROVIDERS) -> Provider:
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
        named = call_guarded(lambda: str(getattr(self._inner, "model", "")))
        return "" if isinstance(named, ExtensionError) else named

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Ask once; an answer after the deadline is none."""
        inner = self._inner
        if isinstance(inner, Failure):
            return inner
        found: object = call_guarded(lambda: inner.answer(question, deadline))
        if isinstance(found, ExtensionError):
            return _crash_failure(found)
        if deadline.left <= 0:
            return Failure("late", "it answered after the deadline")
        if isinstance(found, Failure):
            return replace(found, detail=_clean_detail(found.detail))
        return found if isinstance(found, Answered) else Failure("malformed", "it gave no answer in the form of one")

    def standing(self, deadline: Deadline) -> Standing:
        """How it stands."""
        inner = self._inner
        if isinstance(inner, Failure):
            return Standing(problems=(f"{inner.detail}.",))
        found: object = call_guarded(lambda: inner.standing(deadline))
        if isinstance(found, ExtensionError):
            return Standing(problems=(f"{_crash_failure(found).detail}.",))
        return found if isinstance(found, Standing) else Standing()


def guard_factory(name: str, maker: ProviderFactory) -> ProviderFactory:
    """A maker of providers that are never an exception."""

    def make_guarded(setup: Setup) -> Provider:
        inner = call_guarded(lambda: maker(setup))
        return GuardedProvider(name, _crash_failure(inner) if isinstance(inner, ExtensionError) else inner)

    return make_guarded


def _clean_detail(detail: object) -> str:
    """Somebody else's words on one short line; the key that a server refuses could be in them."""
    from memvault.core.secrets.scan import (
        redact_secrets,  # deferred: its patterns are many, and mostly there is an answer
    )

    return " ".join(redact_secrets(str(detail)).split())[:_LONGEST_DETAIL].rstrip(".")


def _crash_failure(broken: ExtensionError) -> Failure:
    """As a provider of ours that fails."""
    return Failure("failed", f"the provider broke down ({broken.name})")


# Nobody: the rules of memvault's own do all the judging.


@dataclass(frozen=True, slots=True)
class NoProvider:
    """A provider that is never asked, and would not answer."""

    name: str = "none"
    model: str = ""

    def answer(self, _question: Question, _deadline: Deadline) -> Failure:
        """No answer."""
        return Failure("none", "no language model is configured")

    def standing(self, _deadline: Deadline) -> Standing:
        """Nothing to be told."""
        return Standing()


def make_no_provider(_setup: Setup) -> NoProvider:
    """Nobody."""
    return NoProvider()
