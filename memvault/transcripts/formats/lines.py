"""Bytes cut into lines, and lines decoded, however long or broken they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memvault.core.secrets.scan import redacted
from memvault.transcripts.model.clean import all_written
from memvault.transcripts.model.record import LONGEST, Bad, Raw, bad_bytes

_BOM = b"\xef\xbb\xbf"
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # it may be half of a letter


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from where reading began, its first byte, the byte behind it, and itself."""

    number: int
    at: int
    to: int
    data: bytes | None  # None where it is too long to be taken in
    ended: bool = True  # whether a newline stands behind it


def lines(chunks: Iterable[bytes], *, at: int = 0, longest: int = LONGEST) -> Iterator[Line]:
    """Every line that is not empty; of one that is too long, only where it stands."""
    cutter = _Cutter(at, longest)
    for chunk in chunks:
        yield from cutter.take(chunk)
    yield from cutter.rest()


class _Cutter:
    """The line that is being put together."""

    def __init__(self, at: int, longest: int) -> None:
        self._number, self._at, self._longest = 1, at, longest
        self._parts: list[bytes] = []
        self._size = 0

    def take(self, chunk: bytes) -> Iterator[Line]:
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            self._add(chunk[begin:end])
            line = self._line(newline=1)
            if line:
                yield line
            begin = end + 1
        self._add(chunk[begin:])

    def rest(self) -> Iterator[Line]:
        line = self._line(newline=0)
        if line:
            yield line

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._longest:
            self._parts = []
        else:
            self._parts.append(part)

    def _line(self, *, newline: int) -> Line | None:
        data = None if self._size > self._longest else b"".join(self._parts)
        if data is not None and self._at == 0:
            data = data.removeprefix(_BOM)
        found = Line(self._number, self._at, self._at + self._size + newline, data, ended=bool(newline))
        self._parts, self._size = [], 0
        self._number, self._at = self._number + 1, found.to
        return found if data is None or data.strip() else None


def told(line: Line, where: str) -> Raw | Bad:
    """The object that a line of JSON stands for, or what is wrong with it."""
    if line.data is None:
        return Bad(where=where, why=f"it is longer than {LONGEST // 1024 // 1024} MB")
    try:
        entry = decoded(line.data)
    except ValueError as error:
        return bad_bytes(where, str(error) if line.ended else "it is cut short", line.data, unfinished=not line.ended)
    return entry if isinstance(entry, dict) else bad_bytes(where, "it is no object", line.data)


def decoded(data: bytes) -> object:
    """The value that some bytes of JSON stand for, or ValueError with a reason; broken letters are replaced."""
    try:
        found = json.loads(data.decode("utf-8", "replace"), parse_constant=str)
        return all_written(found) if _HALF.search(data) else found
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except ValueError as error:
        raise ValueError("it is not JSON") from error


# The blocks of which a message consists: what was said in them, and what was done.

LONGEST_DEED = 60
MOST_DEEDS = 50
_LOOKED_AT = 400  # so much of a command is searched for secrets before it is cut

_PICTURES = {"image": "[image]", "image_url": "[image]", "document": "[document]", "audio": "[audio]"}
_DEED_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULTS = "tool_result"

# To look at something is no deed.
_LOOKING = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead", "TodoRead", "ToolSearch", "BashOutput"})
# What says best what was done with a tool: the first of these that it was given.
_TELLING = (
    *("file_path", "notebook_path", "path", "command", "description", "subject", "url", "query", "pattern"),
    *("skill", "title", "name", "prompt", "id", "taskId"),
)


@dataclass(frozen=True, slots=True)
class Message:
    """What a message says and does."""

    text: str
    deeds: tuple[str, ...]
    has_result: bool = False  # it brings a tool's answer


def message(content: object, *, folder: str = "") -> Message:
    """A message as text or as blocks, without what a model only thought and what tools answered."""
    if isinstance(content, str):
        return Message(content, ())
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    texts = filter(None, map(_said, blocks))
    deeds = tuple(deed(block, folder) for block in blocks if _is_deed(block))
    return Message("\n\n".join(texts), deeds, any(str(block.get("type")).endswith(_RESULTS) for block in blocks))


def deed(block: Raw, folder: str = "") -> str:
    """What was done with a tool, in a few words."""
    name = str(block.get("name") or "a tool")
    name = name.rpartition("__")[2] if name.startswith("mcp__") else name
    given = block.get("input")
    told = next(_told(given), "") if isinstance(given, Mapping) else ""
    told = _within(" ".join(redacted(told[:_LOOKED_AT]).split()), folder)
    line = f"{name} {told}".strip()
    return line if len(line) <= LONGEST_DEED else f"{line[: LONGEST_DEED - 1].rstrip()}…"


def _told(given: Raw) -> Iterator[str]:
    for member in _TELLING:
        value = given.get(member)
        if isinstance(value, str) and value.strip():
            yield value.strip().splitlines()[0]


def _within(path: str, folder: str) -> str:
    """A path below the folder of the talk, without that folder."""
    top = folder.rstrip("/\\")
    inside = bool(top) and path.startswith(top) and path[len(top) : len(top) + 1] in ("/", "\\")
    return path[len(top) + 1 :] if inside else path


def _is_deed(block: Raw) -> bool:
    return block.get("type") in _DEED_BLOCKS and block.get("name") not in _LOOKING


def _said(block: Raw) -> str:
    kind, text = block.get("type"), block.get("text")
    if kind in ("text", "input_text", "output_text") and isinstance(text, str):
        return text.strip()
    return _PICTURES.get(str(kind), "")
