"""Keep a vault alike on several machines: commit what changed here, merge what changed there, and hand it on."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.errors import GitFailed, NoRemote, PrivateInGit, UnfinishedMerge
from memvault.verbs.sync import marks
from memvault.verbs.sync.committing import Unit, commit, waiting
from memvault.verbs.sync.ground import Tree, may_travel
from memvault.verbs.sync.merging import merge
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


def run(tree: Tree, *, push: bool = True, dry_run: bool = False) -> Synced:
    """One round with the others: afterwards this machine has what they have, and they have what it has."""
    if unfinished := tree.unfinished():
        raise UnfinishedMerge(path=tree.top, what=unfinished)
    account = Account()
    found = waiting(tree)
    remote = remote_of(tree)
    if dry_run:
        return _told(found.units, found.held, account, remote, dry_run=True)
    with tree.bench.vault.locked():
        found = waiting(tree)
        for unit in found.units:
            commit(tree, unit)
    pushed = bool(remote) and _exchanged(tree, remote, account, push=push)
    return _told(found.units, found.held, account, remote, pushed=pushed)


def remote_of(tree: Tree) -> str:
    """The name of the remote that this branch goes to; empty where the repository has none."""
    branch = branch_of(tree)
    named = tree.git.ask("config", "--get", f"branch.{branch}.remote").text
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
    name = f"refs/remotes/{remote}/{branch_of(tree)}"
    return name if tree.git.ask("rev-parse", "--verify", "--quiet", name).code == 0 else ""


def _exchanged(tree: Tree, remote: str, account: Account, *, push: bool) -> bool:
    """Fetch, merge and push, until nobody was quicker; whether the others have ours now."""
    for _ in range(_ROUNDS):
        tree.git.do("fetch", "--quiet", remote)
        theirs = upstream(tree, remote)
        if theirs:
            with tree.bench.vault.locked():
                _catch_up(tree, theirs, account)
        if not push or not tree.is_born():
            return False
        _check_private(tree)
        told = tree.git.ask("push", "--quiet", "--set-upstream", remote, f"HEAD:refs/heads/{branch_of(tree)}")
        if told.code == 0:
            return True
        if "rejected" not in told.told and "fetch first" not in told.told:
            break
    raise GitFailed(command="git push", folder=tree.root, told=" / ".join(told.told.split("\n")[:2]))


def _catch_up(tree: Tree, theirs: str, account: Account) -> None:
    if not tree.is_born():
        tree.git.do("merge", "--quiet", "--ff-only", theirs)
    elif tree.git.ask("merge-base", "--is-ancestor", theirs, "HEAD").code:
        merge(tree, theirs, account)


def _check_private(tree: Tree) -> None:
    """Nothing leaves that must not, also where somebody had git know it long ago."""
    bench = tree.bench
    travels = may_travel(bench.vault.layout, with_transcripts=True)
    found = [path for path in tree.tracked() if not travels(path)]
    if found:
        raise PrivateInGit(path=found[0], count=len(found), ignores=marks.IGNORES)


def _told(
    units: tuple[Unit, ...],
    held: tuple[str, ...],
    account: Account,
    remote: str,
    *,
    pushed: bool = False,
    dry_run: bool = False,
) -> Synced:
    return Synced(
        units,
        held,
        account.pulled,
        tuple(account.parked),
        tuple(account.kept_ours),
        pushed,
        remote,
        dry_run,
    )
