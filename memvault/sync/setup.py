"""Make a vault one that travels over git: what git must know of it, on this machine and on all."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from memvault.core.plan import Create, Plan, Rewrite
from memvault.errors import BadInput
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import Bench
from memvault.sync import checkout, merge, merge_records, run
from memvault.sync.commit import waiting
from memvault.sync.merge import mixed
from memvault.sync.repository import Tree
from memvault.sync.run import remote_of, upstream
from memvault.system import files
from memvault.system.git import Git, is_work_tree
from memvault.system.git_folders import read_text
from memvault.system.git_repository import local_repository

_REMOTE, _BRANCH = "origin", "main"
_SIDES = "%O %A %B %P"
# Whatever keeps memvault from merging (it is gone, or a setting is broken), git does it as it would any text.
_ELSE = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"


@dataclass(frozen=True, slots=True)
class SetUp:
    """What was done so that the vault can travel; empty where all of it was there."""

    done: tuple[str, ...]
    remote: str  # its address; empty where there is none yet
    dry_run: bool = False
    op: str = ""


def init(bench: Bench, git: Git, program: tuple[str, ...], *, remote: str = "", dry_run: bool = False) -> SetUp:
    """Tell git how memories are merged and what stays here; made again, it changes only what is amiss."""
    if remote.startswith("-"):
        raise BadInput(what="the remote", value=remote, reason="it begins with a hyphen")
    is_new = not is_work_tree(bench.vault.root)
    if not is_new:
        Tree.of(bench, git)  # a vault that git ignores, or a bare repository, is told of before anything is changed
    changes = tuple(_files(bench))
    wanted = driver(program)
    known, driven = (_setting(git, key) for key in (f"remote.{_REMOTE}.url", f"merge.{checkout.DRIVER}.driver"))
    has_driver = driven == wanted
    told = (
        (is_new, "made a git repository of the vault"),
        *((True, f"wrote {change.path}") for change in changes),
        (not has_driver, "told git, in this clone, to have memories merged by memvault"),
        (bool(checkout.too_open(bench.vault)), "took from others on this machine what git had let them read"),
        (bool(remote) and remote != known, f"{_REMOTE} is {remote}" + (f", instead of {known}" if known else "")),
    )
    steps = [step for is_due, step in told if is_due]
    if dry_run or not steps:
        return SetUp(tuple(steps), remote or known, dry_run)
    if is_new:
        git.do("init", "--quiet", f"--initial-branch={_branch_at(git, remote) or _BRANCH}")
    checkout.close_up(bench.vault)
    op = apply_one(Plan("sync", changes), bench).op if changes else ""
    git.set(f"merge.{checkout.DRIVER}.name", "memories, field by field and line by line")
    git.set(f"merge.{checkout.DRIVER}.driver", wanted)
    git.set("merge.directoryRenames", "false")  # no memory changes its tier because others did
    if remote and remote != known:
        git.set(f"remote.{_REMOTE}.url", remote)
        if not known:
            git.set(f"remote.{_REMOTE}.fetch", f"+refs/heads/*:refs/remotes/{_REMOTE}/*")
    return SetUp(tuple(steps), remote or known, op=op)


def driver(program: tuple[str, ...]) -> str:
    """The command by which git has two versions of a file merged."""
    # Git runs it by a shell, on Windows too, where a backslash would be taken for an escape.
    return f"{shlex.join(word.replace(chr(92), '/') for word in program)} sync merge {_SIDES} || {_ELSE}"


def _branch_at(git: Git, remote: str) -> str:
    """What a clone of the remote would check out; empty where it does not say, as an empty one over a network."""
    if not remote:
        return ""
    found = local_repository(remote, git.folder)
    row = (
        git.list_remote(remote, "HEAD").text.partition("\t")[0] if found is None else read_text(found.git_dir / "HEAD")
    )
    name = row.strip().removeprefix("ref: ")
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""


def _files(bench: Bench) -> Iterator[Create | Rewrite]:
    layout = bench.vault.layout
    with_transcripts = bench.settings.flag("sync.transcripts")
    ignored = checkout.ignores(layout, with_transcripts=with_transcripts)
    for path, lines in ((checkout.ATTRIBUTES, checkout.attributes()), (checkout.IGNORES, ignored)):
        data = checkout.bytes_of(bench.vault.root / path)
        wanted = checkout.with_block(data, lines)
        if not (bench.vault.root / path).is_file():
            yield Create(path, wanted, "how memories travel")
        elif wanted != data:
            yield Rewrite(path, wanted, files.digest(data), "how memories travel")


def _setting(git: Git, key: str) -> str:
    return git.repository.setting(key) if git.repository else ""


# How a vault stands with the other machines: what waits here, what waits there, and what is amiss.


@dataclass(frozen=True, slots=True)
class Standing:
    """How the vault stands, as far as this machine knows without asking the others."""

    remote: str
    address: str
    waiting: int  # files that differ from what was committed
    held: tuple[str, ...]
    ahead: int
    behind: int
    problems: tuple[str, ...]


def standing(tree: Tree) -> Standing:
    """Look at the clone, and change nothing."""
    remote = remote_of(tree)
    found = waiting(tree)
    ahead, behind = _distance(tree, upstream(tree, remote) if remote else "")
    return Standing(
        remote,
        tree.git.settings.get(f"remote.{remote}.url", "") if remote else "",
        sum(len(unit.paths) for unit in found.units),
        found.held,
        ahead,
        behind,
        tuple(problems(tree)),
    )


def problems(tree: Tree) -> list[str]:
    """What keeps memories from being merged well in this clone, or from leaving it as they should."""
    found = [*_of_merging(tree), *_of_leaving(tree), *_of_mixing(tree), *_of_records(tree)]
    if (what := tree.unfinished()) and not merge.is_ours_to_settle(tree):
        found.append(f"Somebody has begun to merge and not ended it ({what}).")
    return found


def _of_merging(tree: Tree) -> Iterator[str]:
    driver = tree.repository.setting(f"merge.{checkout.DRIVER}.driver")
    if not driver:
        yield "Git does not know in this clone how memories are merged: `memvault sync init` tells it."
    elif not _runs(driver):
        yield f"What merges memories here is not there any more: {driver}. `memvault sync init` puts it right."
    elif "merge-file" not in driver:
        yield "Where memvault cannot merge, git would keep one side alone here: `memvault sync init` puts it right."
    data = checkout.bytes_of(tree.root / checkout.ATTRIBUTES)
    if checkout.with_block(data, checkout.attributes()) != data:
        yield f"{checkout.ATTRIBUTES} does not say how memories are merged: `memvault sync init` puts it right."


def _of_leaving(tree: Tree) -> Iterator[str]:
    if tree.branch() and (remote := remote_of(tree)):
        for trouble in run.troubles(tree, remote, upstream(tree, remote)):
            yield f"{trouble} {trouble.advice}"
    if ignored := tree.ignored():
        yield f"Git passes over {ignored[0]} ({len(ignored)} such memories): a .gitignore says so."
    for path in tree.repositories():
        yield f"{path} is a repository of its own inside the vault, and does not travel with it."


def _of_mixing(tree: Tree) -> Iterator[str]:
    for path, other, commit in mixed(tree):
        was = f"{commit[:10]}^1:{tree.prefix}{path}"
        yield (
            f"{path} says what {other} said, since git merged by itself ({commit[:10]}): "
            f"`git show {shlex.quote(was)}`, and the same with ^2, show how it was before."
        )


def _of_records(tree: Tree) -> Iterator[str]:
    for path in merge_records.lacking(tree, ["HEAD", *merge_records.before_others(tree)]) if tree.is_born() else ():
        yield f"{path} has lost lines that were here before: `memvault sync run` puts them back."


def _runs(driver: str) -> bool:
    try:
        program = shlex.split(driver)[0]
    except (ValueError, IndexError):
        return False
    return which(program) is not None or Path(program).is_file()


def _distance(tree: Tree, theirs: str) -> tuple[int, int]:
    if not theirs or not tree.is_born():
        return 0, 0
    counted = tree.git.do("rev-list", "--left-right", "--count", f"HEAD...{theirs}").split()
    return int(counted[0]), int(counted[1])
