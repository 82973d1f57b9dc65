"""Sync a vault over git: commit what changed here, fetch, merge what changed elsewhere, and push."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memvault.errors import GitFailed, MemvaultError, NoRemote, OthersCommits, PrivateInGit, PrivateText
from memvault.privacy.purge.purge import apply_marked
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE
from memvault.sync import checkout, merge_commits, merge_records
from memvault.sync.commit import CommitUnit, PendingCommits, commit_unit, pending_commits
from memvault.sync.merge_trees import SyncAccount
from memvault.sync.repository import SyncTree, is_private, stay_here
from memvault.system.git import GitResult
from memvault.system.git_objects import read_blobs_in_parts

_ROUNDS = 5  # how often another machine may push before we do


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did, or would do."""

    committed: tuple[CommitUnit, ...]
    held: tuple[str, ...]  # notes that stay here for their private text
    pulled: int
    contested: tuple[tuple[str, str], ...]  # a memory, and the path of the contradicting version
    kept_ours: tuple[str, ...]
    pushed: bool
    remote: str
    dry_run: bool = False
    left_out: tuple[str, ...] = ()  # repositories inside the vault
    ignored: tuple[str, ...] = ()  # memories that git ignores
    aside: tuple[tuple[str, str], ...] = ()  # a name that was taken, and the one given instead
    put_back: tuple[str, ...] = ()  # records whose lost lines were restored


def run_sync(context: VaultContext, *, push: bool = True, dry_run: bool = False) -> SyncResult:
    """Commit what changed here, merge what changed elsewhere, push ours, and purge what was purged elsewhere."""
    tree = SyncTree.open(context)
    merge_commits.check_no_merge(tree)
    account, remote = SyncAccount(), find_remote(tree)
    if dry_run:
        return _make_result(pending_commits(tree), account, remote, dry_run=True)
    with context.vault.lock_vault():
        if tree.unfinished_merge():
            merge_commits.abort_merge(tree)
        merge_records.clear_marks(tree)
        account.put_back += merge_records.restore_records(tree, _commits_to_restore(tree, remote))
        if account.put_back:
            tree.forget_facts("status")
        found = pending_commits(tree)
        for done, unit in enumerate(found.units):
            context.report_stage("Committing", done, len(found.units))
            commit_unit(tree, unit)
        committed = found
    pushed = bool(remote) and _fetch_merge_push(tree, remote, account, push=push)
    apply_marked(context)
    return _make_result(committed, account, remote, pushed=pushed)


def _commits_to_restore(tree: SyncTree, remote: str) -> list[str]:
    """Return the commits whose records must be here: our last, the merge base, and those before a plain pull."""
    if not tree.has_commits():
        return []
    theirs = remote_branch(tree, remote) if remote else ""
    is_apart = bool(theirs) and tree.refs()[theirs] != tree.head()
    both = tree.git.try_run("merge-base", "HEAD", theirs).text if is_apart else ""
    own = ["HEAD", *([both] if both and both != tree.head() else [])]
    return [*own, *merge_records.commits_before_pulls(tree)]


def _fetch_merge_push(tree: SyncTree, remote: str, account: SyncAccount, *, push: bool) -> bool:
    """Fetch, merge and push, again where another machine pushed meanwhile; return whether ours was pushed."""
    for _ in range(_ROUNDS):
        theirs = _fetch(tree, remote)
        if theirs:
            tree.context.report_stage("Merging")
            with tree.context.vault.lock_vault():
                is_behind = tree.refs()[theirs] != tree.head() and (
                    not tree.has_commits()
                    or tree.git.run_checked("merge-base", "--is-ancestor", theirs, "HEAD", good=(0, 1)).code != 0
                )
                if is_behind:
                    merge_commits.merge_commit(tree, theirs, account)
                checkout.restrict_permissions(tree.context.vault)
        if not push or not tree.has_commits():
            return False
        for problem in push_problems(tree, remote, theirs):
            raise problem
        tree.context.report_stage("Pushing")
        answer = _push_branch(tree, remote)
        if answer.code == 0:
            return True
        if "rejected" not in answer.message and "fetch first" not in answer.message:
            break
    raise GitFailed(command="git push", folder=tree.root, told=" / ".join(answer.message.split("\n")[:2]))


