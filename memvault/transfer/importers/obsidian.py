"""An Obsidian vault: notes under their own paths, with their tags, aliases and links, and the files that they show."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path

from memvault.core.links import find_inline_tags, strip_code, unquote_link
from memvault.core.plan import CreateFile
from memvault.errors import MemvaultError
from memvault.storage.vault import codec
from memvault.storage.vault.obsidian import read_obsidian_settings
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.text.file_names import is_safe
from memvault.transfer.importers.item import FoundFile, FoundMemory, ImportItem, ImportSource, UnreadItem, home_folder
from memvault.transfer.importers.markdown import (
    MARKDOWN,
    NoteFile,
    is_for_programs,
    make_found,
    read_note_file,
    read_notes,
    walk_files,
)


def read_obsidian(folder: Path) -> Iterator[ImportItem]:
    """Yield every note under its own path, so that every link goes on leading where it led.

    Templates, drawings and notes in which nothing is written yet come as the files that they are.
    """
    root = folder if folder.is_dir() else folder.parent
    store, own = _FileFinder(root), read_obsidian_settings(root)
    for path in walk_files(root, MARKDOWN) if folder.is_dir() else (folder,):
        name = path.relative_to(root).as_posix()
        if own.is_template(name):
            yield FoundFile(path, name, is_template=True)
            continue
        if is_for_programs(path):
            if codec.is_drawing(path.name):
                yield FoundFile(path, name)
            continue
        file = read_note_file(path, root)
        if isinstance(file, UnreadItem):
            yield file
        elif file.text:
            yield _obsidian_memory(file, store, own.daily_date(name))
        else:
            yield FoundFile(path, name)


def _obsidian_memory(file: NoteFile, store: _FileFinder, day: date | None) -> FoundMemory:
    named: dict[str, bool] = {}  # and whether the note shows it
    for found in _FILE_LINK.finditer(file.text) if "](" in file.text or "[[" in file.text else ():
        name = _linked_name(found)
        if "." in name and not name.casefold().endswith(MARKDOWN) and not _ELSEWHERE.match(name):
            named[name] = named.get(name, False) or found[0].startswith("!")
    there = {name: path for name in named if (path := store.find_file(name, file.path.parent)) is not None}
    shown = tuple(name for name, is_shown in named.items() if is_shown or name in there)[:_MOST_FILES]
    more: dict[str, object] = {"kind": "episodic", "created": day.isoformat()} if day else {}
    return make_found(
        file,
        tags=tuple(dict.fromkeys((*file.list_values("tags", "tag"), *find_inline_tags(strip_code(file.text))))),
        path=file.name,
        artifacts=shown,
        attachments={name: there[name] for name in shown if name in there},
        **more,
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
    # The relations that have a field of ours; the others stay in the text as links.
    found: dict[str, list[str]] = {}
    for relation in _RELATION.finditer(text):
        name = _OURS.get(relation["how"].strip().casefold().replace(" ", "_"))
        if name:
            found.setdefault(name, []).append(f"[[{relation['to'].strip()}]]")
    return make_found(
        file,
        origin=permalink or file.name,
        tags=tuple(dict.fromkeys(tag.replace(" ", "-") for tag in tags)),
        people=(file.title,) if sort in _PEOPLE else (),
        aliases=tuple(dict.fromkeys(filter(None, (*file.aliases, permalink)))),
        more={name: tuple(dict.fromkeys(links)) for name, links in found.items()},
    )


def _basic_memory_place(environment: Mapping[str, str]) -> Path | None:
    named, home = environment.get("BASIC_MEMORY_HOME"), home_folder(environment)
    return Path(named) if named else home / "basic-memory" if home else None


BASIC_MEMORY_SOURCE = ImportSource(
    "basic-memory", "basic-memory", lambda folder: read_notes(folder, MARKDOWN, _basic_memory_note), _basic_memory_place
)


# The files that a note shows or links to, on their way in: each at its own path, and never in the place of another.

_LONGEST_FILE = 10 * 1024 * 1024
_MARK = 8


@dataclass(frozen=True, slots=True)
class NoteAttachments:
    """The files of one note that are to come along, and those that its text has to name otherwise."""

    made: tuple[CreateFile, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class AttachmentStore:
    """The attachments of a vault, with what one import puts there."""

    vault: Vault
    skipped: list[UnreadItem] = field(default_factory=list)  # what stays where it is, and why: for whoever tells of it
    _held: dict[str, str] = field(default_factory=dict)  # path -> the digest of what lies there, or is to
    _told: set[Path] = field(default_factory=set)

    def collect_files(self, found: FoundMemory) -> NoteAttachments:
        """Return the files that a note shows; rename those at whose path another file lies here."""
        made: list[CreateFile] = []
        names: dict[str, str] = {}
        for named, path in found.attachments.items():
            wanted = self.find_path(path, found.place)
            data = self.read_file(path, wanted)
            if data is None:
                continue
            target, is_new = self._claim_path(wanted, files.digest(data))
            if is_new:
                made.append(CreateFile(target, data, f"“{found.title}” names it"))
            if target != wanted:
                names[named] = target.rpartition("/")[2]
        return NoteAttachments(tuple(made), names)

    def find_path(self, path: Path, folder: Path | None) -> str:
        """Return where a file goes: below the folder of memories as it lay below its own."""
        below = path.relative_to(folder).as_posix() if folder and path.is_relative_to(folder) else path.name
        return f"{self.vault.layout.memories}{below}"

    def bring_file(self, found: FoundFile) -> CreateFile | None:
        """Return the file as it comes; None where it lies there, or another does."""
        folder = self.vault.layout.templates if found.is_template else self.vault.layout.memories
        name = found.path.rpartition("/")[2] if found.is_template else found.path
        target = f"{folder}{name}"
        data = self.read_file(found.source, target)
        if data is None or self.digest_of(target):
            return None
        self._held[target.casefold()] = files.digest(data)
        return CreateFile(target, data, "it comes as it is")

    def read_file(self, path: Path, target: str) -> bytes | None:
        """Return the bytes of a file that may come to a path; None where it stays where it is."""
        why = f"it stays where it is: it is larger than {_LONGEST_FILE // 1024**2} MB"
        try:
            data = files.read_file(path, limit=_LONGEST_FILE + 1)
            if len(data) <= _LONGEST_FILE and is_safe(target):
                return data
            if len(data) <= _LONGEST_FILE:
                why = "it stays where it is: not every system can call a file so"
        except MemvaultError as error:
            why = str(error)
        if path not in self._told:  # however many notes show it
            self._told.add(path)
            self.skipped.append(UnreadItem(path, why))
        return None

    def _claim_path(self, path: str, digest: str) -> tuple[str, bool]:
        """Return the path that a file has in the vault, or gets; and whether it is still to be put there."""
        stem, dot, ending = path.rpartition(".")
        own = f"{stem or ending}-{digest[:_MARK]}{dot and stem and dot + ending}"
        for each in (path, own):
            held = self.digest_of(each)
            if held in ("", digest):
                self._held[each.casefold()] = digest
                return each, not held
        return own, False  # another file lies there by all its names: so nothing is put anywhere

    def digest_of(self, path: str) -> str:
        """Return what tells the file at a path of the vault from others; nothing where there is none."""
        key = path.casefold()
        if key not in self._held and self.vault.exists(path):
            try:
                self._held[key] = files.digest(files.read_file(self.vault.absolute_path(path), limit=_LONGEST_FILE + 1))
            except MemvaultError:
                self._held[key] = "?"
        return self._held.get(key, "")


# The files that a note shows or links to, named within its text as Obsidian and markdown name them.

_FILE_LINK = re.compile(r"!?\[\[(?P<wiki>[^\]|#^\n]{1,300})|!?\[[^\]\n]{0,300}\]\(<?(?P<link>[^)>\s\n]{1,300})")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_MOST_FILES = 50  # files of one note


def rename_embeds(text: str, names: Mapping[str, str]) -> str:
    """Return the text of a note that shows some files by other names."""

    def rename_match(found: re.Match[str]) -> str:
        name = names.get(_linked_name(found))
        if name is None:
            return found[0]
        which = "wiki" if found["wiki"] else "link"
        new_name = name if which == "wiki" else name.replace("%", "%25").replace(" ", "%20").replace(")", "%29")
        return found[0][: found.start(which) - found.start()] + new_name

    return _FILE_LINK.sub(rename_match, text) if names else text


def _linked_name(found: re.Match[str]) -> str:
    return (found["wiki"] or unquote_link(found["link"])).strip()
