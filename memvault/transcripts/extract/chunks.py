"""A conversation cut into stretches that a model is shown one by one, scrubbed, with numbers for its turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memvault.core.conversation import Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.models.llm.ask import Failure, Reason, fence_texts
from memvault.transcripts.extract.facts.grounding import with_zone

_MOST_TURNS, _MOST_CHARACTERS = 20, 16_000
_LONGEST_TURN = 6_000  # so much of a turn is shown; the whole of it is kept and searched all the same

ABOUT_THE_TEXT: frozenset[Reason] = frozenset({"malformed", "oversized"})
"""After any other failure the next stretch would fare no better, and its time would be lost too."""


@dataclass(frozen=True, slots=True)
class TurnChunk:
    """A stretch of turns, and the number of its first; numbers go on from stretch to stretch.

    What a model is shown of the turns is scrubbed before it is cut, as half a secret is known by no pattern.
    """

    first: int
    turns: tuple[Turn, ...]
    scrubbed: tuple[Turn, ...]

    def turn_places(self, numbers: object) -> tuple[int, ...]:
        """Where the turns of some numbers stand; nowhere where one of the numbers is not of this stretch."""
        if not isinstance(numbers, list) or not numbers or not all(map(self._is_in_chunk, numbers)):
            return ()
        return tuple(number - self.first for number in sorted(set(numbers)))

    def prompt_text(self) -> str:
        """The turns as a model is shown them."""
        lines = (
            f"[{number}] {_turn_heading(turn)}\n{turn.text}"
            for number, turn in enumerate(self.scrubbed, start=self.first)
        )
        return fence_texts([("The turns, each with its number, speaker and time", "\n\n".join(lines))])

    def _is_in_chunk(self, number: object) -> bool:
        return type(number) is int and self.first <= number < self.first + len(self.turns)


def split_chunks(turns: Sequence[Turn], scrub: Callable[[str], str]) -> Iterator[TurnChunk]:
    """The stretches of a conversation, none over two sittings."""
    held: list[Turn] = []
    first = size = 0
    for place, turn in enumerate(turns):
        length = min(len(turn.text), _LONGEST_TURN)
        is_full = len(held) >= _MOST_TURNS or size + length > _MOST_CHARACTERS
        if held and (is_full or turn.session != held[-1].session):
            yield _make_chunk(first, held, scrub)
            held, first, size = [], place, 0
        held.append(turn)
        size += length
    if held:
        yield _make_chunk(first, held, scrub)


def _make_chunk(first: int, turns: Sequence[Turn], scrub: Callable[[str], str]) -> TurnChunk:
    seen = tuple(replace(turn, text=scrub(strip_private(turn.text))[:_LONGEST_TURN]) for turn in turns)
    return TurnChunk(first + 1, tuple(turns), seen)


def redact_text(text: str) -> str:
    """A text without secrets."""
    from memvault.core.secrets.scan import (
        redact_secrets,  # its patterns are many, and only needed where a model is asked
    )

    return redact_secrets(text)


def stops_asking(failure: Failure | None) -> bool:
    """Whether there is no use in asking for the next stretch."""
    return failure is not None and failure.reason not in ABOUT_THE_TEXT


def _turn_heading(turn: Turn) -> str:
    who = " ".join((turn.speaker or turn.role or "somebody").split())[:60]
    return (
        f"{who}, {with_zone(turn.time):%Y-%m-%d %H:%M}, a {with_zone(turn.time):%A}" if turn.time is not None else who
    )
