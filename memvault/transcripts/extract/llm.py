"""Extract memory candidates and facts with a model, chunk by chunk; the rules fill in what it does not give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from memvault.core.conversation import Fact, Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.models.llm.ask import AskModel, Failure, fence_texts, read_prompt
from memvault.models.llm.schema import Schema
from memvault.transcripts.extract.candidates import (
    IMPORTED_WORDS,
    OTHER_WORDS,
    OWN_WORDS,
    SORTS,
    Candidates,
    MemoryCandidate,
    PassedSentence,
    due_date,
    find_candidates,
    most_candidates,
)
from memvault.transcripts.extract.facts import extract_facts
from memvault.transcripts.extract.grounding import LONGEST, Grounding, day_of, with_zone
from memvault.transcripts.extract.speakers import is_assistant, is_user

_MOST_TURNS, _MOST_CHARACTERS = 20, 16_000
_LONGEST_TURN = 6_000  # shown of a turn; the archive keeps and searches all of it


def stops_asking(failure: Failure | None) -> bool:
    """Return whether asking for the next chunk is of no use: the failure is not about this text."""
    return failure is not None and failure.reason not in ("malformed", "oversized")


@dataclass(frozen=True)
class TurnChunk:
    """A run of turns, and the number of its first; numbers go on from chunk to chunk."""

    first: int
    turns: tuple[Turn, ...]

    @cached_property
    def scrubbed(self) -> tuple[Turn, ...]:
        """Return the turns as a model may see them: scrubbed before they are cut, as no pattern finds half a secret."""
        return tuple(replace(turn, text=scrub_text(turn.text)[:_LONGEST_TURN]) for turn in self.turns)

    def turn_places(self, numbers: object) -> tuple[int, ...]:
        """Return the places of numbered turns; none where a number is not in this chunk."""
        own = range(self.first, self.first + len(self.turns))
        if not isinstance(numbers, list) or not all(type(number) is int and number in own for number in numbers):
            return ()
        return tuple(number - self.first for number in sorted(set(numbers)))

    def prompt_text(self) -> str:
        """Return the turns as text for a model, each with its number, speaker and time."""
        lines = []
        for number, turn in enumerate(self.scrubbed, start=self.first):
            who = " ".join((turn.speaker or turn.role or "somebody").split())[:60]
            time = "" if turn.time is None else f", {with_zone(turn.time):%Y-%m-%d %H:%M, a %A}"
            lines.append(f"[{number}] {who}{time}\n{turn.text}")
        return fence_texts([("The turns, each with its number, speaker and time", "\n\n".join(lines))])


def split_chunks(turns: Sequence[Turn]) -> Iterator[TurnChunk]:
    """Yield the chunks of a conversation; none spans two sessions."""
    chunk: list[Turn] = []
    first = size = 0
    for place, turn in enumerate(turns):
        length = min(len(turn.text), _LONGEST_TURN)
        is_full = len(chunk) >= _MOST_TURNS or size + length > _MOST_CHARACTERS
        if chunk and (is_full or turn.session != chunk[-1].session):
            yield TurnChunk(first + 1, tuple(chunk))
            chunk, first, size = [], place, 0
        chunk.append(turn)
        size += length
    if chunk:
        yield TurnChunk(first + 1, tuple(chunk))


def scrub_text(text: str) -> str:
    """Return a text without private spans and secrets."""
    from memvault.core.secrets.scan import redact_secrets  # its many patterns are needed only where a model is asked

    return redact_secrets(strip_private(text))


# Candidates of a model.

_SECONDS = 60.0  # for an answer
_MOST = 20
_TURN_IDS = {"type": "array", "items": {"type": "integer"}}


def _list_schema(name: str, most: int, required: list[str], properties: Schema) -> Schema:
    """Return the schema of an object with one list of rows."""
    rows = {"type": "object", "properties": properties, "required": [*required, "source_turn_ids"]}
    array = {"type": "array", "maxItems": most, "items": rows}
    return {"type": "object", "properties": {name: array}, "required": [name]}


_SCHEMA = _list_schema(
    "candidates",
    _MOST,
    ["text", "sort"],
    {"text": {"type": "string"}, "sort": {"type": "string", "enum": list(SORTS)}, "source_turn_ids": _TURN_IDS},
)
_NEED_THE_USER = frozenset(("decision", "preference", "todo", "fact"))


def candidates_with_model(turns: Sequence[Turn], ask: AskModel | None) -> Candidates:
    """Return the candidates that a model names and the turns support; else those of the rules."""
    if ask is None:
        return find_candidates(turns)
    found: list[MemoryCandidate] = []
    passed: list[PassedSentence] = []
    for chunk, answer in _ask_by_chunk(turns, ask, "candidates", _SCHEMA, "what to remember"):
        accepted = _accept_candidates(answer, chunk)
        by_rules = find_candidates(chunk.turns) if accepted is None else Candidates(accepted)
        found += by_rules.found
        passed += by_rules.passed
    return Candidates(tuple(found[: most_candidates(turns)]), tuple(passed))


def _ask_by_chunk(
    turns: Sequence[Turn], ask: AskModel | None, prompt: str, schema: Schema, purpose: str
) -> Iterator[tuple[TurnChunk, object]]:
    """Yield each chunk with the answer of a model; without one once it cannot be asked any more."""
    failure: Failure | None = None
    for chunk in split_chunks(turns):
        answer: object = failure
        if ask is not None and not stops_asking(failure):
            answer = ask(read_prompt(prompt), chunk.prompt_text(), schema, _SECONDS, purpose=purpose)
        failure = answer if isinstance(answer, Failure) else failure
        yield chunk, answer


def _accept_candidates(answer: object, chunk: TurnChunk) -> tuple[MemoryCandidate, ...] | None:
    """Return the valid candidates of an answer; None where the rules decide."""
    rows = answer.get("candidates") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or len(rows) > _MOST:
        return None
    ground = Grounding(chunk.scrubbed)
    parsed = [one for one in (_parse_candidate(row, chunk, ground) for row in rows) if one]
    unique = tuple({one.text.casefold(): one for one in reversed(parsed)}.values())[::-1]
    return unique[: most_candidates(chunk.turns)] if unique or not rows else None


def _parse_candidate(row: object, chunk: TurnChunk, ground: Grounding) -> MemoryCandidate | None:
    sort = row.get("sort") if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(sort, str) or sort not in SORTS:
        return None
    text, places = _clean_statement(row), chunk.turn_places(row.get("source_turn_ids"))
    support = _supporting_turns(sort, chunk, places)
    if not support or ground.find_objection(text, support):
        return None
    sources = [chunk.turns[place] for place in places]
    return MemoryCandidate(
        sort=sort,
        text=text,
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
_FACTS_SCHEMA = _list_schema(
    "facts",
    _MOST_FACTS,
    ["text"],
    {
        "text": {"type": "string"},
        "speaker": {"type": ["string", "null"]},
        "source_turn_ids": _TURN_IDS,
        "day": {"type": ["string", "null"]},
        "about": {"type": ["array", "null"], "items": {"type": "string"}},
    },
)


def facts_with_model(turns: Sequence[Turn], ask: AskModel | None) -> tuple[Fact, ...]:
    """Return the facts that a model states and the turns support; else those of the rules."""
    asked = _ask_by_chunk(turns, ask, "facts", _FACTS_SCHEMA, "facts of a conversation")
    return tuple(fact for chunk, answer in asked for fact in _accept_facts(answer, chunk) or extract_facts(chunk.turns))


def _accept_facts(answer: object, chunk: TurnChunk) -> tuple[Fact, ...]:
    """Return the valid facts of an answer in the order of their turns."""
    rows = answer.get("facts") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or len(rows) > min(_MOST_FACTS, _MOST_PER_TURN * len(chunk.turns)):
        return ()
    ground = Grounding(chunk.scrubbed)
    unique: dict[str, Fact] = {}
    for fact in (_parse_fact(row, chunk, ground) for row in rows):
        if fact is not None:
            unique.setdefault(fact.text.casefold(), fact)
    places = {turn.id: place for place, turn in enumerate(chunk.turns)}
    return tuple(sorted(unique.values(), key=lambda fact: places[fact.turns[-1]]))


def _parse_fact(row: object, chunk: TurnChunk, ground: Grounding) -> Fact | None:
    if not isinstance(row, Mapping):
        return None
    text, places = _clean_statement(row), chunk.turn_places(row.get("source_turn_ids"))
    if not places or ground.find_objection(text, places):
        return None
    sources = [chunk.turns[place] for place in places]
    speakers = [turn.speaker for turn in sources]
    speaker = row.get("speaker")
    value = row.get("day")
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        day = None
    return Fact(
        text=text,
        speaker=speaker if isinstance(speaker, str) and speaker in speakers else speakers[-1],
        turns=tuple(dict.fromkeys(turn.id for turn in sources)),
        day=(day if day is not None and day.isoformat() in text else day_of(text, sources[-1])),
        about=_named_entities(row.get("about"), text),
    )


def _named_entities(value: object, text: str) -> tuple[str, ...]:
    names = value if isinstance(value, list) else []
    stripped = (name.strip() for name in names if isinstance(name, str) and 0 < len(name.strip()) <= _LONGEST_NAME)
    return tuple(dict.fromkeys(name for name in stripped if name.casefold() in text.casefold()))[:_MOST_NAMES]
