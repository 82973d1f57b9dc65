"""Files of markdown or plain text, as several programs and most people keep them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memvault.core.fields import RawValue, read_texts
from memvault.core.kinds import KINDS
from memvault.errors import MemvaultError
from memvault.storage import frontmatter
from memvault.storage.vault.codec import find_origin
from memvault.system import project as projects
from memvault.text.dates.dates import parse_day
from memvault.text.markdown import BlockKind, first_heading, parse_blocks, title_from_name
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transfer.importers.item import (
    FoundMemory,
    ImportItem,
    ImportSource,
    UnreadItem,
    When,
    one_line,
    read_text_file,
    valid_when,
)

MARKDOWN = (".md", ".markdown")
PLAIN = (*MARKDOWN, ".txt", ".text")
_CREATED = ("created", "created_at", "date created", "date", "modified")
# Instructions for agents, and what a program has made for itself.
_NOT_NOTES = re.compile(r"(?i)(?:claude|claude\.local|agents|gemini)\.md|.*\.excalidraw\.md")


@dataclass(frozen=True, slots=True)
class NoteFile:
    """One file that was read: its path, the same below the folder that is brought in, its fields and its text."""

    path: Path
    name: str
    place: Path  # the folder that is brought in
    fields: dict[str, RawValue]
    text: str
    modified: datetime

    def first_text(self, *names: str) -> str:
        """Return the first of some fields that is a text."""
        return next(filter(None, (one_line(self.fields.get(name)) for name in names)), "")

    def list_values(self, *names: str) -> tuple[str, ...]:
        """Return what some fields list, or name with commas between."""
        found: list[str] = []
        for name in names:
            value = self.fields.get(name)
            parts = value.split(",") if isinstance(value, str) else read_texts(value, UTC) or ()
            found += [part.strip().lstrip("#") for part in parts]
        return tuple(dict.fromkeys(filter(None, found)))

    @property
    def created(self) -> When:
        """Return when it was made: as it says itself, or its name, or else when it was last changed."""
        words = (valid_when(word) for name in _CREATED if (word := self.first_text(name)))
        found = next((when for when in words if when is not None), None)
        day = parse_day(self.path.stem[:10])
        return found or (valid_when(day.isoformat()) if day else None) or self.modified

    @property
    def title(self) -> str:
        """Return the title: as it says itself, or its first heading, or its name."""
        return self.first_text("title") or first_heading(self.text) or title_from_name(self.path.stem)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return the names by which others link to it."""
        return tuple(dict.fromkeys((*self.list_values("aliases", "alias"), self.path.stem)))


def make_found(file: NoteFile, **more: object) -> FoundMemory:
    """Return what every such file tells of a memory, and whatever else is known."""
    body: dict[str, object] = {
        "text": file.text,
        "origin": file.name,
        "place": file.place,
        "title": file.title,
        "created": file.created,
        "tags": file.list_values("tags", "tag"),
        "aliases": file.aliases,
        "source": find_origin(file.fields, file.text, KINDS.fields),
    }
    return FoundMemory(**{**body, **more})  # type: ignore[arg-type]  # its own fields, by their names


def read_notes(folder: Path, endings: tuple[str, ...], make: Callable[[NoteFile], FoundMemory]) -> Iterator[ImportItem]:
    """Yield what is made of every file below a folder, or of the named one, in which something is written."""
    for path in walk_files(folder, endings) if folder.is_dir() else (folder,):
        if not is_for_programs(path):
            file = read_note_file(path, folder if folder.is_dir() else folder.parent)
            if isinstance(file, UnreadItem):
                yield file
            elif file.text:
                yield make(file)


def is_for_programs(path: Path) -> bool:
    """Return whether a file is instructions for agents, or what a program has made for itself."""
    return _NOT_NOTES.fullmatch(path.name) is not None


def walk_files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Yield every file of some endings; skip hidden ones and links."""
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_templates")))
        for name in sorted(names):
            path = Path(top) / name
            is_wanted = name.casefold().endswith(endings) and not name.startswith((".", "~"))
            if is_wanted and not path.is_symlink():
                yield path


def read_note_file(path: Path, folder: Path) -> NoteFile | UnreadItem:
    """Return one file with its fields and its text."""
    try:
        read = read_text_file(path)
    except MemvaultError as error:
        read = UnreadItem(path, str(error))
    if isinstance(read, UnreadItem):
        return read
    block = frontmatter.parse(read[0])
    name = path.relative_to(folder).as_posix().encode("utf-8", "replace").decode()
    return NoteFile(path, name, folder, dict(block.fields), block.text.strip(), read[1])


# A folder of plain markdown and text files, each of which is one memory.

FOLDER_SOURCE = ImportSource("folder", "a folder of notes", lambda folder: read_notes(folder, PLAIN, make_found))


# A CLAUDE.md, or another page of instructions: each of its sections is a memory.

_HOME = ".claude"
_DEEPEST = 3  # what stands below a smaller heading belongs to the section above it
_LOADED = re.compile(r"^@\S+[ \t]*$", re.MULTILINE)  # another file that is read in its place


def read_sections(path: Path) -> Iterator[ImportItem]:
    """Yield every section that says something, but for the block that memvault itself keeps there."""
    read = read_text_file(path, what="a page of instructions")
    if isinstance(read, UnreadItem):
        yield read
        return
    text = _LOADED.sub("", without_our_blocks(frontmatter.parse(read[0]).text))
    project, scope = _page_project(path)
    place = path.parent.parent if path.parent.name == _HOME else path.parent
    for number, (title, body) in enumerate(_split_sections(text)):
        if body:
            yield FoundMemory(
                text=body,
                origin=f"{place.name}/{path.name}#{title or number}",
                place=path.parent,
                title=title.rpartition(" > ")[2] if title else "",
                created=read[1],
                project=project,
                scope=scope,
            )


def _split_sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each stretch between two headings, with the headings that it stands below."""
    above: list[tuple[int, str]] = []
    begin = 0
    for block in parse_blocks(text):
        if block.kind is not BlockKind.HEADING or block.level > _DEEPEST:
            continue
        yield " > ".join(title for _, title in above), text[begin : block.start].strip()
        above = [(level, title) for level, title in above if level < block.level] + [(block.level, block.title)]
        begin = block.end
    yield " > ".join(title for _, title in above), text[begin:].strip()


def _page_project(path: Path) -> tuple[str, str]:
    """Return the project whose page it is, and its scope; the page in the agent's own folder is for every project."""
    folder = path.absolute().parent
    if folder.name != _HOME:
        return projects.project_of(folder), "project"
    return ("", "global") if (folder / "projects").is_dir() else (projects.project_of(folder.parent), "project")
