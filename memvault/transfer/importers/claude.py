"""Claude Code's own memory: for each project an index, MEMORY.md, and a file for each topic."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from memvault.errors import MemvaultError, Unreadable
from memvault.storage import frontmatter
from memvault.system import files, paths
from memvault.system import project as projects
from memvault.transfer.importers.chatgpt import no_memory, read_listed
from memvault.transfer.importers.item import (
    FoundMemory,
    ImportItem,
    ImportSource,
    UnreadItem,
    home_folder,
    key_place,
    one_line,
    read_text_file,
    valid_when,
)
from memvault.transfer.importers.json import JsonRow, is_json, is_zip, map_rows, read_rows, unzip_members
from memvault.transfer.importers.markdown import read_sections

_INDEX = "MEMORY.md"
_FOLDER = "memory"
_LOOKED_AT = 200  # lines of a transcript, for the folder that it was held in
_ITEM = re.compile(r"^[-*] +(?P<said>.+(?:\n {2,}\S.*)*)", re.MULTILINE)
_LINKED = re.compile(r"^\**\[[^\]]*\]\([^)]+\.md\)|^\[\[")
_WHOLE_PATH = re.compile(r"-|[A-Za-z]--")  # how the name of a project's folder begins: `-home-noor-gauges`
_FEWEST_LETTERS = 20  # of an item of the index that is a memory by itself
# What a topic is of, by Claude Code's own word for it: the type, tags and scope that it has here.
_SORTS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "user": ("", (), "global"),
    "feedback": ("", ("preference",), "project"),
    "project": ("", (), "project"),
    "reference": ("reference", (), "project"),
}


def read_claude_memory(folder: Path) -> Iterator[ImportItem]:
    """Yield the memories of all projects, of one, or of a folder of topics; or a page's, by its sections."""
    if not folder.is_dir():
        yield from read_sections(folder)
        return
    for memory in _memory_folders(folder):
        project = _claude_memory_project(memory.parent)
        for path in sorted(memory.glob("*.md")):
            try:
                read = read_text_file(path)
            except MemvaultError as error:
                read = UnreadItem(path, str(error))
            if isinstance(read, UnreadItem):
                yield read
            else:
                yield from (_read_index if path.name == _INDEX else _read_topic)(path, *read, project)


def _memory_folders(folder: Path) -> Iterator[Path]:
    if (folder / _FOLDER).is_dir():
        yield folder / _FOLDER
    elif (folder / _INDEX).is_file() or any(folder.glob("*.md")):
        yield folder
    else:
        yield from sorted(path for path in folder.glob(f"*/{_FOLDER}") if path.is_dir())


def _read_topic(path: Path, raw: bytes, modified: datetime, project: str) -> Iterator[FoundMemory]:
    block = frontmatter.parse(raw)
    text = block.text.strip()
    if not text:
        return
    name, body = one_line(block.fields.get("name")), one_line(block.fields.get("description"))
    metadata = block.fields.get("metadata")  # older versions wrote the word beside it
    sort = one_line((metadata if isinstance(metadata, Mapping) else block.fields).get("type"))
    kind, tags, scope = _SORTS.get(sort, ("", (), "project"))
    yield FoundMemory(
        text=text,
        origin=_claude_memory_origin(path),
        place=_memory_place(path),
        title=body or name.replace("-", " ").replace("_", " "),
        created=valid_when(one_line(block.fields.get("modified"))) or modified,
        type=kind,
        tags=tags,
        aliases=tuple(dict.fromkeys(filter(None, (name, path.stem)))),
        project="" if scope == "global" else project,
        scope=scope,
    )


def _read_index(path: Path, raw: bytes, modified: datetime, project: str) -> Iterator[FoundMemory]:
    """Yield what stands in the index itself, and leads to no file."""
    text = frontmatter.parse(raw).text
    for found in _ITEM.finditer(text):
        body = " ".join(found["said"].split())
        if len(body) < _FEWEST_LETTERS or _LINKED.match(body):
            continue
        mark = files.digest(body.encode())[:12]
        yield FoundMemory(
            text=body,
            origin=f"{_claude_memory_origin(path)}#{mark}",
            place=_memory_place(path),
            created=modified,
            project=project,
            scope="project",
        )


