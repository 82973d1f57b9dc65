"""The digest of every file of the vault, recorded on this machine, so that silent damage is noticed."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import SEALED, STATE
from memvault.storage.vault.vault import Vault
from memvault.system import files

FILE = "census.jsonl"
AGE = ".age"  # how files that are sealed to a key end
_CHUNK = 1 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file: the hash of its bytes, its size, and when it was last written to."""

    sha: str
    size: int
    mtime: int  # nanoseconds: on this machine alone, which is why no journal holds it


FileDigests = dict[str, FileDigest]


def read_file_digests(context: VaultContext) -> FileDigests:
    """Return the digests that were recorded last, by path; empty where none were yet."""
    if context.state is None:
        return {}
    try:
        data = files.read_file(context.state / FILE)
    except (MemvaultError, FileNotFoundError):
        return {}
    return dict(_parse_digests(data))


def write_file_digests(context: VaultContext, digests: FileDigests) -> None:
    """Replace the recorded digests; a full disk is no reason to fail."""
    if context.state is None:
        return
    rows = ({"path": path, **asdict(digest)} for path, digest in digests.items())
    data = b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
    with suppress(MemvaultError):
        files.make_folder(context.state)
        files.overwrite_file(context.state / FILE, data)


def update_file_digests(context: VaultContext) -> None:
    """Bring the recorded digests up to date; a file that looks damaged keeps its sound digest."""
    before = read_file_digests(context)
    fresh = {path: _refresh(context.vault, path, before.get(path)) for path in digested_paths(context.vault)}
    digests = {path: digest for path, digest in fresh.items() if digest is not None}
    # A note keeps its file name when it moves, also to the trash.
    names = {path.rpartition("/")[2] for path in (*digests, *context.vault.trash_paths())}
    missing = {path: digest for path, digest in before.items() if path.rpartition("/")[2] not in names}
    if {**missing, **digests} != before:
        write_file_digests(context, {**missing, **digests})


def _refresh(vault: Vault, path: str, before: FileDigest | None) -> FileDigest | None:
    full = vault.root / path
    try:
        if path.endswith(AGE) or (before is not None and full.stat().st_mtime_ns == before.mtime):
            return before  # only what was opened or accepted is recorded of sealed files
        digest = digest_file(full)
        return before if find_damage(full, before, digest) else digest
    except (MemvaultError, OSError):
        return before


def drop_digests(context: VaultContext, paths: Collection[str]) -> None:
    """Drop the digests of files that were removed on purpose."""
    digests = read_file_digests(context)
    if not digests.keys().isdisjoint(paths):
        write_file_digests(context, {path: digest for path, digest in digests.items() if path not in paths})


def drop_growing_files(context: VaultContext) -> None:
    """Drop the digests of append-only and sealed files, before parts of them are erased."""
    recorded = read_file_digests(context)
    drop_digests(context, {path for path in recorded if is_append_only(path) or path.endswith(SEALED)})


def digest_file(path: Path) -> FileDigest:
    """Return the digest of a file as it is."""
    stat = path.stat()
    return FileDigest(_hash_prefix(path, stat.st_size), stat.st_size, stat.st_mtime_ns)


def find_damage(path: Path, before: FileDigest | None, now: FileDigest) -> str:
    """Return how a file changed as no person and no program changes it; empty where it did not."""
    if is_append_only(path.name):
        size = before.size if before else 0
        if now.size < size:
            return f"it is {size - now.size:,} bytes shorter than it was"
        if before and _hash_prefix(path, size) != before.sha:
            return "what it held when it was last looked at is not what it holds now"
        zeros = files.read_file(path)[size:].count(b"\0") if path.suffix == ".jsonl" else 0
        return f"it holds {zeros:,} zero bytes, as a power cut leaves them; the lines in them are lost" if zeros else ""
    if before is None or before.sha == now.sha:
        return ""
    if before.mtime == now.mtime:
        return "its bytes are others than they were, and the time of its last change is the same"
    if not now.size:
        return "it is empty, and it was not"
    if path.suffix != AGE and b"\0" in (data := files.read_file(path)) and not data.startswith(_UTF16):
        return "it holds zero bytes, as a power cut leaves them"
    return ""


def _hash_prefix(path: Path, size: int) -> str:
    def read_parts() -> Iterator[bytes]:
        left = size
        with files.open_stream(path) as stream:
            while left > 0 and (data := stream.read(min(left, _CHUNK))):
                yield data
                left -= len(data)

    return files.digest_parts(read_parts())


def is_append_only(path: str) -> bool:
    """Return whether a file only ever grows: what it held, it still holds."""
    return path.endswith((".jsonl", ".jsonl.gz"))


def digested_paths(vault: Vault) -> Iterator[str]:
    """Yield the paths of all notes, and of the files beside them that are not derived: records, conversations, more."""
    yield from (f"{folder}{name}" for folder, entries in vault.list_folders() for name, _ in entries)
    layout = vault.layout
    for folder in (f"{STATE}/journal", f"{STATE}/ledger", layout.transcripts, layout.private, layout.quarantine):
        endings = (".md",) if folder == layout.quarantine else (".jsonl", ".gz", AGE)
        for above, folders, names in os.walk(vault.root / folder):
            folders.sort()
            for name in sorted(names):
                path = vault.relative_path(Path(above) / name)
                if path and name.endswith(endings) and not name.startswith((".mv-", ".sealing-")):
                    yield path


def _parse_digests(data: bytes) -> Iterator[tuple[str, FileDigest]]:
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
            yield str(row["path"]), FileDigest(str(row["sha"]), int(row["size"]), int(row["mtime"]))
        except (ValueError, KeyError, TypeError):
            continue  # torn, or erased by a purge
