"""An exchange with an agent is over: it is recorded, and what was recalled for it and shows in the answer was used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memvault.agents.hooks.tool_use import LoggedToolCall, read_tool_log
from memvault.agents.spoken.listening import find_obeyed_command
from memvault.context.injection_log import last_records
from memvault.core.conversation import Turn
from memvault.core.memory import Memory, Place
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import MemvaultError
from memvault.storage.journal.exchanges import Interaction, latest_exchanges, record_exchange
from memvault.storage.vault.context import VaultContext
from memvault.text.markdown import find_sentences
from memvault.text.statements.chatter import CHATTER_WORDS
from memvault.text.stem import stem
from memvault.text.terms import split_tokens
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.formats import agent_format
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transcripts.ingest import without_paused
from memvault.transcripts.model.record import ReadStart, TranscriptEntry, TranscriptRecord

# Whether what a memory says shows in an answer: the telling words of one of its sentences are said there.

LEAST_SHARE = 0.5
"""Of what the telling words of a sentence are worth, so much must be said in the answer."""

_LEAST_WORDS = 2  # a single word may stand there by chance, unless it is a number or a name with one in it
_MAX_CHARACTERS = 20_000

WordRarity = Callable[[Sequence[str]], Mapping[str, float]]


def is_memory_used(memory: str, answer: str, *, asked: str = "", rarity: WordRarity) -> bool:
    """Return whether an answer says what a memory says, beyond the words that the question had already."""
    said = _content_stems(answer[:_MAX_CHARACTERS])
    known = _content_stems(asked[:_MAX_CHARACTERS])
    text = memory[:_MAX_CHARACTERS]
    for start, end in find_sentences(text):
        new = _content_stems(text[start:end]) - known
        if new and _is_stated(new, said, rarity):
            return True
    return False


def _is_stated(words: set[str], said: set[str], rarity: WordRarity) -> bool:
    found = words & said
    if len(found) < _LEAST_WORDS and not any(character.isdigit() for word in found for character in word):
        return False
    worth = rarity(sorted(words))
    whole = sum(worth[word] for word in words)
    return whole > 0 and sum(worth[word] for word in found) >= LEAST_SHARE * whole


def _content_stems(text: str) -> set[str]:
    """Return the stems of the words that say something; a number of one digit says little."""
    return {
        stem(token)
        for token in split_tokens(text)
        if token not in CHATTER_WORDS and (len(token) > 1 or not token.isascii())
    }


# Bytes at the end of a transcript in which the last prompt is looked for; what tools gave back may stand behind it.
_TAIL_SIZES = (200_000, 4_000_000)
_MAX_MEMORIES = 40  # memories of one session, the last ones that were given


def log_exchange(context: VaultContext, *, transcript: str, answer: str, project: str) -> Interaction | None:
    """Record an exchange and the uses in it; None where it is off the record, or was recorded already."""
    assert context.state is not None
    heard = _read_last_exchange(context.state, transcript)
    if heard is None:
        return None
    before = next((one for one in latest_exchanges(context.state) if one.session == context.actor.session), None)
    done = read_tool_log(context.state, session=context.actor.session, since=before.at if before else None)
    made = Interaction(
        at=context.now,
        session=context.actor.session,
        project=project,
        asked=_without_command(context, heard.question),
        answered=without_our_blocks(answer) or heard.answer,
        files=_list_files(done),
        did=tuple(dict.fromkeys(row.tool_call.action for row in done if not row.tool_call.file)),
    )
    if not record_exchange(context.state, made):
        return None
    _touch_used_memories(context, made, heard.question)
    return made


def _without_command(context: VaultContext, question: str) -> str:
    """Return what a prompt asks of the assistant: what memvault itself obeyed is no work of theirs."""
    found = find_obeyed_command(question, context.settings)
    return question if found is None else found.rest


# -- what was said


@dataclass(frozen=True, slots=True)
class _LastExchange:
    question: str = ""
    answer: str = ""


def _read_last_exchange(state: Path, transcript: str) -> _LastExchange | None:
    """Return the last prompt and what was answered to it; None where the prompt was off the record."""
    turns: Sequence[Turn] = ()
    records: list[TranscriptRecord] = []
    for tail in _TAIL_SIZES:
        records = _read_records(transcript, tail)
        turns = [each.turn for each in records if isinstance(each, TranscriptEntry) and each.turn and each.turn.text]
        if any(turn.role == "user" for turn in turns):
            break
    place = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=-1)
    if place < 0:
        return _LastExchange()
    kept = {
        each.turn.id
        for each in without_paused(records, state, ReadStart())
        if isinstance(each, TranscriptEntry) and each.turn
    }
    if turns[place].id not in kept:
        return None
    answers = (turn.text for turn in turns[place + 1 :])
    return _LastExchange(turns[place].text, "\n\n".join(answers))


def _read_records(transcript: str, tail: int) -> list[TranscriptRecord]:
    if not transcript:
        return []
    try:
        origin = SourceFile.open_file(Path(transcript))
        start = ReadStart(at=max(0, origin.size - tail), closed=True)
        return list(agent_format(origin.first, origin.path.name).read(origin.read_chunks(start.at), start))
    except (MemvaultError, OSError, ValueError):
        return []


def _list_files(done: Iterable[LoggedToolCall]) -> tuple[str, ...]:
    """Return each file once, the last ones last."""
    return tuple(reversed(dict.fromkeys(row.tool_call.file for row in reversed(list(done)) if row.tool_call.file)))


# -- what was used


def _touch_used_memories(context: VaultContext, made: Interaction, question: str) -> None:
    """Journal, once a session, the use of each memory that was put before the model and shows in the answer."""
    if not made.answered or not made.session:
        return
    assert context.state is not None
    rows = last_records(context.state, made.session, limit=0)
    given = list(dict.fromkeys(id_ for row in rows for id_ in row.ids))[:_MAX_MEMORIES]
    if not given:
        return
    context.refresh()
    used = set(context.index.memories_used_in(made.session))
    found = [memory for id_ in given if id_ not in used and (memory := context.index.memory_by_id(id_))]
    touched = [memory for memory in found if _is_live(memory) and _is_used(context, memory, made.answered, question)]
    if touched:
        context.record_uses(touched, why="answer")


def _is_live(memory: Memory) -> bool:
    return memory.status != "archived" and memory.place is not Place.QUARANTINE


def _is_used(context: VaultContext, memory: Memory, answer: str, question: str) -> bool:
    text = strip_private(context.read_text(memory))
    return is_memory_used(text, answer, asked=question, rarity=lambda words: context.index.backend.rarity(list(words)))