def _claude_memory_origin(path: Path) -> str:
    """Return project and file, which stay the same when the folder of all projects moves."""
    return f"{path.parent.parent.name}/{path.name}"


def _memory_place(path: Path) -> Path | None:
    """Return the folder, unless its project's name already tells it from every other."""
    folder = path.parent
    return None if folder.name == _FOLDER and _WHOLE_PATH.match(folder.parent.name) else folder


def _claude_memory_project(folder: Path) -> str:
    """Return the project of a folder of sessions, by the folder in which one of them was held."""
    for path in sorted(folder.glob("*.jsonl")):
        with suppress(MemvaultError, OSError), files.open_stream(path) as stream:
            for line in islice(stream, _LOOKED_AT):
                with suppress(ValueError, RecursionError):
                    entry = json.loads(line)
                    if place := one_line(entry.get("cwd")) if isinstance(entry, dict) else "":
                        return projects.project_of(Path(place))
    return f"folder:{folder.name}"


CLAUDE_MEMORY_SOURCE = ImportSource(
    "claude-memory", "Claude Code's own memory", read_claude_memory, paths.claude_projects
)


# Claude.ai: the memory in an export of it, of all conversations and of each project.

_NAMES = r"(?!__MACOSX/)(?:.*/)?memories(?:-\d{1,4})?(?:/[^/]+)?\.json"
_HEADING = re.compile(r"^(?:\*\*(?P<bold>[^*\n]{1,100})\*\*|#{1,6}[ \t]+(?P<plain>[^\n]{1,100}))[ \t]*$", re.MULTILINE)


def read_claude_ai(path: Path) -> Iterator[ImportItem]:
    """Yield every part of its memory: from an export (zip or folder), its memories.json, or a text."""
    if path.is_dir():
        for each in sorted(path.glob("memories*.json")) + sorted(path.glob("memories/*.json")):
            yield from _read_accounts(each, read_rows(each))
    elif is_zip(path):
        for _, chunks in unzip_members(path, _NAMES):
            yield from _read_accounts(path, read_rows(path, chunks=chunks))
    else:
        yield from _read_accounts(path, read_rows(path)) if is_json(path) else read_listed(path)


def _read_accounts(path: Path, found: Iterator[JsonRow | UnreadItem]) -> Iterator[ImportItem]:
    for row in found:
        if isinstance(row, UnreadItem):
            yield row
        elif "conversations_memory" in row.values or "project_memories" in row.values:
            account = row.first_text("account_uuid")
            place = key_place(path, account)
            yield from _read_sections(place, row.first_text("conversations_memory"), account)
            projects = row.values.get("project_memories")
            for key, text in projects.items() if isinstance(projects, Mapping) else ():
                if isinstance(text, str):
                    yield from _read_sections(place, text, account, str(key))
        else:
            yield no_memory(path, row)


def _read_sections(place: Path | None, text: str, account: str, project: str = "") -> Iterator[FoundMemory]:
    """Yield each section by its heading; what stands before the first has none."""
    for number, (title, body) in enumerate(_split_sections(text)):
        if body.strip():
            key = title or str(number)
            yield FoundMemory(
                text=body.strip(),
                origin=f"{account}:{project}:{key}",
                place=place,
                title=title,
                project=f"claude-ai:{project}" if project else "",
                scope="project" if project else "global",
            )


def _split_sections(text: str) -> Iterator[tuple[str, str]]:
    begin, title = 0, ""
    for found in _HEADING.finditer(text):
        yield title, text[begin : found.start()]
        begin, title = found.end(), (found["bold"] or found["plain"] or "").strip(" :#")
    yield title, text[begin:]


CLAUDE_AI_SOURCE = ImportSource("claude-ai", "Claude.ai's memory", read_claude_ai)


# claude-mem: its database, or what its own script exports of it.

