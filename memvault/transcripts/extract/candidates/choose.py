"""Choose candidates by signal and by speaker, and only the best of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from memvault.core.conversation import Fact, Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import Captured, check_courtesies, check_particulars
from memvault.text.dates.due import find_due
from memvault.text.terms import split_tokens
from memvault.transcripts.extract.candidates.candidate import (
    IMPORTED_WORDS,
    OTHER_WORDS,
    OWN_WORDS,
    MemoryCandidate,
    asks_for_help,
    cut_clause,
    find_choice,
    find_proposal,
    is_agreement,
    is_choice,
    is_meant,
    is_text_work,
    make_candidate,
    normalize_text,
)
from memvault.transcripts.extract.candidates.signals import ASSISTANT, PERSON, USER, KeepSignal, compiled_signals
from memvault.transcripts.extract.facts.grounding import attribute_text, resolve_dates, with_zone
from memvault.transcripts.extract.facts.sentences import TurnSentence, split_sentences
from memvault.transcripts.extract.facts.speakers import Speakers, find_speakers, is_assistant, is_user

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
    return _pick_best(found, most_candidates(turns))


def _turn_candidates(
    turn: Turn, sentences: Sequence[TurnSentence], place: int, cast: Speakers, known: Sequence[Fact]
) -> Iterator[_Scored]:
    """Yield the candidates in the sentences of a turn."""
    if is_text_work(turn.text[:200]):
        return
    wants_help = asks_for_help(turn.text)
    for one in sentences:
        # A question for a reminder may be a statement.
        if one.text.endswith(":") or (one.asks and "remind" not in one.text):
            continue
        found = _strongest_signal(one.full_text, turn, wants_help=wants_help)
        if found is None:
            continue
        cue, start, end = found
        words = cut_clause(one.full_text, normalize_text(one.full_text), start, end)
        fact = _shortest_fact(one.text, known) if words == one.full_text else None
        candidate = make_candidate(
            cue.sort,
            fact.text if fact else attribute_text(cast, turn, words),
            turns=fact.turns if fact else (turn.id,),
            source=_source_of(turn),
            due=due_date(one.full_text[start:], turn) if cue.sort == "todo" else None,
        )
        yield cue.strength + _OF_THE_USER * is_user(turn), place, candidate


def _strongest_signal(sentence: str, turn: Turn, *, wants_help: bool) -> tuple[KeepSignal, int, int] | None:
    """Return the strongest signal that a sentence means, and its place."""
    low, speaker = normalize_text(sentence), _speaker_role(turn)
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


def _speaker_role(turn: Turn) -> str:
    return USER if is_user(turn) else ASSISTANT if is_assistant(turn) else PERSON


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
    candidate = make_candidate("decision", text, turns=(question_turn.id, turn.id), source=OTHER_WORDS)
    yield _AGREED if proposed else _PICKED, place, candidate


def _source_of(turn: Turn) -> str:
    return OWN_WORDS if is_user(turn) else OTHER_WORDS if is_assistant(turn) else IMPORTED_WORDS


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


def _pick_best(found: Sequence[_Scored], most: int) -> tuple[MemoryCandidate, ...]:
    """Return the strongest candidates without repeats, of equals the later."""
    chosen: list[tuple[frozenset[str], MemoryCandidate]] = []
    for _, _, candidate in sorted(found, key=lambda one: (-one[0], -one[1])):
        words = frozenset(split_tokens(candidate.text))
        if not any(len(words & known) >= _SAME * min(len(words), len(known)) for known, _ in chosen):
            chosen.append((words, candidate))
        if len(chosen) == most:
            break
    return tuple(one for _, one in chosen)
