"""Check out a commit in the vault's folder, merged with what is not committed there."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from memvault.errors import LinkLeadsOut, MemvaultError
from memvault.storage.vault.layout import CONFIG, STATE, TRASH, Layout
from memvault.storage.vault.vault import Vault
from memvault.sync.merge_driver import MergeContext, merge_file, path_beside
from memvault.sync.merge_trees import SyncAccount, note_id
from memvault.sync.repository import SyncTree
from memvault.system import files
from memvault.system.git_objects import LINK, Listing, TreeEntry, index_rows, list_commit, read_blobs


def check_out(tree: SyncTree, commit: str, known: MergeContext, account: SyncAccount) -> None:
    """Bring the folder to a later commit, and merge in what is not committed there; all or nothing."""
    landing = _Checkout(tree, known, commit, account)
    landing.check_links()
    for path in landing.blocked_files():
        landing.merge_uncommitted(path)
    landing.advance()


class _Checkout:
    """A checkout of a commit, with the files in which the folder, the last commit and the next one differ."""

    def __init__(self, tree: SyncTree, known: MergeContext, commit: str, account: SyncAccount) -> None:
        self._account = account
        self._tree, self._known, self._commit = tree, known, commit
        self._old: Listing = list_commit(tree.git, "HEAD") if tree.has_commits() else {}
        self._new = list_commit(tree.git, commit)
        self._uncommitted = set(tree.changed_files())

    def check_links(self) -> None:
        """Refuse a commit that puts a link out of the vault where memvault itself keeps or writes things."""
        layout = self._tree.context.vault.layout
        for path, entry in self._new.items():
            own = self._tree.vault_path(path)
            if entry.mode != LINK or own is None or self._old.get(path) == entry or not layout.is_managed(own):
                continue
            target = read_blobs(self._tree.git, (entry.blob,)).get(entry.blob, b"").decode("utf-8", "replace")
            if _leads_out(own, target):
                raise LinkLeadsOut(path=f"The remote's version of {own}", link=own, target=target)

    def blocked_files(self) -> list[str]:
        """Return the vault's files that git would not overwrite, as they hold uncommitted changes."""
        found = []
        # Where a disk takes Boat.md and boat.md for one name, the former name of a file is no other file.
        former = {path.casefold() for path in self._old if path not in self._new}
        for path in sorted({*self._old, *self._new}):
            own = self._tree.vault_path(path)
            if own is None or self._old.get(path) == self._new.get(path):
                continue
            is_new = path not in self._old and path.casefold() not in former
            is_in_place = is_new and os.path.lexists(self._tree.root / own)
            if own in self._uncommitted or is_in_place:
                found.append(own)
        return found

    def merge_uncommitted(self, own: str) -> None:
        """Merge what came with what is in the folder, which stays uncommitted; a stranger of that name gets another."""
        path = f"{self._tree.prefix}{own}"
        full = self._tree.root / own
        old, new = self._entry_bytes(self._old.get(path)), self._entry_bytes(self._new.get(path))
        here = files.read_file(full) if _is_plain(full) else None
        if here is None and os.path.lexists(full):
            return  # a link or a folder: git reports it
        if new is not None and here is not None:
            ids = note_id(here), note_id(new)
            if old is None and all(ids) and ids[0] != ids[1]:
                self._move_away(own, note_id(here) or files.digest(here))
                return
            self._merge_file(own, old, here, new)
        elif new is not None and old is not None and (twin := self._find_moved(note_id(old))):
            self._merge_file(twin, old, files.read_file(self._tree.root / twin), new)
        # Git is told that it has the file's next version already, so that it leaves the file alone.
        row = index_rows({path: self._new.get(path)}, len(self._commit))
        self._tree.git.run_text("update-index", "-z", "--index-info", given=row)

    def advance(self) -> None:
        """Have git bring the folder to the commit; that it is there is said only when the disk has all of the files.

        Else a power cut could leave notes empty that git believes to be whole, and the next run would hand that on.
        """
        self._tree.forget_facts()
        git = self._tree.git
        differing = [path for path in sorted({*self._old, *self._new}) if self._old.get(path) != self._new.get(path)]
        if not self._tree.has_commits():
            git.run_text("merge", "--quiet", "--ff-only", self._commit)
            self._tree.forget_facts()
            files.sync_files(self._tree.top, differing)
            return
        head = self._tree.head()
        git.run_text("read-tree", "-m", "-u", head, self._commit)
        files.sync_files(self._tree.top, differing)
        git.run_text("update-ref", "-m", "memvault sync", "HEAD", self._commit, head)
        self._tree.forget_facts()

    def _merge_file(self, own: str, old: bytes | None, here: bytes, new: bytes) -> None:
        found = merge_file(old, here, new, own, self._known)
        if found is None:
            return  # no memory: ours stays, and git's history has theirs
        if found.parked is not None:
            there = path_beside(own, found.parked_id)
            if not os.path.lexists(self._tree.root / there):
                files.create_file(self._tree.root / there, found.parked)
            self._account.parked.append((own, there))
        files.replace_note(
            self._tree.root / own, found.raw, expected=here, hold=self._tree.context.vault.displaced_folder
        )

    def _find_moved(self, id_: str) -> str:
        """Return where a memory lies that was moved here and not committed."""
        paths = sorted(path for path in self._uncommitted if id_ and self._known.place(path))
        full = ((path, self._tree.root / path) for path in paths)
        return next((path for path, file in full if _is_plain(file) and note_id(files.read_file(file)) == id_), "")

    def _move_away(self, own: str, name: str) -> None:
        target, turn = path_beside(own, name), 1
        while os.path.lexists(self._tree.root / target) or f"{self._tree.prefix}{target}" in self._new:
            turn += 1
            target = path_beside(own, f"{name[:6]}-{turn}")
        files.move_file(self._tree.root / own, self._tree.root / target)
        self._account.aside.append((own, target))

    def _entry_bytes(self, entry: TreeEntry | None) -> bytes | None:
        if entry is None or not entry.is_plain:
            return None
        return read_blobs(self._tree.git, (entry.blob,)).get(entry.blob)


