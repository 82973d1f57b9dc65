"""Commits as plain listings of files: read from git, and made without touching what anybody has before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memvault.sync.repository import Tree
from memvault.system import files
from memvault.system.git import Git

OURS = "memvault: what other machines did"
FILE, PROGRAM, LINK = "100644", "100755", "120000"
_INDEX = "memvault-index"  # within git's folder; made anew for each commit
_AT_ONCE = 1 << 26  # bytes that are held in memory together


class Entry(NamedTuple):
    """What a commit has under one name; without a blob, nobody can tell which version it was."""

    mode: str
    blob: str

    @property
    def is_plain(self) -> bool:
        """Whether it is an ordinary file: no link, and no repository of its own."""
        return self.mode in (FILE, PROGRAM)


Listing = Mapping[str, Entry]


def listing(git: Git, commit: str) -> dict[str, Entry]:
    """All files of a commit, named from the repository's top."""
    found: dict[str, Entry] = {}
    for row in git.answer("ls-tree", "-r", "-z", "--full-tree", commit).names():
        about, _, path = row.partition("\t")
        mode, _kind, blob = about.split()
        found[path] = Entry(mode, blob)
    return found


def base(git: Git, one: str, other: str) -> Listing:
    """What two commits began with; where they began with several versions of a file, with none that is known."""
    found = [listing(git, commit) for commit in git.answer("merge-base", "--all", one, other, good=(0, 1)).text.split()]
    if len(found) < 2:
        return found[0] if found else {}
    whole: dict[str, Entry] = {}
    for path in dict.fromkeys(path for each in found for path in each):
        entries = {each.get(path) for each in found}
        entry = next(each[path] for each in found if path in each)
        whole[path] = entry if len(entries) == 1 else Entry(entry.mode, "")
    return whole


def contents(git: Git, blobs: Iterable[str]) -> dict[str, bytes]:
    """The bytes of some blobs, all at once; what is none is left out."""
    return {
        blob: data for part in _read(git, [sorted({blob for blob in blobs if blob})]) for blob, data in part.items()
    }


def in_parts(git: Git, blobs: Iterable[str]) -> Iterator[Mapping[str, bytes]]:
    """The same, some at a time: among many there may be films."""
    parts: list[list[str]] = [[]]
    size = 0
    asked = "".join(f"{blob}\n" for blob in sorted(set(blobs))).encode()
    for row in git.do("cat-file", "--batch-check", given=asked).splitlines():
        match row.split():
            case [blob, "blob", length]:
                size += int(length)
                if size > _AT_ONCE and parts[-1]:
                    parts.append([])
                    size = int(length)
                parts[-1].append(blob)
            case _:
                pass  # a folder or a commit
    yield from _read(git, parts)


def _read(git: Git, parts: Iterable[list[str]]) -> Iterator[dict[str, bytes]]:
    for part in parts:
        if part:
            given = "".join(f"{blob}\n" for blob in part).encode()
            yield dict(_parsed(git.answer("cat-file", "--batch", given=given).out))


def _parsed(out: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(out):
        head = out[at : out.index(b"\n", at)]
        at += len(head) + 1
        match head.split():
            case [blob, kind, size]:
                if kind == b"blob":
                    yield blob.decode(), out[at : at + int(size)]
                at += int(size) + 1
            case _:
                pass  # a name that git does not know: nothing follows


def versions(git: Git, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes that some paths have in a commit; what is no file there is left out."""
    asked = [path for path in paths if "\n" not in path]
    given = "".join(f"{commit}:{path}\n" for path in asked).encode("utf-8", "surrogateescape")
    out = git.answer("cat-file", "--batch", given=given).out if asked else b""
    found: dict[str, bytes] = {}
    at = 0
    for path in asked:
        head = out[at : out.index(b"\n", at)]
        at += len(head) + 1
        about = head.rsplit(b" ", 2)
        if len(about) == 3 and about[2].isdigit():
            if about[1] == b"blob":
                found[path] = out[at : at + int(about[2])]
            at += int(about[2]) + 1
    return found


def kept(git: Git, data: bytes) -> str:
    """Have git keep some bytes as they are, and give back the blob's name."""
    return git.do("hash-object", "-w", "--stdin", "--no-filters", given=data)


def made(tree: Tree, changes: Mapping[str, Entry | None], parents: tuple[str, str], words: tuple[str, ...]) -> str:
    """A commit that is the first of two with some changes, and comes after both."""
    index = tree.in_git(_INDEX)
    for left in (index, index.with_name(f"{_INDEX}.lock")):
        files.remove(left)
    git = tree.git.with_index(index)
    git.do("read-tree", parents[0])
    git.do("update-index", "-z", "--index-info", given=rows(changes, len(parents[0])))
    whole = git.do("write-tree")
    files.remove(index)
    after = (word for parent in parents for word in ("-p", parent))
    signs = tree.git.settings.get("commit.gpgsign", "").casefold() in ("true", "yes", "on", "1")
    signed = ("-S",) if signs else ()
    return git.do(*words, "commit-tree", whole, *after, *signed, "-m", OURS)


def rows(changes: Mapping[str, Entry | None], width: int) -> bytes:
    """Changes as git's index takes them: what goes first, so that a folder can take the place of a file."""
    nothing = "0" * width
    gone = [f"0 {nothing}\t{path}\0" for path, entry in changes.items() if entry is None]
    come = [f"{entry.mode} {entry.blob}\t{path}\0" for path, entry in changes.items() if entry is not None]
    return "".join((*gone, *come)).encode("utf-8", "surrogateescape")
