"""Check that the turns support a statement; write statements with speaker, addressee and days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from memvault.core.conversation import Fact, Turn
from memvault.text.dates.expressions import add_dates, find_spans
from memvault.text.markdown import find_sentences
from memvault.text.sentence.wording import word_set
from memvault.text.stem import stem
from memvault.text.terms import STOPWORDS, split_tokens
from memvault.transcripts.extract.speakers import EntityFinder, Speakers, has_second_person, is_user

# How a fact is worded: who says it to whom, with dates instead of "yesterday".

_WRITTEN = re.compile(r"(?<!of )(?<!before )(?<!after )(?<!since )(?<!until )(?<!to )\b(\d{4}-\d\d-\d\d)\b(?! to \d)")
_WORDING_NUMBER = re.compile(r"(?<![\w-])\d{1,4}(?![\w-])")


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writes the statements of one conversation."""

    speakers: Speakers
    entities: EntityFinder

    def write_statement(self, turn: Turn, text: str, *, quoted: bool = False) -> Fact:
        """Write what somebody said: "Ann: I moved.", "Ann to Bob: You moved.", "Ann quoted: We moved."."""
        if quoted:
            return self._make_fact(
                turn, (turn,), f"{self.speakers.speaker_label(turn)} quoted: {resolve_dates(text, turn)}"
            )
        return self._make_fact(turn, (turn,), attribute_text(self.speakers, turn, text))

    def write_question(self, turn: Turn, text: str) -> Fact:
        """Write an unanswered question."""
        return self._make_fact(turn, (turn,), self._question_text(turn, text))

    def write_answer(self, asker: Turn, question: str, turn: Turn, answer: str) -> Fact:
        """Write a question and its answer, as a statement of the answerer."""
        answered = f"{self.speakers.speaker_label(turn)}: {resolve_dates(answer, turn)}"
        return self._make_fact(
            turn, (asker, turn), f"{self._question_text(asker, question)} {answered}", spoken=answered
        )

    def _question_text(self, turn: Turn, text: str) -> str:
        other = self.speakers.addressee(turn)
        return f"{self.speakers.speaker_label(turn)} asked{f' {other}' if other else ''}: {resolve_dates(text, turn)}"

    def _make_fact(self, turn: Turn, turns: tuple[Turn, ...], text: str, *, spoken: str = "") -> Fact:
        ids = tuple(dict.fromkeys(one.id for one in turns))
        day, about = day_of(spoken or text, turn), self.entities.find_entities(text)
        return Fact(text=text, speaker=turn.speaker, turns=ids, day=day, about=about)


def attribute_text(cast: Speakers, turn: Turn, text: str) -> str:
    """Return a text as said by its speaker, to the addressee where it has one; the user's own stand for themselves."""
    other = cast.addressee(turn) if has_second_person(text) else ""
    if is_user(turn) and not other:
        return resolve_dates(text, turn)
    return f"{cast.speaker_label(turn)}{f' to {other}' if other else ''}: {resolve_dates(text, turn)}"


def resolve_dates(text: str, turn: Turn) -> str:
    """Return a text with its relative days written out; unchanged where its time is unknown."""
    return add_dates(text, now=with_zone(turn.time)) if turn.time is not None else text


def day_of(text: str, turn: Turn) -> date | None:
    """Return the one day that a text names, or the day on which it was said."""
    if turn.time is None:
        return None
    now = with_zone(turn.time)
    written = _WRITTEN.search(text)
    if written is not None:
        span = _parse_span(written[1])
        return span[0] if span else now.date()
    if _WORDING_NUMBER.search(text) is None:  # a day in words alone was written out already, and several days are none
        return now.date()
    spans = (found.days for found in find_spans(text, now=now))
    return next((span.first for span in spans if span.first == span.last and not span.side), now.date())


def with_zone(time: datetime) -> datetime:
    """Return a time with its zone; UTC where none is given."""
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


LONGEST = 400
BAR = 0.6
"""Of the words that tell something so many must stand in the turns; the rest may be how it is put."""

_PUT = word_set(
    "user assistant asked said says told answered suggested recommended proposed agreed wants decided prefers plans "
    "mentioned explained reported confirmed state stated because since while after before"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029]")