def _fetch(tree: SyncTree, remote: str) -> str:
    """Fetch from the remote; return its ref of this branch, empty where it has none.

    Before a branch is first pushed, all others there are checked: two vaults in one repository would never meet.
    """
    tree.context.report_stage("Fetching")
    tree.git.fetch(remote)
    tree.forget_facts("refs")
    theirs = remote_branch(tree, remote)
    if not theirs:
        for branch in tree.refs():
            if branch.startswith(f"refs/remotes/{remote}/"):
                merge_commits.check_same_vault(tree, branch)
    return theirs


def _push_branch(tree: SyncTree, remote: str) -> GitResult:
    """Push this branch, and remember with which branch of the remote it goes."""
    name, branch = f"refs/heads/{_remote_branch_name(tree, remote)}", current_branch(tree)
    answer = tree.git.push(remote, f"HEAD:{name}")
    if answer.code == 0:
        for key, value in ((f"branch.{branch}.remote", remote), (f"branch.{branch}.merge", name)):
            if tree.git.settings.get(key) != value:
                tree.git.set_config(key, value)
    return answer


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


# Remotes and branches.


def find_remote(tree: SyncTree) -> str:
    """Return the name of the remote that this branch goes to, empty where the repository has none."""
    remotes = [key[7:-4] for key in tree.git.settings if key.startswith("remote.") and key.endswith(".url")]
    branch = current_branch(tree)
    named = tree.git.settings.get(f"branch.{branch}.remote", "")
    if named in remotes:
        return named
    return "origin" if "origin" in remotes else min(remotes, default="")


def current_branch(tree: SyncTree) -> str:
    """Return the branch that is checked out, or raise NoRemote where none is."""
    branch = tree.branch()
    if not branch:
        raise NoRemote(path=tree.top, reason="no branch is checked out there")
    return branch


def remote_branch(tree: SyncTree, remote: str) -> str:
    """Return the remote's ref of this branch as it was fetched, empty where it has none."""
    name = f"refs/remotes/{remote}/{_remote_branch_name(tree, remote)}"
    return name if name in tree.refs() else ""


def _remote_branch_name(tree: SyncTree, remote: str) -> str:
    """Return what this branch is called on the remote: as git was told, or else the same."""
    branch = current_branch(tree)
    of, name = (tree.git.settings.get(f"branch.{branch}.{what}", "") for what in ("remote", "merge"))
    return name.removeprefix("refs/heads/") if of == remote and name.startswith("refs/heads/") else branch


# A last look at what is about to be pushed: others than memvault may have committed it.


def push_problems(tree: SyncTree, remote: str, theirs: str) -> Iterator[MemvaultError]:
    """Yield what keeps the commits here from being pushed."""
    if not tree.has_commits():
        return
    settings = tree.context.settings
    if tracked := stay_here(tree.context.vault, tree.tracked_files()):
        yield PrivateInGit(path=tracked[0], count=len(tracked), ignores=checkout.IGNORES)
    since = ("HEAD", "--not", theirs or f"--remotes={remote}")
    if settings.text("sync.private_text") == "hold" and (private := _private_files(tree, since)):
        undo = f"git reset --soft {theirs.removeprefix('refs/remotes/')}" if theirs else "git update-ref -d HEAD"
        yield PrivateText(path=private[0], count=len(private), command=undo)
    if tree.prefix and not settings.flag("sync.whole_repository"):
        outside = ("--", ":/", f":(top,exclude,literal){tree.prefix.rstrip('/')}")
        if count := int(tree.git.run_text("rev-list", "--count", "--no-merges", *since, *outside)):
            yield OthersCommits(count=count, top=tree.top)


def _private_files(tree: SyncTree, since: tuple[str, ...]) -> list[str]:
    """Return the files with private text, in any version that the remote does not have yet."""
    named = (row.partition(" ")[::2] for row in tree.git.run_text("rev-list", "--objects", *since).split("\n"))
    paths = {blob: own for blob, path in named if path and (own := tree.vault_path(path))}
    looked_at = {blob: path for blob, path in paths.items() if not path.startswith(f"{STATE}/")}
    blobs = (
        (looked_at[blob], data) for part in read_blobs_in_parts(tree.git, looked_at) for blob, data in part.items()
    )
    return sorted({path for path, data in blobs if is_private(data, is_note=tree.is_note(path))})
