"""Set up a vault for sync over git, and report its status and problems."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from memvault.core.plan import CreateFile, Plan, RewriteNote
from memvault.errors import BadInput
from memvault.storage.finding import Chore, DoctorFinding
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import VaultContext
from memvault.sync import checkout, merge_commits, merge_records, sync
from memvault.sync.commit import pending_commits
from memvault.sync.merge_commits import find_mixed_notes
from memvault.sync.repository import SyncTree, open_git
from memvault.sync.sync import find_remote, remote_branch
from memvault.system import files
from memvault.system.git import Git, find_locks, is_work_tree, remove_left_lock
from memvault.system.git_repository import local_repository
from memvault.system.paths import read_text
from memvault.system.programs import own_command
from memvault.text.dates.dates import write_moment

_REMOTE, _BRANCH = "origin", "main"
_SIDES = "%O %A %B %P"
# If memvault cannot merge (it is gone, or a setting is broken), git merges the file as text.
_ELSE = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"


@dataclass(frozen=True, slots=True)
class SyncSetupResult:
    """What was done so that the vault can be synced; empty where all of it was in place."""

    done: tuple[str, ...]
    remote: str  # its address; empty where there is none yet
    dry_run: bool = False
    op: str = ""


def init_sync(context: VaultContext, *, remote: str = "", dry_run: bool = False) -> SyncSetupResult:
    """Set up git to merge memories and to leave private files out; run again, it changes only what is wrong."""
    git = open_git(context)
    if remote.startswith("-"):
        raise BadInput(what="the remote", value=remote, reason="it begins with a hyphen")
    is_new = not is_work_tree(context.vault.root)
    if not is_new:
        SyncTree.open(context)  # a vault that git ignores, or a bare repository, is reported before anything changes
    changes = tuple(_file_changes(context))
    # Git runs the driver by a shell, on Windows too, where a backslash would be taken for an escape.
    program = shlex.join(word.replace(chr(92), "/") for word in own_command(context.environment))
    wanted = f"{program} sync merge {_SIDES} || {_ELSE}"
    known, driven = (
        (git.repository.setting(key) if git.repository else "")
        for key in (f"remote.{_REMOTE}.url", f"merge.{checkout.DRIVER}.driver")
    )
    has_driver = driven == wanted
    possible = (
        (is_new, "created a git repository"),
        *((True, f"wrote {change.path}") for change in changes),
        (not has_driver, "set memvault as this clone's merge driver"),
        (bool(checkout.find_open_permissions(context.vault)), "removed other users' permissions on the vault"),
        (bool(remote) and remote != known, f"{_REMOTE} is {remote}" + (f", instead of {known}" if known else "")),
    )
    steps = [step for is_due, step in possible if is_due]
    if dry_run or not steps:
        return SyncSetupResult(tuple(steps), remote or known, dry_run)
    if is_new:
        git.run_text("init", "--quiet", f"--initial-branch={_default_branch(git, remote) or _BRANCH}")
    checkout.restrict_permissions(context.vault)
    op = apply_one(Plan("sync", changes), context).op if changes else ""
    git.set_config(f"merge.{checkout.DRIVER}.name", "memories, field by field and line by line")
    git.set_config(f"merge.{checkout.DRIVER}.driver", wanted)
    git.set_config("merge.directoryRenames", "false")  # no memory changes its tier because others did
    if remote and remote != known:
        git.set_config(f"remote.{_REMOTE}.url", remote)
        if not known:
            git.set_config(f"remote.{_REMOTE}.fetch", f"+refs/heads/*:refs/remotes/{_REMOTE}/*")
    return SyncSetupResult(tuple(steps), remote or known, op=op)


def _default_branch(git: Git, remote: str) -> str:
    """Return what a clone of the remote would check out, empty where it does not say."""
    if not remote:
        return ""
    found = local_repository(remote, git.folder)
    row = (
        git.list_remote(remote, "HEAD").text.partition("\t")[0] if found is None else read_text(found.git_dir / "HEAD")
    )
    name = row.strip().removeprefix("ref: ")
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""


def _file_changes(context: VaultContext) -> Iterator[CreateFile | RewriteNote]:
    layout = context.vault.layout
    with_transcripts = context.settings.flag("sync.transcripts")
    ignored = checkout.ignore_lines(layout, with_transcripts=with_transcripts)
    for path, lines in ((checkout.ATTRIBUTES, checkout.attribute_lines()), (checkout.IGNORES, ignored)):
        data = checkout.read_if_present(context.vault.root / path)
        wanted = checkout.write_block(data, checkout.without_known_lines(data, lines))
        if not (context.vault.root / path).is_file():
            yield CreateFile(path, wanted, "how memories travel")
        elif wanted != data:
            yield RewriteNote(path, wanted, files.digest(data), "how memories travel")


# How a vault stands with the other machines: what waits here, what waits there, and what is amiss.


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """The state of sync as far as this machine knows without a fetch."""

    remote: str
    address: str
    waiting: int  # files that differ from what was committed
    held: tuple[str, ...]
    ahead: int
    behind: int
    problems: tuple[str, ...]


def sync_status(context: VaultContext) -> SyncStatus:
    """Look at the clone, and change nothing."""
    tree = SyncTree.open(context)
    remote = find_remote(tree)
    found = pending_commits(tree)
    theirs, ahead, behind = remote_branch(tree, remote) if remote else "", 0, 0
    if theirs and tree.has_commits():
        ahead, behind = map(int, tree.git.run_text("rev-list", "--left-right", "--count", f"HEAD...{theirs}").split())
    return SyncStatus(
        remote,
        tree.git.settings.get(f"remote.{remote}.url", "") if remote else "",
        sum(len(unit.paths) for unit in found.units),
        found.held,
        ahead,
        behind,
        tuple(find_problems(tree)),
    )


def check_sync(context: VaultContext) -> Iterator[DoctorFinding]:
    """Find a clone in which git does not know how memories are merged; skip a vault without sync."""
    if checkout.DRIVER not in checkout.read_if_present(context.vault.root / checkout.ATTRIBUTES).decode(
        "utf-8", "replace"
    ):
        return
    for lock in find_locks(context.vault.root):
        if lock.holders:
            continue  # a git at work is nothing amiss
        yield DoctorFinding(
            severity="warning",
            path=context.vault.relative_path(lock.path) or str(lock.path),
            sentence=f"This lock of git's is there since {write_moment(lock.created)}, and {lock.owner}.",
            advice="Delete it." if lock.is_left else "Delete it once you are sure that no git is at work there.",
            chore=Chore("remove the lock that a killed git left", _remove_git_lock, (lock.path,))
            if lock.is_left
            else None,
        )
    for problem in [] if files.find_link_out(context.vault.root / ".git") else find_problems(SyncTree.open(context)):
        yield DoctorFinding(
            severity="warning",
            path=checkout.ATTRIBUTES,
            sentence=problem,
            advice="`memvault sync status` tells how this clone stands; until `memvault sync init` has set it up, git "
            "merges memories as mere text.",
        )


def _remove_git_lock(context: VaultContext, path: Path) -> None:
    """Remove a git lock, after checking once more that no git has begun its work since."""
    remove_left_lock(context.vault.root, str(path))


def find_problems(tree: SyncTree) -> list[str]:
    """Return what keeps memories from being merged well in this clone, or from leaving it as they should."""
    found = [*_driver_problems(tree), *_push_problems(tree), *_content_problems(tree)]
    if (what := tree.unfinished_merge()) and not merge_commits.can_take_back(tree):
        found.append(f"A merge was begun and not finished ({what}).")
    return found


def _driver_problems(tree: SyncTree) -> Iterator[str]:
    driver = tree.repository.setting(f"merge.{checkout.DRIVER}.driver")
    if not driver:
        yield "Git does not know in this clone how to merge memories. Fix: memvault sync init"
    elif not _is_runnable(driver):
        yield f"The merge driver of this clone is missing: {driver}. Fix: memvault sync init"
    elif "merge-file" not in driver:
        yield "If memvault cannot merge a file, git keeps one side alone in this clone. Fix: memvault sync init"
    data = checkout.read_if_present(tree.root / checkout.ATTRIBUTES)
    if checkout.write_block(data, checkout.attribute_lines()) != data:
        yield f"{checkout.ATTRIBUTES} does not name the merge driver for memories. Fix: memvault sync init"


def _push_problems(tree: SyncTree) -> Iterator[str]:
    if tree.branch() and (remote := find_remote(tree)):
        for problem in sync.push_problems(tree, remote, remote_branch(tree, remote)):
            yield f"{problem} {problem.advice}"
    if ignored := tree.ignored_memories():
        yield f"A .gitignore excludes {ignored[0]} ({len(ignored)} memories in all)."
    for path in tree.inner_repositories():
        yield f"{path} is a git repository of its own inside the vault, and is not synced."


def _content_problems(tree: SyncTree) -> Iterator[str]:
    for path, other, commit in find_mixed_notes(tree):
        was = f"{commit[:10]}^1:{tree.prefix}{path}"
        yield (
            f"{path} has text of {other} since a merge without memvault ({commit[:10]}). "
            f"See how it was: `git show {shlex.quote(was)}`, and the same with ^2"
        )
    commits = ["HEAD", *merge_records.commits_before_pulls(tree)] if tree.has_commits() else []
    for path in merge_records.damaged_records(tree, commits):
        yield f"{path} has lost lines that were committed. Restore them: memvault sync run"


def _is_runnable(driver: str) -> bool:
    try:
        program = shlex.split(driver)[0]
    except (ValueError, IndexError):
        return False
    return which(program) is not None or Path(program).is_file()
