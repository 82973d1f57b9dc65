"""What speaks for a new topic at a turn, or against it: answers, shared facts, pauses, turning words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from math import log2

from memvault.core.conversation import Fact, Turn, pause_between

# Words that change the topic, in many languages.

_SPACED = """
anyway, anyways, by the way, btw, another question, another thing, one more question, next question, new question,
different question, different topic, another topic, next topic, new topic, unrelated, on another note,
on a different note, on a separate note, changing the subject, change of subject, change of topic, switching gears,
switching topics, moving on, off topic, that reminds me, before i forget, something else, separately
übrigens, andere frage, nächste frage, noch eine frage, anderes thema, themenwechsel, nächstes thema, apropos,
was anderes, etwas anderes, bevor ich es vergesse, nebenbei
au fait, autre question, autre chose, autre sujet, rien à voir, changeons de sujet, pour changer de sujet,
question suivante, avant que j'oublie
por cierto, otra pregunta, otra cosa, otro tema, cambiando de tema, siguiente pregunta, a propósito
aliás, outra pergunta, outra coisa, outro assunto, mudando de assunto, próxima pergunta
a proposito, un'altra domanda, altra domanda, un'altra cosa, cambiando argomento, cambiamo argomento
trouwens, andere vraag, iets anders, ander onderwerp, volgende vraag
przy okazji, inne pytanie, kolejne pytanie, zmieniając temat, a tak w ogóle
mimochodem, další otázka, jiná otázka, bu arada, başka bir soru, başka bir konu
förresten, en annan fråga, annan fråga, for øvrigt, forresten, et annet spørsmål, muuten, toinen kysymys
кстати, другой вопрос, ещё вопрос, еще вопрос, следующий вопрос, другая тема, сменим тему, до речі, інше питання
بالمناسبة, سؤال آخر, דרך אגב, שאלה אחרת, वैसे, एक और सवाल
"""
_DENSE = """
顺便, 順便, 换个话题, 換個話題, 另一个问题, 另一個問題, 另外一个问题, 下一个问题, 对了, 對了, 话说回来, 話說回來
ところで, 話は変わ, 話変わ, 話を変え, 別の質問, 別件, そういえば, 次の質問
그나저나, 그건 그렇고, 다른 질문, 다른 얘기, 다음 질문
"""


def _phrase_pattern(table: str) -> str:
    phrases = (phrase.strip() for phrase in table.replace("\n", ",").split(","))
    return "|".join(sorted(map(re.escape, filter(None, phrases)), key=lambda phrase: (-len(phrase), phrase)))


# Where a sentence or clause begins: "I like it anyway" changes nothing.
_BEGINS = r"(?:^|[.!?…:,;—–。！？、，\n]\s*|\b(?:and|but|so|oh|ok|okay|well|und|et|y|e)\s+)\W*"
TURNING = re.compile(rf"{_BEGINS}(?:(?:{_phrase_pattern(_SPACED)})\b|{_phrase_pattern(_DENSE)})")


_CHANGE = 6.0  # the base cost of a new topic: in doubt it is the same
_ANSWER, _REPLY, _GOES_ON = 2.0, 6.0, 3.0
_SPANNED, _WIDEST = 8.0, 6
_TURNING = 3.0
_PAUSE = timedelta(minutes=10)
_LONG, _PER_DOUBLING = 4.0, 1.2
_OPENING = 80  # characters of a turn in which turning words count
_ENDING = 300

_ASKS = re.compile(r"[?？؟]\W*(?:\[[^\]]*\]\W*)?\Z")
_ASSISTANT, _USER = "assistant", "user"


def boundary_costs(turns: Sequence[Turn], facts: Sequence[Fact], start: int, end: int) -> list[float]:
    """Return the cost of a new topic at each turn from `start` to `end`; the first costs nothing."""
    spanned = set(_spanned_turns(turns, facts, start, end))
    between = [_boundary_cost(turns[at - 1], turns[at]) + _SPANNED * (at in spanned) for at in range(start + 1, end)]
    return [0.0, *between]


def continued_turns(turns: Sequence[Turn], facts: Sequence[Fact], start: int, end: int) -> frozenset[int]:
    """Return the turns that certainly continue a topic: assistant answers, and turns that share a fact."""
    answers = (at for at in range(start + 1, end) if is_assistant(turns[at]) and not is_assistant(turns[at - 1]))
    return frozenset((*answers, *_spanned_turns(turns, facts, start, end)))


def _boundary_cost(before: Turn, turn: Turn) -> float:
    if is_assistant(turn):  # who asks sets the topic, and who answers keeps it
        return _CHANGE + (_GOES_ON if is_assistant(before) else _REPLY)
    is_answer = turn.speaker != before.speaker and not is_assistant(before) and ends_with_question(before.text)
    pause = pause_between(before, turn)
    bonus = min(_LONG, _PER_DOUBLING * log2(pause / _PAUSE)) if pause > _PAUSE else 0.0
    return _CHANGE + _ANSWER * is_answer - _TURNING * changes_topic(turn.text) - bonus


def is_assistant(turn: Turn) -> bool:
    """Return whether an assistant said it."""
    return (turn.role or turn.speaker.casefold()) == _ASSISTANT


def is_user(turn: Turn) -> bool:
    """Return whether the user of an assistant said it."""
    return (turn.role or turn.speaker.casefold()) == _USER


def ends_with_question(text: str) -> bool:
    """Return whether a text ends with a question."""
    return _ASKS.search(text[-_ENDING:]) is not None


def changes_topic(text: str) -> bool:
    """Return whether a text begins with words that change the topic."""
    return TURNING.search(text[:_OPENING].casefold()) is not None


def _spanned_turns(turns: Sequence[Turn], facts: Sequence[Fact], start: int, end: int) -> Iterator[int]:
    """Yield the turns that a fact joins to the turn before them."""
    if not facts:
        return
    places = {turns[at].id: at for at in range(start, end)}
    for fact in facts:
        found = [places[id_] for id_ in fact.turns if id_ in places] if len(fact.turns) > 1 else ()
        if found and max(found) - min(found) < _WIDEST:
            yield from range(min(found) + 1, max(found) + 1)
