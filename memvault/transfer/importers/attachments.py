"""The files that a note shows, on their way in: each once, and never in the place of another of its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memvault.core.ids import unquote_link
from memvault.core.plan import CreateFile
from memvault.errors import MemvaultError
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.text.file_names import is_safe
from memvault.transfer.importers.item import FoundMemory, UnreadItem
from memvault.transfer.importers.markdown import MARKDOWN

ATTACHMENTS = "attachments/"
_LONGEST = 10 * 1024 * 1024
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
        why = f"it stays where it is: it is larger than {_LONGEST // 1024**2} MB"
        try:
            data = files.read_file(path, limit=_LONGEST + 1)
            if len(data) <= _LONGEST and is_safe(f"{ATTACHMENTS}{path.name}"):
                return data
            if len(data) <= _LONGEST:
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
                self._held[key] = files.digest(files.read_file(self.vault.absolute_path(path), limit=_LONGEST + 1))
            except MemvaultError:
                self._held[key] = "?"
        return self._held.get(key, "")


# The files that a note shows, named within its text as Obsidian and markdown name them.

_EMBEDDED = re.compile(r"!\[\[(?P<wiki>[^\]|#^\n]{1,300})|!\[[^\]\n]{0,300}\]\(<?(?P<link>[^)>\s\n]{1,300})")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_MOST = 50  # files of one note


def embedded_files(text: str) -> tuple[str, ...]:
    """Return the files that a note shows, but for other notes and what lies on the web."""
    names = map(_embedded_name, _EMBEDDED.finditer(text)) if "![" in text else ()
    is_file = (name for name in names if "." in name and not name.casefold().endswith(MARKDOWN))
    return tuple(dict.fromkeys(name for name in is_file if not _ELSEWHERE.match(name)))[:_MOST]


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
