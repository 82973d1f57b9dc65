"""The layout of a vault, and which files are memories."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from memvault.core.memory import Place
from memvault.core.settings import Settings
from memvault.core.value import Record
from memvault.errors import Unreadable
from memvault.system import files
from memvault.text.characters import compile_pattern

CONFIG = "memvault.toml"
STATE = ".memvault"
TRASH = ".trash"
IGNORE = ".memvaultignore"
DEEP = "deep-context"
ARCHIVED = "archived"
TRANSCRIPTS = "transcripts"
ENDINGS = (".md", ".markdown")
SEALED = ".sealed.age"  # how the files with sealed originals of conversations end

# Instructions for agents, not memories.
_INSTRUCTIONS = frozenset({"claude.md", "claude.local.md", "agents.md", "gemini.md"})
_CONFLICT_COPY = (
    r"\.sync-conflict-\d{8}-\d{6}"  # Syncthing
    r"|\(conflicted copy|conflicted copy \d{4}-\d{2}-\d{2}|'s conflicted copy"  # Dropbox, Nextcloud
    r"|\(case conflict"  # Dropbox
    r"|\.conflict-\d|\(conflict \d{4}-\d{2}-\d{2}(?: \d+)?\)"  # Obsidian Sync, memvault's own rescue copies
)
_MARK = (
    r"\.sync-conflict-\d{8}-\d{6}(?:-[0-9a-z]+)?"
    r"|\.conflict-\d[0-9tz-]*"
    r"| ?\([^()]*(?:conflicted copy|case conflict|conflict \d{4}-)[^()]*\)"
)


def is_conflict_copy(name: str) -> bool:
    """Return whether syncing programs give such a name to the loser of a conflict."""
    return compile_pattern(_CONFLICT_COPY, re.IGNORECASE).search(name) is not None


def remove_conflict_mark(name: str) -> str:
    """Return a file's name without the mark of a conflict copy."""
    return compile_pattern(_MARK, re.IGNORECASE).sub("", name)


class Layout(Record):
    """The folders of one vault, relative to its top, each ending in a slash."""

    identity: str
    hot: str
    memories: str
    raw: str
    quarantine: str
    private: str
    templates: str
    adopted: bool = False

    @classmethod
    def from_settings(cls, settings: Settings, *, adopted: bool) -> Layout:
        """Return the layout that the settings describe."""
        home = settings.text("layout.home")
        top = f"{home}/" if home else ""
        names = ("identity", "hot", "memories", "raw", "quarantine", "private", "templates")
        return cls(**{name: f"{top}{settings.text(f'layout.{name}')}/" for name in names}, adopted=adopted)

    @property
    def deep(self) -> str:
        """Return the folder of long detail files."""
        return f"{self.memories}{DEEP}/"

    @property
    def archived(self) -> str:
        """Return the folder of faded and merged memories."""
        return f"{self.raw}{ARCHIVED}/"

    @property
    def transcripts(self) -> str:
        """Return the folder of whole conversations."""
        return f"{self.raw}{TRANSCRIPTS}/"

    def folder_of(self, place: Place) -> str:
        """Return the folder of a place, ending in a slash; empty for foreign notes."""
        return {
            Place.IDENTITY: self.identity,
            Place.HOT: self.hot,
            Place.MEMORIES: self.memories,
            Place.DEEP: self.deep,
            Place.ARCHIVED: self.archived,
            Place.QUARANTINE: self.quarantine,
            Place.FOREIGN: "",
        }[place]

    def place_of(self, path: str) -> Place | None:
        """Return the place of a note; None for a file that is no memory."""
        folder, slash, name = path.rpartition("/")
        return self.place_of_folder(folder + slash) if self.is_note(folder + slash, name) else None

    def is_note(self, folder: str, name: str) -> bool:
        """Return whether a file of that name, in a folder for notes, is a note."""
        lowered = name.casefold()
        is_copied = "conflict" in lowered and is_conflict_copy(lowered)
        is_readme = not folder and not self.adopted and name == "README.md"  # the vault's own
        return _may_be_note(lowered) and not is_copied and not is_readme

    def place_of_folder(self, folder: str) -> Place | None:
        """Return the place of the notes in a folder (with a closing slash); None where no memories lie."""
        if any(part.startswith(".") for part in folder.split("/")):
            return None
        for place in (Place.IDENTITY, Place.HOT, Place.DEEP, Place.MEMORIES, Place.ARCHIVED, Place.QUARANTINE):
            if folder.startswith(self.folder_of(place)):
                return place
        return None if folder.startswith((self.raw, self.private, self.templates)) else Place.FOREIGN

    def is_managed(self, path: str) -> bool:
        """Return whether a path is, or leads to, a folder that memvault itself writes to or a file it reads."""
        tiers = (self.identity, self.hot, self.deep, self.archived, self.transcripts)
        folders = (*tiers, self.quarantine, self.private, self.templates, f"{TRASH}/")
        is_of_state = f"{path}/".startswith(f"{STATE}/")
        return is_of_state or path in (CONFIG, IGNORE) or any(each.startswith(f"{path}/") for each in folders)

    def are_notes(self, folder: str, names: Sequence[str]) -> bool:
        """Return whether all of these .md names are plainly notes; doubtful ones are for `is_note`."""
        joined = "/".join(("", *names, "")).casefold()
        # Searching one character is many times faster than two, so that is tried first.
        may_be_hidden = "~" in joined or (joined.count(".") > len(names) and "/." in joined)
        is_odd = may_be_hidden or "conflict" in joined or any(name in joined for name in _INSTRUCTIONS)
        return not is_odd and (bool(folder) or self.adopted or "README.md" not in names)

    def walks_into(self, folder: str) -> bool:
        """Return whether notes can lie in or under a folder (with a closing slash)."""
        if folder.rstrip("/").rpartition("/")[2].startswith("."):
            return False
        if folder.startswith(self.raw):
            return folder == self.raw or folder.startswith(self.archived)
        return not folder.startswith((self.quarantine, self.private, self.templates))


