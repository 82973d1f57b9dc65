"""Every provider in one table; each is imported when somebody is to be asked, and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from memvault.models.llm.ask import Deadline, Failure, Provider, Question, Setup, Standing

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


# Nobody: the rules of memvault's own do all the judging.

_NO_MODEL = Failure("none", "no language model is configured")


@dataclass(frozen=True, slots=True)
class NoProvider:
    """A provider that only says why nobody is asked."""

    name: str = "none"
    model: str = ""
    failure: Failure = _NO_MODEL

    def answer(self, _question: Question, _deadline: Deadline) -> Failure:
        """Say why there is no answer."""
        return self.failure

    def standing(self, _deadline: Deadline) -> Standing:
        """Say what is wrong, where nobody is asked although somebody should be."""
        return Standing() if self.name == "none" else Standing(problems=(f"{self.failure.detail}.",))


def make_no_provider(_setup: Setup) -> NoProvider:
    """Nobody."""
    return NoProvider()
