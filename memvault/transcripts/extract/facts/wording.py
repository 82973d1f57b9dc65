"""How a statement is put: who says it to whom, with days instead of "yesterday"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memvault.text.dates.find import absolute, spans
from memvault.transcripts.extract.facts.cast import Cast, addresses
from memvault.transcripts.extract.facts.entities import Entities
from memvault.transcripts.model.talk import Fact, Turn

_WRITTEN = re.compile(r"(?<!of )(?<!before )(?<!after )(?<!since )(?<!until )(?<!to )\b(\d{4}-\d\d-\d\d)\b(?! to \d)")
_NUMBER = re.compile(r"(?<![\w-])\d{1,4}(?![\w-])")


@dataclass(frozen=True, slots=True)
class Wording:
    """How the statements of one conversation are put."""

    cast: Cast
    entities: Entities

    def statement(self, turn: Turn, text: str, *, quoted: bool = False) -> Fact:
        """What somebody said: "Ann: I moved.", "Ann to Bob: You moved.", "Ann quoted: We moved."."""
        if quoted:
            return self._fact(turn, (turn,), f"{self.cast.label(turn)} quoted: {told(text, turn)}")
        return self._fact(turn, (turn,), attributed(self.cast, turn, text))

    def question(self, turn: Turn, text: str) -> Fact:
        """What somebody asked, and nobody answered."""
        return self._fact(turn, (turn,), self._asked(turn, text))

    def answered(self, asker: Turn, question: str, turn: Turn, answer: str) -> Fact:
        """A question and its answer, as a statement of who answered."""
        answered = f"{self.cast.label(turn)}: {told(answer, turn)}"
        return self._fact(turn, (asker, turn), f"{self._asked(asker, question)} {answered}", spoken=answered)

    def _asked(self, turn: Turn, text: str) -> str:
        other = self.cast.other(turn)
        return f"{self.cast.label(turn)} asked{f' {other}' if other else ''}: {told(text, turn)}"

    def _fact(self, turn: Turn, turns: tuple[Turn, ...], text: str, *, spoken: str = "") -> Fact:
        ids = tuple(dict.fromkeys(one.id for one in turns))
        day, about = day_of(spoken or text, turn), self.entities.about(text)
        return Fact(text=text, speaker=turn.speaker, turns=ids, day=day, about=about)


def attributed(cast: Cast, turn: Turn, text: str) -> str:
    """A text as words of the one who said it, to whom where it speaks to somebody."""
    other = cast.other(turn) if addresses(text) else ""
    return f"{cast.label(turn)}{f' to {other}' if other else ''}: {told(text, turn)}"


def told(text: str, turn: Turn) -> str:
    """A text with the days that it names beside their names; as it is where nobody knows when it was said."""
    return absolute(text, now=moment(turn.time)) if turn.time is not None else text


def day_of(text: str, turn: Turn) -> date | None:
    """The one day of which a text speaks that has its days written out, or the day on which it was said."""
    if turn.time is None:
        return None
    now = moment(turn.time)
    written = _WRITTEN.search(text)
    if written is not None:
        return _day(written[1]) or now.date()
    if _NUMBER.search(text) is None:  # a day that words alone name was written out, and several days are none
        return now.date()
    days = (span.first for span in spans(text, now=now) if span.first == span.last and not span.side)
    return next(days, now.date())


def _day(written: str) -> date | None:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None


def moment(time: datetime) -> datetime:
    """A time with its zone: where none is given, UTC."""
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
