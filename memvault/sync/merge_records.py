"""Records that lost lines, by a power cut say, held against what was committed: no loss is handed on, or taken over."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN, Erase
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.journal import tombstones
from memvault.storage.journal.ledger import Ledger
from memvault.storage.vault import codec
from memvault.storage.vault.layout import STATE
from memvault.sync.merge_driver import grows, with_all_of
from memvault.sync.repository import Tree, versions
from memvault.system import files

_FOLDERS = (f"{STATE}/journal", f"{STATE}/ledger")
_MOVES, _PULLS = 60, 12  # of the branch in this clone, the last ones; and of those what others than memvault did
_BY_HAND = ("pull", "merge", "rebase", "reset")  # how git notes those that are not ours


def put_back(tree: Tree, commits: Iterable[str]) -> tuple[str, ...]:
    """Give the records here all lines back that were committed, unless they are void; return which had lost some."""
    found = []
    for commit in commits:
        for path, here, whole in _mended(tree, commit):
            _write(tree, path, here, whole)
            found.append(path)
    return tuple(dict.fromkeys(found))


def before_others(tree: Tree) -> list[str]:
    """What was here before anything but memvault last brought in what others did: a plain pull asks nobody of it."""
    if not tree.is_born():
        return []
    moves = reversed(_moves(tree)[-_MOVES:])
    found = dict.fromkeys(before for before, how in moves if how.startswith(_BY_HAND) and before.strip("0"))
    return [commit for commit in list(found)[:_PULLS] if _takes_lines_out(tree, commit)]


def _moves(tree: Tree) -> list[tuple[str, str]]:
    """Return from which commit each move of this clone's branch went, and how git notes what moved it."""
    path = tree.in_git("logs/HEAD")
    rows = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    return [(about.split(" ", 1)[0], how) for about, mark, how in (row.partition("\t") for row in rows) if mark]


def lacking(tree: Tree, commits: Iterable[str]) -> tuple[str, ...]:
    """The records here that have lost lines of some commits, and not by being made void."""
    return tuple(dict.fromkeys(path for commit in commits for path, _here, _whole in _mended(tree, commit)))


def _takes_lines_out(tree: Tree, commit: str) -> bool:
    """Whether any line of the records of a commit is not here; of one that is gone by now, nobody can tell."""
    told = tree.git.ask("diff", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", commit, "--", *_FOLDERS)
    counts = (row.split("\t")[1] for row in told.text.splitlines() if row.count("\t") > 1)
    return told.code == 0 and any(count != "0" for count in counts)


def are_all_in(tree: Tree, commit: str) -> bool:
    """Whether a commit has all that the records of ours have."""
    paths = _differing(tree, "HEAD", commit)
    ours, theirs = (versions(tree.git, each, (f"{tree.prefix}{path}" for path in paths)) for each in ("HEAD", commit))
    pairs = ((path, ours.get(f"{tree.prefix}{path}"), theirs.get(f"{tree.prefix}{path}", b"")) for path in paths)
    return all(mine is None or with_all_of(mine, other, path) == other for path, mine, other in pairs)


def _differing(tree: Tree, *commits: str) -> list[str]:
    """The records that differ between two commits, or between one and the folder."""
    if commits == ("HEAD",):
        return [path for path in tree.changed() if grows(path)]
    plain = ("--no-renames", "--no-ext-diff", "--ignore-submodules=all")
    named = tree.git.answer("diff", "--name-only", "-z", *plain, *commits, "--", *_FOLDERS).names()
    return [path for path in map(tree.own, named) if path is not None and grows(path)]


def _mended(tree: Tree, commit: str) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield the records that lack lines of a commit: as they are, and with all that they had there."""
    paths = _differing(tree, commit)
    known = versions(tree.git, commit, (f"{tree.prefix}{path}" for path in paths))
    for path in paths:
        full, before = tree.root / path, known.get(f"{tree.prefix}{path}")
        is_there = os.path.lexists(full)
        if before is None or (is_there and not (full.is_file() and not full.is_symlink())):
            continue  # it is new, or no file at all: git says what is amiss
        here = files.read(full) if is_there else b""
        whole = with_all_of(before, here, path)
        if whole != here:
            yield path, here, whole


def _write(tree: Tree, path: str, here: bytes, whole: bytes) -> None:
    full = tree.root / path
    if os.path.lexists(full):
        files.replace(full, whole, expected=here, hold=tree.bench.vault.held)
    else:
        files.make_folder(full.parent)
        files.create(full, whole)


# What either of two machines knows as forgotten: neither brings it back to the other.

_GROUND = "memvault-marks"


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of both sides, as they are looked for in notes."""

    ledger: Ledger | None = None
    standing: frozenset[str] = frozenset()
    erase: Erase | None = None

    @classmethod
    def of(cls, folder: Path, ledgers: Iterable[tuple[str, bytes]]) -> Marks:
        """The marks in some ledgers and their keys, which are laid into an empty folder; MarksUnknown if any lacks."""
        for name, data in ledgers:
            if "/" not in name:
                files.create(folder / name, data)
        ledger = Ledger(folder, "")
        ledger.whole()  # what may have been forgotten is brought back by nobody
        return cls(ledger, frozenset(ledger.decisions().tombstones), tombstones.eraser_of(ledger))

    def is_forgotten(self, raw: bytes) -> bool:
        """Whether a note's text is one that was forgotten."""
        body = frontmatter.parse(raw).text
        if self.ledger is None or not self.ledger.macs(body):
            return False
        return tombstones.is_dead(self.ledger, set(self.standing), body)

    def without_purged(self, raw: bytes, path: str) -> bytes | None:
        """A note without what was forgotten for good; None where nothing else is in it."""
        if self.erase is None:
            return raw
        body = frontmatter.parse(raw).text
        left = self.erase(body)
        if left == body:
            return raw
        if left.strip() == FORGOTTEN:
            return None
        try:
            return codec.with_body(raw, left, path=path)
        except CannotEdit:
            return raw.replace(body.encode(), left.encode())


NO_MARKS = Marks()


@contextmanager
def ground_for_marks(tree: Tree) -> Iterator[Path]:
    """An empty folder for ledgers, within git's own, that is gone afterwards; should we be killed, at the next run."""
    clear(tree)
    folder = tree.in_git(_GROUND)
    files.make_folder(folder)
    try:
        yield folder
    finally:
        clear(tree)


def clear(tree: Tree) -> None:
    """Remove what a killed run left: the hashes in it, and their key, are for nobody else."""
    shutil.rmtree(tree.in_git(_GROUND), ignore_errors=True)
