"""A provider that somebody else wrote, held to what providers promise."""

from __future__ import annotations

from memvault.llm.deadline import Deadline
from memvault.llm.providers import Maker
from memvault.llm.seam import Answered, Failure, Provider, Question, Setup, Standing


class GuardedProvider:
    """Passes everything on, and makes values of what goes wrong."""

    def __init__(self, name: str, inner: Provider | Failure) -> None:
        self.name = name
        self._inner = inner

    @property
    def model(self) -> str:
        """Which model it asks, where it says so."""
        return str(getattr(self._inner, "model", ""))

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Ask once; an answer after the deadline is none."""
        if isinstance(self._inner, Failure):
            return self._inner
        try:
            found: object = self._inner.answer(question, deadline)
        except Exception as error:  # as a provider of ours that fails
            return _broken(error)
        if deadline.left <= 0:
            return Failure("late", "it answered after the deadline")
        fits = isinstance(found, Answered | Failure)
        return found if fits else Failure("malformed", "it gave no answer in the form of one")  # type: ignore[return-value]

    def standing(self, deadline: Deadline) -> Standing:
        """How it stands."""
        if isinstance(self._inner, Failure):
            return Standing(problems=(f"{self._inner.detail}.",))
        try:
            found: object = self._inner.standing(deadline)
        except Exception as error:
            return Standing(problems=(f"{_broken(error).detail}.",))
        return found if isinstance(found, Standing) else Standing()


def guarded(name: str, maker: Maker) -> Maker:
    """A maker of providers that are never an exception."""

    def make(setup: Setup) -> Provider:
        try:
            return GuardedProvider(name, maker(setup))
        except Exception as error:
            return GuardedProvider(name, _broken(error))

    return make


def _broken(error: Exception) -> Failure:
    return Failure("failed", f"the provider broke down ({type(error).__name__})")
