"""ChatGPT: its saved memories, as a person has copied them, or as it lists them when it is asked to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memvault.transfer.importers.item import (
    FoundMemory,
    ImportItem,
    ImportSource,
    UnreadItem,
    key_place,
    read_text_file,
    text_key,
    valid_when,
)
from memvault.transfer.importers.json import JsonRow, is_json, map_rows, read_rows

_LISTS = frozenset({"memories", "results", "items"})
_CONVERSATION = ("mapping", "chat_messages")
_FEWEST_LETTERS = 3
_LEAD = re.compile(r"(?:[-*•–]|\d{1,4}[.)])\s+")
# As in "[2025-04-12] - likes short answers", or with "unknown" where nobody knows when.
_DATED = re.compile(r"\[(?P<day>[^\]]{0,30})\]\s*[-–—:]?\s*(?P<said>.+)", re.DOTALL)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\S*\s*")
_HEADING = re.compile(r"\*\*[^*]+\*\*:?")
_UNDATED = frozenset({"unknown", "date unknown", "no date", "n/a", "undated", "date unavailable", "not available"})


def read_chatgpt(path: Path) -> Iterator[ImportItem]:
    """Yield every memory: an entry of a list in JSON, or an item, a line or a paragraph of a text."""
    return map_rows(path, read_rows(path, _LISTS), _read_entry) if is_json(path) else read_listed(path)


def _read_entry(path: Path, row: JsonRow) -> FoundMemory | UnreadItem:
    text = row.first_text("content", "memory", "text", "value")
    if text:
        key = row.first_text("id", "uuid") or text_key(text)
        when = row.first_moment("created_at", "created_timestamp", "updated_at")
        return FoundMemory(text=text, origin=key, place=key_place(path, key), created=when)
    return no_memory(path, row)


def no_memory(path: Path, row: JsonRow) -> UnreadItem:
    """Return an object that is no memory: a conversation, or something else."""
    is_chat = any(name in row.values for name in _CONVERSATION)
    why = "it is a conversation: `memvault session ingest` takes those in" if is_chat else "it holds no memory"
    return UnreadItem(path, why, row.where)


def read_listed(path: Path) -> Iterator[ImportItem]:
    """Yield every memory of a text: items of a list, with or without a day before them, else lines."""
    read = read_text_file(path, what="a list of memories")
    if isinstance(read, UnreadItem):
        yield read
        return
    for entry in _split_entries(read[0].decode("utf-8-sig")):
        found = _DATED.match(entry)
        day = found["day"].strip() if found else ""
        when = valid_when(day) if day else None
        is_dated = when is not None or day.casefold() in _UNDATED
        body = found["said"].strip() if found and is_dated else entry
        if len(body) >= _FEWEST_LETTERS:
            yield FoundMemory(text=body, origin=text_key(body), created=when, scope="global")


def _split_entries(text: str) -> Iterator[str]:
    """Yield the lines, each with the indented ones that go on with it; headings and fences say nothing."""
    held: list[str] = []
    for line in text.splitlines():
        goes_on = bool(held) and line[:1] in " \t" and not _LEAD.match(line.lstrip()) and bool(line.strip())
        if goes_on:
            held.append(line.strip())
            continue
        if held:
            yield " ".join(held)
        bare = line.strip()
        # A line may only say what follows: `**Preferences**`, or `Preferences:`.
        is_heading = _HEADING.fullmatch(bare) or (bare.endswith(":") and not _LEAD.match(bare))
        is_said = bare and not bare.startswith("#") and not _FENCE.fullmatch(bare) and not is_heading
        held = [_LEAD.sub("", bare, count=1)] if is_said else []
    if held:
        yield " ".join(held)


CHATGPT_SOURCE = ImportSource("chatgpt", "ChatGPT's saved memories", read_chatgpt)