def _leads_out(own: str, target: str) -> bool:
    """Return whether a link at a vault path would lead out of the vault, or into `.git`."""
    inner = os.path.normpath(Path(own).parent / target).replace("\\", "/")
    is_away = Path(target).is_absolute() or inner.startswith("../") or inner == ".."
    return is_away or ":" in inner or ".git" in inner.casefold().split("/")


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


# Git's attributes and ignored files: how files are merged, and which never leave this machine.

ATTRIBUTES, IGNORES = ".gitattributes", ".gitignore"
DRIVER = "memvault"

_BEGIN, _END = (
    "# memvault: begin (how memories travel; this part is kept up by `memvault sync init`)",
    "# memvault: end",
)


def attribute_lines() -> tuple[str, ...]:
    """Return the lines that have memvault merge notes and records, and git leave line endings alone.

    Git's own union merge would bring back a line that one side redacted, where the other has added a line below it.
    """
    return (
        f"*.md merge={DRIVER} -text",
        f"*.markdown merge={DRIVER} -text",
        f"{STATE}/journal/** merge={DRIVER} -text",
        f"{STATE}/ledger/*.jsonl merge={DRIVER} -text",
        f"{STATE}/ledger/key merge={DRIVER} -text",
        f"{STATE}/vault.json merge={DRIVER} -text",
        "*.age -merge -text",
        ".recipients merge=union -text",
    )


def ignore_lines(layout: Layout, *, with_transcripts: bool) -> tuple[str, ...]:
    """Return the patterns of files that belong to this machine alone, or to nobody else."""
    return (
        f"/{STATE}/undo/",
        f"/{STATE}/lock",
        f"/{STATE}/lock.turn",
        ".*.tmp",
        f"/{TRASH}/",
        f"/{layout.private}*",
        f"!/{layout.private}*.md.age",
        f"!/{layout.private}.recipients",
        "*.agekey",
        "*identity.txt",
        *(() if with_transcripts else (f"/{layout.transcripts}*", f"!/{layout.transcripts}.gitkeep")),
    )


def write_block(data: bytes, lines: tuple[str, ...]) -> bytes:
    """Put our lines into a file's bytes, in a block of their own; every other byte stays."""
    eol = b"\r\n" if b"\r\n" in data else b"\n"
    block = eol.join(line.encode() for line in (_BEGIN, *lines, _END)) + eol
    before, begun, rest = data.partition(_BEGIN.encode())
    if not begun and not lines:
        return data
    if not begun:
        gap = b"" if not data or data.endswith(eol) else eol
        return data + gap + (eol if data else b"") + block
    after = rest.partition(_END.encode())[2]
    return before + block + after.removeprefix(b"\r").removeprefix(b"\n")


def without_known_lines(data: bytes, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines that do not stand in a file already, outside our block; what an exception lifts goes with it."""
    before, _, rest = data.partition(_BEGIN.encode())
    others = before + rest.partition(_END.encode())[2]
    outside = {line.strip() for line in others.decode("utf-8", "replace").splitlines()}
    lifted = tuple(line[1:] for line in lines if line.startswith("!"))
    together = {line for line in lines if line[0] == "!" or any(one.startswith(line.rstrip("*")) for one in lifted)}
    is_whole = together <= outside
    return tuple(line for line in lines if line not in outside or (line in together and not is_whole))


def read_if_present(path: Path) -> bytes:
    """Return a file's bytes, empty where there is no file."""
    return files.read_file(path) if path.is_file() else b""


# Permissions: a clone lets everybody on the machine read what memvault lets only its person read.

_OTHERS = 0o077


def find_open_permissions(vault: Vault) -> tuple[tuple[Path, int], ...]:
    """Return our folders and settings that others have rights to, each with the mode to set.

    Nobody gets into a closed folder, whatever permissions git gives the notes in it.
    """
    return tuple(_open_permissions(vault)) if sys.platform != "win32" else ()


def restrict_permissions(vault: Vault) -> None:
    """Take these rights away; what is not ours to change, the doctor tells."""
    for path, mode in find_open_permissions(vault):
        try:
            with files.system_errors(path):
                path.chmod(mode)
        except MemvaultError:
            continue


def _open_permissions(vault: Vault) -> Iterator[tuple[Path, int]]:
    layout = vault.layout
    folders = (STATE, layout.identity, layout.hot, layout.memories, layout.raw, layout.quarantine, layout.private)
    allowed = {vault.root / name: vault.folder_mode for name in folders} | {vault.root / CONFIG: vault.file_mode}
    for path, mode in allowed.items():
        if path.exists() and files.is_in_place(vault.root, path):
            here = stat.S_IMODE(path.stat().st_mode)
            if here & _OTHERS & ~mode:
                yield path, here & ~(_OTHERS & ~mode)
