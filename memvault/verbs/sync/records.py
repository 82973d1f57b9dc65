"""Records that lost lines, by a power cut say, held against what was committed: no loss is handed on, or taken over."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memvault import files
from memvault.vault.layout import STATE
from memvault.verbs.sync.commits import contents
from memvault.verbs.sync.driver import grows, with_all_of
from memvault.verbs.sync.ground import Tree

_FOLDERS = (f"{STATE}/journal", f"{STATE}/ledger")
_MOVES, _PULLS = 60, 12  # of the branch in this clone, the last ones; and of those what others than memvault did
_BY_HAND = ("pull", "merge", "rebase", "reset")  # how git notes those that are not ours


def put_back(tree: Tree, commits: Iterable[str]) -> tuple[str, ...]:
    """Give the records here all lines back that were committed, unless they are void; which records had lost some."""
    found = (path for commit in commits for path in _differing(tree, commit) if _is_mended(tree, commit, path))
    return tuple(dict.fromkeys(found))


def before_others(tree: Tree) -> list[str]:
    """What was here before anything but memvault last brought in what others did: a plain pull asks nobody of it."""
    if not tree.is_born():
        return []
    told = tree.git.ask("reflog", "show", f"--max-count={_MOVES}", "--format=%H%x09%gs", "HEAD").text.splitlines()
    moves = [row.split("\t", 1) for row in told if "\t" in row]
    found = dict.fromkeys(before[0] for (_, how), before in pairwise(moves) if how.startswith(_BY_HAND))
    return [commit for commit in list(found)[:_PULLS] if _takes_lines_out(tree, commit)]


def lacking(tree: Tree, commits: Iterable[str]) -> tuple[str, ...]:
    """The records here that have lost lines of some commits, and not by being made void."""
    found = (path for commit in commits for path in _differing(tree, commit) if _mended(tree, commit, path) is not None)
    return tuple(dict.fromkeys(found))


def _takes_lines_out(tree: Tree, commit: str) -> bool:
    """Whether any line of the records of a commit is not here; of one that is gone by now, nobody can tell."""
    told = tree.git.ask("diff", "--numstat", "--no-renames", "--no-ext-diff", commit, "--", *_FOLDERS)
    counts = (row.split("\t")[1] for row in told.text.splitlines() if row.count("\t") > 1)
    return told.code == 0 and any(count != "0" for count in counts)


def are_all_in(tree: Tree, commit: str) -> bool:
    """Whether a commit has all that the records of ours have."""
    return not any(_is_lacking(tree, commit, path) for path in _differing(tree, "HEAD", commit))


def _differing(tree: Tree, *commits: str) -> Iterator[str]:
    """The records that differ between two commits, or between one and the folder."""
    words = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", *commits, "--", *_FOLDERS)
    named = (tree.own(path) for path in tree.git.answer(*words).names())
    return (path for path in named if path is not None and grows(path))


def _mended(tree: Tree, commit: str, path: str) -> tuple[bytes, bytes] | None:
    """A record as it is, and with all that it had in a commit; None where it has all of that."""
    full, before = tree.root / path, _bytes_in(tree, commit, path)
    is_there = os.path.lexists(full)
    if before is None or (is_there and not (full.is_file() and not full.is_symlink())):
        return None  # it is new, or no file at all: git says what is amiss
    here = files.read(full) if is_there else b""
    whole = with_all_of(before, here, path)
    return None if whole == here else (here, whole)


def _is_mended(tree: Tree, commit: str, path: str) -> bool:
    found = _mended(tree, commit, path)
    if found is None:
        return False
    full, (here, whole) = tree.root / path, found
    if os.path.lexists(full):
        files.replace(full, whole, expected=here, hold=tree.bench.vault.held)
    else:
        files.make_folder(full.parent)
        files.create(full, whole)
    return True


def _is_lacking(tree: Tree, commit: str, path: str) -> bool:
    ours, theirs = (_bytes_in(tree, each, path) for each in ("HEAD", commit))
    return ours is not None and with_all_of(ours, theirs or b"", path) != (theirs or b"")


def _bytes_in(tree: Tree, commit: str, path: str) -> bytes | None:
    found = tree.git.ask("rev-parse", "--verify", "--quiet", f"{commit}:{tree.prefix}{path}")
    return None if found.code else contents(tree.git, (found.text,)).get(found.text)