_FEWEST_SHARED = 2
_NEGATION = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|without|neither|nor|cannot|nicht|kein\w*|nie|niemals|ohne|nunca|jamás|sin"
    r"|jamais|aucune?|sans|ne|нет|не|без)\b|n['’]t\b|(?:^|\s)n['’]\w|[不没沒無]|ない|ません",
    re.IGNORECASE,
)
# Here a "not" denies nothing: "can't wait", "no problem", "not only".
_IDIOM = re.compile(
    r"\b(?:can['’]?t (?:wait|believe)|no (?:problem|worries|doubt)|not only|why not|no longer than)\b", re.IGNORECASE
)
_SLACK = timedelta(days=1)  # "last night" may be either day


@dataclass(frozen=True, slots=True)
class _TurnEvidence:
    """What one turn offers to support statements."""

    words: frozenset[str]
    numbers: frozenset[str]
    days: tuple[tuple[date, date], ...]
    sentences: tuple[tuple[frozenset[str], bool], ...]  # the words of each sentence, and whether it is negative


class Grounding:
    """Checks statements against consecutive turns, each analyzed once."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._evidence = [_collect_evidence(turn) for turn in turns]
        self._put = frozenset(map(stem, STOPWORDS | _PUT)).union(*(_word_stems(turn.speaker) for turn in turns))

    def find_objection(self, text: str, places: Sequence[int]) -> str:
        """Return why the turns do not support a statement; empty where they do."""
        if not text.strip():
            return "it is empty"
        if len(text) > LONGEST or _CONTROL.search(text):
            return "it is too long, or has control characters"
        before = self._evidence[: max(places) + 1]  # a name or a day may come from anything said before
        days = tuple(day for said in before for day in said.days)
        if not _are_days_known(text, days):
            return "it names a day that the turns do not"
        bare = _ISO.sub(" ", text)
        numbers = frozenset().union(*(said.numbers for said in before))
        numbers = numbers.union(str(part) for span in days for day in span for part in (day.year, day.day))
        if not numbers.issuperset(_NUMBER.findall(bare)):
            return "it has a number that the turns do not have"
        telling = _word_stems(bare) - self._put
        known = frozenset().union(*(self._evidence[place].words for place in places))
        if not telling or len(telling & known) < BAR * len(telling):
            return "its words are not those of the turns"
        return (
            ""
            if self._agrees_on_negation(telling, places, denies=_is_negative(bare))
            else "it denies what the turns say, or the reverse"
        )

    def _agrees_on_negation(self, telling: frozenset[str], places: Sequence[int], *, denies: bool) -> bool:
        """Return whether a statement is negative just where its source sentences are."""
        alike = [
            (len(telling & words), denied) for place in places for words, denied in self._evidence[place].sentences
        ]
        if denies:
            return any(denied and shared >= _FEWEST_SHARED for shared, denied in alike)
        return not max(alike, key=lambda one: (one[0], not one[1]), default=(0, False))[1]


def _collect_evidence(turn: Turn) -> _TurnEvidence:
    stretches = (turn.text[start:end] for start, end in find_sentences(turn.text))
    return _TurnEvidence(
        words=_word_stems(turn.text),
        numbers=frozenset(_NUMBER.findall(turn.text)),
        days=tuple(_turn_days(turn)),
        sentences=tuple((_word_stems(one), _is_negative(one)) for one in stretches),
    )


def _word_stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, split_tokens(text)))


def _is_negative(text: str) -> bool:
    return _NEGATION.search(_IDIOM.sub(" ", text)) is not None


def _turn_days(turn: Turn) -> list[tuple[date, date]]:
    """Return the days that a turn names, with its own."""
    if turn.time is None:
        return []
    now = with_zone(turn.time)
    own = now.date()
    either = (*find_spans(turn.text, now=now, tense="past"), *find_spans(turn.text, now=now, tense="future"))
    return [(own, own), *((span.days.first, span.days.last) for span in either)]


def _are_days_known(text: str, days: Sequence[tuple[date, date]]) -> bool:
    """Return whether each written day lies on or next to one that the turns name."""
    for written in _ISO.findall(text):
        reach = _parse_span(written)
        if reach is None:
            return False
        first, last = reach
        if not any(begin - _SLACK <= last and first <= end + _SLACK for begin, end in days):
            return False
    return True


def _parse_span(written: str) -> tuple[date, date] | None:
    try:
        if len(written) > 7:
            return date.fromisoformat(written), date.fromisoformat(written)
        first = date.fromisoformat(f"{written}-01")
        return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    except (ValueError, OverflowError):
        return None
