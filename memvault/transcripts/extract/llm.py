"""Extract memory candidates and facts with a model; the rules fill in what it does not give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from memvault.core.conversation import Fact, Turn
from memvault.models.llm.ask import AskModel, Failure, read_prompt
from memvault.transcripts.extract.candidates.candidate import (
    IMPORTED_WORDS,
    OTHER_WORDS,
    OWN_WORDS,
    SORTS,
    MemoryCandidate,
    make_candidate,
)
from memvault.transcripts.extract.candidates.choose import due_date, find_candidates, most_candidates
from memvault.transcripts.extract.chunks import NO_MODEL, ModelResult, TurnChunk, scrub_text, split_chunks, stops_asking
from memvault.transcripts.extract.facts.extract import extract_facts
from memvault.transcripts.extract.facts.grounding import LONGEST, Grounding, day_of
from memvault.transcripts.extract.facts.speakers import is_assistant, is_user

_SECONDS = 60.0  # for an answer
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


def candidates_with_model(
    turns: Sequence[Turn], facts: Sequence[Fact], ask: AskModel | None
) -> ModelResult[tuple[MemoryCandidate, ...]]:
    """Return the candidates that a model names and the turns support; else those of the rules."""
    if ask is None:
        return ModelResult(find_candidates(turns, facts), failure=NO_MODEL)
    found: list[MemoryCandidate] = []
    refused = 0
    failure: Failure | None = None
    for chunk in split_chunks(turns):
        answer: object = failure
        if not stops_asking(failure):
            answer = ask(read_prompt("candidates"), chunk.prompt_text(), _SCHEMA, _SECONDS, purpose="what to remember")
        failure = answer if isinstance(answer, Failure) else failure
        accepted, lost = _accept_candidates(answer, chunk)
        refused += lost
        found += find_candidates(chunk.turns, facts) if accepted is None else accepted
    return ModelResult(tuple(found[: most_candidates(turns)]), refused, failure)


def _accept_candidates(answer: object, chunk: TurnChunk) -> tuple[tuple[MemoryCandidate, ...] | None, int]:
    """Return the valid candidates of an answer, and how many are not; None where the rules decide."""
    rows = answer.get("candidates") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or len(rows) > _MOST:
        return None, len(rows) if isinstance(rows, list) else 0
    ground = Grounding(chunk.scrubbed)
    parsed = [one for one in (_parse_candidate(row, chunk, ground) for row in rows) if one]
    unique = tuple({one.text.casefold(): one for one in reversed(parsed)}.values())[::-1]
    accepted = unique[: most_candidates(chunk.turns)]
    return (accepted if accepted or not rows else None), len(rows) - len(accepted)


def _parse_candidate(row: object, chunk: TurnChunk, ground: Grounding) -> MemoryCandidate | None:
    sort = row.get("sort") if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(sort, str) or sort not in SORTS:
        return None
    text, places = _clean_statement(row), chunk.turn_places(row.get("source_turn_ids"))
    support = _supporting_turns(sort, chunk, places)
    if not support or ground.find_objection(text, support):
        return None
    sources = [chunk.turns[place] for place in places]
    return make_candidate(
        sort,
        text,
        turns=tuple(dict.fromkeys(turn.id for turn in sources)),
        source=_source_of(sources),
        due=due_date(text, sources[-1]) if sort == "todo" else None,
    )


def _clean_statement(row: Mapping[str, object]) -> str:
    """Return the text of a row on one line, scrubbed; empty where it is none, or far too long."""
    text = row.get("text")
    return scrub_text(" ".join(text.split())) if isinstance(text, str) and len(text) <= 2 * LONGEST else ""


def _supporting_turns(sort: str, chunk: TurnChunk, places: Sequence[int]) -> Sequence[int]:
    """Return the turns that count: a preference is the user's own, and a decision needs the user."""
    own = [place for place in places if not is_assistant(chunk.turns[place])]
    if sort in _NEED_THE_USER and not own:
        return ()
    return own if sort == "preference" else places


def _source_of(sources: Sequence[Turn]) -> str:
    """Return the source of the least trusted turn."""
    if all(map(is_user, sources)):
        return OWN_WORDS
    return OTHER_WORDS if all(is_user(turn) or is_assistant(turn) for turn in sources) else IMPORTED_WORDS


# Extract facts with a model; the rules fill in what it does not give.

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


def facts_with_model(turns: Sequence[Turn], ask: AskModel | None) -> ModelResult[tuple[Fact, ...]]:
    """Return the facts that a model states and the turns support; else those of the rules."""
    failure = NO_MODEL if ask is None else None
    found: list[Fact] = []
    refused = 0
    for chunk in split_chunks(turns):
        accepted: tuple[Fact, ...] = ()
        if ask is not None and not stops_asking(failure):
            text = chunk.prompt_text()
            answer = ask(read_prompt("facts"), text, _FACTS_SCHEMA, _SECONDS, purpose="facts of a conversation")
            failure = answer if isinstance(answer, Failure) else failure
            accepted, lost = _accept_facts(answer, chunk)
            refused += lost
        found += accepted or extract_facts(chunk.turns)
    return ModelResult(tuple(found), refused, failure)


def _accept_facts(answer: object, chunk: TurnChunk) -> tuple[tuple[Fact, ...], int]:
    """Return the valid facts of an answer in the order of their turns, and how many are not."""
    rows = answer.get("facts") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or len(rows) > min(_MOST_FACTS, _MOST_PER_TURN * len(chunk.turns)):
        return (), len(rows) if isinstance(rows, list) else 0
    ground = Grounding(chunk.scrubbed)
    unique: dict[str, Fact] = {}
    for fact in (_parse_fact(row, chunk, ground) for row in rows):
        if fact is not None:
            unique.setdefault(fact.text.casefold(), fact)
    places = {turn.id: place for place, turn in enumerate(chunk.turns)}
    ordered = sorted(unique.values(), key=lambda fact: places[fact.turns[-1]])
    return tuple(ordered), len(rows) - len(ordered)


def _parse_fact(row: object, chunk: TurnChunk, ground: Grounding) -> Fact | None:
    if not isinstance(row, Mapping):
        return None
    text, places = _clean_statement(row), chunk.turn_places(row.get("source_turn_ids"))
    if not places or ground.find_objection(text, places):
        return None
    sources = [chunk.turns[place] for place in places]
    speakers = [turn.speaker for turn in sources]
    speaker = row.get("speaker")
    return Fact(
        text=text,
        speaker=speaker if isinstance(speaker, str) and speaker in speakers else speakers[-1],
        turns=tuple(dict.fromkeys(turn.id for turn in sources)),
        day=_fact_day(row.get("day"), text, sources),
        about=_named_entities(row.get("about"), text),
    )


def _fact_day(value: object, text: str, sources: Sequence[Turn]) -> date | None:
    """Return the model's day if the statement has it too; else the day that the statement names."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        day = None
    return day if day is not None and day.isoformat() in text else day_of(text, sources[-1])


def _named_entities(value: object, text: str) -> tuple[str, ...]:
    names = value if isinstance(value, list) else []
    stripped = (name.strip() for name in names if isinstance(name, str) and 0 < len(name.strip()) <= _LONGEST_NAME)
    return tuple(dict.fromkeys(name for name in stripped if name.casefold() in text.casefold()))[:_MOST_NAMES]
