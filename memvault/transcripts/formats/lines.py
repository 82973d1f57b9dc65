"""Split bytes into lines, decode them however long or broken they are, and read the messages in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from memvault.core.conversation import Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import redact_secrets
from memvault.transcripts.model.record import LONGEST, Raw, SeenSet, UnreadableEntry, make_unreadable
from memvault.transcripts.model.redact import replace_all_surrogates

_BOM = b"\xef\xbb\xbf"
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # it may be half of a surrogate pair


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line: its number, its first and last byte, and its data."""

    number: int
    at: int
    to: int
    data: bytes | None  # None where it is too long
    ended: bool = True  # whether a newline ends it


def split_lines(chunks: Iterable[bytes], *, at: int = 0, longest: int = LONGEST) -> Iterator[SourceLine]:
    """Yield every line that is not empty; of one that is too long, only its place."""
    number, size = 1, 0
    parts: list[bytes] = []
    for chunk in chain(chunks, (None,)):
        pieces = [b""] if chunk is None else chunk.split(b"\n")
        for place, piece in enumerate(pieces, 1):
            size += len(piece)
            parts = [] if size > longest else parts
            if size <= longest:
                parts.append(piece)
            if place == len(pieces) and chunk is not None:
                continue  # the line goes on in the next chunk
            data = None if size > longest else b"".join(parts)
            if data is not None and at == 0:
                data = data.removeprefix(_BOM)
            line = SourceLine(number, at, at + size + (chunk is not None), data, ended=chunk is not None)
            if data is None or data.strip():
                yield line
            number, at, size, parts = number + 1, line.to, 0, []


def decode_line(line: SourceLine, where: str) -> Raw | UnreadableEntry:
    """Decode a line of JSON to an object, or say what is wrong with it."""
    if line.data is None:
        return UnreadableEntry(where=where, why=f"it is longer than {LONGEST // 1024 // 1024} MB")
    try:
        entry = decode_json(line.data)
    except ValueError as error:
        return make_unreadable(
            where, str(error) if line.ended else "it is cut short", line.data, unfinished=not line.ended
        )
    return entry if isinstance(entry, dict) else make_unreadable(where, "it is not an object", line.data)


def decode_json(data: bytes) -> object:
    """Decode JSON bytes, replacing broken characters; ValueError with a reason."""
    try:
        found = json.loads(data.decode("utf-8", "replace"), parse_constant=str)
        return replace_all_surrogates(found) if _HALF.search(data) else found
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except ValueError as error:
        raise ValueError("it is not JSON") from error


# The blocks of a message: what was said, and which tools were called.

LONGEST_CALL = 60
MOST_CALLS = 50
_LOOKED_AT = 400  # characters of a command searched for secrets before it is cut

_PICTURES = {"image": "[image]", "image_url": "[image]", "document": "[document]", "audio": "[audio]"}
_CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULTS = "tool_result"

# Reading is not worth a description.
_LOOKING = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead", "TodoRead", "ToolSearch", "BashOutput"})
# What describes a tool call best: the first of these inputs.
_TELLING = (
    *("file_path", "notebook_path", "path", "command", "description", "subject", "url", "query", "pattern"),
    *("skill", "title", "name", "prompt", "id", "taskId"),
)


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """What a message says and does."""

    text: str
    deeds: tuple[str, ...]
    has_result: bool = False  # whether it has a tool's result


def parse_message(content: object, *, folder: str = "") -> ParsedMessage:
    """Parse a message of text or blocks, without thinking and tool results."""
    if isinstance(content, str):
        return ParsedMessage(content, ())
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    texts = filter(None, map(_block_text, blocks))
    deeds = tuple(
        describe_call(block, folder)
        for block in blocks
        if block.get("type") in _CALL_BLOCKS and block.get("name") not in _LOOKING
    )
    return ParsedMessage("\n\n".join(texts), deeds, any(str(block.get("type")).endswith(_RESULTS) for block in blocks))


def describe_call(block: Raw, folder: str = "") -> str:
    """Describe a tool call in a few words."""
    name = str(block.get("name") or "a tool")
    name = name.rpartition("__")[2] if name.startswith("mcp__") else name
    arguments = block.get("input")
    values = [arguments.get(member) for member in _TELLING] if isinstance(arguments, Mapping) else []
    summary = next((value.strip().splitlines()[0] for value in values if isinstance(value, str) and value.strip()), "")
    path = " ".join(redact_secrets(summary[:_LOOKED_AT]).split())
    top = folder.rstrip("/\\")
    inside = bool(top) and path.startswith(top) and path[len(top) : len(top) + 1] in ("/", "\\")
    summary = path[len(top) + 1 :] if inside else path
    line = f"{name} {summary}".strip()
    return line if len(line) <= LONGEST_CALL else f"{line[: LONGEST_CALL - 1].rstrip()}…"


def _block_text(block: Raw) -> str:
    kind, text = block.get("type"), block.get("text")
    if kind in ("text", "input_text", "output_text") and isinstance(text, str):
        return text.strip()
    return _PICTURES.get(str(kind), "")


@dataclass(slots=True)
class OpenAnswer:
    """An assistant turn that may still go on."""

    turn: Turn  # as it began
    at: int  # where its first line begins: reading resumes here while it is open
    texts: list[str] = field(default_factory=list)
    size: int = 0
    deeds: dict[str, None] = field(default_factory=dict)  # each once
    messages: set[str] = field(default_factory=set)
    is_over: bool = False

    def add(self, text: str, deeds: Iterable[str], at: int) -> None:
        """Add more text and tool calls."""
        self.at = min(self.at, at)
        if text and self.size + len(text) <= LONGEST:
            self.texts.append(text)
            self.size += len(text)
        for deed in deeds:
            if len(self.deeds) < MOST_CALLS:
                self.deeds.setdefault(deed)

    def make_turn(self) -> Turn:
        """Return the turn so far."""
        return replace(self.turn, text="\n\n".join(self.texts), deeds=tuple(self.deeds))


# Ids for turns without one: made of what was said, so that they are the same everywhere.

ID_LENGTH = 16


class IdAssigner:
    """Assigns ids to the turns of one conversation; a repeated turn gets a number."""

    def __init__(self) -> None:
        self._seen_ids = SeenSet()
        self._repeats: dict[str, int] = {}

    def assign_id(self, *texts: str) -> str:
        """Return the id of a turn made of who said what and when."""
        name = content_id(texts)[:ID_LENGTH]
        if self._seen_ids.add(name):
            self._repeats[name] = self._repeats.get(name, 1) + 1
            name = f"{name}-{self._repeats[name]}"
        return name


def content_id(texts: Iterable[str]) -> str:
    """Return a digest of some texts without their private spans, which nobody shall guess by it."""
    from hashlib import blake2b  # few sources need it

    digest = blake2b(digest_size=16)
    for text in texts:
        digest.update(strip_private(text).encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()
