"""What is about to leave this machine, looked at once more: git may have come to know it by other hands than ours."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.errors import MemvaultError, OthersCommits, PrivateInGit, PrivateText
from memvault.storage.vault.layout import STATE
from memvault.sync import marks
from memvault.sync.commits import in_parts
from memvault.sync.repository import Tree, is_private, may_travel


def check(tree: Tree, remote: str, theirs: str) -> None:
    """Nothing leaves that must not: neither as it is now, nor in a commit of which it was a part."""
    for trouble in troubles(tree, remote, theirs):
        raise trouble


def troubles(tree: Tree, remote: str, theirs: str) -> Iterator[MemvaultError]:
    """What keeps the commits here from being pushed."""
    if not tree.is_born():
        return
    settings = tree.bench.settings
    travels = may_travel(tree.bench.vault.layout, with_transcripts=settings.flag("sync.transcripts"))
    kept = [path for path in tree.tracked() if not travels(path)]
    if kept:
        yield PrivateInGit(path=kept[0], count=len(kept), ignores=marks.IGNORES)
    since = ("HEAD", "--not", theirs or f"--remotes={remote}")
    if settings.text("sync.private_text") == "hold" and (private := _private(tree, since)):
        back = f"git reset --soft {theirs.removeprefix('refs/remotes/')}" if theirs else "git update-ref -d HEAD"
        yield PrivateText(path=private[0], count=len(private), command=back)
    if tree.prefix and not settings.flag("sync.whole_repository") and (count := _others(tree, since)):
        yield OthersCommits(count=count, top=tree.top)


def _private(tree: Tree, since: tuple[str, ...]) -> list[str]:
    """The files in which text is marked as private, in whatever version the others do not have yet."""
    named = (row.partition(" ")[::2] for row in tree.git.do("rev-list", "--objects", *since).split("\n"))
    paths = {blob: own for blob, path in named if path and (own := tree.own(path))}
    looked_at = {blob: path for blob, path in paths.items() if not path.startswith(f"{STATE}/")}
    found = {
        looked_at[blob]
        for part in in_parts(tree.git, looked_at)
        for blob, data in part.items()
        if is_private(data, is_note=tree.is_note(looked_at[blob]))
    }
    return sorted(found)


def _others(tree: Tree, since: tuple[str, ...]) -> int:
    """How many commits change what lies outside the vault."""
    outside = ("--", ":/", f":(top,exclude,literal){tree.prefix.rstrip('/')}")
    return int(tree.git.do("rev-list", "--count", "--no-merges", *since, *outside))
