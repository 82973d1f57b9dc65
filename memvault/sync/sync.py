"""Keep a vault alike on several machines: commit what changed here, merge what changed there, and hand it on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memvault.errors import GitFailed, MemvaultError, NoRemote, OthersCommits, PrivateInGit, PrivateText
from memvault.privacy.purge.purge import apply_marked
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE
from memvault.sync import checkout, merge_records
from memvault.sync import merge_commits as unfinished
from memvault.sync.commit import CommitUnit, PendingCommits, commit_unit, pending_commits
from memvault.sync.merge_commits import check_same_vault, merge_commit
from memvault.sync.merge_trees import SyncAccount
from memvault.sync.repository import SyncTree, is_private, may_travel
from memvault.system.git import GitResult
from memvault.system.git_blobs import read_blobs_in_parts

# What is about to leave this machine, looked at once more: git may have come to know it by other hands than ours.


def check_before_push(tree: SyncTree, remote: str, theirs: str) -> None:
    """Nothing leaves that must not: neither as it is now, nor in a commit of which it was a part."""
    for trouble in push_problems(tree, remote, theirs):
        raise trouble


def push_problems(tree: SyncTree, remote: str, theirs: str) -> Iterator[MemvaultError]:
    """What keeps the commits here from being pushed."""
    if not tree.has_commits():
        return
    settings = tree.bench.settings
    travels = may_travel(tree.bench.vault.layout, with_transcripts=settings.flag("sync.transcripts"))
    kept = [path for path in tree.tracked_files() if not travels(path)]
    if kept:
        yield PrivateInGit(path=kept[0], count=len(kept), ignores=checkout.IGNORES)
    since = ("HEAD", "--not", theirs or f"--remotes={remote}")
    if settings.text("sync.private_text") == "hold" and (private := _private_files(tree, since)):
        back = f"git reset --soft {theirs.removeprefix('refs/remotes/')}" if theirs else "git update-ref -d HEAD"
        yield PrivateText(path=private[0], count=len(private), command=back)
    if tree.prefix and not settings.flag("sync.whole_repository") and (count := _commits_outside(tree, since)):
        yield OthersCommits(count=count, top=tree.top)


def _private_files(tree: SyncTree, since: tuple[str, ...]) -> list[str]:
    """The files in which text is marked as private, in whatever version the others do not have yet."""
    named = (row.partition(" ")[::2] for row in tree.git.run_text("rev-list", "--objects", *since).split("\n"))
    paths = {blob: own for blob, path in named if path and (own := tree.vault_path(path))}
    looked_at = {blob: path for blob, path in paths.items() if not path.startswith(f"{STATE}/")}
    found = {
        looked_at[blob]
        for part in read_blobs_in_parts(tree.git, looked_at)
        for blob, data in part.items()
        if is_private(data, is_note=tree.is_note(looked_at[blob]))
    }
    return sorted(found)


def _commits_outside(tree: SyncTree, since: tuple[str, ...]) -> int:
    """How many commits change what lies outside the vault."""
    outside = ("--", ":/", f":(top,exclude,literal){tree.prefix.rstrip('/')}")
    return int(tree.git.run_text("rev-list", "--count", "--no-merges", *since, *outside))


_ROUNDS = 5  # how often another machine may be quicker than we are


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a run did, or would do."""

    committed: tuple[CommitUnit, ...]
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


def run_sync(context: VaultContext, *, push: bool = True, dry_run: bool = False) -> SyncResult:
    """Commit what changed here, merge what changed elsewhere, push ours, and purge what was purged elsewhere."""
    result = _exchange_commits(SyncTree.open(context), push=push, dry_run=dry_run)
    if not dry_run:
        apply_marked(context)
    return result


def _exchange_commits(tree: SyncTree, *, push: bool = True, dry_run: bool = False) -> SyncResult:
    """One round with the others: afterwards this machine has what they have, and they have what it has."""
    unfinished.check_no_merge(tree)
    account = SyncAccount()
    remote = find_remote(tree)
    if dry_run:
        return _make_result(pending_commits(tree), account, remote, dry_run=True)
    with tree.bench.vault.lock_vault():
        if tree.unfinished_merge():
            unfinished.abort_merge(tree)
        merge_records.clear_marks(tree)
        account.put_back += merge_records.restore_records(tree, _commits_to_restore(tree, remote))
        if account.put_back:
            tree.forget_facts("status")
        found = pending_commits(tree)
        for unit in found.units:
            commit_unit(tree, unit)
    pushed = bool(remote) and _fetch_merge_push(tree, remote, account, push=push)
    return _make_result(found, account, remote, pushed=pushed)


