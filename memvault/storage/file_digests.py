"""The digest of every file of the vault, kept on this machine, so that silent damage is noticed."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import SEALED, STATE
from memvault.storage.vault.vault import Vault
from memvault.system import files

FILE = "census.jsonl"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file: the hash of its bytes, its size, and when it was last written to."""

    sha: str
    size: int
    mtime: int  # nanoseconds: on this machine alone, which is why no journal holds it
    meant: bool = False  # a person confirmed these bytes, though they look damaged


FileDigests = dict[str, FileDigest]


def read_file_digests(context: VaultContext) -> FileDigests:
    """Return the digests that were kept last, by path; empty where none were kept yet."""
    if context.state is None:
        return {}
    try:
        data = files.read_file(context.state / FILE)
    except (MemvaultError, FileNotFoundError):
        return {}
    return dict(_parse_digests(data))


def write_file_digests(context: VaultContext, found: Mapping[str, FileDigest]) -> None:
    """Replace the kept digests."""
    if context.state is None:
        return
    rows = (
        {
            "path": path,
            "sha": line.sha,
            "size": line.size,
            "mtime": line.mtime,
            **({"meant": True} if line.meant else {}),
        }
        for path, line in found.items()
    )
    data = b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
    files.make_folder(context.state)
    files.overwrite_file(context.state / FILE, data)


def update_file_digests(context: VaultContext) -> None:
    """Bring the kept digests up to date; a file that looks damaged keeps its sound digest."""
    before, digests = read_file_digests(context), {}
    for path in (*note_paths(context.vault), *other_paths(context.vault)):
        line = before.get(path)
        try:
            fresh = digest_file(context.vault.root / path, line, grows=is_append_only(path))
        except (MemvaultError, OSError):
            fresh = line
        if fresh is not None:
            digests[path] = fresh
    # A note keeps its file name when it moves, also to the trash.
    names = {path.rpartition("/")[2] for path in (*digests, *context.vault.trash_paths())}
    missing = {path: line for path, line in before.items() if path.rpartition("/")[2] not in names}
    if {**missing, **digests} != before:
        with suppress(MemvaultError):  # a full disk is no reason to fail
            write_file_digests(context, {**missing, **digests})


def drop_digests(context: VaultContext, paths: Collection[str]) -> None:
    """Drop the digests of files that were removed on purpose."""
    digests = read_file_digests(context)
    if not digests.keys().isdisjoint(paths):
        write_file_digests(context, {path: line for path, line in digests.items() if path not in paths})


def drop_growing_files(context: VaultContext) -> None:
    """Drop the digests of append-only and sealed files, before parts of them are erased."""
    digests = read_file_digests(context)
    remaining = {path: line for path, line in digests.items() if not is_append_only(path) and not path.endswith(SEALED)}
    if remaining != digests:
        write_file_digests(context, remaining)


def digest_file(path: Path, before: FileDigest | None, *, grows: bool) -> FileDigest | None:
    """Return a file's digest; the former one where the file is unchanged, or changed as no program does."""
    stat = path.stat()
    if before is not None and stat.st_mtime_ns == before.mtime:
        return before  # the same bytes, or silently damaged ones
    if before is not None and grows and (stat.st_size < before.size or hash_prefix(path, before.size) != before.sha):
        return before
    sha = hash_prefix(path, stat.st_size)
    is_meant = before is not None and before.meant and before.sha == sha
    return FileDigest(sha, stat.st_size, stat.st_mtime_ns, is_meant)


def hash_prefix(path: Path, size: int) -> str:
    """Return the hash of a file's first bytes, read in chunks."""
    from hashlib import blake2b  # deferred: few commands hash large files

    found, left = blake2b(digest_size=16), size
    with files.open_stream(path) as stream:
        while left > 0 and (data := stream.read(min(left, _CHUNK))):
            found.update(data)
            left -= len(data)
    return found.hexdigest()


def is_append_only(path: str) -> bool:
    """Return whether a file only ever grows: what it held, it still holds."""
    return path.endswith((".jsonl", ".jsonl.gz"))


# -- which files


def note_paths(vault: Vault) -> Iterator[str]:
    """Yield the paths of all notes."""
    return (f"{folder}{name}" for folder, entries in vault.list_folders() for name, _ in entries)


def other_paths(vault: Vault) -> Iterator[str]:
    """Yield the files beside the notes that are not derived: records, conversations, sealed files."""
    layout = vault.layout
    for folder in (f"{STATE}/journal", f"{STATE}/ledger", layout.transcripts.rstrip("/"), layout.private.rstrip("/")):
        for above, folders, names in os.walk(vault.root / folder):
            folders.sort()
            for name in sorted(names):
                path = vault.relative_path(Path(above) / name)
                if path and name.endswith((".jsonl", ".gz", ".age")) and not name.startswith((".mv-", ".sealing-")):
                    yield path


def _parse_digests(data: bytes) -> Iterator[tuple[str, FileDigest]]:
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
            digest = FileDigest(str(row["sha"]), int(row["size"]), int(row["mtime"]), row.get("meant") is True)
            yield str(row["path"]), digest
        except (ValueError, KeyError, TypeError):
            continue  # torn, or erased by a purge
