"""Reads the content of blobs from git, many in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memvault.system.git import Git

_AT_ONCE = 1 << 26  # bytes held in memory together


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
    for part in parts:
        if part:
            given = "".join(f"{blob}\n" for blob in part).encode()
            yield dict(_parse_batch(git.run_checked("cat-file", "--batch", given=given).out))


def _parse_batch(out: bytes) -> Iterator[tuple[str, bytes]]:
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
                pass  # a name that git does not know; nothing follows
