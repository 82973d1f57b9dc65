"""Where things lie in a vault, and which files are memories."""

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

# Written for an agent, by us or by hand: instructions, not memories.
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
    """Whether a file's name is one that syncing programs give to the loser of a conflict."""
    return compile_pattern(_CONFLICT_COPY, re.IGNORECASE).search(name) is not None


def is_marked_note(name: str) -> bool:
    """Whether a file of that name would be a note, were it not called like such a copy."""
    return is_conflict_copy(name) and _may_be_note(name.casefold())


def remove_conflict_mark(name: str) -> str:
    """A file's name without the mark of such a copy."""
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
        """The layout that the settings describe."""
        home = settings.text("layout.home")
        top = f"{home}/" if home else ""

        def folder(name: str) -> str:
            return f"{top}{settings.text(f'layout.{name}')}/"

        return cls(
            identity=folder("identity"),
            hot=folder("hot"),
            memories=folder("memories"),
            raw=folder("raw"),
            quarantine=folder("quarantine"),
            private=folder("private"),
            templates=folder("templates"),
            adopted=adopted,
        )

    @property
    def deep(self) -> str:
        """Where long detail files lie."""
        return f"{self.memories}{DEEP}/"

    @property
    def archived(self) -> str:
        """Where faded and merged memories lie."""
        return f"{self.raw}{ARCHIVED}/"

    @property
    def transcripts(self) -> str:
        """Where whole conversations lie."""
        return f"{self.raw}{TRANSCRIPTS}/"

    def folder_of(self, place: Place) -> str:
        """The folder of a place, ending in a slash; foreign notes have none of their own."""
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
        """Which place a note lies in; None for a file that is no memory."""
        folder, slash, name = path.rpartition("/")
        return self.place_of_folder(folder + slash) if self.is_note(folder + slash, name) else None

    def is_note(self, folder: str, name: str) -> bool:
        """Whether a file of that name, in a folder for notes, is one."""
        return self.is_note_name(name) and not (not folder and self._is_vault_readme(name))

    def place_of_folder(self, folder: str) -> Place | None:
        """The place of the notes in a folder (given with a closing slash); None where no memories lie."""
        if any(part.startswith(".") for part in folder.split("/")):
            return None
        for place in (Place.IDENTITY, Place.HOT, Place.DEEP, Place.MEMORIES, Place.ARCHIVED, Place.QUARANTINE):
            if folder.startswith(self.folder_of(place)):
                return place
        return None if folder.startswith((self.raw, self.private, self.templates)) else Place.FOREIGN

    def is_managed(self, path: str) -> bool:
        """Whether a path is, or leads to, a folder that memvault itself writes in, or what it goes by."""
        tiers = (self.identity, self.hot, self.deep, self.archived, self.transcripts)
        folders = (*tiers, self.quarantine, self.private, self.templates, f"{TRASH}/")
        is_of_state = f"{path}/".startswith(f"{STATE}/")
        return is_of_state or path in (CONFIG, IGNORE) or any(each.startswith(f"{path}/") for each in folders)

    def is_note_name(self, name: str) -> bool:
        """Whether a file of this name may be a memory."""
        lowered = name.casefold()
        return _may_be_note(lowered) and not ("conflict" in lowered and is_conflict_copy(lowered))

    def are_notes(self, folder: str, names: Sequence[str]) -> bool:
        """Whether all of these, which end in .md, are plainly notes; what is not plain is for `holds`."""
        joined = "/".join(("", *names, "")).casefold()
        # One character is found many times faster than two: so most lines of names are not looked through for them.
        may_be_hidden = "~" in joined or (joined.count(".") > len(names) and "/." in joined)
        is_odd = may_be_hidden or "conflict" in joined or any(name in joined for name in _INSTRUCTIONS)
        return not is_odd and not (not folder and any(map(self._is_vault_readme, names)))

    def _is_vault_readme(self, name: str) -> bool:
        return name == "README.md" and not self.adopted

    def walks_into(self, folder: str) -> bool:
        """Whether notes can lie in or under a folder (given with a closing slash)."""
        if folder.rstrip("/").rpartition("/")[2].startswith("."):
            return False
        if folder.startswith(self.raw):
            return folder == self.raw or folder.startswith(self.archived)
        return not folder.startswith((self.quarantine, self.private, self.templates))


def _may_be_note(lowered: str) -> bool:
    return lowered.endswith(ENDINGS) and not lowered.startswith((".", "~")) and lowered not in _INSTRUCTIONS


# The text of a note, out of its bytes.


def decode_body(body: bytes) -> str:
    """A body in UTF-8 as text; what is no UTF-8 in it becomes a mark that says so."""
    return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")


# Copies that a syncing program made of a note: told by their names, and by what lies beside them.

_HEAD = 65_536  # bytes in which a note's frontmatter ends
_ID = r"^id:[ \t]*['\"]?([0-9a-fA-F-]{36})\b"


def is_copy(root: Path, path: str) -> bool:
    """Whether a file whose name has the mark of a copy is one, and no person's note that is only called like it.

    It is none where it and the file of that name without the mark are two memories, and where there is no such file and
    it says of no memory that it is that: the original of such a one may have been moved.
    """
    folder, slash, name = path.rpartition("/")
    own, original = root / path, root / f"{folder}{slash}{remove_conflict_mark(name)}"
    id_ = _read_id(own)
    if original == own or not original.is_file():
        return bool(id_)
    return not id_ or _read_id(original) in (id_, "")


def _read_id(path: Path) -> str:
    """The id that a file gives itself in its frontmatter; empty where it gives none, or cannot be read."""
    try:
        head = files.read_file(path, limit=_HEAD)
    except Unreadable:
        return ""
    block = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    ends = block.find("\n---", 3)
    found = compile_pattern(_ID, re.MULTILINE).search(block, 0, ends) if block.startswith("---") and ends > 0 else None
    return found[1].lower() if found else ""


# What a person hides from memvault, in gitignore's own language.


def hide_nothing(_path: str) -> bool:
    """The rule where no ignore file stands: nothing is hidden."""
    return False


def read_ignore_file(root: Path) -> Callable[[str], bool]:
    """Whether a path (folders with a closing slash) is hidden by the vault's ignore file."""
    path = root / IGNORE
    if not path.is_file():
        return hide_nothing
    import pathspec  # only vaults with an ignore file pay for it

    lines = files.read_file(path).decode("utf-8-sig", errors="replace").splitlines()
    return pathspec.GitIgnoreSpec.from_lines(lines).match_file
