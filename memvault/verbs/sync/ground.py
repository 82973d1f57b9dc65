"""The vault's working tree as git sees it: what may travel, and where everything stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memvault.core.private import holds_private
from memvault.errors import NotSynced
from memvault.host.git import Git
from memvault.vault.layout import STATE, TRASH, Layout
from memvault.verbs.bench import Bench

_UNFINISHED = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")


@dataclass(frozen=True, slots=True)
class Tree:
    """A vault within the working tree that it lies in."""

    git: Git
    bench: Bench
    prefix: str  # of the vault's folder within the repository, with a slash at the end; empty at the top
    top: Path

    @classmethod
    def of(cls, bench: Bench, git: Git) -> Tree:
        """The tree that the vault lies in; NotSynced where there is none."""
        found = git.ask("rev-parse", "--show-toplevel", "--show-prefix")
        if found.code:
            raise NotSynced(path=bench.vault.root)
        top, _, prefix = found.text.partition("\n")
        return cls(git, bench, prefix.strip("\n"), Path(top))

    @property
    def root(self) -> Path:
        """The vault's own folder."""
        return self.bench.vault.root

    def is_born(self) -> bool:
        """Whether anything was ever committed."""
        return self.git.ask("rev-parse", "--verify", "--quiet", "HEAD").code == 0

    def unfinished(self) -> str:
        """A merge or the like that somebody has begun and not ended; empty where there is none."""
        for name in _UNFINISHED:
            path = Path(self.git.do("rev-parse", "--git-path", name))
            if (self.root / path).exists():
                return name
        return ""

    def changed(self) -> tuple[str, ...]:
        """The vault's files that differ from what was committed last, named from the vault's folder."""
        ran = self.git.do("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", ".")
        return tuple(row[3:].removeprefix(self.prefix) for row in ran.split("\0") if len(row) > 3)

    def tracked(self) -> tuple[str, ...]:
        """The vault's files that git knows."""
        return tuple(name for name in self.git.do("ls-files", "-z", "--", ".").split("\0") if name)

    def is_note(self, path: str) -> bool:
        """Whether a file of the vault is a memory."""
        return self.bench.vault.place(path) is not None


def may_travel(layout: Layout, *, with_transcripts: bool) -> Callable[[str], bool]:
    """Which of a vault's files may leave this machine: nothing private, nothing derived, nothing thrown away."""
    stays = (f"{STATE}/undo/", f"{STATE}/lock", f"{TRASH}/", *(() if with_transcripts else (layout.transcripts,)))
    return partial(_travels, stays, layout.private)


def _travels(stays: tuple[str, ...], private: str, path: str) -> bool:
    name = path.rpartition("/")[2]
    if path.startswith(private):
        return name.endswith(".md.age") or name == ".recipients"
    if name == ".gitkeep":
        return True
    return not (path.startswith(stays) or name.endswith((".agekey", "identity.txt")) or _is_temporary(name))


def _is_temporary(name: str) -> bool:
    return name.startswith(".") and name.endswith(".tmp")


def with_private_text(tree: Tree, paths: Iterable[str]) -> tuple[str, ...]:
    """The notes among some paths in which a person marked text as private."""
    return tuple(path for path in paths if tree.is_note(path) and _marks_private(tree, path))


def _marks_private(tree: Tree, path: str) -> bool:
    full = tree.root / path
    return full.is_file() and holds_private(full.read_bytes().decode("utf-8", "replace"))
