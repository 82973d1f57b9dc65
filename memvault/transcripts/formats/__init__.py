"""Readers of other people's formats: a table, one row for each."""

from __future__ import annotations

from memvault.transcripts.formats import chat, chatgpt, claude_ai, claude_code, codex
from memvault.transcripts.model.record import LONGEST, Bad, Kept, Raw, Reader, ReadTo, Record, Source, Start

# In the order in which a file is asked whose it is: the most telling first.
SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(claude_ai.NAME, claude_ai.read, claude_ai.knows),
        Source(chatgpt.NAME, chatgpt.read, chatgpt.knows),
        Source(codex.NAME, codex.read, codex.knows, grows=True),
        Source(claude_code.NAME, claude_code.read, claude_code.knows, grows=True),
        Source(chat.NAME, chat.read, chat.knows),
    )
}

FIRST_BYTES = 65_536  # so much of a file is looked at


def guess(first: bytes, name: str = "") -> str:
    """The name of the format that a file has by its first bytes, or else by its name; empty where nobody knows it."""
    by_bytes = next((source.name for source in SOURCES.values() if source.knows(first)), "")
    return by_bytes or next((source.NAME for source in (claude_code, codex) if source.is_named_so(name)), "")


def of_agent(first: bytes, name: str = "") -> Source:
    """The format of a transcript that an agent is writing, by its first bytes or its name."""
    return SOURCES[codex.NAME if codex.knows(first) or codex.is_named_so(name) else claude_code.NAME]


__all__ = [
    "FIRST_BYTES",
    "LONGEST",
    "SOURCES",
    "Bad",
    "Kept",
    "Raw",
    "ReadTo",
    "Reader",
    "Record",
    "Source",
    "Start",
    "guess",
    "of_agent",
]