def find_remote(tree: SyncTree) -> str:
    """The name of the remote that this branch goes to; empty where the repository has none."""
    remotes = [key[7:-4] for key in tree.git.settings if key.startswith("remote.") and key.endswith(".url")]
    branch = current_branch(tree)
    named = tree.git.settings.get(f"branch.{branch}.remote", "")
    if named in remotes:
        return named
    return "origin" if "origin" in remotes else min(remotes, default="")


def current_branch(tree: SyncTree) -> str:
    """The branch that is checked out; NoRemote where none is, as nothing could be handed on from there."""
    branch = tree.branch()
    if not branch:
        raise NoRemote(path=tree.top, reason="no branch is checked out there")
    return branch


def remote_branch(tree: SyncTree, remote: str) -> str:
    """What the remote has of this branch, as far as it was fetched; empty where it has nothing."""
    name = f"refs/remotes/{remote}/{_remote_branch_name(tree, remote)}"
    return name if name in tree.refs() else ""


def _remote_branch_name(tree: SyncTree, remote: str) -> str:
    """What this branch is called on the remote: as git was told, or else the same."""
    branch = current_branch(tree)
    of, name = (tree.git.settings.get(f"branch.{branch}.{what}", "") for what in ("remote", "merge"))
    return name.removeprefix("refs/heads/") if of == remote and name.startswith("refs/heads/") else branch


def _fetch_merge_push(tree: SyncTree, remote: str, account: SyncAccount, *, push: bool) -> bool:
    """Fetch, merge and push, until nobody was quicker; whether the others have ours now."""
    for _ in range(_ROUNDS):
        tree.git.fetch(remote)
        tree.forget_facts("refs")
        theirs = remote_branch(tree, remote)
        if theirs:
            with tree.bench.vault.lock_vault():
                _merge_upstream(tree, theirs, account)
                checkout.restrict_permissions(tree.bench.vault)
        else:
            _check_other_branches(tree, remote)
        if not push or not tree.has_commits():
            return False
        check_before_push(tree, remote, theirs)
        told = _push_branch(tree, remote)
        if told.code == 0:
            return True
        if "rejected" not in told.message and "fetch first" not in told.message:
            break
    raise GitFailed(command="git push", folder=tree.root, told=" / ".join(told.message.split("\n")[:2]))


def _push_branch(tree: SyncTree, remote: str) -> GitResult:
    """Hand this branch on, and remember with which branch of the remote it goes."""
    name, branch = f"refs/heads/{_remote_branch_name(tree, remote)}", current_branch(tree)
    told = tree.git.push(remote, f"HEAD:{name}")
    if told.code == 0:
        for key, value in ((f"branch.{branch}.remote", remote), (f"branch.{branch}.merge", name)):
            if tree.git.settings.get(key) != value:
                tree.git.set_config(key, value)
    return told


def _commits_to_restore(tree: SyncTree, remote: str) -> list[str]:
    """The commits whose records are to be here: our last one, that which both sides had last, and any before a pull."""
    if not tree.has_commits():
        return []
    theirs = remote_branch(tree, remote) if remote else ""
    is_apart = bool(theirs) and tree.refs()[theirs] != tree.head()
    both = tree.git.try_run("merge-base", "HEAD", theirs).text if is_apart else ""
    own = ["HEAD", *([both] if both and both != tree.head() else [])]
    return [*own, *merge_records.commits_before_pulls(tree)]


def _check_other_branches(tree: SyncTree, remote: str) -> None:
    """Before a branch is first pushed: two vaults on two branches of one repository would never meet."""
    for branch in tree.refs():
        if branch.startswith(f"refs/remotes/{remote}/"):
            check_same_vault(tree, branch)


def _merge_upstream(tree: SyncTree, theirs: str, account: SyncAccount) -> None:
    if tree.refs()[theirs] == tree.head():
        return
    if not tree.has_commits() or tree.git.run_checked("merge-base", "--is-ancestor", theirs, "HEAD", good=(0, 1)).code:
        merge_commit(tree, theirs, account)


def _make_result(
    found: PendingCommits, account: SyncAccount, remote: str, *, pushed: bool = False, dry_run: bool = False
) -> SyncResult:
    return SyncResult(
        found.units,
        found.held,
        account.pulled,
        tuple(account.parked),
        tuple(account.kept_ours),
        pushed,
        remote,
        dry_run,
        found.left_out,
        found.ignored,
        tuple(account.aside),
        tuple(account.put_back),
    )
