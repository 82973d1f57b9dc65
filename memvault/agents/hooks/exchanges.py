"""An exchange with an agent is over: it is recorded, and what was recalled for it and shows in the answer was used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memvault.agents.hooks.tool_log import Seen, seen
from memvault.context.injection_log import last
from memvault.core.memory import Memory, Place
from memvault.core.secrets.private_spans import without_private
from memvault.errors import MemvaultError
from memvault.storage.journal.exchanges import Interaction, latest, record
from memvault.storage.vault.context import Bench
from memvault.text.chatter import EMPTY
from memvault.text.markdown import sentences
from memvault.text.stem import stem
from memvault.text.terms import tokens
from memvault.transcripts.archive.source_file import Origin
from memvault.transcripts.formats import of_agent
from memvault.transcripts.formats.injected import spoken
from memvault.transcripts.ingest import on_record
from memvault.transcripts.model.record import Kept, Record, Start
from memvault.transcripts.model.turn import Turn

# Whether what a memory says shows in an answer: the telling words of one of its sentences are said there.

LEAST_SHARE = 0.5
"""Of what the telling words of a sentence are worth, so much must be said in the answer."""

_LEAST_WORDS = 2  # a single word may stand there by chance, unless it is a number or a name with one in it
_LONGEST = 20_000

Rarity = Callable[[Sequence[str]], Mapping[str, float]]


def shows(memory: str, answer: str, *, asked: str = "", rarity: Rarity) -> bool:
    """Whether an answer says what a memory says, beyond the words that the question had already."""
    said = _telling(answer[:_LONGEST])
    known = _telling(asked[:_LONGEST])
    text = memory[:_LONGEST]
    for start, end in sentences(text):
        new = _telling(text[start:end]) - known
        if new and _is_said(new, said, rarity):
            return True
    return False


def _is_said(words: set[str], said: set[str], rarity: Rarity) -> bool:
    found = words & said
    if len(found) < _LEAST_WORDS and not any(_has_digit(word) for word in found):
        return False
    worth = rarity(sorted(words))
    whole = sum(worth[word] for word in words)
    return whole > 0 and sum(worth[word] for word in found) >= LEAST_SHARE * whole


def _telling(text: str) -> set[str]:
    """The stems of the words that say something; a number of one digit says little."""
    return {stem(token) for token in tokens(text) if token not in EMPTY and (len(token) > 1 or not token.isascii())}


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


# Bytes at the end of a transcript in which the last prompt is looked for; what tools gave back may stand behind it.
_TAILS = (200_000, 4_000_000)
_MOST_LOOKED_AT = 40  # memories of one session, the last ones that were given


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a hook knows of an exchange: where the transcript lies, and what was answered last."""

    transcript: str = ""
    answer: str = ""
    project: str = ""


def keep_exchange(bench: Bench, exchange: Exchange) -> Interaction | None:
    """Record an exchange and the uses in it; None where it is off the record, or was recorded already."""
    assert bench.state is not None
    heard = _heard(bench.state, exchange.transcript)
    if heard is None:
        return None
    before = next((one for one in latest(bench.state, limit=0) if one.session == bench.actor.session), None)
    done = seen(bench.state, session=bench.actor.session, since=before.at if before else None)
    made = Interaction(
        at=bench.now,
        session=bench.actor.session,
        project=exchange.project,
        asked=heard.asked,
        answered=spoken(exchange.answer) or heard.answered,
        files=_files(done),
        did=tuple(dict.fromkeys(row.deed.did for row in done if not row.deed.file)),
    )
    if not record(bench.state, made):
        return None
    _touch_what_shows(bench, made)
    return made


# -- what was said


@dataclass(frozen=True, slots=True)
class _Heard:
    asked: str = ""
    answered: str = ""


def _heard(state: Path, transcript: str) -> _Heard | None:
    """The last prompt and what was answered to it; None where the prompt was off the record."""
    turns: Sequence[Turn] = ()
    records: list[Record] = []
    for tail in _TAILS:
        records = _records(transcript, tail)
        turns = [each.turn for each in records if isinstance(each, Kept) and each.turn and each.turn.text]
        if any(turn.role == "user" for turn in turns):
            break
    place = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=-1)
    if place < 0:
        return _Heard()
    kept = {each.turn.id for each in on_record(records, state, Start()) if isinstance(each, Kept) and each.turn}
    if turns[place].id not in kept:
        return None
    answers = (turn.text for turn in turns[place + 1 :])
    return _Heard(turns[place].text, "\n\n".join(answers))


def _records(transcript: str, tail: int) -> list[Record]:
    if not transcript:
        return []
    try:
        origin = Origin.of(Path(transcript))
        start = Start(at=max(0, origin.size - tail), closed=True)
        return list(of_agent(origin.first, origin.path.name).read(origin.chunks(start.at), start))
    except (MemvaultError, OSError, ValueError):
        return []


def _files(done: Iterable[Seen]) -> tuple[str, ...]:
    """Each file once, the last ones last."""
    return tuple(reversed(dict.fromkeys(row.deed.file for row in reversed(list(done)) if row.deed.file)))


# -- what was used


def _touch_what_shows(bench: Bench, made: Interaction) -> None:
    """Journal, once a session, the use of each memory that was put before the model and shows in the answer."""
    if not made.answered or not made.session:
        return
    assert bench.state is not None
    rows = last(bench.state, made.session, limit=0)
    given = list(dict.fromkeys(id_ for row in rows for id_ in row.ids))[:_MOST_LOOKED_AT]
    if not given:
        return
    bench.freshen()
    used = set(bench.catalogue.used_by(made.session))
    found = [memory for id_ in given if id_ not in used and (memory := bench.catalogue.known(id_))]
    touched = [memory for memory in found if _is_live(memory) and _shows(bench, memory, made)]
    if touched:
        bench.touch(touched, why="answer")


def _is_live(memory: Memory) -> bool:
    return memory.status != "archived" and memory.place is not Place.QUARANTINE


def _shows(bench: Bench, memory: Memory, made: Interaction) -> bool:
    text = without_private(bench.text(memory))
    return shows(text, made.answered, asked=made.asked, rarity=lambda words: bench.catalogue.rarity(list(words)))
