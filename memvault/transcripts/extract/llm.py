"""Have a model name what of a conversation is worth a memory; whatever it does not give, the rules do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memvault.core.conversation import Fact, Turn
from memvault.models.llm.ask import AskModel, Failure, Scrub
from memvault.models.llm.prompts import read_prompt
from memvault.text.dates.due import find_due
from memvault.transcripts.extract.candidates import (
    IMPORTED_WORDS,
    OTHER_WORDS,
    OWN_WORDS,
    SORTS,
    MemoryCandidate,
    find_candidates,
    make_candidate,
    most_candidates,
)
from memvault.transcripts.extract.chunks import TurnChunk, redact_text, split_chunks, stops_asking
from memvault.transcripts.extract.facts import extract_facts
from memvault.transcripts.extract.facts.grounding import LONGEST, Grounding, day_of, with_zone
from memvault.transcripts.extract.facts.speakers import is_assistant, is_user

_MOST = 20
_SCHEMA = {
    "type": "object",
    "properties": {
        "candidates": {
            "type": "array",
            "maxItems": _MOST,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "sort": {"type": "string", "enum": list(SORTS)},
                    "source_turn_ids": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["text", "sort", "source_turn_ids"],
            },
        }
    },
    "required": ["candidates"],
}
_NEED_THE_USER = frozenset(("decision", "preference", "todo"))


@dataclass(frozen=True, slots=True)
class CandidatesResult:
    """The candidates, how many that the model gave were not taken, and why it was not heard to the end."""

    candidates: tuple[MemoryCandidate, ...]
    dropped: int = 0
    failure: Failure | None = None


def candidates_with_model(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    ask: AskModel | None,
    *,
    seconds: float = 60.0,
    scrub: Scrub = redact_text,
) -> CandidatesResult:
    """What is worth a memory as a model names it, where its turns bear it out; else as the rules do."""
    if ask is None:
        return CandidatesResult(
            find_candidates(turns, facts), failure=Failure("none", "no language model is configured")
        )
    found: list[MemoryCandidate] = []
    dropped = 0
    failure: Failure | None = None
    for chunk in split_chunks(turns, scrub):
        answer: object = failure
        if not stops_asking(failure):
            answer = ask(read_prompt("candidates"), chunk.prompt_text(), _SCHEMA, seconds, purpose="what to remember")
        if isinstance(answer, Failure):
            failure = answer
        taken, lost = _accept_candidates(answer, chunk, scrub)
        dropped += lost
        found += find_candidates(chunk.turns, facts) if taken is None else taken
    kept = found[: most_candidates(turns)]
    return CandidatesResult(tuple(kept), dropped, failure)


def _accept_candidates(
    answer: object, chunk: TurnChunk, scrub: Scrub
) -> tuple[tuple[MemoryCandidate, ...] | None, int]:
    """The candidates of an answer that hold, and how many do not; None where the rules are to be asked."""
    given = answer.get("candidates") if isinstance(answer, Mapping) else None
    if not isinstance(given, list) or len(given) > _MOST:
        return None, len(given) if isinstance(given, list) else 0
    ground = Grounding(chunk.scrubbed)
    made = [one for one in (_parse_candidate(row, chunk, ground, scrub) for row in given) if one]
    unique = tuple({one.text.casefold(): one for one in reversed(made)}.values())[::-1]
    kept = unique[: most_candidates(chunk.turns)]
    return (kept if kept or not given else None), len(given) - len(kept)


def _parse_candidate(given: object, chunk: TurnChunk, ground: Grounding, scrub: Scrub) -> MemoryCandidate | None:
    if not isinstance(given, Mapping) or not isinstance(given.get("text"), str):
        return None
    sort, places = given.get("sort"), chunk.turn_places(given.get("source_turn_ids"))
    text = scrub(" ".join(given["text"].split())) if len(given["text"]) <= 2 * LONGEST else ""
    if not isinstance(sort, str) or sort not in SORTS:
        return None
    bearing = _supporting_turns(sort, chunk, places)
    if not bearing or ground.find_objection(text, bearing):
        return None
    sources = [chunk.turns[place] for place in places]
    return make_candidate(
        sort,
        text,
        turns=tuple(dict.fromkeys(turn.id for turn in sources)),
        source=_source_of(sources),
        due=_due_date(text, sources[-1]) if sort == "todo" else None,
    )


def _supporting_turns(sort: str, chunk: TurnChunk, places: Sequence[int]) -> Sequence[int]:
    """The turns whose words count: a wish is the user's own, and nothing is settled without them."""
    own = [place for place in places if not is_assistant(chunk.turns[place])]
    if sort in _NEED_THE_USER and not own:
        return ()
    return own if sort == "preference" else places


