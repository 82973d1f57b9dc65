"""The blocks of which a message consists: what was said in them, and what was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memvault.core.secrets.scan import redacted
from memvault.transcripts.model.record import Raw

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
