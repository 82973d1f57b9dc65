"""How a vault stands with the other machines: what waits here, what waits there, and what is amiss."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from memvault.sync import marks, outgoing, unfinished
from memvault.sync import merge_records as records
from memvault.sync.commit import waiting
from memvault.sync.merge import mixed
from memvault.sync.repository import Tree
from memvault.sync.run import remote_of, upstream


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
    if (what := tree.unfinished()) and not unfinished.is_ours_to_settle(tree):
        found.append(f"Somebody has begun to merge and not ended it ({what}).")
    return found


def _of_merging(tree: Tree) -> Iterator[str]:
    driver = tree.repository.setting(f"merge.{marks.DRIVER}.driver")
    if not driver:
        yield "Git does not know in this clone how memories are merged: `memvault sync init` tells it."
    elif not _runs(driver):
        yield f"What merges memories here is not there any more: {driver}. `memvault sync init` puts it right."
    elif "merge-file" not in driver:
        yield "Where memvault cannot merge, git would keep one side alone here: `memvault sync init` puts it right."
    data = marks.bytes_of(tree.root / marks.ATTRIBUTES)
    if marks.with_block(data, marks.attributes()) != data:
        yield f"{marks.ATTRIBUTES} does not say how memories are merged: `memvault sync init` puts it right."


def _of_leaving(tree: Tree) -> Iterator[str]:
    if tree.branch() and (remote := remote_of(tree)):
        for trouble in outgoing.troubles(tree, remote, upstream(tree, remote)):
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
    for path in records.lacking(tree, ["HEAD", *records.before_others(tree)]) if tree.is_born() else ():
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
