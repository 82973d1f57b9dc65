"""Have a model name what of a conversation is worth a memory; whatever it does not give, the rules do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memvault.models.llm.ask import Ask, Failure, Scrub
from memvault.models.llm.prompts import prompt
from memvault.text.dates.due import due_in
from memvault.transcripts.extract.candidates import (
    OTHER_WORDS,
    OWN_WORDS,
    SORTS,
    STRANGERS,
    Candidate,
    candidate,
    candidates,
    most_of,
)
from memvault.transcripts.extract.chunks import Chunk, chunks, ends_asking, redacted
from memvault.transcripts.extract.facts.grounding import LONGEST, Ground, moment
from memvault.transcripts.extract.facts.speakers import is_assistant, is_user
from memvault.transcripts.model.talk import Fact, Turn

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
class Proposed:
    """The candidates, how many that the model gave were not taken, and why it was not heard to the end."""

    candidates: tuple[Candidate, ...]
    dropped: int = 0
    failure: Failure | None = None


def candidates_with_model(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    ask: Ask | None,
    *,
    seconds: float = 60.0,
    scrub: Scrub = redacted,
) -> Proposed:
    """What is worth a memory as a model names it, where its turns bear it out; else as the rules do."""
    if ask is None:
        return Proposed(candidates(turns, facts), failure=Failure("none", "no language model is configured"))
    found: list[Candidate] = []
    dropped = 0
    failure: Failure | None = None
    for chunk in chunks(turns, scrub):
        answer: object = failure
        if not ends_asking(failure):
            answer = ask(prompt("candidates"), chunk.shown(), _SCHEMA, seconds, purpose="what to remember")
        if isinstance(answer, Failure):
            failure = answer
        taken, lost = _taken(answer, chunk, scrub)
        dropped += lost
        found += candidates(chunk.turns, facts) if taken is None else taken
    kept = found[: most_of(turns)]
    return Proposed(tuple(kept), dropped, failure)


def _taken(answer: object, chunk: Chunk, scrub: Scrub) -> tuple[tuple[Candidate, ...] | None, int]:
    """The candidates of an answer that hold, and how many do not; None where the rules are to be asked."""
    given = answer.get("candidates") if isinstance(answer, Mapping) else None
    if not isinstance(given, list) or len(given) > _MOST:
        return None, len(given) if isinstance(given, list) else 0
    ground = Ground(chunk.seen)
    made = [one for one in (_candidate(row, chunk, ground, scrub) for row in given) if one]
    unique = tuple({one.text.casefold(): one for one in reversed(made)}.values())[::-1]
    kept = unique[: most_of(chunk.turns)]
    return (kept if kept or not given else None), len(given) - len(kept)


def _candidate(given: object, chunk: Chunk, ground: Ground, scrub: Scrub) -> Candidate | None:
    if not isinstance(given, Mapping) or not isinstance(given.get("text"), str):
        return None
    sort, places = given.get("sort"), chunk.places(given.get("source_turn_ids"))
    text = scrub(" ".join(given["text"].split())) if len(given["text"]) <= 2 * LONGEST else ""
    if not isinstance(sort, str) or sort not in SORTS:
        return None
    bearing = _bearing(sort, chunk, places)
    if not bearing or ground.objection(text, bearing):
        return None
    sources = [chunk.turns[place] for place in places]
    return candidate(
        sort,
        text,
        turns=tuple(dict.fromkeys(turn.id for turn in sources)),
        source=_source(sources),
        due=_due(text, sources[-1]) if sort == "todo" else None,
    )


def _bearing(sort: str, chunk: Chunk, places: Sequence[int]) -> Sequence[int]:
    """The turns whose words count: a wish is the user's own, and nothing is settled without them."""
    own = [place for place in places if not is_assistant(chunk.turns[place])]
    if sort in _NEED_THE_USER and not own:
        return ()
    return own if sort == "preference" else places


def _source(sources: Sequence[Turn]) -> str:
    """As far trusted as the least trusted of the turns."""
    if all(map(is_user, sources)):
        return OWN_WORDS
    return OTHER_WORDS if all(is_user(turn) or is_assistant(turn) for turn in sources) else STRANGERS


def _due(text: str, turn: Turn) -> datetime | None:
    if turn.time is None:
        return None
    now = moment(turn.time)
    return due_in(text, now=now, zone=now.tzinfo or UTC)
