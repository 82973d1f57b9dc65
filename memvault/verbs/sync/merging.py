"""What other machines did, merged with what was done here: git for the tree, memvault for the memories."""

from __future__ import annotations

from memvault.errors import OtherVault
from memvault.vault import charter
from memvault.verbs.sync.committing import identity as committer
from memvault.verbs.sync.driver import CHARTER, Known
from memvault.verbs.sync.ground import Tree
from memvault.verbs.sync.settling import Account, Settling


def known(tree: Tree) -> Known:
    """What a merge has to know of this vault."""
    bench = tree.bench
    return Known(charter.read(tree.root).id, bench.zone, bench.settings.kinds)


def merge(tree: Tree, theirs: str, account: Account) -> None:
    """Bring what another machine committed into this tree; every contradiction is kept, and none decided."""
    _check_same_vault(tree, theirs)
    git = tree.git
    account.pulled += int(git.do("rev-list", "--count", theirs, "--not", "HEAD"))
    if git.ask("merge-base", "--is-ancestor", "HEAD", theirs).code == 0:
        git.do("merge", "--quiet", "--ff-only", theirs)
        return
    before = set(_untracked(tree))
    git.ask(*committer(tree), *_MERGE, theirs)
    if not tree.unfinished():  # it did not even begin: git says why
        git.do(*committer(tree), *_MERGE, theirs)
    Settling(tree, known(tree), theirs, account).settle()
    _take_parked(tree, before, account)
    git.do(*committer(tree), "commit", "--quiet", "-m", "memvault: what other machines did")


# Clones of one vault that began apart are one vault all the same: that was checked.
# A file is never moved because others of its folder were.
_MERGE = (
    "-c",
    "merge.directoryRenames=false",
    "merge",
    "--quiet",
    "--no-commit",
    "--no-ff",
    "--allow-unrelated-histories",
    "-X",
    "find-renames=40%",
)


def _check_same_vault(tree: Tree, theirs: str) -> None:
    found = tree.git.ask("show", f"{theirs}:{tree.prefix}{CHARTER}")
    own = charter.read(tree.root).id
    if found.code == 0 and own.encode() not in found.out:
        raise OtherVault(path=tree.root, remote=theirs)


def _untracked(tree: Tree) -> tuple[str, ...]:
    ran = tree.git.do("ls-files", "-z", "--others", "--exclude-standard", "--", ".")
    return tuple(name for name in ran.split("\0") if name)


def _take_parked(tree: Tree, before: set[str], account: Account) -> None:
    """What the merging of a note put beside it belongs to the same commit."""
    fresh = [path for path in _untracked(tree) if path not in before and tree.is_note(path)]
    if fresh:
        tree.git.on(fresh, "add")
    told = {parked for _, parked in account.parked}
    account.parked.extend((_beside_of(path), path) for path in fresh if path not in told)


def _beside_of(path: str) -> str:
    """The memory beside which another was put."""
    stem, dot, ending = path.rpartition(".")
    return f"{stem[:-9]}{dot}{ending}"
