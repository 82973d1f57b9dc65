"""An Obsidian vault: notes with their tags, aliases and links; what they embed is named, and comes only if wanted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from memvault.core.ids import find_inline_tags, strip_code
from memvault.core.memory import FieldValue
from memvault.system import files
from memvault.transfer.importers.attachments import embedded_files
from memvault.transfer.importers.item import FoundMemory, ImportItem, ImportSource, home_folder
from memvault.transfer.importers.markdown import MARKDOWN, NoteFile, make_found, read_notes


def read_obsidian(folder: Path) -> Iterator[ImportItem]:
    """Yield every note; links stay as they are, as titles and aliases come too."""
    store = _FileFinder(folder if folder.is_dir() else folder.parent)
    return read_notes(folder, MARKDOWN, lambda file: _obsidian_memory(file, store))


def _obsidian_memory(file: NoteFile, store: _FileFinder) -> FoundMemory:
    named = embedded_files(file.text)
    there = ((name, store.find_file(name, file.path.parent)) for name in named)
    return make_found(
        file,
        tags=tuple(dict.fromkeys((*file.list_values("tags", "tag"), *find_inline_tags(strip_code(file.text))))),
        artifacts=named,
        attachments={name: path for name, path in there if path is not None},
    )


class _FileFinder:
    """The files of a vault, found as Obsidian finds them: by a path, or by a name wherever it lies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_file(self, name: str, beside: Path) -> Path | None:
        """Return the file that a note means; None where there is none, or it lies outside."""
        for path in (self._folder / name, beside / name, self._by_name.get(Path(name).name.casefold())):
            if path is not None and self._is_inside(path):
                return path
        return None

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.is_file() and not path.is_symlink() and files.is_inside(self._folder, path)
        except (OSError, ValueError):  # no name at all
            return False

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for top, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if not name.casefold().endswith(MARKDOWN):
                    found.setdefault(name.casefold(), Path(top) / name)
        return found


OBSIDIAN_SOURCE = ImportSource("obsidian", "an Obsidian vault", read_obsidian)


# basic-memory: markdown with observations (`- [category] text #tag`) and relations (`- requires [[Other]]`).

_OBSERVED = re.compile(r"^[ \t]*[-*] \[(?P<category>[^\][()|]{2,40})\] \S", re.MULTILINE)
_RELATION = re.compile(r"^[ \t]*[-*] (?P<how>[\w][\w -]{0,60}?) \[\[(?P<to>[^\]|#^\n]{1,200})", re.MULTILINE)
_TELLING = frozenset({"preference", "decision", "gotcha"})  # categories that are tags of ours
_OURS: Mapping[str, str] = {
    **{name: name for name in ("reinforces", "contradicts", "extends", "refines")},
    "supports": "reinforces",
    "builds_on": "extends",
    "conflicts_with": "contradicts",
}
_USUAL = ("", "note", "entity")
_PEOPLE = ("person", "people", "contact")


def _basic_memory_note(file: NoteFile) -> FoundMemory:
    """Return a note with its text as it is; known categories, tags and relations become fields too."""
    sort = file.first_text("type").casefold()
    text = strip_code(file.text)
    categories = {found["category"].strip().casefold() for found in _OBSERVED.finditer(text)}
    tags = (
        *file.list_values("tags"),
        *find_inline_tags(text),
        *sorted(categories & _TELLING),
        *(() if sort in _USUAL else (sort,)),
    )
    permalink = file.first_text("permalink")
    return make_found(
        file,
        origin=permalink or file.name,
        tags=tuple(dict.fromkeys(tag.replace(" ", "-") for tag in tags)),
        people=(file.title,) if sort in _PEOPLE else (),
        aliases=tuple(dict.fromkeys(filter(None, (*file.aliases, permalink)))),
        more=_read_relations(text),
    )


def _read_relations(text: str) -> Mapping[str, FieldValue]:
    """Return the relations that have a field of ours; the others stay in the text as links."""
    found: dict[str, list[str]] = {}
    for relation in _RELATION.finditer(text):
        name = _OURS.get(relation["how"].strip().casefold().replace(" ", "_"))
        if name:
            found.setdefault(name, []).append(f"[[{relation['to'].strip()}]]")
    return {name: tuple(dict.fromkeys(links)) for name, links in found.items()}


def _basic_memory_place(environment: Mapping[str, str]) -> Path | None:
    named, home = environment.get("BASIC_MEMORY_HOME"), home_folder(environment)
    return Path(named) if named else home / "basic-memory" if home else None


BASIC_MEMORY_SOURCE = ImportSource(
    "basic-memory",
    "basic-memory",
    lambda folder: read_notes(folder, MARKDOWN, _basic_memory_note),
    _basic_memory_place,
)
