"""Claude Code's own memory: for each project an index, MEMORY.md, and a file for each topic."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from memvault.agents.setup import clients
from memvault.errors import MemvaultError, Unreadable
from memvault.storage import frontmatter
from memvault.system import files
from memvault.system import project as projects
from memvault.transfer.importers.chatgpt import listed
from memvault.transfer.importers.item import LONGEST, Found, Item, Source, Unread, in_utf8, place_of, told
from memvault.transfer.importers.json import Row, is_json, is_zip, rows, unzipped
from memvault.transfer.importers.markdown import sections

CLAUDE_MEMORY_NAME = "claude-memory"
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


def read_claude_memory(folder: Path) -> Iterator[Item]:
    """The memories below a folder: of all projects, of one, or in a folder of topics; or a page's, by its sections."""
    if not folder.is_dir():
        yield from sections(folder)
        return
    for memory in _memories(folder):
        project = _claude_memory_project(memory.parent)
        for path in sorted(memory.glob("*.md")):
            yield from _page(path, project)


def _page(path: Path, project: str) -> Iterator[Item]:
    try:
        raw = files.read(path, limit=LONGEST + 1)
        if len(raw) > LONGEST:
            yield Unread(path, "it is too long for one memory")
            return
        raw = in_utf8(raw)
    except (MemvaultError, ValueError) as error:
        yield Unread(path, str(error))
        return
    yield from _items(path, raw, project) if path.name == _INDEX else _topic(path, raw, project)


def _claude_memory_place(environment: Mapping[str, str]) -> Path:
    return clients.projects(environment)


def _memories(folder: Path) -> Iterator[Path]:
    if (folder / _FOLDER).is_dir():
        yield folder / _FOLDER
    elif (folder / _INDEX).is_file() or any(folder.glob("*.md")):
        yield folder
    else:
        yield from sorted(path for path in folder.glob(f"*/{_FOLDER}") if path.is_dir())


def _topic(path: Path, raw: bytes, project: str) -> Iterator[Found]:
    block = frontmatter.parse(raw)
    text = block.text.strip()
    if not text:
        return
    name, said = _word(block.fields.get("name")), _word(block.fields.get("description"))
    kind, tags, scope = _SORTS.get(_sort(block.fields), ("", (), "project"))
    yield Found(
        text=text,
        origin=_claude_memory_origin(path),
        place=_place_of(path),
        title=said or name.replace("-", " ").replace("_", " "),
        created=told(_word(block.fields.get("modified"))) or _modified(path),
        type=kind,
        tags=tags,
        aliases=tuple(dict.fromkeys(filter(None, (name, path.stem)))),
        project="" if scope == "global" else project,
        scope=scope,
    )


def _items(path: Path, raw: bytes, project: str) -> Iterator[Found]:
    """What stands in the index itself, and leads to no file."""
    text = frontmatter.parse(raw).text
    for found in _ITEM.finditer(text):
        said = " ".join(found["said"].split())
        if len(said) < _FEWEST_LETTERS or _LINKED.match(said):
            continue
        mark = files.digest(said.encode())[:12]
        yield Found(
            text=said,
            origin=f"{_claude_memory_origin(path)}#{mark}",
            place=_place_of(path),
            created=_modified(path),
            project=project,
            scope="project",
        )


def _sort(fields: Mapping[str, object]) -> str:
    """The word for what a topic is of: in `metadata`, or as older versions wrote it."""
    metadata = fields.get("metadata")
    return _word(metadata.get("type")) if isinstance(metadata, Mapping) else _word(fields.get("type"))


