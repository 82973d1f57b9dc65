"""Make a vault one that travels over git: what git must know of it, on this machine and on all."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from memvault.core.plan import Create, Plan, Rewrite
from memvault.errors import BadInput
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import Bench
from memvault.sync import marks, rights
from memvault.sync.repository import Tree
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
    known, driven = (_setting(git, key) for key in (f"remote.{_REMOTE}.url", f"merge.{marks.DRIVER}.driver"))
    has_driver = driven == wanted
    told = (
        (is_new, "made a git repository of the vault"),
        *((True, f"wrote {change.path}") for change in changes),
        (not has_driver, "told git, in this clone, to have memories merged by memvault"),
        (bool(rights.too_open(bench.vault)), "took from others on this machine what git had let them read"),
        (bool(remote) and remote != known, f"{_REMOTE} is {remote}" + (f", instead of {known}" if known else "")),
    )
    steps = [step for is_due, step in told if is_due]
    if dry_run or not steps:
        return SetUp(tuple(steps), remote or known, dry_run)
    if is_new:
        git.do("init", "--quiet", f"--initial-branch={_branch_at(git, remote) or _BRANCH}")
    rights.close_up(bench.vault)
    op = apply_one(Plan("sync", changes), bench).op if changes else ""
    git.set(f"merge.{marks.DRIVER}.name", "memories, field by field and line by line")
    git.set(f"merge.{marks.DRIVER}.driver", wanted)
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
    ignored = marks.ignores(layout, with_transcripts=with_transcripts)
    for path, lines in ((marks.ATTRIBUTES, marks.attributes()), (marks.IGNORES, ignored)):
        data = marks.bytes_of(bench.vault.root / path)
        wanted = marks.with_block(data, lines)
        if not (bench.vault.root / path).is_file():
            yield Create(path, wanted, "how memories travel")
        elif wanted != data:
            yield Rewrite(path, wanted, files.digest(data), "how memories travel")


def _setting(git: Git, key: str) -> str:
    return git.repository.setting(key) if git.repository else ""
