"""Extract facts and topics from what is new in a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.conversation import Fact, Trajectory, Turn
from memvault.transcripts.extract.llm import facts_with_model
from memvault.transcripts.extract.llm_topics import label_with_model, segment_with_model

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel
    from memvault.transcripts.archive.archive import Archive

WINDOW = 1_000  # turns processed together,
_MOST_CHARACTERS = 2_000_000  # or fewer, where they are long
_HEAD, _TAIL = 12_000, 4_000  # of a longer turn, which is pasted text, only this much is used
_RULES = "rules-1"
_MODEL = "model-1"


@dataclass(frozen=True, slots=True)
class Extraction:
    """Facts and topics of the next turns of a conversation, and the place of the first of these turns."""

    start: int
    turns: tuple[Turn, ...]
    facts: tuple[Fact, ...]
    topics: tuple[Trajectory, ...]


def extract_new(archive: Archive, path: str, ask: AskModel | None, *, known: Mapping[str, int]) -> Iterator[Extraction]:
    """Extract the new facts and topics of a conversation window by window; write and yield them."""
    words = Counter(known)
    transcript = archive.open_transcript(path)
    last_topics = list(transcript.read_trajectories())[-2:]  # the last topics may continue
    covered, start = (last_topics[-1].last + 1, last_topics[0].first) if last_topics else (0, 0)
    turns: list[Turn] = []
    unread = map(shorten_turn, islice(transcript.read_turns(), start, None))
    for batch in _split_windows(unread, covered - start + WINDOW):
        turns += batch
        if start + len(turns) <= covered:
            return
        facts = facts_with_model(turns, ask)
        segments = segment_with_model(turns, facts, ask)
        labeled = label_with_model(turns, facts, segments, ask, known=words)
        topics = tuple(replace(topic, first=topic.first + start, last=topic.last + start) for topic in labeled)
        fresh = tuple(turns[covered - start :])
        ids = {turn.id for turn in fresh}
        facts = tuple(fact for fact in facts if not ids.isdisjoint(fact.turns))
        archive.append_extracted(path, facts, topics, by=_RULES if ask is None else _MODEL)
        words.update(word for topic in topics for word in topic.keywords)
        yield Extraction(covered, fresh, facts, topics)
        covered = start + len(turns)
        again = topics[-2:][0].first
        turns, start = turns[again - start :], again


def _split_windows(turns: Iterable[Turn], first: int) -> Iterator[list[Turn]]:
    """Yield the turns a window at a time; the first also takes the turns that are read again."""
    batch: list[Turn] = []
    most, size = first, 0
    for turn in turns:
        batch.append(turn)
        size += len(turn.text)
        if len(batch) >= most or (size >= _MOST_CHARACTERS and most == WINDOW):
            yield batch
            batch, most, size = [], WINDOW, 0
    if batch:
        yield batch


def shorten_turn(turn: Turn) -> Turn:
    """Return a very long turn cut to its beginning and end; the archive keeps and searches all of it."""
    text = turn.text
    return turn if len(text) <= _HEAD + _TAIL else replace(turn, text=f"{text[:_HEAD]}\n\n…\n\n{text[-_TAIL:]}")
