"""claude-mem: its database, or what its own script exports of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from memvault.errors import Unreadable
from memvault.system import files
from memvault.transfer.importers.item import Found, Item, Source, Unread
from memvault.transfer.importers.json import Row, rows

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


def read(path: Path) -> Iterator[Item]:
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
        origin=_origin("observation", row),
        title=row.text("title"),
        created=row.moment("created_at_epoch", "created_at"),
        type="learning" if sort in _LEARNT else "",
        kind="semantic",
        tags=tuple(dict.fromkeys(filter(None, (sort, *row.texts("concepts"))))),
        artifacts=tuple(dict.fromkeys((*row.texts("files_modified"), *row.texts("files_read")))),
        automatic=True,
        project=_project(row),
        scope="project" if _project(row) else "",
    )


def _summary(row: Row) -> Found:
    return Found(
        text="\n\n".join(f"**{said}**: {told}" for name, said in _PARTS if (told := row.text(name))),
        origin=_origin("summary", row),
        title=row.text("request"),
        created=row.moment("created_at_epoch", "created_at"),
        type="milestone",
        kind="episodic",
        artifacts=row.texts("files_edited"),
        automatic=True,
        project=_project(row),
        scope="project" if _project(row) else "",
    )


def _origin(sort: str, row: Row) -> str:
    """By session and moment, as its own script tells doubles: the numbers of rows differ from machine to machine."""
    session = row.text("memory_session_id", "sdk_session_id")
    at = row.number("created_at_epoch")
    return f"{sort}:{session}:{row.text('created_at') if at is None else int(at)}:{row.text('title', 'request')}"


def _project(row: Row) -> str:
    """It names projects by their folders alone."""
    project = row.text("project")
    return f"folder:{project}" if project else ""


def _place(environment: Mapping[str, str]) -> Path | None:
    home = environment.get("CLAUDE_MEM_DATA_DIR") or ""
    own = environment.get("HOME") or environment.get("USERPROFILE") or ""
    return Path(home) / "claude-mem.db" if home else Path(own) / ".claude-mem" / "claude-mem.db" if own else None


SOURCE = Source("claude-mem", "claude-mem", read, _place)