_LISTS = frozenset({"observations", "summaries"})
_DATABASE = b"SQLite format 3\x00"
_LONGEST_ROW = 16 * 1024 * 1024
_TABLES = ("observations", "session_summaries")
_LEARNT = ("discovery", "bugfix")
_PARTS = (
    ("request", "Asked for"),
    ("investigated", "Looked at"),
    ("learned", "Learnt"),
    ("completed", "Done"),
    ("next_steps", "Next"),
    ("notes", "Notes"),
)


def read_claude_mem(path: Path) -> Iterator[ImportItem]:
    """Yield every observation, and the summary of every session; prompts are conversations, and stay."""
    if path.is_dir():
        path = path / "claude-mem.db"
    with files.open_stream(path) as stream:
        is_database = stream.read(len(_DATABASE)) == _DATABASE
    yield from map_rows(path, _database_rows(path) if is_database else read_rows(path, _LISTS), _read_row)


def _database_rows(path: Path) -> Iterator[JsonRow]:
    """Yield the rows of both tables. It is opened for reading alone, as that program may be at work in it."""
    # Where nobody is, nothing is laid beside it either.
    how = "mode=ro" if Path(f"{path}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
            database.execute("pragma trusted_schema = off")
            database.row_factory = sqlite3.Row
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            there = {row[0] for row in database.execute("select name from sqlite_master where type = 'table'")}
            for table in _TABLES:
                if table in there:
                    for row in database.execute(f"select * from {table} order by id"):
                        yield JsonRow(f"{table} {row['id']}", dict(row))
    except (sqlite3.Error, OverflowError, IndexError) as error:
        raise Unreadable(path=path, reason=f"it is no sound database of that program ({error})") from error


def _read_row(path: Path, row: JsonRow) -> FoundMemory | UnreadItem:
    session = row.first_text("memory_session_id", "sdk_session_id")
    at, project = row.read_number("created_at_epoch"), row.first_text("project")
    moment = row.first_text("created_at") if at is None else int(at)
    is_summary = any(row.first_text(name) for name, _ in _PARTS) and not row.first_text("title", "narrative", "text")
    found = _read_summary(row) if is_summary else _read_observation(row)
    if not found.text:
        return UnreadItem(path, "nothing is said in it", row.where)
    # The session and moment are the same on every machine; row numbers are not.
    sort = "summary" if is_summary else "observation"
    return replace(
        found,
        origin=f"{sort}:{session}:{moment}:{row.first_text('title', 'request')}",
        created=row.first_moment("created_at_epoch", "created_at"),
        automatic=True,
        project=f"folder:{project}" if project else "",  # claude-mem names it by its folder alone
        scope="project" if project else "",
    )


def _read_observation(row: JsonRow) -> FoundMemory:
    sort, facts = row.first_text("type"), "\n".join(f"- {fact}" for fact in row.text_list("facts"))
    parts = (row.first_text("subtitle"), row.first_text("narrative") or row.first_text("text"), facts)
    return FoundMemory(
        text="\n\n".join(filter(None, parts)),
        origin="",
        title=row.first_text("title"),
        type="learning" if sort in _LEARNT else "",
        kind="semantic",
        tags=tuple(dict.fromkeys(filter(None, (sort, *row.text_list("concepts"))))),
        artifacts=tuple(dict.fromkeys((*row.text_list("files_modified"), *row.text_list("files_read")))),
    )


def _read_summary(row: JsonRow) -> FoundMemory:
    return FoundMemory(
        text="\n\n".join(f"**{body}**: {entry}" for name, body in _PARTS if (entry := row.first_text(name))),
        origin="",
        title=row.first_text("request"),
        type="milestone",
        kind="episodic",
        artifacts=row.text_list("files_edited"),
    )


def _claude_mem_place(environment: Mapping[str, str]) -> Path | None:
    named, home = environment.get("CLAUDE_MEM_DATA_DIR"), home_folder(environment)
    folder = Path(named) if named else home / ".claude-mem" if home else None
    return folder / "claude-mem.db" if folder else None


CLAUDE_MEM_SOURCE = ImportSource("claude-mem", "claude-mem", read_claude_mem, _claude_mem_place)
