"""How candidates are chosen: by cues, by who said it, and the best of them only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.screens import Captured, courtesies, without_particulars
from memvault.text.dates.due import due_in
from memvault.text.terms import tokens
from memvault.transcripts.extract.candidates.candidate import (
    OTHER_WORDS,
    OWN_WORDS,
    STRANGERS,
    Candidate,
    agrees,
    asks_for_help,
    candidate,
    choice,
    clause,
    is_meant,
    is_text_work,
    picks,
    plain,
    proposal,
)
from memvault.transcripts.extract.candidates.cues import ASSISTANT, PERSON, USER, Cue, compiled
from memvault.transcripts.extract.facts.grounding import attributed, moment, told
from memvault.transcripts.extract.facts.sentences import Said, said_in
from memvault.transcripts.extract.facts.speakers import Cast, cast_of, is_assistant, is_user
from memvault.transcripts.model.turn import Fact, Turn

_TURNS_FOR_ONE = 8
_FEWEST_ALLOWED = 5
_SAME = 0.8  # of the words of one in another: the same statement
_OF_THE_USER = 0.5
_AGREED, _PICKED = 2.5, 2.4


@dataclass(frozen=True, slots=True)
class _Found:
    strength: float
    place: int
    candidate: Candidate


def most_of(turns: Sequence[Turn]) -> int:
    """How many candidates a conversation may have."""
    return max(_FEWEST_ALLOWED, -(-len(turns) // _TURNS_FOR_ONE))


def candidates(turns: Sequence[Turn], facts: Sequence[Fact] = ()) -> tuple[Candidate, ...]:
    """What is worth a memory, the best first; about one for ten turns at most."""
    cast = cast_of(turns)
    told_by = _by_turn(facts)
    found: list[_Found] = []
    before: tuple[Turn, tuple[Said, ...]] | None = None
    for place, turn in enumerate(turns):
        said = tuple(one for one in said_in(without_private(turn.text)) if not (one.quoted or one.heading))
        stated = [*_stated(turn, said, place, cast, told_by.get(turn.id, ()))]
        if before is not None and not stated and is_user(turn) and is_assistant(before[0]):
            stated = [*_settled(before, turn, said, place)]
        found += stated
        before = (turn, said)
    return _best(found, most_of(turns))


def _stated(turn: Turn, said: Sequence[Said], place: int, cast: Cast, known: Sequence[Fact]) -> Iterator[_Found]:
    """What the sentences of a turn say by themselves."""
    if is_text_work(turn.text[:200]):
        return
    wants_help = asks_for_help(turn.text)
    for one in said:
        found = _cue(one.whole, turn, wants_help=wants_help) if _may_tell(one) else None
        if found is None:
            continue
        cue, start, end = found
        words = clause(one.whole, plain(one.whole), start, end)
        fact = _told_as(one.text, known) if words == one.whole else None
        made = candidate(
            cue.sort,
            fact.text if fact else attributed(cast, turn, words),
            turns=fact.turns if fact else (turn.id,),
            source=_source(turn),
            due=_day(one.whole[start:], turn) if cue.sort == "todo" else None,
        )
        yield _Found(cue.strength + _OF_THE_USER * is_user(turn), place, made)


def _may_tell(one: Said) -> bool:
    """Whether a sentence can be a statement: a question that wants to be reminded is one."""
    return not one.text.endswith(":") and (not one.asks or "remind" in one.text)


def _cue(sentence: str, turn: Turn, *, wants_help: bool) -> tuple[Cue, int, int] | None:
    """The strongest cue in a sentence that is meant, and where it stands."""
    low, speaker = plain(sentence), _speaker(turn)
    best: tuple[Cue, int, int] | None = None
    for cue, pattern in compiled().items():
        if speaker not in cue.of or (best and cue.strength <= best[0].strength):
            continue
        found = None if cue.alone and wants_help and speaker == USER else pattern.search(low)
        if not found or not is_meant(cue.sort, low, *found.span(), own=speaker != ASSISTANT):
            continue
        if not cue.dated or _day(sentence[found.start() :], turn) is not None:
            best = cue, *found.span()
    return None if best is None or courtesies(Captured(sentence)) or without_particulars(Captured(sentence)) else best


def _speaker(turn: Turn) -> str:
    return USER if is_user(turn) else ASSISTANT if is_assistant(turn) else PERSON


def _settled(before: tuple[Turn, tuple[Said, ...]], turn: Turn, said: Sequence[Said], place: int) -> Iterator[_Found]:
    """What the assistant proposed or asked and the user agreed to or chose."""
    answer = said[0].text if said else ""
    asked, sentences = before[0], [one.text for one in before[1]]
    proposed = proposal(sentences) if agrees(answer) else ""
    question = "" if proposed or len(said) > 1 or not picks(answer) else choice(sentences[-1:])
    if not (proposed or question) or without_particulars(Captured(proposed or question)):
        return
    verbs = ("proposed", "agreed") if proposed else ("asked", "chose")
    text = f"The assistant {verbs[0]}: {told(proposed or question, asked)} The user {verbs[1]}: {told(answer, turn)}"
    made = candidate("decision", text, turns=(asked.id, turn.id), source=OTHER_WORDS)
    yield _Found(_AGREED if proposed else _PICKED, place, made)


def _source(turn: Turn) -> str:
    return OWN_WORDS if is_user(turn) else OTHER_WORDS if is_assistant(turn) else STRANGERS


def _day(sentence: str, turn: Turn) -> datetime | None:
    if turn.time is None:
        return None
    now = moment(turn.time)
    return due_in(sentence, now=now, zone=now.tzinfo or UTC)


def _by_turn(facts: Sequence[Fact]) -> Mapping[str, Sequence[Fact]]:
    found: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        found[fact.turns[-1]].append(fact)
    return found


def _told_as(sentence: str, facts: Sequence[Fact]) -> Fact | None:
    """The shortest fact that says what a sentence says."""
    words = frozenset(tokens(sentence))
    saying = [fact for fact in facts if sentence in fact.text or _share(words, fact.text) >= _SAME]
    return min(saying, key=lambda fact: len(fact.text), default=None)


def _share(words: frozenset[str], text: str) -> float:
    return len(words & frozenset(tokens(text))) / max(1, len(words))


def _best(found: Sequence[_Found], most: int) -> tuple[Candidate, ...]:
    """The strongest, of equals the later; nothing twice."""
    taken: list[tuple[frozenset[str], Candidate]] = []
    for one in sorted(found, key=lambda one: (-one.strength, -one.place)):
        words = frozenset(tokens(one.candidate.text))
        if not any(len(words & known) >= _SAME * min(len(words), len(known)) for known, _ in taken):
            taken.append((words, one.candidate))
        if len(taken) == most:
            break
    return tuple(one for _, one in taken)
