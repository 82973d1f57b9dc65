"""What a spoken question found, as it is put before the model that is to answer it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memvault.context.briefing import Part, Piece
from memvault.context.quotation import label, quotation
from memvault.context.quote import Entry, entry
from memvault.core.secrets.private_spans import without_private
from memvault.text.tokens import clip

if TYPE_CHECKING:
    from memvault.recall.recall import Hit, Recalled
    from memvault.transcripts.dig import Conversation, Dug

_TEXT_TOKENS = 250  # of each memory: several are to have room
_TALK_TOKENS = 500  # of each conversation
_MOST = 12
_NAME = "what was asked for"


def of_memories(found: Recalled) -> Part:
    """The memories about a topic, the best first."""
    return _part(_memories(found.hits, found.query))


def of_everything(found: Dug) -> Part:
    """The memories on a topic, and the conversations about it after them."""
    return _part((*_memories(found.memories, found.topic), *_conversations(found.conversations)))


def _part(pieces: Iterable[Piece]) -> Part:
    return Part(name=_NAME, pieces=tuple(pieces), share=1.0)


def _memories(hits: Iterable[Hit], topic: str) -> Iterator[Piece]:
    for hit, _ in zip(hits, range(_MOST), strict=False):
        text = clip(without_private(hit.text).strip(), _TEXT_TOKENS)
        told = entry(hit.memory, text, contradicts=hit.contradicts)
        yield Piece(
            entry=Entry(f"What is remembered about {topic}", told),
            id=hit.memory.id,
            title=hit.memory.title,
            why=f"asked for: “{topic}”",
        )


def _conversations(found: Iterable[Conversation]) -> Iterator[Piece]:
    for talk in found:
        lines = "\n".join(f"{line.speaker}: {' '.join(line.text.split())}" for line in talk.lines)
        told = quotation(clip(without_private(lines), _TALK_TOKENS))
        yield Piece(entry=Entry("What was said about it", f"\n{label(talk.title)} ({talk.ref})\n{told}\n"))
