"""Split a conversation into chunks for a model, and say what came of asking it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from memvault.core.conversation import Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.models.llm.ask import Failure, fence_texts
from memvault.transcripts.extract.facts.grounding import with_zone

Value = TypeVar("Value")

NO_MODEL = Failure("none", "no language model is configured")
_MOST_TURNS, _MOST_CHARACTERS = 20, 16_000
_LONGEST_TURN = 6_000  # shown of a turn; the archive keeps and searches all of it


@dataclass(frozen=True, slots=True)
class ModelResult(Generic[Value]):
    """What a model and the rules found, how many of its answers were refused, and why it failed."""

    value: Value
    refused: int = 0
    failure: Failure | None = None


def stops_asking(failure: Failure | None) -> bool:
    """Return whether asking for the next chunk is of no use: the failure is not about this text."""
    return failure is not None and failure.reason not in ("malformed", "oversized")


@dataclass(frozen=True)
class TurnChunk:
    """A run of turns, and the number of its first; numbers go on from chunk to chunk."""

    first: int
    turns: tuple[Turn, ...]

    @cached_property
    def scrubbed(self) -> tuple[Turn, ...]:
        """Return the turns as a model may see them: scrubbed before they are cut, as no pattern finds half a secret."""
        return tuple(replace(turn, text=scrub_text(turn.text)[:_LONGEST_TURN]) for turn in self.turns)

    def turn_places(self, numbers: object) -> tuple[int, ...]:
        """Return the places of numbered turns; none where a number is not in this chunk."""
        own = range(self.first, self.first + len(self.turns))
        if not isinstance(numbers, list) or not all(type(number) is int and number in own for number in numbers):
            return ()
        return tuple(number - self.first for number in sorted(set(numbers)))

    def prompt_text(self) -> str:
        """Return the turns as text for a model, each with its number, speaker and time."""
        lines = []
        for number, turn in enumerate(self.scrubbed, start=self.first):
            who = " ".join((turn.speaker or turn.role or "somebody").split())[:60]
            time = "" if turn.time is None else f", {with_zone(turn.time):%Y-%m-%d %H:%M, a %A}"
            lines.append(f"[{number}] {who}{time}\n{turn.text}")
        return fence_texts([("The turns, each with its number, speaker and time", "\n\n".join(lines))])


def split_chunks(turns: Sequence[Turn]) -> Iterator[TurnChunk]:
    """Yield the chunks of a conversation; none spans two sessions."""
    chunk: list[Turn] = []
    first = size = 0
    for place, turn in enumerate(turns):
        length = min(len(turn.text), _LONGEST_TURN)
        is_full = len(chunk) >= _MOST_TURNS or size + length > _MOST_CHARACTERS
        if chunk and (is_full or turn.session != chunk[-1].session):
            yield TurnChunk(first + 1, tuple(chunk))
            chunk, first, size = [], place, 0
        chunk.append(turn)
        size += length
    if chunk:
        yield TurnChunk(first + 1, tuple(chunk))


def scrub_text(text: str) -> str:
    """Return a text without private spans and secrets."""
    from memvault.core.secrets.scan import redact_secrets  # its many patterns are needed only where a model is asked

    return redact_secrets(strip_private(text))
