"""An Obsidian vault: notes with their tags, aliases and links; what they embed is named, and comes only if wanted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from memvault.core.links import find_inline_tags, strip_code, unquote_link
from memvault.core.plan import CreateFile
from memvault.errors import MemvaultError
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.text.file_names import is_safe
from memvault.transfer.importers.item import FoundMemory, ImportItem, ImportSource, UnreadItem, home_folder
from memvault.transfer.importers.markdown import MARKDOWN, NoteFile, make_found, read_notes


def read_obsidian(folder: Path) -> Iterator[ImportItem]:
    """Yield every note; links stay as they are, as titles and aliases come too."""
    store = _FileFinder(folder if folder.is_dir() else folder.parent)
    return read_notes(folder, MARKDOWN, lambda file: _obsidian_memory(file, store))


def _obsidian_memory(file: NoteFile, store: _FileFinder) -> FoundMemory:
    names = map(_embedded_name, _EMBEDDED.finditer(file.text)) if "![" in file.text else ()
    is_file = (name for name in names if "." in name and not name.casefold().endswith(MARKDOWN))
    named = tuple(dict.fromkeys(name for name in is_file if not _ELSEWHERE.match(name)))[:_MOST_FILES]
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


# The files that a note shows, on their way in: each once, and never in the place of another of its name.

ATTACHMENTS = "attachments/"
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
    _held: dict[str, str] = field(default_factory=dict)  # name -> the digest of what lies there, or is to
    _told: set[Path] = field(default_factory=set)

    def collect_files(self, found: FoundMemory) -> NoteAttachments:
        """Return the files that a note shows; rename those whose name another file has here."""
        made: list[CreateFile] = []
        names: dict[str, str] = {}
        for named, path in found.attachments.items():
            data = self._read_file(path)
            if data is None:
                continue
            name, is_new = self._claim_name(path.name, files.digest(data))
            if is_new:
                made.append(CreateFile(f"{ATTACHMENTS}{name}", data, f"“{found.title}” names it"))
            if name != named:
                names[named] = name
        return NoteAttachments(tuple(made), names)

    def _read_file(self, path: Path) -> bytes | None:
        why = f"it stays where it is: it is larger than {_LONGEST_FILE // 1024**2} MB"
        try:
            data = files.read_file(path, limit=_LONGEST_FILE + 1)
            if len(data) <= _LONGEST_FILE and is_safe(f"{ATTACHMENTS}{path.name}"):
                return data
            if len(data) <= _LONGEST_FILE:
                why = "it stays where it is: not every system can call a file so"
        except MemvaultError as error:
            why = str(error)
        if path not in self._told:  # however many notes show it
            self._told.add(path)
            self.skipped.append(UnreadItem(path, why))
        return None

    def _claim_name(self, name: str, digest: str) -> tuple[str, bool]:
        """Return the name that a file has in the vault, or gets; and whether it is still to be put there."""
        stem, dot, ending = name.rpartition(".")
        own = f"{stem or ending}-{digest[:_MARK]}{dot and stem and dot + ending}"
        for each in (name, own):
            held = self._digest_of(each)
            if held in ("", digest):
                self._held[each.casefold()] = digest
                return each, not held
        return own, False  # another file lies there by all its names: so nothing is put anywhere

    def _digest_of(self, name: str) -> str:
        """Return what tells the file of that name in the vault from others; nothing where there is none."""
        key, path = name.casefold(), f"{ATTACHMENTS}{name}"
        if key not in self._held and self.vault.exists(path):
            try:
                self._held[key] = files.digest(files.read_file(self.vault.absolute_path(path), limit=_LONGEST_FILE + 1))
            except MemvaultError:
                self._held[key] = "?"
        return self._held.get(key, "")


# The files that a note shows, named within its text as Obsidian and markdown name them.

_EMBEDDED = re.compile(r"!\[\[(?P<wiki>[^\]|#^\n]{1,300})|!\[[^\]\n]{0,300}\]\(<?(?P<link>[^)>\s\n]{1,300})")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_MOST_FILES = 50  # files of one note


def rename_embeds(text: str, names: Mapping[str, str]) -> str:
    """Return the text of a note that shows some files by other names."""

    def rename_match(found: re.Match[str]) -> str:
        name = names.get(_embedded_name(found))
        if name is None:
            return found[0]
        which = "wiki" if found["wiki"] else "link"
        new_name = name if which == "wiki" else name.replace("%", "%25").replace(" ", "%20").replace(")", "%29")
        return found[0][: found.start(which) - found.start()] + new_name

    return _EMBEDDED.sub(rename_match, text) if names else text


def _embedded_name(found: re.Match[str]) -> str:
    return (found["wiki"] or unquote_link(found["link"])).strip()
