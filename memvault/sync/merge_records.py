"""Records that lost lines, by a power cut say, held against what was committed: no loss is handed on, or taken over."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from memvault.storage.vault.layout import STATE
from memvault.sync.commits import versions
from memvault.sync.merge_driver import grows, with_all_of
from memvault.sync.repository import Tree
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