def _source_of(sources: Sequence[Turn]) -> str:
    """As far trusted as the least trusted of the turns."""
    if all(map(is_user, sources)):
        return OWN_WORDS
    return OTHER_WORDS if all(is_user(turn) or is_assistant(turn) for turn in sources) else IMPORTED_WORDS


def _due_date(text: str, turn: Turn) -> datetime | None:
    if turn.time is None:
        return None
    now = with_zone(turn.time)
    return find_due(text, now=now, zone=now.tzinfo or UTC)


# Have a model draw the statements out of a conversation; whatever it does not give, the rules do.

_MOST_PER_TURN = 10
_MOST_FACTS = 200
_MOST_NAMES, _LONGEST_NAME = 12, 80
_FACTS_SCHEMA = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": _MOST_FACTS,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "speaker": {"type": ["string", "null"]},
                    "source_turn_ids": {"type": "array", "items": {"type": "integer"}},
                    "day": {"type": ["string", "null"]},
                    "about": {"type": ["array", "null"], "items": {"type": "string"}},
                },
                "required": ["text", "source_turn_ids"],
            },
        }
    },
    "required": ["facts"],
}


@dataclass(frozen=True, slots=True)
class FactsResult:
    """The facts, how many that the model gave were not taken, and why it was not heard to the end."""

    facts: tuple[Fact, ...]
    dropped: int = 0
    failure: Failure | None = None


def facts_with_model(
    turns: Sequence[Turn],
    ask: AskModel | None,
    *,
    speakers: tuple[str, ...] = (),
    seconds: float = 60.0,
    scrub: Scrub = redact_text,
) -> FactsResult:
    """The facts of some turns as a model tells them, where each is borne out by its turns; else as the rules do."""
    failure = Failure("none", "no language model is configured") if ask is None else None
    found: list[Fact] = []
    dropped = 0
    for chunk in split_chunks(turns, scrub):
        taken: tuple[Fact, ...] = ()
        if ask is not None and not stops_asking(failure):
            answer = ask(
                read_prompt("facts"), chunk.prompt_text(), _FACTS_SCHEMA, seconds, purpose="facts of a conversation"
            )
            failure = answer if isinstance(answer, Failure) else failure
            taken, lost = _accept_facts(answer, chunk, scrub)
            dropped += lost
        found += taken or extract_facts(chunk.turns, speakers=speakers)
    return FactsResult(tuple(found), dropped, failure)


def _accept_facts(answer: object, chunk: TurnChunk, scrub: Scrub) -> tuple[tuple[Fact, ...], int]:
    """The facts of an answer that hold, in the order of their turns, and how many do not."""
    given = answer.get("facts") if isinstance(answer, Mapping) else None
    if not isinstance(given, list) or len(given) > min(_MOST_FACTS, _MOST_PER_TURN * len(chunk.turns)):
        return (), len(given) if isinstance(given, list) else 0
    ground = Grounding(chunk.scrubbed)
    unique: dict[str, Fact] = {}
    for fact in (_parse_fact(one, chunk, ground, scrub) for one in given):
        if fact is not None:
            unique.setdefault(fact.text.casefold(), fact)
    places = {turn.id: place for place, turn in enumerate(chunk.turns)}
    ordered = sorted(unique.values(), key=lambda fact: places[fact.turns[-1]])
    return tuple(ordered), len(given) - len(ordered)


def _parse_fact(given: object, chunk: TurnChunk, ground: Grounding, scrub: Scrub) -> Fact | None:
    if not isinstance(given, Mapping) or not isinstance(given.get("text"), str):
        return None
    places = chunk.turn_places(given.get("source_turn_ids"))
    text = scrub(" ".join(given["text"].split())) if len(given["text"]) <= 2 * LONGEST else ""
    if not places or ground.find_objection(text, places):
        return None
    sources = [chunk.turns[place] for place in places]
    speakers = [turn.speaker for turn in sources]
    named = given.get("speaker")
    return Fact(
        text=text,
        speaker=named if isinstance(named, str) and named in speakers else speakers[-1],
        turns=tuple(dict.fromkeys(turn.id for turn in sources)),
        day=_fact_day(given.get("day"), text, sources),
        about=_named_entities(given.get("about"), text),
    )


def _fact_day(given: object, text: str, sources: Sequence[Turn]) -> date | None:
    """The day that the model names, if the statement has it too; else the one that the statement speaks of."""
    try:
        day = date.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        day = None
    return day if day is not None and day.isoformat() in text else day_of(text, sources[-1])


def _named_entities(given: object, text: str) -> tuple[str, ...]:
    names = given if isinstance(given, list) else []
    held = (name.strip() for name in names if isinstance(name, str) and 0 < len(name.strip()) <= _LONGEST_NAME)
    return tuple(dict.fromkeys(name for name in held if name.casefold() in text.casefold()))[:_MOST_NAMES]
