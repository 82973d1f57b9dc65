"""Have a model sum a session up; a list that it does not give, or gives wrongly, is that of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from memvault.models.llm.ask import Ask, Failure, Scrub
from memvault.models.llm.prompts import prompt
from memvault.transcripts.extract.chunks import chunks, redacted
from memvault.transcripts.extract.facts.grounding import Ground
from memvault.transcripts.model.summary import Summary
from memvault.transcripts.model.talk import Turn

_MOST = 6
_LONGEST = 200
_NAMES = tuple(field.name for field in fields(Summary))
_LINES = {"type": "array", "maxItems": 2 * _MOST, "items": {"type": "string"}}
_SCHEMA = {"type": "object", "properties": dict.fromkeys(_NAMES, _LINES), "required": list(_NAMES)}


@dataclass(frozen=True, slots=True)
class SummedUp:
    """The summary, how many lines of the model were not taken, and why it was not heard."""

    summary: Summary
    dropped: int = 0
    failure: Failure | None = None


def summed_up(
    turns: Sequence[Turn], found: Summary, ask: Ask | None, *, seconds: float = 60.0, scrub: Scrub = redacted
) -> SummedUp:
    """What came of a session as a model tells it, line by line where the turns bear it out; else as the rules found."""
    last = next(iter(reversed(list(chunks(turns, scrub)))), None)
    if ask is None or last is None:
        return SummedUp(found, failure=Failure("none", "no language model is configured"))
    answer = ask(prompt("session"), last.shown(), _SCHEMA, seconds, purpose="a session's summary")
    if isinstance(answer, Failure):
        return SummedUp(found, failure=answer)
    ground, every = Ground(last.seen), range(len(last.seen))
    dropped = 0
    for name in _NAMES:
        given = answer.get(name) if isinstance(answer, Mapping) else None
        lines = given if isinstance(given, list) else []
        kept = tuple(line for line in map(_line, lines) if line and not ground.objection(scrub(line), every))
        dropped += len(lines) - len(kept)
        if kept:
            found = replace(found, **{name: tuple(dict.fromkeys(map(scrub, kept)))[:_MOST]})
    return SummedUp(found, dropped)


def _line(given: object) -> str:
    """A line on one line; empty where it is none, or too long to be one."""
    said = " ".join(given.split()) if isinstance(given, str) else ""
    return said if len(said) <= _LONGEST and said.isprintable() else ""
