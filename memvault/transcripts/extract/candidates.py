"""Find memory candidates in a conversation: decisions, preferences, gotchas, learnings, things to do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType

from memvault.core.conversation import Fact, Turn
from memvault.core.kinds.infer_tags import DECISION, GOTCHA, PREFERENCE
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import Captured, check_courtesies, check_particulars, plain_words
from memvault.text.dates.due import find_due
from memvault.text.terms import split_tokens
from memvault.transcripts.extract.grounding import attribute_text, resolve_dates, with_zone
from memvault.transcripts.extract.sentences import TurnSentence, split_sentences
from memvault.transcripts.extract.signals import ASSISTANT, PERSON, USER, KeepSignal, compiled_signals
from memvault.transcripts.extract.speakers import Speakers, find_speakers, is_assistant, is_user

OWN_WORDS, OTHER_WORDS, IMPORTED_WORDS = "hook", "agent", "import"
"""How far words are trusted: the user's, picked up; those of an assistant; those of people in an imported talk."""


@dataclass(frozen=True, slots=True)
class CandidateSort:
    """How a memory of a sort is filed."""

    kind: str
    type: str
    tags: tuple[str, ...] = ()


SORTS: Mapping[str, CandidateSort] = MappingProxyType(
    {
        "decision": CandidateSort(SEMANTIC.name, "memory", (DECISION,)),
        "preference": CandidateSort(SEMANTIC.name, "memory", (PREFERENCE,)),
        "gotcha": CandidateSort(SEMANTIC.name, "learning", (GOTCHA,)),
        "learning": CandidateSort(SEMANTIC.name, "learning"),
        "todo": CandidateSort(PROSPECTIVE.name, "memory"),
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


# The clause around a signal, without an attached request.

_LONG = 160  # characters: of a longer sentence the text before the clause is dropped too
_SHORTEST = 25

_REQUEST = re.compile(
    r"[,;]? (?:[-–—] )?(?:so |and |but )?(?:can|could|would) you\b|[,;]? (?:and|but|so"
    r"|which is why) (?:now )?i(?:'m| am)"
    r" (?:not sure|unsure|worried|wondering|hoping|curious|stuck|asking)\b|, (?:but )?(?:how|what|which|why"
    r"|do you|is that|is it"
    r"|any )\b|,? but (?:how|what|i'm|i am|i don't know)\b"
)
_JOINTS = re.compile(r"(?:, (?:and|so|but)|; |\. |: )\s*(?=(?:i|i'm|i've|i'd|we|we're|we've|my|our)\b)")
_JOINED_ON = re.compile(r"^(?:and|but|so) ")
_POINTS_BACK = re.compile(r"\b(?:it|this|that|them|these|those|so)\b")


def cut_clause(sentence: str, low: str, start: int, end: int) -> str:
    """Return the clause of a sentence around its signal; `low` is the same text in lower case."""
    if len(low) != len(sentence):
        return sentence
    last = next(
        (found.start() for found in _REQUEST.finditer(low, end) if found.start() - start >= _SHORTEST), len(low)
    )
    first = 0
    if last - first > _LONG:
        joints = [found.end() for found in _JOINTS.finditer(low, 0, start + 1)]
        ends = (found.start() for found in _JOINTS.finditer(low, end, last) if found.start() - start >= _SHORTEST)
        last = next(ends, last)
        first = joints[-1] if joints and not _POINTS_BACK.search(low, start, min(end + 6, last)) else 0
    cut = _JOINED_ON.sub("", sentence[first:last].strip(" ,;"))
    whole = cut[:1].upper() + cut[1:] if first else cut
    return whole.rstrip("?") if last < len(sentence) or whole.endswith("?") else whole


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


def _is_proposal(sentence: str) -> bool:
    low = plain_words(sentence)
    return _PROPOSES.search(low) is not None and not _ONE_OFF.search(low)


# Why a signal may not be meant: the sentence asks, supposes, quotes, doubts, or speaks of others.

_SUPPOSES = re.compile(
    r"\b(?:if|whether|suppose|supposing|imagine|assuming|what if|pretend|in case|ob|falls|angenommen|stell dir vor"
    r"|imagina|supón|imagine|supposons)\b|\bwenn (?:wir|ich|du|man)\b|^si "
)
_OTHERS_SAY = re.compile(
    r"\b(?:says?|said|told|tells|claims?|claimed|wrote|writes|according to|quote|reads|insists?|believes|asked me"
    r"|sagt|sagte"
    r"|meint|laut|dice|dijo|según|dit|selon)\b"
)
_OVER = re.compile(
    r"\b(?:used to|no longer|back then|years ago|changed (?:my|our) minds?|not anymore|früher|damals|antes (?:yo"
    r"|nosotros)"
    r"|autrefois|n'est plus)\b"
)
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|might|not sure|some day|someday|i guess|i wonder|could be|haven't|hasn't|have not"
    r"|undecided|vielleicht|eventuell|quizás|quizá|tal vez|peut-être|je ne sais pas|thinking (?:about|of))\b"
)
_GUESSES = re.compile(r"\b(?:might|may|could|probably|possibly|i think|i suspect|not sure|seems?|perhaps|maybe)\b")
_TEXT_WORK = re.compile(
    r"^(?:please |can you |could you )*(?:translate|summari[sz]e|paraphrase|rewrite|proofread|rephrase|übersetze?"
    r"|traduce|"
    r"traduis|fasse? zusammen|resume|résume)\b",
    re.IGNORECASE,
)
_OBJECTIONS_REQUEST = re.compile(
    r"\?|\b(?:can|could|would) you\b|\bplease (?:fix|check|look|help|find|explain|debug)\b|\bhelp me\b|\bany ideas?\b"
    r"|\bhow (?:do|can) i\b|\bfix (?:it|this|that)\b",
    re.IGNORECASE,
)
_OPEN, _CLOSE = "“„«「", "”“»」"

HARD = frozenset(("decision", "preference", "todo"))
"""Sorts that are only meant where nothing is supposed."""


def is_meant(sort: str, sentence: str, start: int, end: int, *, own: bool) -> bool:
    """Return whether a signal at a place of a sentence is meant as such."""
    before = sentence[:start]
    if _is_within_quotes(sentence, start):
        return False
    if not own and _GUESSES.search(sentence):
        return False
    if sort == "gotcha":
        return True
    if _OTHERS_SAY.search(before) or _OVER.search(sentence):
        return False
    return sort not in HARD or not (_SUPPOSES.search(before) or _DOUBTS.search(sentence[: end + 20]))


def _is_within_quotes(sentence: str, start: int) -> bool:
    before = sentence[:start]
    if before.count('"') % 2:
        return True
    opened = max(before.rfind(sign) for sign in _OPEN)
    return opened >= 0 and not any(sign in before[opened + 1 :] for sign in _CLOSE)


# The candidates of a conversation: by signal and by speaker, and only the best of them.

_TURNS_FOR_ONE = 8
_FEWEST_ALLOWED = 5
_SAME = 0.8  # share of words in common that makes two statements the same
_OF_THE_USER = 0.5
_AGREED, _PICKED = 2.5, 2.4


_Scored = tuple[float, int, MemoryCandidate]  # its strength, and the place of its turn


def most_candidates(turns: Sequence[Turn]) -> int:
    """Return how many candidates a conversation may have."""
    return max(_FEWEST_ALLOWED, -(-len(turns) // _TURNS_FOR_ONE))


def find_candidates(turns: Sequence[Turn], facts: Sequence[Fact] = ()) -> tuple[MemoryCandidate, ...]:
    """Return the candidates, best first; about one for ten turns at most."""
    cast = find_speakers(turns)
    facts_by_turn: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        facts_by_turn[fact.turns[-1]].append(fact)
    found: list[_Scored] = []
    before: tuple[Turn, tuple[TurnSentence, ...]] | None = None
    for place, turn in enumerate(turns):
        sentences = tuple(one for one in split_sentences(strip_private(turn.text)) if not (one.quoted or one.heading))
        stated = [*_turn_candidates(turn, sentences, place, cast, facts_by_turn.get(turn.id, ()))]
        if before is not None and not stated and is_user(turn) and is_assistant(before[0]):
            stated = [*_agreed_candidates(before, turn, sentences, place)]
        found += stated
        before = (turn, sentences)
    # The strongest candidates without repeats, of equals the later.
    most = most_candidates(turns)
    chosen: list[tuple[frozenset[str], MemoryCandidate]] = []
    for _, _, candidate in sorted(found, key=lambda one: (-one[0], -one[1])):
        words = frozenset(split_tokens(candidate.text))
        if not any(len(words & known) >= _SAME * min(len(words), len(known)) for known, _ in chosen):
            chosen.append((words, candidate))
        if len(chosen) == most:
            break
    return tuple(one for _, one in chosen)


def _turn_candidates(
    turn: Turn, sentences: Sequence[TurnSentence], place: int, cast: Speakers, known: Sequence[Fact]
) -> Iterator[_Scored]:
    """Yield the candidates in the sentences of a turn."""
    if _TEXT_WORK.match(turn.text[:200].lstrip()) is not None:
        return
    wants_help = _OBJECTIONS_REQUEST.search(turn.text) is not None
    for one in sentences:
        # A question for a reminder may be a statement.
        if one.text.endswith(":") or (one.asks and "remind" not in one.text):
            continue
        found = _strongest_signal(one.full_text, turn, wants_help=wants_help)
        if found is None:
            continue
        cue, start, end = found
        words = cut_clause(one.full_text, plain_words(one.full_text), start, end)
        fact = _shortest_fact(one.text, known) if words == one.full_text else None
        candidate = MemoryCandidate(
            sort=cue.sort,
            text=fact.text if fact else attribute_text(cast, turn, words),
            turns=fact.turns if fact else (turn.id,),
            source=(OWN_WORDS if is_user(turn) else OTHER_WORDS if is_assistant(turn) else IMPORTED_WORDS),
            due=due_date(one.full_text[start:], turn) if cue.sort == "todo" else None,
        )
        yield cue.strength + _OF_THE_USER * is_user(turn), place, candidate


def _strongest_signal(sentence: str, turn: Turn, *, wants_help: bool) -> tuple[KeepSignal, int, int] | None:
    """Return the strongest signal that a sentence means, and its place."""
    low, speaker = plain_words(sentence), (USER if is_user(turn) else ASSISTANT if is_assistant(turn) else PERSON)
    best: tuple[KeepSignal, int, int] | None = None
    for cue, pattern in compiled_signals().items():
        if speaker not in cue.speakers or (best and cue.strength <= best[0].strength):
            continue
        found = None if cue.not_in_request and wants_help and speaker == USER else pattern.search(low)
        if not found or not is_meant(cue.sort, low, *found.span(), own=speaker != ASSISTANT):
            continue
        if not cue.needs_day or due_date(sentence[found.start() :], turn) is not None:
            best = cue, *found.span()
    return (
        None if best is None or check_courtesies(Captured(sentence)) or check_particulars(Captured(sentence)) else best
    )


def _agreed_candidates(
    before: tuple[Turn, tuple[TurnSentence, ...]], turn: Turn, said: Sequence[TurnSentence], place: int
) -> Iterator[_Scored]:
    """Yield the decision that the assistant proposed and the user accepted or chose."""
    answer = said[0].text if said else ""
    question_turn, sentences = before[0], [one.text for one in before[1]]
    proposed = find_proposal(sentences) if is_agreement(answer) else ""
    question = "" if proposed or len(said) > 1 or not is_choice(answer) else find_choice(sentences[-1:])
    if not (proposed or question) or check_particulars(Captured(proposed or question)):
        return
    verbs = ("proposed", "agreed") if proposed else ("asked", "chose")
    proposal = f"The assistant {verbs[0]}: {resolve_dates(proposed or question, question_turn)}"
    text = f"{proposal} The user {verbs[1]}: {resolve_dates(answer, turn)}"
    candidate = MemoryCandidate(sort="decision", text=text, turns=(question_turn.id, turn.id), source=OTHER_WORDS)
    yield _AGREED if proposed else _PICKED, place, candidate


def due_date(sentence: str, turn: Turn) -> datetime | None:
    """Return the day by which something is due, counted from when it was said."""
    if turn.time is None:
        return None
    now = with_zone(turn.time)
    return find_due(sentence, now=now, zone=now.tzinfo or UTC)


def _shortest_fact(sentence: str, facts: Sequence[Fact]) -> Fact | None:
    """Return the shortest fact that says what a sentence says."""
    words = frozenset(split_tokens(sentence))
    least = _SAME * max(1, len(words))
    same = [fact for fact in facts if sentence in fact.text or len(words & frozenset(split_tokens(fact.text))) >= least]
    return min(same, key=lambda fact: len(fact.text), default=None)
