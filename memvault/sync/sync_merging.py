"""What other machines did, merged with what was done here: a commit is made of both before any file is touched."""

from __future__ import annotations

from memvault.errors import ChangedMeanwhile, ContestedElsewhere, GitFailed, GitLocked, OtherVault
from memvault.storage.vault import vault_file as charter
from memvault.sync import commits
from memvault.sync import merge_records as records
from memvault.sync.checkout import land
from memvault.sync.commit import identity as committer
from memvault.sync.merge_driver import CHARTER, Known
from memvault.sync.merge_notes import Account, Settling
from memvault.sync.repository import Tree

_TRIES = 3  # how often somebody may save or commit in the moment in which we do


def known(tree: Tree) -> Known:
    """What a merge has to know of this vault."""
    vault = tree.bench.vault
    return Known(
        charter.read(tree.root).id,
        tree.bench.zone,
        tree.bench.settings.kinds,
        vault.layout.place,
        lambda: vault.ledger.decisions().ids_by_path,
    )


def merge(tree: Tree, theirs: str, account: Account) -> None:
    """Bring what another machine committed into this tree; every contradiction is kept, and none decided."""
    check_same_vault(tree, theirs)
    tree.forget()
    account.pulled += int(tree.git.do("rev-list", "--count", theirs, "--not", "HEAD")) if tree.is_born() else 0
    for turn in range(_TRIES):
        told = Account()
        try:
            land(tree, _after_both(tree, theirs, told), known(tree), told)
        except (GitFailed, GitLocked, ChangedMeanwhile):
            if turn == _TRIES - 1:
                raise
            tree.forget()
            continue
        break
    account.parked += told.parked
    account.kept_ours += told.kept_ours
    account.aside += told.aside


def _after_both(tree: Tree, theirs: str, account: Account) -> str:
    """The commit to go on to: theirs, where nothing was done here, or one made of both."""
    git = tree.git
    is_next = not tree.is_born() or git.answer("merge-base", "--is-ancestor", "HEAD", theirs, good=(0, 1)).code == 0
    if is_next and (not tree.is_born() or records.are_all_in(tree, theirs)):
        return tree.refs()[theirs]
    head, other = tree.head(), tree.refs()[theirs]
    sides = commits.base(git, head, other), commits.listing(git, head), commits.listing(git, other)
    settling = Settling(tree, known(tree), account, sides)
    changes = settling.settled()
    if settling.elsewhere:
        raise ContestedElsewhere(path=tree.top / settling.elsewhere[0], count=len(settling.elsewhere))
    return commits.made(tree, changes, (head, other), committer(tree))


def check_same_vault(tree: Tree, theirs: str) -> None:
    """OtherVault where a commit is of another vault than this one."""
    found = tree.git.ask("cat-file", "blob", f"{theirs}:{tree.prefix}{CHARTER}")
    own = charter.read(tree.root).id
    if found.code == 0 and own.encode() not in found.out:
        raise OtherVault(path=tree.root, remote=theirs)
