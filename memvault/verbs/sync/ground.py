"""The vault's working tree as git sees it: what may travel, and where everything stands."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

from memvault.core.private import holds_private
from memvault.errors import GitFailed, IgnoredVault, NotSynced
from memvault.host.git import Git
from memvault.vault.layout import STATE, TRASH, Layout
from memvault.verbs.bench import Bench

_UNFINISHED = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_SPOKEN_OF = re.compile(r"`</?private>`", re.IGNORECASE)
_ZIP = b"PK\x03\x04"
_TEXTS = (".md", ".markdown", ".txt", ".json", ".jsonl", ".html")  # what is looked at of a zip
_LONGEST = 200_000_000  # bytes of them
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


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
        if prefix.strip("\n") and git.ask("check-ignore", "--quiet", "--", str(bench.vault.root)).code == 0:
            raise IgnoredVault(path=bench.vault.root, top=top)
        return cls(git, bench, prefix.strip("\n"), Path(top))

    @property
    def root(self) -> Path:
        """The vault's own folder."""
        return self.bench.vault.root

    def is_born(self) -> bool:
        """Whether anything was ever committed."""
        return self.git.answer("rev-parse", "--verify", "--quiet", "HEAD", good=(0, 1)).code == 0

    def in_git(self, name: str) -> Path:
        """Where git keeps something of its own."""
        return self.root / self.git.do("rev-parse", "--git-path", name)

    def own(self, path: str) -> str | None:
        """A path from the repository's top as seen from the vault; None outside it."""
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    def unfinished(self) -> str:
        """A merge or the like that somebody has begun and not ended; empty where there is none."""
        asked = (word for name in _UNFINISHED for word in ("--git-path", name))
        places = self.git.do("rev-parse", *asked).split("\n")  # of all at once: each run of git takes its time
        return next(
            (name for name, place in zip(_UNFINISHED, places, strict=False) if (self.root / place).exists()), ""
        )

    def changed(self) -> tuple[str, ...]:
        """The vault's files that differ from what was committed last, named from the vault's folder."""
        return tuple(path for path in self._status() if not self._is_repository(path))

    def repositories(self) -> tuple[str, ...]:
        """Repositories of their own inside the vault, which keep their own history."""
        return tuple(path.rstrip("/") for path in self._status() if self._is_repository(path))

    def _status(self) -> Iterator[str]:
        rows = self.git.ask("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", ".")
        if rows.code:
            raise GitFailed(command="git status", folder=self.root, told=rows.told.strip())
        return (row[3:].removeprefix(self.prefix) for row in rows.names() if len(row) > 3)

    def _is_repository(self, path: str) -> bool:
        return path.endswith("/") or (self.root / path / ".git").exists()

    def tracked(self) -> tuple[str, ...]:
        """The vault's files that git knows."""
        return tuple(name for name in self.git.do("ls-files", "-z", "--", ".").split("\0") if name)

    def ignored(self) -> tuple[str, ...]:
        """The vault's memories that git was told to pass over, though nothing of ours says so."""
        found = self.git.ask("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ".").names()
        return tuple(path for path in found if self.is_note(path))

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
    """The files among some paths in which a person marked text as private."""
    return tuple(path for path in paths if not path.startswith(f"{STATE}/") and _marks_private(tree, path))


def _marks_private(tree: Tree, path: str) -> bool:
    full = tree.root / path
    return full.is_file() and is_private(full.read_bytes(), is_note=tree.is_note(path))


def is_private(data: bytes, *, is_note: bool) -> bool:
    """Whether text in a file is marked as private; in what is no memory, a mark in backquotes is only spoken of."""
    if data.startswith(_ZIP):
        return _packs_private(data)
    if b"<" not in data:
        return False
    text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8", "replace")
    return holds_private(text if is_note else _SPOKEN_OF.sub("", text))


def _packs_private(data: bytes) -> bool:
    """Whether a zip holds such text; of a bundle also where nobody can tell."""
    from zipfile import BadZipFile, ZipFile  # deferred, as is the other: in most vaults there is no zip

    from memvault.verbs.exporting.bundle import LINES, MANIFEST

    is_bundle = False
    try:
        with ZipFile(BytesIO(data)) as packed:
            texts = [member for member in packed.infolist() if member.filename.casefold().endswith(_TEXTS)]
            is_bundle = {MANIFEST, LINES} <= {member.filename for member in texts}
            if sum(member.file_size for member in texts) > _LONGEST:
                return is_bundle
            return any(is_private(packed.read(member), is_note=member.filename.endswith(".md")) for member in texts)
    except (BadZipFile, OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error):
        return is_bundle
