"""Read git's commits as listings of files, and the bytes of blobs, many in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memvault.system.git import Git

FILE, PROGRAM, LINK = "100644", "100755", "120000"  # the modes that git knows
_AT_ONCE = 1 << 26  # bytes held in memory together


class TreeEntry(NamedTuple):
    """A file of a commit; without a blob, its version is not known."""

    mode: str
    blob: str

    @property
    def is_plain(self) -> bool:
        """Return whether it is an ordinary file: no link, and no repository of its own."""
        return self.mode in (FILE, PROGRAM)


Listing = Mapping[str, TreeEntry]


def list_commit(git: Git, commit: str) -> dict[str, TreeEntry]:
    """Return all files of a commit, named from the repository's top."""
    found: dict[str, TreeEntry] = {}
    for row in git.run_checked("ls-tree", "-r", "-z", "--full-tree", commit).names():
        about, _, path = row.partition("\t")
        mode, _kind, blob = about.split()
        found[path] = TreeEntry(mode, blob)
    return found


def merge_base(git: Git, one: str, other: str) -> Listing:
    """Return the files two commits have in common; entries without a blob where their bases differ."""
    found = [
        list_commit(git, commit)
        for commit in git.run_checked("merge-base", "--all", one, other, good=(0, 1)).text.split()
    ]
    if len(found) < 2:
        return found[0] if found else {}
    whole: dict[str, TreeEntry] = {}
    for path in dict.fromkeys(path for each in found for path in each):
        entries = {each.get(path) for each in found}
        entry = next(each[path] for each in found if path in each)
        whole[path] = entry if len(entries) == 1 else TreeEntry(entry.mode, "")
    return whole


def read_blobs(git: Git, blobs: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of some blobs; names of anything else are left out."""
    return {
        blob: data
        for part in _read_parts(git, [sorted({blob for blob in blobs if blob})])
        for blob, data in part.items()
    }


def read_blobs_in_parts(git: Git, blobs: Iterable[str]) -> Iterator[Mapping[str, bytes]]:
    """Yield the bytes of some blobs, some at a time, as they may be large."""
    parts: list[list[str]] = [[]]
    size = 0
    names = "".join(f"{blob}\n" for blob in sorted(set(blobs))).encode()
    for row in git.run_text("cat-file", "--batch-check", given=names).splitlines():
        match row.split():
            case [blob, "blob", length]:
                size += int(length)
                if size > _AT_ONCE and parts[-1]:
                    parts.append([])
                    size = int(length)
                parts[-1].append(blob)
            case _:
                pass  # a folder or a commit
    yield from _read_parts(git, parts)


def _read_parts(git: Git, parts: Iterable[list[str]]) -> Iterator[dict[str, bytes]]:
    for part in filter(None, parts):
        yield {blob: data for blob, data in zip(part, _read_batch(git, part), strict=True) if data is not None}


def read_at_commit(git: Git, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes that some paths have in a commit; what is no file there is left out."""
    wanted = [path for path in paths if "\n" not in path]
    found = _read_batch(git, [f"{commit}:{path}" for path in wanted]) if wanted else ()
    return {path: data for path, data in zip(wanted, found, strict=True) if data is not None}


def _read_batch(git: Git, names: Iterable[str]) -> Iterator[bytes | None]:
    """Yield what each name stands for, in order; None for what is no blob, or unknown to git."""
    given = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
    out = git.run_checked("cat-file", "--batch", given=given).out
    at = 0
    while at < len(out):
        head = out[at : out.index(b"\n", at)]
        at += len(head) + 1
        about = head.rsplit(b" ", 2)
        if len(about) < 3 or not about[2].isdigit():
            yield None  # nothing follows
            continue
        size = int(about[2])
        yield out[at : at + size] if about[1] == b"blob" else None
        at += size + 1


def store_blob(git: Git, data: bytes) -> str:
    """Have git keep some bytes as they are, and give back the blob's name."""
    return git.run_text("hash-object", "-w", "--stdin", "--no-filters", given=data)


def index_rows(changes: Mapping[str, TreeEntry | None], width: int) -> bytes:
    """Format changes for git's index: removals first, so that a folder can take the place of a file."""
    nothing = "0" * width
    gone = [f"0 {nothing}\t{path}\0" for path, entry in changes.items() if entry is None]
    come = [f"{entry.mode} {entry.blob}\t{path}\0" for path, entry in changes.items() if entry is not None]
    return "".join((*gone, *come)).encode("utf-8", "surrogateescape")