def _word(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _claude_memory_origin(path: Path) -> str:
    """Project and file, which stay the same when the folder of all projects moves."""
    return f"{path.parent.parent.name}/{path.name}"


def _place_of(path: Path) -> Path | None:
    """The folder, but where its project's name in it tells the project from every other: that is made of its path."""
    folder = path.parent
    return None if folder.name == _FOLDER and _WHOLE_PATH.match(folder.parent.name) else folder


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _claude_memory_project(folder: Path) -> str:
    """The project of a folder of sessions, by where one of them was held; the folder's own name tells too little."""
    for path in sorted(folder.glob("*.jsonl")):
        with suppress(MemvaultError, OSError), files.stream(path) as stream:
            for line in islice(stream, _LOOKED_AT):
                if place := _held_in(line):
                    return projects.of(Path(place))
    return f"folder:{folder.name}"


def _held_in(line: bytes) -> str:
    with suppress(ValueError, RecursionError):
        told = json.loads(line)
        return _word(told.get("cwd")) if isinstance(told, dict) else ""
    return ""


CLAUDE_MEMORY_SOURCE = Source(CLAUDE_MEMORY_NAME, "Claude Code's own memory", read_claude_memory, _claude_memory_place)


# Claude.ai: the memory in an export of it, of all conversations and of each project.

CLAUDE_AI_NAME = "claude-ai"
_NAMES = r"(?!__MACOSX/)(?:.*/)?memories(?:-\d{1,4})?(?:/[^/]+)?\.json"
_HEADING = re.compile(r"^(?:\*\*(?P<bold>[^*\n]{1,100})\*\*|#{1,6}[ \t]+(?P<plain>[^\n]{1,100}))[ \t]*$", re.MULTILINE)
_NONE: frozenset[str] = frozenset()


def read_claude_ai(path: Path) -> Iterator[Item]:
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


CLAUDE_AI_SOURCE = Source(CLAUDE_AI_NAME, "Claude.ai's memory", read_claude_ai)


# claude-mem: its database, or what its own script exports of it.

_LISTS = frozenset({"observations", "summaries"})
_DATABASE = b"SQLite format 3\x00"
_LONGEST_ROW = 16 * 1024 * 1024
_TABLES = ("observations", "session_summaries")
_DECISION, _LEARNT = "decision", ("discovery", "bugfix")
_PARTS = (
    ("request", "Asked for"),
    ("investigated", "Looked at"),
    ("learned", "Learnt"),
    ("completed", "Done"),
    ("next_steps", "Next"),
    ("notes", "Notes"),
)


def read_claude_mem(path: Path) -> Iterator[Item]:
    """Every observation, and the summary of every session; prompts are conversations, and stay."""
    if path.is_dir():
        path = path / "claude-mem.db"
    with files.stream(path) as stream:
        is_database = stream.read(len(_DATABASE)) == _DATABASE
    for row in _of_database(path) if is_database else rows(path, _LISTS):
        yield row if isinstance(row, Unread) else _found(path, row)


def _of_database(path: Path) -> Iterator[Row]:
    """The rows of both tables. It is opened for reading alone, as that program may be at work in it."""
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
                        yield Row(f"{table} {row['id']}", dict(row))
    except (sqlite3.Error, OverflowError, IndexError) as error:
        raise Unreadable(path=path, reason=f"it is no sound database of that program ({error})") from error


def _found(path: Path, row: Row) -> Found | Unread:
    if any(row.text(name) for name, _ in _PARTS) and not row.text("title", "narrative", "text"):
        return _summary(row)
    text = _observed(row)
    return _observation(row, text) if text else Unread(path, "nothing is said in it", row.where)


def _observed(row: Row) -> str:
    facts = "\n".join(f"- {fact}" for fact in row.texts("facts"))
    told = (row.text("subtitle"), row.text("narrative") or row.text("text"), facts)
    return "\n\n".join(filter(None, told))


def _observation(row: Row, text: str) -> Found:
    sort = row.text("type")
    return Found(
        text=text,
        origin=_claude_mem_origin("observation", row),
        title=row.text("title"),
        created=row.moment("created_at_epoch", "created_at"),
        type="learning" if sort in _LEARNT else "",
        kind="semantic",
        tags=tuple(dict.fromkeys(filter(None, (sort, *row.texts("concepts"))))),
        artifacts=tuple(dict.fromkeys((*row.texts("files_modified"), *row.texts("files_read")))),
        automatic=True,
        project=_claude_mem_project(row),
        scope="project" if _claude_mem_project(row) else "",
    )


def _summary(row: Row) -> Found:
    return Found(
        text="\n\n".join(f"**{said}**: {told}" for name, said in _PARTS if (told := row.text(name))),
        origin=_claude_mem_origin("summary", row),
        title=row.text("request"),
        created=row.moment("created_at_epoch", "created_at"),
        type="milestone",
        kind="episodic",
        artifacts=row.texts("files_edited"),
        automatic=True,
        project=_claude_mem_project(row),
        scope="project" if _claude_mem_project(row) else "",
    )


def _claude_mem_origin(sort: str, row: Row) -> str:
    """By session and moment, as its own script tells doubles: the numbers of rows differ from machine to machine."""
    session = row.text("memory_session_id", "sdk_session_id")
    at = row.number("created_at_epoch")
    return f"{sort}:{session}:{row.text('created_at') if at is None else int(at)}:{row.text('title', 'request')}"


def _claude_mem_project(row: Row) -> str:
    """It names projects by their folders alone."""
    project = row.text("project")
    return f"folder:{project}" if project else ""


def _claude_mem_place(environment: Mapping[str, str]) -> Path | None:
    home = environment.get("CLAUDE_MEM_DATA_DIR") or ""
    own = environment.get("HOME") or environment.get("USERPROFILE") or ""
    return Path(home) / "claude-mem.db" if home else Path(own) / ".claude-mem" / "claude-mem.db" if own else None


CLAUDE_MEM_SOURCE = Source("claude-mem", "claude-mem", read_claude_mem, _claude_mem_place)
