"""Restore lines that records lost, by a power cut say, and apply the marks of what was purged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN_MARK, Erase
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.journal import tombstones
from memvault.storage.journal.ledger import Ledger
from memvault.storage.vault import codec
from memvault.storage.vault.layout import STATE
from memvault.sync.merge_driver import is_record, restore_lines
from memvault.sync.repository import SyncTree
from memvault.system import files
from memvault.system.git_objects import read_at_commit

_FOLDERS = (f"{STATE}/journal", f"{STATE}/ledger")
_MOVES, _PULLS = 60, 12  # of the branch in this clone, the last ones; and of those what others than memvault did
_BY_HAND = ("pull", "merge", "rebase", "reset")  # how git notes those that are not ours


def restore_records(tree: SyncTree, commits: Iterable[str]) -> tuple[str, ...]:
    """Give the records here all lines back that were committed, unless they are void; return which had lost some."""
    found = []
    for commit in commits:
        for path, here, whole in _records_to_restore(tree, commit):
            full = tree.root / path
            if os.path.lexists(full):
                files.replace_note(full, whole, expected=here, hold=tree.context.vault.displaced_folder)
            else:
                files.make_folder(full.parent)
                files.create_file(full, whole)
            found.append(path)
    return tuple(dict.fromkeys(found))


def commits_before_pulls(tree: SyncTree) -> list[str]:
    """Return where the branch was before a plain `git pull` and the like, which ask no merge driver."""
    log = tree.git_path("logs/HEAD")
    if not (tree.has_commits() and log.is_file()):
        return []
    # Each row says from which commit this clone's branch went, and how git notes what moved it.
    rows = (row.partition("\t") for row in reversed(log.read_text("utf-8", "replace").splitlines()[-_MOVES:]))
    moves = ((about.split(" ", 1)[0], how) for about, _, how in rows)
    found = dict.fromkeys(before for before, how in moves if how.startswith(_BY_HAND) and before.strip("0"))
    return [commit for commit in list(found)[:_PULLS] if _lacks_lines(tree, commit)]


def damaged_records(tree: SyncTree, commits: Iterable[str]) -> tuple[str, ...]:
    """Return the records here that lost lines of some commits without redacting them."""
    return tuple(dict.fromkeys(path for commit in commits for path, _here, _whole in _records_to_restore(tree, commit)))


def _lacks_lines(tree: SyncTree, commit: str) -> bool:
    """Return whether the records here lack any line of a commit; False for a commit that is gone."""
    answer = tree.git.try_run(
        "diff", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", commit, "--", *_FOLDERS
    )
    counts = (row.split("\t")[1] for row in answer.text.splitlines() if row.count("\t") > 1)
    return answer.code == 0 and any(count != "0" for count in counts)


def has_all_records(tree: SyncTree, commit: str) -> bool:
    """Return whether a commit has every line of the records that we committed."""
    paths = _differing_records(tree, "HEAD", commit)
    ours, theirs = (
        read_at_commit(tree.git, each, (f"{tree.prefix}{path}" for path in paths)) for each in ("HEAD", commit)
    )
    pairs = ((path, ours.get(f"{tree.prefix}{path}"), theirs.get(f"{tree.prefix}{path}", b"")) for path in paths)
    return all(mine is None or restore_lines(mine, other, path) == other for path, mine, other in pairs)


def _differing_records(tree: SyncTree, *commits: str) -> list[str]:
    """Return the records that differ between two commits, or between a commit and the folder."""
    if commits == ("HEAD",):
        return [path for path in tree.changed_files() if is_record(path)]
    plain = ("--no-renames", "--no-ext-diff", "--ignore-submodules=all")
    named = tree.git.run_checked("diff", "--name-only", "-z", *plain, *commits, "--", *_FOLDERS).names()
    return [path for path in map(tree.vault_path, named) if path is not None and is_record(path)]


def _records_to_restore(tree: SyncTree, commit: str) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield the records that lack lines of a commit: as they are, and with all that they had there."""
    paths = _differing_records(tree, commit)
    known = read_at_commit(tree.git, commit, (f"{tree.prefix}{path}" for path in paths))
    for path in paths:
        full, before = tree.root / path, known.get(f"{tree.prefix}{path}")
        is_there = os.path.lexists(full)
        if before is None or (is_there and not (full.is_file() and not full.is_symlink())):
            continue  # it is new, or no file at all: git says what is amiss
        here = files.read_file(full) if is_there else b""
        whole = restore_lines(before, here, path)
        if whole != here:
            yield path, here, whole


# What either of two machines knows as forgotten: neither brings it back to the other.

_GROUND = "memvault-marks"


@dataclass(frozen=True, slots=True)
class PurgeMarks:
    """The marks of both sides of what was purged, to be found in notes."""

    ledger: Ledger | None = None
    standing: frozenset[str] = frozenset()
    erase: Erase | None = None

    @classmethod
    def read(cls, folder: Path, ledgers: Iterable[tuple[str, bytes]]) -> PurgeMarks:
        """Read the marks in some ledgers and their keys, put into an empty folder; MarksUnknown if any lacks."""
        for name, data in ledgers:
            if "/" not in name:
                files.create_file(folder / name, data)
        ledger = Ledger(folder, "")
        ledger.read_all()  # what may have been forgotten is brought back by nobody
        return cls(ledger, frozenset(ledger.decisions().tombstones), tombstones.ledger_eraser(ledger))

    def is_forgotten(self, raw: bytes) -> bool:
        """Return whether a note's text was forgotten."""
        body = frontmatter.parse(raw).text
        if self.ledger is None or not self.ledger.text_macs(body):
            return False
        return tombstones.is_marked(self.ledger, set(self.standing), body)

    def without_purged(self, raw: bytes, path: str) -> bytes | None:
        """Return a note without what was purged; None where nothing else is in it."""
        if self.erase is None:
            return raw
        body = frontmatter.parse(raw).text
        left = self.erase(body)
        if left == body:
            return raw
        if left.strip() == FORGOTTEN_MARK:
            return None
        try:
            return codec.replace_body(raw, left, path=path)
        except CannotEdit:
            return raw.replace(body.encode(), left.encode())


NO_MARKS = PurgeMarks()


@contextmanager
def marks_folder(tree: SyncTree) -> Iterator[Path]:
    """Give an empty folder in git's own for ledgers, removed afterwards, or at the next run if we are killed."""
    clear_marks(tree)
    folder = tree.git_path(_GROUND)
    files.make_folder(folder)
    try:
        yield folder
    finally:
        clear_marks(tree)


def clear_marks(tree: SyncTree) -> None:
    """Remove what a killed run left: the hashes in it, and their key, are for nobody else."""
    shutil.rmtree(tree.git_path(_GROUND), ignore_errors=True)
