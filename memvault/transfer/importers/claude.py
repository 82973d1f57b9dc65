"""Claude Code's own memory: for each project an index, MEMORY.md, and a file for each topic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from memvault.agents.setup import clients
from memvault.errors import MemvaultError
from memvault.storage import frontmatter
from memvault.system import files
from memvault.system import project as projects
from memvault.transfer.importers.encoded import in_utf8
from memvault.transfer.importers.item import LONGEST, Found, Item, Source, Unread, told
from memvault.transfer.importers.sections import sections

NAME = "claude-memory"
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


def read(folder: Path) -> Iterator[Item]:
    """The memories below a folder: of all projects, of one, or in a folder of topics; or a page's, by its sections."""
    if not folder.is_dir():
        yield from sections(folder)
        return
    for memory in _memories(folder):
        project = _project(memory.parent)
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


def _place(environment: Mapping[str, str]) -> Path:
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
        origin=_origin(path),
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
            origin=f"{_origin(path)}#{mark}",
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


def _origin(path: Path) -> str:
    """Project and file, which stay the same when the folder of all projects moves."""
    return f"{path.parent.parent.name}/{path.name}"


def _place_of(path: Path) -> Path | None:
    """The folder, but where its project's name in it tells the project from every other: that is made of its path."""
    folder = path.parent
    return None if folder.name == _FOLDER and _WHOLE_PATH.match(folder.parent.name) else folder


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _project(folder: Path) -> str:
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


SOURCE = Source(NAME, "Claude Code's own memory", read, _place)
