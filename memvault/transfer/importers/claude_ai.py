"""Claude.ai: the memory in an export of it, of all conversations and of each project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.transfer.importers.chatgpt import listed
from memvault.transfer.importers.item import Found, Item, Source, Unread, place_of
from memvault.transfer.importers.json import Row, is_json, is_zip, rows, unzipped

NAME = "claude-ai"
_NAMES = r"(?!__MACOSX/)(?:.*/)?memories(?:-\d{1,4})?(?:/[^/]+)?\.json"
_HEADING = re.compile(r"^(?:\*\*(?P<bold>[^*\n]{1,100})\*\*|#{1,6}[ \t]+(?P<plain>[^\n]{1,100}))[ \t]*$", re.MULTILINE)
_NONE: frozenset[str] = frozenset()


def read(path: Path) -> Iterator[Item]:
    """Every part of what it remembers: of an export as a zip file or a folder, of its memories.json, or of a text."""
    if path.is_dir():
        for each in sorted(path.glob("memories*.json")) + sorted(path.glob("memories/*.json")):
            yield from _accounts(each, rows(each, _NONE))
    elif is_zip(path):
        for _, chunks in unzipped(path, _NAMES):
            yield from _accounts(path, rows(path, _NONE, chunks))
    else:
        yield from _accounts(path, rows(path, _NONE)) if is_json(path) else listed(path)


def _accounts(path: Path, found: Iterator[Row | Unread]) -> Iterator[Item]:
    for row in found:
        if isinstance(row, Unread):
            yield row
        elif "conversations_memory" in row.values or "project_memories" in row.values:
            yield from _account(path, row)
        else:
            is_chat = "chat_messages" in row.values
            why = "it is a conversation: `memvault ingest` takes those in" if is_chat else "it holds no memory"
            yield Unread(path, why, row.where)


def _account(path: Path, row: Row) -> Iterator[Found]:
    account = row.text("account_uuid")
    place = place_of(path, account)
    yield from _sections(place, row.text("conversations_memory"), account)
    projects = row.values.get("project_memories")
    for key, text in projects.items() if isinstance(projects, Mapping) else ():
        if isinstance(text, str):
            yield from _sections(place, text, account, str(key))


def _sections(place: Path | None, text: str, account: str, project: str = "") -> Iterator[Found]:
    """Each section by its heading; what stands before the first has none."""
    for number, (title, said) in enumerate(_parts(text)):
        if said.strip():
            key = title or str(number)
            yield Found(
                text=said.strip(),
                origin=f"{account}:{project}:{key}",
                place=place,
                title=title,
                project=f"claude-ai:{project}" if project else "",
                scope="project" if project else "global",
            )


def _parts(text: str) -> Iterator[tuple[str, str]]:
    begin, title = 0, ""
    for found in _HEADING.finditer(text):
        yield title, text[begin : found.start()]
        begin, title = found.end(), _title(found)
    yield title, text[begin:]


def _title(found: re.Match[str]) -> str:
    return (found["bold"] or found["plain"] or "").strip(" :#")


SOURCE = Source(NAME, "Claude.ai's memory", read)
