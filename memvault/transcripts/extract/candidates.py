"""Find memory candidates in a conversation: the statements of its people, and what they agreed to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType

from memvault.core.conversation import Turn
from memvault.core.kinds.infer_tags import DECISION, GOTCHA, PREFERENCE
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import Captured, check_courtesies, plain_words, trivial_reason
from memvault.text.dates.due import find_due
from memvault.text.statements import judge
from memvault.text.statements.judge import Judgement, judge_sentence
from memvault.text.statements.wording import QuoteMask, is_hanging, state_alone
from memvault.text.terms import split_tokens
from memvault.transcripts.extract.grounding import attribute_text, resolve_dates, with_zone
from memvault.transcripts.extract.sentences import TurnSentence, split_sentences
from memvault.transcripts.extract.speakers import PronounResolver, find_speakers, is_assistant, is_user

OWN_WORDS, OTHER_WORDS, IMPORTED_WORDS = "hook", "agent", "import"
"""How far words are trusted: the user's, picked up; those of an assistant; those of people in an imported talk."""


@dataclass(frozen=True, slots=True)
class CandidateSort:
    """How a memory of a sort is filed; what has no kind gets the one that its text has."""

    kind: str
    type: str
    tags: tuple[str, ...] = ()


SORTS: Mapping[str, CandidateSort] = MappingProxyType(
    {
        judge.DECISION: CandidateSort(SEMANTIC.name, "memory", (DECISION,)),
        judge.PREFERENCE: CandidateSort(SEMANTIC.name, "memory", (PREFERENCE,)),
        judge.GOTCHA: CandidateSort(SEMANTIC.name, "learning", (GOTCHA,)),
        judge.LEARNING: CandidateSort(SEMANTIC.name, "learning"),
        judge.TODO: CandidateSort(PROSPECTIVE.name, "memory"),
        judge.FACT: CandidateSort("", "memory"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCandidate:
    """A statement that is worth a memory, with the turns that it was taken from."""

    sort: str
    text: str
    turns: tuple[str, ...] = ()
    due: datetime | None = None
    source: str = OTHER_WORDS
    sureness: float = judge.SURE


@dataclass(frozen=True, slots=True)
class PassedSentence:
    """A sentence of a person that became no memory, and why."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of some turns, best first, and what was passed over."""

    found: tuple[MemoryCandidate, ...] = ()
    passed: tuple[PassedSentence, ...] = ()


# A proposal of the assistant is a decision only when the user accepts it.

_PROPOSES = re.compile(
    r"\b(?:i(?:'d| would)? (?:suggest|recommend|propose|advise|go (?:with|for))|my (?:recommendation|suggestion) is"
    r"|(?:ich|wir) (?:würde|würden|schlage|empfehle)|mein vorschlag|te sugiero|recomiendo|propongo"
    r"|je (?:propose|recommande|suggère))\b"
    r"|\b(?:let's|we should|we could|how about|what about|should we|shall we|wir (?:sollten|könnten)|podríamos"
    r"|deberíamos"
    r"|on (?:pourrait|devrait))(?: also| just| then)? (?:us(?:e|ing)|go(?:ing)? with|switch|mov(?:e|ing) .*\bto"
    r"|keep|adopt"
    r"|stor(?:e|ing)|stay|stick|drop|replac|mak(?:e|ing)|split|put|pin|set|nam(?:e|ing)|call|support|nehmen"
    r"|nutzen|verwenden"
    r"|usar|utiliser|garder|prendre)\w*\b"
)
# One-off actions and examples are no decisions: to take a break, to run the tests.
_ONE_OFF = re.compile(
    r"\b(?:suggest|recommend|propose|advise)(?: that)?(?: we| you| i)?(?: to| first| also)? "
    r"(?:tak(?:e|ing) a|run|check|look|see|try|start|begin|test|read|wait|restart|continu|mov(?:e|ing) on|proceed"
    r"|review|go"
    r" through|break|walk|add(?:ing)? (?:a )?tests?|debug|explor|creat|writ|fix|do|deploy|practic)\w*\b"
    r"|\b(?:examples?|hypothetical|illustrate|scenario|sure)\b|:$"
)
_CHOICE = re.compile(
    r"^(?:so |and |ok,? )?(?:(?:should|shall|do|can) we (?:keep|use|go|take|store|stay|put|make|drop|support|call"
    r"|have|want)"
    r"|which [\w -]{2,40}? (?:should|shall|do|would) (?:we|you (?:want|like|prefer))"
    r"|(?:sollen|wollen) wir|¿?(?:usamos|deberíamos usar)|est-ce qu'on (?:garde|utilise|prend))\b.{4,}"
)
_AGREES = re.compile(
    r"^(?:ok(?:ay)?[,.! ]+)*(?:(?:yes|yeah|yep|yup)\b(?! (?:that|it) (?:looks|is|was|makes))|agreed|i agree"
    r"|sounds? (?:good|great|right|like a plan)|perfect|good idea|great idea"
    r"|do (?:that|it)|let's do (?:that|it)|go (?:for|with) (?:it|that)|go ahead|makes sense|deal|exactly|ja"
    r"|einverstanden"
    r"|genau|machen wir|mach das|klingt gut|passt|sí|de acuerdo|vale|perfecto|hazlo|oui|d'accord|parfait|fais ça"
    r"|ça marche)\b"
)
_RESERVATION = re.compile(r"\b(?:but|however|instead|rather|not|no|don't|aber|nicht|pero|no|mais|pas|lol|haha)\b|\?")
_LONGEST_ANSWER = 160
_LAST = 2  # sentences of a long answer that may propose something: the rest explains
_SHORT_TURN = 8  # sentences


def find_proposal(sentences: Sequence[str]) -> str:
    """Return the last sentence with a proposal; empty where there is none."""
    shown = sentences if len(sentences) <= _SHORT_TURN else sentences[-_LAST:]
    return next((one for one in reversed(shown) if _is_proposal(one)), "")


def find_choice(sentences: Sequence[str]) -> str:
    """Return the last sentence that asks which way to go; empty where there is none."""
    return next(
        (one for one in reversed(sentences) if _CHOICE.match(plain_words(one)) and one.rstrip().endswith("?")), ""
    )


def is_agreement(answer: str) -> bool:
    """Return whether an answer accepts a proposal without reserve."""
    low = plain_words(answer)
    return len(low) <= _LONGEST_ANSWER and _AGREES.match(low) is not None and not _RESERVATION.search(low)


def is_choice(answer: str) -> bool:
    """Return whether an answer chooses in a few words."""
    low = plain_words(answer)
    return (
        0 < len(low) <= _LONGEST_ANSWER
        and "?" not in low
        and not re.search(r"\b(?:not sure|don't know|maybe|later)\b", low)
    )


def strip_proposal(sentence: str) -> str:
    """Return what a proposal proposes, without the words that propose it."""
    bare = _PROPOSING.sub("", sentence)
    return f"{bare[:1].lower()}{bare[1:]}" if bare != sentence else bare


_PROPOSING = re.compile(
    r"^(?:i(?:'d| would)? (?:suggest|recommend|propose|advise)(?: that)?|my (?:recommendation|suggestion) is(?: to)?"
    r"|let's|we (?:should|could)|how about|what about)(?: also| just| then)? ",
    re.IGNORECASE,
)


def _is_proposal(sentence: str) -> bool:
    low = plain_words(sentence)
    return _PROPOSES.search(low) is not None and not _ONE_OFF.search(low)


# The candidates of a conversation: sentence by sentence, each as it can be understood alone.

_TURNS_FOR_ONE = 4
_FEWEST_ALLOWED = 5
_SAME = 0.8  # share of words in common that makes two statements the same
_AGREED = 0.8
_FEWEST_WORDS = 4  # of a sentence that a later one may point back to
_SENTENCES_BACK = 8  # in which somebody was named whom "he" or "she" may mean
_SMALL_START = re.compile(r"(?<=\w\w[.!?]) +(?=[a-z])")
_GUESSES = re.compile(r"\b(?:might|may|could|probably|possibly|i think|i suspect|not sure|seems?|perhaps|maybe)\b")
HANGING, KNOWN, TOO_MANY = "not to be understood alone", "said before", "less telling than the rest"

_Scored = tuple[int, MemoryCandidate]  # the place of its turn goes first


def most_candidates(turns: Sequence[Turn]) -> int:
    """Return how many candidates a conversation may have."""
    return max(_FEWEST_ALLOWED, -(-len(turns) // _TURNS_FOR_ONE))


def find_candidates(turns: Sequence[Turn]) -> Candidates:
    """Judge each sentence of some turns, and return those that are worth a memory with those that are not."""
    search = _Search(turns)
    for place, turn in enumerate(turns):
        search.judge_turn(place, turn)
    return search.pick_best()


class _Search:
    """Goes through a conversation turn by turn, and remembers what was said before."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._cast = find_speakers(turns)
        self._resolver = PronounResolver(self._cast.names, window=_SENTENCES_BACK)
        self._said = ""  # the last sentence of the user that a later one may point back to
        self._before: tuple[Turn, tuple[TurnSentence, ...]] | None = None
        self._found: list[_Scored] = []
        self._passed: list[PassedSentence] = []

    def judge_turn(self, place: int, turn: Turn) -> None:
        """Judge the sentences of the next turn."""
        mask = QuoteMask(strip_private(turn.text))
        sentences = tuple(one for one in split_sentences(mask.text) if not one.heading)
        kept = [*self._judge_sentences(turn, sentences, mask)]
        said = tuple(replace(one, text=mask.restore(one.text)) for one in sentences if not one.quoted)
        if not kept and self._before is not None and is_user(turn) and is_assistant(self._before[0]):
            kept = [*_agreed_candidates(self._before, turn, said)]
        self._found += ((place, one) for one in kept)
        self._passed += (PassedSentence(line, judge.PASTED) for line in mask.dropped if is_user(turn) and line)
        self._before = (turn, said)

    def _judge_sentences(
        self, turn: Turn, sentences: Sequence[TurnSentence], mask: QuoteMask
    ) -> Iterator[MemoryCandidate]:
        is_own = not is_assistant(turn)
        asks = any(one.asks for one in sentences)
        before = ""
        for one in (part for whole in sentences for part in _split_again(whole)):
            text = self._resolver.resolve_pronoun(one.full_text) if is_own else one.full_text
            found = Judgement(judge.PASTED) if one.quoted or mask.is_handed_over(one.text) else judge_sentence(text)
            reason = judge.COURTESY if check_courtesies(Captured(text)) else found.reason
            reason = reason or self._find_reason(found, turn, text, asks=asks)
            stated = "" if reason else state_alone(text, found, before or self._said, is_same_turn=bool(before))
            if stated:
                yield self._make_candidate(turn, mask.restore(stated), found)
            elif is_own:
                self._passed.append(PassedSentence(mask.restore(one.text), reason or HANGING))
            before = text
        if is_user(turn) and len(before.split()) >= _FEWEST_WORDS and not is_hanging(before):
            self._said = before

    def _find_reason(self, found: Judgement, turn: Turn, text: str, *, asks: bool) -> str:
        """Return why a sentence is passed over that states something; empty where it is kept."""
        if is_assistant(turn):
            is_cause = found.sort == judge.GOTCHA and not _GUESSES.search(text.lower())
            return "" if is_cause else judge.VAGUE
        if found.sort == judge.GOTCHA and asks:
            return judge.TASK  # a trouble that is to be looked into
        if not is_user(turn) and found.sureness < judge.SURE:
            return judge.VAGUE
        return trivial_reason(Captured(text))

    def _make_candidate(self, turn: Turn, text: str, found: Judgement) -> MemoryCandidate:
        is_named = not (is_user(turn) or is_assistant(turn))
        # What always holds names no day: "our Friday lates".
        holds_always = found.sort == judge.PREFERENCE or (found.sort == judge.FACT and found.sureness == judge.SAID)
        return MemoryCandidate(
            sort=found.sort,
            text=attribute_text(self._cast, turn, text)
            if is_named
            else text
            if holds_always
            else resolve_dates(text, turn),
            turns=(turn.id,),
            source=OWN_WORDS if is_user(turn) else OTHER_WORDS if is_assistant(turn) else IMPORTED_WORDS,
            due=due_date(text, turn) if found.sort == judge.TODO else None,
            sureness=found.sureness,
        )

    def pick_best(self) -> Candidates:
        """Return the surest candidates without repeats, of equals the later, and all that was passed over."""
        chosen: list[tuple[frozenset[str], MemoryCandidate]] = []
        most = most_candidates(self._turns)
        for _, one in sorted(self._found, key=lambda scored: (-scored[1].sureness, -scored[0])):
            words = frozenset(split_tokens(one.text))
            is_known = any(len(words & known) >= _SAME * min(len(words), len(known)) for known, _ in chosen)
            if is_known or len(chosen) == most:
                self._passed.append(PassedSentence(one.text, KNOWN if is_known else TOO_MANY))
            else:
                chosen.append((words, one))
        return Candidates(tuple(one for _, one in chosen), tuple(self._passed))


def _split_again(sentence: TurnSentence) -> Iterator[TurnSentence]:
    """Yield the sentences of somebody who begins them with small letters."""
    yield from (replace(sentence, text=part) for part in _SMALL_START.split(sentence.text))


def _agreed_candidates(
    before: tuple[Turn, tuple[TurnSentence, ...]], turn: Turn, said: Sequence[TurnSentence]
) -> Iterator[MemoryCandidate]:
    """Yield the decision that the assistant proposed and the user accepted, or that the user chose when asked."""
    answer = said[0].text if said else ""
    question_turn, sentences = before[0], [one.text for one in before[1]]
    proposed = find_proposal(sentences) if is_agreement(answer) else ""
    question = "" if proposed or len(said) > 1 or not is_choice(answer) else find_choice(sentences[-1:])
    if proposed or question:
        settled = f"Agreed: {strip_proposal(proposed)}" if proposed else f"{question} {resolve_dates(answer, turn)}"
        yield MemoryCandidate(
            sort=judge.DECISION,
            text=resolve_dates(settled, question_turn),
            turns=(question_turn.id, turn.id),
            source=OTHER_WORDS,
            sureness=_AGREED,
        )


def due_date(sentence: str, turn: Turn) -> datetime | None:
    """Return the day by which something is due, counted from when it was said."""
    if turn.time is None:
        return None
    now = with_zone(turn.time)
    return find_due(sentence, now=now, zone=now.tzinfo or UTC)
