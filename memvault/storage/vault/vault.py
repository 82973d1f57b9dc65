"""The notes of one vault: listed, read, and never outside it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.memory import Place
from memvault.core.settings import Settings
from memvault.core.value import Record
from memvault.errors import LinkLeadsOut, OutsideVault, Unwritable
from memvault.storage.journal.journal import Journal, JsonRecord
from memvault.storage.journal.ledger import KEY, Ledger
from memvault.storage.vault import layout
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.layout import STATE, TRASH, Layout, decode_body, is_named_like_copy
from memvault.storage.vault.listing import Listing, VaultWalk
from memvault.storage.vault.vault_file import VaultFile
from memvault.system import files
from memvault.system.files import StatKey

if TYPE_CHECKING:
    from memvault.storage.frontmatter import ParsedNote
    from memvault.storage.journal.operations import OperationLog


class VaultNote(Record):
    """A file as it was read: its bytes, its frontmatter, and when it was last written to."""

    path: str
    block: ParsedNote
    version: str
    modified: datetime
    clipped: bool = False

    @property
    def raw(self) -> bytes:
        """Return the bytes as read."""
        return self.block.raw


class Vault:
    """A folder of notes with its vault file, layout, journal and ledger."""

    def __init__(self, root: Path, settings: Settings, *, device: str, own: VaultFile | None = None) -> None:
        files.guard_vault(root, settings.texts("vault.links"))
        self.root = root
        self.vault_file: VaultFile = own or charter.read_vault_file(root)
        self.settings = settings
        self.layout = Layout.from_settings(settings, adopted=self.vault_file.adopted)
        self.device = device
        self.state = root / STATE
        self.undo = self.state / "undo"
        self.displaced_folder = self.undo / "held"
        self.journal = Journal(self.state / "journal", device)
        self.ledger = Ledger(self.state / "ledger", device)
        # Checked first: a writer would notice a link in these only when half of its work is done.
        self._written_by_all = (
            self.state / "lock",
            self.state / "journal" / device,
            self.ledger.own,
            self.ledger.folder / KEY,
            self.displaced_folder,
        )
        self.hides = layout.read_ignore_file(root)  # whether the person's ignore file hides a path
        self.before_writing: Callable[[], object] | None = None  # may raise: then nothing is written
        self.unreadable: dict[str, str] = {}  # folders and links that the last listing skipped
        self.linked_notes: set[str] = set()  # notes with other names, through which they can change unnoticed

    @property
    def log(self) -> OperationLog:
        """Return the operation log."""
        from memvault.storage.journal.operations import OperationLog  # deferred

        return OperationLog(self.journal, self.undo)

    @contextmanager
    def lock_vault(self) -> Iterator[None]:
        """Hold the lock that all writers share; raise OutsideVault where a link leads what they displace elsewhere."""
        self.check_writable_places()
        with files.lock(self.state / "lock", wait=self.settings.number("files.lock_seconds")):
            if self.before_writing is not None:
                self.before_writing()
            yield

    def check_writable_places(self) -> None:
        """Raise OutsideVault where a link leads what writers write, or undo needs, elsewhere."""
        for path in self._written_by_all:
            files.check_write(path)
        if not files.is_in_place(self.root, self.undo):
            raise OutsideVault(path=self.undo)

    def late_writes(self, *, older_than_ns: int, now_ns: int) -> tuple[files.LateWrite, ...]:
        """Return what editors wrote into displaced notes; quiet ones of that age are released."""
        if not files.is_in_place(self.root, self.displaced_folder):
            return ()  # a link leads to somebody else's files
        return files.collect_late_writes(self.displaced_folder, older_than_ns=older_than_ns, now_ns=now_ns)

    def is_own_file(self, path: Path) -> bool:
        """Return whether a file is this vault's own; a kept path may name another, as it may come from elsewhere."""
        inner = self.relative_path(path)
        return inner is not None and ".git" not in inner.casefold().split("/") and files.is_in_place(self.root, path)

    @property
    def file_mode(self) -> int:
        """Return the mode of new files."""
        return 0o640 if self.settings.flag("files.shared") else 0o600

    @property
    def folder_mode(self) -> int:
        """Return the mode of new folders."""
        return 0o750 if self.settings.flag("files.shared") else 0o700

    def try_journal(self, entries: Sequence[JsonRecord], now: datetime) -> bool:
        """Journal what was noticed in passing, unless the vault cannot be written."""
        return _try_write(lambda: self.journal.append(entries, now))

    def try_ledger(self, entries: Sequence[JsonRecord], now: datetime) -> bool:
        """Record what was decided in passing, unless the vault cannot be written; it is decided the same way again."""
        return _try_write(lambda: self.ledger.append(entries, now))

    # -- paths

    def absolute_path(self, path: str) -> Path:
        """Return the file of a vault path; one that leads outside is refused."""
        full = self.root / path
        if not files.is_inside(self.root, full):
            found = files.find_link_out(full)
            if found is None:
                raise OutsideVault(path=path)
            if not found.allowed:
                raise LinkLeadsOut(path=path, link=found.link, target=found.target)
        return full

    def relative_path(self, path: Path) -> str | None:
        """Return the vault path of a file, or None where it lies elsewhere."""
        try:
            return path.absolute().relative_to(self.root).as_posix()
        except ValueError:
            return None

    def exists(self, path: str) -> bool:
        """Return whether a file of that vault path exists."""
        return os.path.lexists(self.root / path)

    def place_of(self, path: str) -> Place | None:
        """Return the place of a note; None for what is no memory or is hidden."""
        if self.hides(path):
            return None
        found = self.layout.place_of(path)
        if found is None and is_named_like_copy(self.root, path):
            folder, slash, _ = path.rpartition("/")
            return self.layout.place_of_folder(folder + slash)
        return found

    # -- listing

    def list_folders(self) -> Listing:
        """Yield every folder with its notes and their stat keys, in order; unreadable ones are skipped."""
        walk = VaultWalk(self.root, self.layout, self.hides)
        self.unreadable, self.linked_notes = walk.unreadable, walk.linked_notes
        return walk.walk_folders()

    def is_in_inner_vault(self, path: str) -> bool:
        """Return whether a path lies in an inner vault."""
        parents = [
            parent for parent in (self.root / path).parents if parent != self.root and self.root in parent.parents
        ]
        return any((parent / STATE).is_dir() for parent in parents)

    def total_size(self, paths: list[str]) -> int:
        """Return the bytes that some notes take on disk."""
        return sum((self.root / path).stat().st_size for path in paths if self.exists(path))

    def trash_paths(self) -> list[str]:
        """Return the notes in the vault's trash."""
        found = files.list_files(self.root, self.root / TRASH)
        return sorted(self.relative_path(path) or "" for path in found if path.name.endswith(".md"))

    # -- reading

    def read_note(self, path: str, *, limit: int | None = None) -> VaultNote:
        """Return a note as it is on disk now."""
        from memvault.storage import frontmatter  # deferred: a recall seldom needs more than the text

        full = self.absolute_path(path)
        raw, stamp = files.read_stamped(full, limit=limit)
        clipped = limit is not None and stamp.size > limit
        return VaultNote(path, frontmatter.parse(raw), files.digest(raw), stamp.modified, clipped)

    def read_unchanged_text(self, path: str, key: StatKey, opens: int) -> str | None:
        """Return the text of a listed note from a byte offset on; None where the file has changed."""
        # The path is not resolved: a file with the key of a listed note is that note.
        raw = files.read_known(f"{self.root}/{path}", key[0], lambda found: files.stat_key(found) == key)
        return None if raw is None else decode_body(raw[opens:])

    def is_unchanged(self, path: str, key: StatKey) -> bool:
        """Return whether the file of a listed note is unchanged."""
        try:
            return files.stat_key(os.stat(f"{self.root}/{path}")) == key  # noqa: PTH116 - asked of every note that is shown
        except (OSError, ValueError):
            return False


def _try_write(write: Callable[[], None]) -> bool:
    try:
        write()
    except (Unwritable, OutsideVault):
        return False
    return True


# Notes in name only: their content is reported and not indexed.

_MARKERS = tuple(re.compile(mark, re.MULTILINE) for mark in (rb"^<{7} ", rb"^={7}\r?$", rb"^>{7} "))


def unfit_reason(raw: bytes) -> str:
    """Return why the text of a file is not indexed; empty where it is sound."""
    if b"\0" in raw and raw[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return "it holds NUL bytes, so it is no text"
    if line := conflict_marker_line(raw):
        return f"line {line}: a merge left its markers, so it is two versions at once"
    return ""


def conflict_marker_line(raw: bytes) -> int:
    """Return the line of the first of three merge markers in order; 0 where there are none."""
    at, first = 0, -1
    for marker in _MARKERS:
        found = marker.search(raw, at)
        if found is None:
            return 0
        at, first = found.end(), found.start() if first < 0 else first
    return raw.count(b"\n", 0, first) + 1