def _may_be_note(lowered: str) -> bool:
    return lowered.endswith(ENDINGS) and not lowered.startswith((".", "~")) and lowered not in _INSTRUCTIONS


# The text of a note.


def decode_body(body: bytes) -> str:
    """Return a UTF-8 body as text; invalid bytes become replacement characters."""
    return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")


# Conflict copies of a syncing program: recognized by their names and the files beside them.

_HEAD = 65_536  # bytes in which a note's frontmatter ends
_ID = r"^id:[ \t]*['\"]?([0-9a-fA-F-]{36})\b"


def is_named_like_copy(root: Path, path: str) -> bool:
    """Return whether a note is only named like a conflict copy."""
    lowered = path.rpartition("/")[2].casefold()
    return "conflict" in lowered and is_conflict_copy(lowered) and _may_be_note(lowered) and not is_copy(root, path)


def is_copy(root: Path, path: str) -> bool:
    """Return whether a file with the name of a conflict copy is one, rather than a person's note with such a name.

    It is none where it and the file without the mark are two memories, or where that file is missing and it claims no
    id: the original of a copy may have been moved.
    """
    folder, slash, name = path.rpartition("/")
    own, original = root / path, root / f"{folder}{slash}{remove_conflict_mark(name)}"
    id_ = _read_id(own)
    if original == own or not original.is_file():
        return bool(id_)
    return not id_ or _read_id(original) in (id_, "")


def _read_id(path: Path) -> str:
    """Return the id in a file's frontmatter; empty where there is none or the file cannot be read."""
    try:
        head = files.read_file(path, limit=_HEAD)
    except Unreadable:
        return ""
    block = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    ends = block.find("\n---", 3)
    found = compile_pattern(_ID, re.MULTILINE).search(block, 0, ends) if block.startswith("---") and ends > 0 else None
    return found[1].lower() if found else ""


# What a person hides from memvault, in gitignore's syntax.


def hide_nothing(_path: str) -> bool:
    """Return False: without an ignore file nothing is hidden."""
    return False


def read_ignore_file(root: Path) -> Callable[[str], bool]:
    """Return a test of whether the vault's ignore file hides a path (folders with a closing slash)."""
    path = root / IGNORE
    if not path.is_file():
        return hide_nothing
    import pathspec  # deferred: only vaults with an ignore file need it

    lines = files.read_file(path).decode("utf-8-sig", errors="replace").splitlines()
    return pathspec.GitIgnoreSpec.from_lines(lines).match_file
