"""How facts are drawn out of turns: sentence by sentence, each question with its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.screens import Captured, courtesies
from memvault.transcripts.extract.facts.entities import Entities, names
from memvault.transcripts.extract.facts.grounding import Wording
from memvault.transcripts.extract.facts.sentences import Said, joined, length, said_in
from memvault.transcripts.extract.facts.speakers import Cast, Persons, cast_of, is_assistant, nicknames, sparing
from memvault.transcripts.model.turn import Fact, Turn

_LONGEST_QUESTION = 200
_WORDS_OF_A_QUESTION = 6  # an unanswered question with fewer asks after nothing that can be named
_QUESTIONS_AT_ONCE = 2
_FEWEST_WORDS_BEFORE_CODE = 9

_THANKS = re.compile(
    r"(?:thanks|thank you|danke|gracias|merci|sorry|i (?:totally |completely )?agree)\b", re.IGNORECASE
)
_LONGEST_THANKS = 6  # words
_FEWEST_OF_AN_ANSWER = 3
_ANSWERS = re.compile(
    r"(?:yes|yeah|yep|yup|no|nope|nah|sure|absolutely|definitely|of course|not really|not yet|exactly|right|ja"
    r"|nein|doch"
    r"|klar|sí|si|oui|non|да|нет|是|不是|はい|いいえ)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that waits for its answer: what was asked, and in which turn."""

    text: str
    turn: Turn
    words: float


def facts(turns: Sequence[Turn], *, speakers: tuple[str, ...] = ()) -> tuple[Fact, ...]:
    """The statements of some turns, in their order, each with the turns that it was taken from."""
    cast = cast_of(turns, speakers)
    entities = Entities((turn.text for turn in turns), cast.names)
    wording = Wording(cast, entities)
    found: list[Fact] = []
    asked: _Asked | None = None
    for turn in turns:
        said = _said(turn, cast)
        answer = _answer(said, asked, turn) if asked else None
        if asked:
            found += _settled(wording, asked, answer, turn)
        found += _stated(wording, turn, [one for one in said if one is not answer])
        asked = _asked(said, turn)
    if asked:
        found += _settled(wording, asked, None, asked.turn)
    return tuple(found)


def _said(turn: Turn, cast: Cast) -> tuple[Said, ...]:
    """What a turn says, with "he" and "she" named; a machine's long answers are gone through sparingly."""
    said = said_in(without_private(turn.text))
    if is_assistant(turn):
        return sparing(said)
    persons = Persons(cast.names)
    told = (one if one.item or one.heading else _with(one, persons.resolved(one.text)) for one in said)
    return joined(tuple(told))


def _with(one: Said, text: str) -> Said:
    return one if text == one.text else Said(text, asks=one.asks, quoted=one.quoted)


def _stated(wording: Wording, turn: Turn, said: Sequence[Said]) -> Iterator[Fact]:
    """What stands on its own; the last questions wait for their answers."""
    waiting = _last_questions(said)
    for one in said:
        if one.asks:
            is_kept = not (is_assistant(turn) or one in waiting) and _is_telling(one.text)
            if is_kept:
                yield wording.question(turn, one.text[:_LONGEST_QUESTION])
        elif _is_statement(one, wording.cast):
            yield wording.statement(turn, one.whole, quoted=one.quoted)


def _is_statement(one: Said, cast: Cast) -> bool:
    if one.heading or one.is_short or is_chatter(one.text, cast):
        return False
    return not one.text.endswith((":", "：")) or length(one.text) >= _FEWEST_WORDS_BEFORE_CODE


def _last_questions(said: Sequence[Said]) -> list[Said]:
    """The last question, and the one before it where both are short enough to be answered at once."""
    questions = [one for one in said if one.asks][-_QUESTIONS_AT_ONCE:]
    together = sum(len(one.text) for one in questions) <= _LONGEST_QUESTION
    return questions if together else questions[-1:]


def _asked(said: Sequence[Said], turn: Turn) -> _Asked | None:
    """What a turn asks in the end."""
    text = " ".join(one.text for one in _last_questions(said))
    return _Asked(text[-_LONGEST_QUESTION:], turn, length(text)) if text else None


def _answer(said: Sequence[Said], asked: _Asked, turn: Turn) -> Said | None:
    """The sentence that answers: the first that says something, or a bare yes or no."""
    if turn.session != asked.turn.session or (turn.speaker, turn.role) == (asked.turn.speaker, asked.turn.role):
        return None
    told = [one for one in said if not (one.asks or one.heading or one.quoted)]
    if told and _ANSWERS.match(told[0].text):
        return told[0]
    cast = cast_of((asked.turn, turn))
    bare = next(
        (one for one in told[:1] if length(one.text) >= _FEWEST_OF_AN_ANSWER and not _THANKS.match(one.text)), None
    )
    return next((one for one in told if not is_chatter(one.text, cast)), bare)


def _settled(wording: Wording, asked: _Asked, answer: Said | None, turn: Turn) -> Iterator[Fact]:
    """The question with its answer; without one it is only kept of a person, and where it names something."""
    if answer is not None:
        yield wording.answered(asked.turn, asked.text, turn, answer.whole)
    elif asked.words >= _WORDS_OF_A_QUESTION and not is_assistant(asked.turn) and _is_telling(asked.text):
        yield wording.question(asked.turn, asked.text)


def _is_telling(question: str) -> bool:
    return length(question) >= _WORDS_OF_A_QUESTION and not courtesies(Captured(question))


def is_chatter(text: str, cast: Cast) -> bool:
    """Whether there is nothing in a sentence but courtesies and names."""
    if _THANKS.match(text) and length(text) <= _LONGEST_THANKS:
        return True
    for name in cast.names:
        if names(name, text):
            text = _without(name, text)
    return bool(courtesies(Captured(text)))


def _without(name: str, text: str) -> str:
    called = "|".join(map(re.escape, sorted(nicknames(name), key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{called})(?!\w)", " ", text)
