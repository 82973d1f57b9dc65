"""Readers of transcript formats: a table, one row for each."""

from __future__ import annotations

from memvault.transcripts.formats import chat, claude_code, codex, exports
from memvault.transcripts.model.record import TranscriptFormat

# In the order in which the formats are tried: the most specific first.
FORMATS: dict[str, TranscriptFormat] = {
    source.name: source
    for source in (
        TranscriptFormat(exports.CLAUDE_AI, exports.read_claude_ai, exports.is_claude_ai),
        TranscriptFormat(exports.CHATGPT, exports.read_chatgpt, exports.is_chatgpt),
        TranscriptFormat(codex.NAME, codex.read_codex, codex.is_codex, grows=True),
        TranscriptFormat(claude_code.NAME, claude_code.read_claude_code, claude_code.is_claude_code, grows=True),
        TranscriptFormat(chat.NAME, chat.read_chat, chat.is_chat),
    )
}

FIRST_BYTES = 65_536  # bytes of a file that are looked at


def guess_format(first: bytes, name: str = "") -> str:
    """Return the format of a file by its first bytes, or else by its name; empty where it is unknown."""
    by_bytes = next((source.name for source in FORMATS.values() if source.recognizes(first)), "")
    return by_bytes or next((source.NAME for source in (claude_code, codex) if source.matches_file_name(name)), "")


def agent_format(first: bytes, name: str = "") -> TranscriptFormat:
    """Return the format of a transcript that an agent is writing, by its first bytes or its name."""
    return FORMATS[codex.NAME if codex.is_codex(first) or codex.matches_file_name(name) else claude_code.NAME]
