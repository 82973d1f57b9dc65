"""Extract facts from turns: sentence by sentence, each question with its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memvault.core.conversation import Fact, Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import Captured, check_courtesies
from memvault.transcripts.extract.grounding import FactWriter
from memvault.transcripts.extract.sentences import (
    TurnSentence,
    assistant_summary,
    join_short,
    split_sentences,
    text_length,
)
from memvault.transcripts.extract.speakers import (
    EntityFinder,
    PronounResolver,
    Speakers,
    find_speakers,
    is_assistant,
    is_named,
    short_names,
)

_LONGEST_QUESTION = 200
_WORDS_OF_A_QUESTION = 6  # an unanswered question with fewer words names nothing
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
class _OpenQuestion:
    """A question that waits for its answer, and its turn."""

    text: str
    turn: Turn
    words: float


def extract_facts(turns: Sequence[Turn], *, speakers: tuple[str, ...] = ()) -> tuple[Fact, ...]:
    """Return the facts of some turns, in order, each with the turns that it was taken from."""
    cast = find_speakers(turns, speakers)
    entities = EntityFinder((turn.text for turn in turns), cast.names)
    wording = FactWriter(cast, entities)
    found: list[Fact] = []
    asked: _OpenQuestion | None = None
    for turn in turns:
        sentences = _turn_sentences(turn, cast)
        answer = _find_answer(sentences, asked, turn) if asked else None
        if asked:
            found += _question_facts(wording, asked, answer, turn)
        found += _statement_facts(wording, turn, [one for one in sentences if one is not answer])
        question = " ".join(one.text for one in _last_questions(sentences))
        asked = _OpenQuestion(question[-_LONGEST_QUESTION:], turn, text_length(question)) if question else None
    if asked:
        found += _question_facts(wording, asked, None, asked.turn)
    return tuple(found)


def _turn_sentences(turn: Turn, cast: Speakers) -> tuple[TurnSentence, ...]:
    """Return the sentences of a turn with pronouns resolved; of a long assistant answer only a few."""
    sentences = split_sentences(strip_private(turn.text))
    if is_assistant(turn):
        return assistant_summary(sentences)
    resolver = PronounResolver(cast.names)
    return join_short(
        tuple(
            one if one.item or one.heading else replace(one, text=resolver.resolve_pronoun(one.text))
            for one in sentences
        )
    )


def _statement_facts(wording: FactWriter, turn: Turn, sentences: Sequence[TurnSentence]) -> Iterator[Fact]:
    """Yield the facts that stand on their own; the last questions wait for their answers."""
    waiting = _last_questions(sentences)
    for one in sentences:
        if one.asks:
            is_kept = not (is_assistant(turn) or one in waiting) and _is_informative(one.text)
            if is_kept:
                yield wording.write_question(turn, one.text[:_LONGEST_QUESTION])
        elif one.heading or one.is_short or is_chatter(one.text, wording.speakers):
            continue
        elif not one.text.endswith((":", "：")) or text_length(one.text) >= _FEWEST_WORDS_BEFORE_CODE:
            yield wording.write_statement(turn, one.full_text, quoted=one.quoted)


def _last_questions(sentences: Sequence[TurnSentence]) -> list[TurnSentence]:
    """Return the last question, and the one before it where both are short."""
    questions = [one for one in sentences if one.asks][-_QUESTIONS_AT_ONCE:]
    together = sum(len(one.text) for one in questions) <= _LONGEST_QUESTION
    return questions if together else questions[-1:]


def _find_answer(sentences: Sequence[TurnSentence], question: _OpenQuestion, turn: Turn) -> TurnSentence | None:
    """Return the sentence that answers: the first with content, or a bare yes or no."""
    if turn.session != question.turn.session or (turn.speaker, turn.role) == (
        question.turn.speaker,
        question.turn.role,
    ):
        return None
    answers = [one for one in sentences if not (one.asks or one.heading or one.quoted)]
    if answers and _ANSWERS.match(answers[0].text):
        return answers[0]
    cast = find_speakers((question.turn, turn))
    bare = next(
        (one for one in answers[:1] if text_length(one.text) >= _FEWEST_OF_AN_ANSWER and not _THANKS.match(one.text)),
        None,
    )
    return next((one for one in answers if not is_chatter(one.text, cast)), bare)


def _question_facts(
    wording: FactWriter, question: _OpenQuestion, answer: TurnSentence | None, turn: Turn
) -> Iterator[Fact]:
    """Yield a question with its answer; without one only a person's question that names something."""
    if answer is not None:
        yield wording.write_answer(question.turn, question.text, turn, answer.full_text)
    elif question.words >= _WORDS_OF_A_QUESTION and not is_assistant(question.turn) and _is_informative(question.text):
        yield wording.write_question(question.turn, question.text)


def _is_informative(question: str) -> bool:
    return text_length(question) >= _WORDS_OF_A_QUESTION and not check_courtesies(Captured(question))


def is_chatter(text: str, cast: Speakers) -> bool:
    """Return whether a sentence holds nothing but courtesies and names."""
    if _THANKS.match(text) and text_length(text) <= _LONGEST_THANKS:
        return True
    for name in cast.names:
        if is_named(name, text):
            called = "|".join(map(re.escape, sorted(short_names(name), key=len, reverse=True)))
            text = re.sub(rf"(?<!\w)(?:{called})(?!\w)", " ", text)
    return bool(check_courtesies(Captured(text)))
