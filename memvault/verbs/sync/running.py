"""Keep a vault alike on several machines: commit what changed here, merge what changed there, and hand it on."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.errors import GitFailed, NoRemote
from memvault.verbs.sync import forgetting, outgoing, records, rights, unfinished
from memvault.verbs.sync.committing import Unit, Waiting, commit, waiting
from memvault.verbs.sync.ground import Tree
from memvault.verbs.sync.merging import check_same_vault, merge
from memvault.verbs.sync.settling import Account

_ROUNDS = 5  # how often another machine may be quicker than we are


@dataclass(frozen=True, slots=True)
class Synced:
    """What a run did, or would do."""

    committed: tuple[Unit, ...]
    held: tuple[str, ...]  # notes that stay here, as they hold private text
    pulled: int
    contested: tuple[tuple[str, str], ...]  # a memory, and where the version lies that contradicts it
    kept_ours: tuple[str, ...]
    pushed: bool
    remote: str
    dry_run: bool = False
    left_out: tuple[str, ...] = ()  # repositories of their own inside the vault
    ignored: tuple[str, ...] = ()  # memories that git was told to pass over
    aside: tuple[tuple[str, str], ...] = ()  # a name that was taken by something else, and the one given instead
    put_back: tuple[str, ...] = ()  # records that had lost lines here, which were committed before


def run(tree: Tree, *, push: bool = True, dry_run: bool = False) -> Synced:
    """One round with the others: afterwards this machine has what they have, and they have what it has."""
    unfinished.check(tree)
    account = Account()
    found = waiting(tree)
    remote = remote_of(tree)
    if dry_run:
        return _told(tree, found, account, remote, dry_run=True)
    with tree.bench.vault.locked():
        if tree.unfinished():
            unfinished.take_back(tree)
        forgetting.clear(tree)
        account.put_back += records.put_back(tree, _committed(tree, remote))
        found = waiting(tree)
        for unit in found.units:
            commit(tree, unit)
    pushed = bool(remote) and _exchanged(tree, remote, account, push=push)
    return _told(tree, found, account, remote, pushed=pushed)


def remote_of(tree: Tree) -> str:
    """The name of the remote that this branch goes to; empty where the repository has none."""
    branch = branch_of(tree)
    named = tree.git.ask("config", "--get", f"branch.{branch}.remote").text.removeprefix(".")  # itself is nobody
    remotes = tree.git.do("remote").split()
    return named or ("origin" if "origin" in remotes else remotes[0] if remotes else "")


def branch_of(tree: Tree) -> str:
    """The branch that is checked out; NoRemote where none is, as nothing could be handed on from there."""
    found = tree.git.ask("symbolic-ref", "--short", "HEAD")
    if found.code:
        raise NoRemote(path=tree.top, reason="no branch is checked out there")
    return found.text


def upstream(tree: Tree, remote: str) -> str:
    """What the remote has of this branch, as far as it was fetched; empty where it has nothing."""
    name = f"refs/remotes/{remote}/{_counterpart(tree, remote)}"
    return name if tree.git.ask("rev-parse", "--verify", "--quiet", name).code == 0 else ""


def _counterpart(tree: Tree, remote: str) -> str:
    """What this branch is called on the remote: as git was told, or else the same."""
    branch = branch_of(tree)
    of, name = (tree.git.ask("config", "--get", f"branch.{branch}.{what}").text for what in ("remote", "merge"))
    return name.removeprefix("refs/heads/") if of == remote and name.startswith("refs/heads/") else branch


def _exchanged(tree: Tree, remote: str, account: Account, *, push: bool) -> bool:
    """Fetch, merge and push, until nobody was quicker; whether the others have ours now."""
    for _ in range(_ROUNDS):
        tree.git.do("fetch", "--quiet", remote)
        theirs = upstream(tree, remote)
        if theirs:
            with tree.bench.vault.locked():
                _catch_up(tree, theirs, account)
                rights.close_up(tree.bench.vault)
        else:
            _check_alone(tree, remote)
        if not push or not tree.is_born():
            return False
        outgoing.check(tree, remote, theirs)
        name = _counterpart(tree, remote)
        told = tree.git.ask("push", "--quiet", "--set-upstream", remote, f"HEAD:refs/heads/{name}")
        if told.code == 0:
            return True
        if "rejected" not in told.told and "fetch first" not in told.told:
            break
    raise GitFailed(command="git push", folder=tree.root, told=" / ".join(told.told.split("\n")[:2]))


def _committed(tree: Tree, remote: str) -> list[str]:
    """The commits whose records are to be here: our last one, that which both sides had last, and any before a pull."""
    if not tree.is_born():
        return []
    theirs = upstream(tree, remote) if remote else ""
    both = tree.git.ask("merge-base", "HEAD", theirs).text if theirs else ""
    own = ["HEAD", *([both] if both and both != tree.git.do("rev-parse", "HEAD") else [])]
    return [*own, *records.before_others(tree)]


def _check_alone(tree: Tree, remote: str) -> None:
    """Before a branch is first pushed: two vaults on two branches of one repository would never meet."""
    for branch in tree.git.do("for-each-ref", "--format=%(refname:short)", f"refs/remotes/{remote}").split():
        check_same_vault(tree, branch)


def _catch_up(tree: Tree, theirs: str, account: Account) -> None:
    if not tree.is_born() or tree.git.answer("merge-base", "--is-ancestor", theirs, "HEAD", good=(0, 1)).code:
        merge(tree, theirs, account)


def _told(
    tree: Tree, found: Waiting, account: Account, remote: str, *, pushed: bool = False, dry_run: bool = False
) -> Synced:
    return Synced(
        found.units,
        found.held,
        account.pulled,
        tuple(account.parked),
        tuple(account.kept_ours),
        pushed,
        remote,
        dry_run,
        found.left_out,
        tree.ignored(),
        tuple(account.aside),
        tuple(account.put_back),
    )
