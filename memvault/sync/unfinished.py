"""A merge that another program began in the vault, and could not end: taken back, so that it can be made anew."""

from __future__ import annotations

from memvault.errors import UnfinishedMerge
from memvault.sync.commits import contents
from memvault.sync.merging.note import MARKERS
from memvault.sync.repository import Tree
from memvault.system import files

_CLOSING = b">>>>>>> "


def check(tree: Tree) -> None:
    """UnfinishedMerge where git is in the middle of something that only whoever began it can end."""
    what = tree.unfinished()
    if what and not is_ours_to_settle(tree):
        raise UnfinishedMerge(path=tree.top, what=what)


def is_ours_to_settle(tree: Tree) -> bool:
    """Whether all that is left of a merge is files of the vault, at which nobody has worked since."""
    if tree.unfinished() != "MERGE_HEAD" or len(files.read(tree.in_git("MERGE_HEAD")).split()) != 1:
        return False
    if tree.git.do("ls-files", "-z", "--resolve-undo", "--", ":/"):
        return False  # a person has settled a part of it
    unmerged = _unmerged(tree)
    return bool(unmerged) and all(
        tree.own(item[0]) is not None and _is_untouched(tree, *item) for item in unmerged.items()
    )


def take_back(tree: Tree) -> None:
    """Give such a merge up; what lay in its files is kept a while, as after any change."""
    for path, blobs in _unmerged(tree).items():
        full = tree.top / path
        if full.is_file():
            whole = contents(tree.git, blobs)
            files.replace(full, whole[blobs[0]], expected=files.read(full), hold=tree.bench.vault.held)
    if tree.git.ask("merge", "--abort").code:
        raise UnfinishedMerge(path=tree.top, what="MERGE_HEAD")


def _unmerged(tree: Tree) -> dict[str, list[str]]:
    """The files that git could not merge, from the repository's top, and the versions that it has of them."""
    found: dict[str, list[str]] = {}
    for row in tree.git.ask("ls-files", "-z", "--unmerged", "--full-name", "--", ":/").names():
        about, _, path = row.partition("\t")
        found.setdefault(path, []).append(about.split()[1])
    return found


def _is_untouched(tree: Tree, path: str, blobs: list[str]) -> bool:
    full = tree.top / path
    here = full.read_bytes() if full.is_file() else None
    if here is None or (MARKERS.search(here) and _CLOSING in here):
        return True
    return here in contents(tree.git, blobs).values()
