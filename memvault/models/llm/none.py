"""Nobody: the rules of memvault's own do all the judging."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.models.llm.ask import Failure, Question, Setup, Standing
from memvault.models.llm.deadline import Deadline


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
