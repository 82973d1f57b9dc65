"""What every file of the vault was when it was last looked at on this machine: by it, silent damage is told."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation, OperationStep
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.private_spans import has_private
from memvault.errors import MemvaultError
from memvault.privacy.private.originals import SEALED
from memvault.storage.journal import tombstones
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.identity import SeenVersion, SeenVersions
from memvault.storage.vault.layout import STATE
from memvault.storage.vault.vault import Vault
from memvault.system import files

FILE = "census.jsonl"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file: the hash of its bytes, how many they were, and when it was last written to."""

    sha: str
    size: int
    mtime: int  # nanoseconds: on this machine alone, which is why no journal holds it
    meant: bool = False  # a person said that these bytes are meant, though they look damaged


FileDigests = dict[str, FileDigest]


def read_file_digests(context: VaultContext) -> FileDigests:
    """The files as they were last, by their paths; empty where nobody has looked yet."""
    if context.state is None:
        return {}
    try:
        data = files.read_file(context.state / FILE)
    except (MemvaultError, FileNotFoundError):
        return {}
    return dict(_parse_digests(data))


def write_file_digests(context: VaultContext, found: Mapping[str, FileDigest]) -> None:
    """Put down what the files are now; what is noted of others goes."""
    if context.state is None:
        return
    told = (
        {
            "path": path,
            "sha": line.sha,
            "size": line.size,
            "mtime": line.mtime,
            **({"meant": True} if line.meant else {}),
        }
        for path, line in found.items()
    )
    data = b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in told)
    files.make_folder(context.state)
    files.overwrite_file(context.state / FILE, data)


def update_file_digests(context: VaultContext) -> None:
    """Bring the census up to date; of what looks damaged, the sound line stays."""
    before, found = read_file_digests(context), {}
    for path in (*note_paths(context.vault), *other_paths(context.vault)):
        line = before.get(path)
        try:
            fresh = digest_file(context.vault.root / path, line, grows=is_append_only(path))
        except (MemvaultError, OSError):
            fresh = line
        if fresh is not None:
            found[path] = fresh
    # A note keeps its name when it moves, to the trash, too.
    names = {path.rpartition("/")[2] for path in (*found, *context.vault.trash_paths())}
    missing = {path: line for path, line in before.items() if path.rpartition("/")[2] not in names}
    if {**missing, **found} != before:
        with suppress(MemvaultError):  # no place for it is no reason to fail
            write_file_digests(context, {**missing, **found})


def drop_digests(context: VaultContext, paths: Collection[str]) -> None:
    """Forget some files that are meant to be nowhere."""
    found = read_file_digests(context)
    if not found.keys().isdisjoint(paths):
        write_file_digests(context, {path: line for path, line in found.items() if path not in paths})


def drop_growing_files(context: VaultContext) -> None:
    """Forget what growing files were, as some of what they held is taken out, and what was sealed beside them."""
    found = read_file_digests(context)
    left = {path: line for path, line in found.items() if not is_append_only(path) and not path.endswith(SEALED)}
    if left != found:
        write_file_digests(context, left)


def digest_file(path: Path, before: FileDigest | None, *, grows: bool) -> FileDigest | None:
    """The line of a file as it is; the one of before where it stands, or where the file cannot have come to be so."""
    stat = path.stat()
    if before is not None and stat.st_mtime_ns == before.mtime:
        return before  # the same bytes, or damaged ones
    if before is not None and grows and (stat.st_size < before.size or hash_prefix(path, before.size) != before.sha):
        return before
    sha = hash_prefix(path, stat.st_size)
    is_meant = before is not None and before.meant and before.sha == sha
    return FileDigest(sha, stat.st_size, stat.st_mtime_ns, is_meant)


def hash_prefix(path: Path, size: int) -> str:
    """The hash of a file's first bytes, of which never many are held at once."""
    from hashlib import blake2b  # deferred: few commands hash what is too large to be held

    found, left = blake2b(digest_size=16), size
    with files.open_stream(path) as stream:
        while left > 0 and (data := stream.read(min(left, _CHUNK))):
            found.update(data)
            left -= len(data)
    return found.hexdigest()


def is_append_only(path: str) -> bool:
    """Whether a file only ever grows: what it held, it still holds."""
    return path.endswith((".jsonl", ".jsonl.gz"))


# -- which files


def note_paths(vault: Vault) -> Iterator[str]:
    """Every note."""
    return (f"{folder}{name}" for folder, entries in vault.list_folders() for name, _ in entries)


def other_paths(vault: Vault) -> Iterator[str]:
    """What lies beside the notes and is not derived: records, conversations, and what is sealed."""
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
            told = json.loads(line)
            found = FileDigest(str(told["sha"]), int(told["size"]), int(told["mtime"]), told.get("meant") is True)
            yield str(told["path"]), found
        except (ValueError, KeyError, TypeError):
            continue  # torn, or taken out as forgotten


# What notes said before: kept from run to run, so that two copies of one are merged by what both began with.

_BATCH = 500
_MEGA = 1 << 20
_STAMP = "%Y%m%dT%H%M%SZ"
_APART = (Place.FOREIGN, Place.QUARANTINE)  # whose copies memvault never merges


def open_seen_versions(context: VaultContext) -> SeenVersions:
    """What was kept so far, on whatever device."""
    return SeenVersions(context.vault.root, context.vault.undo / "seen", context.vault.device)


def keep_seen_versions(context: VaultContext) -> None:
    """Keep the memories that changed since the last time, and let go of what undo would let go of, too.

    Private text is not kept, nor is what was forgotten for good; a vault that cannot be written does without.
    """
    store = open_seen_versions(context)
    known = store.digests()
    memories = [memory for memory in context.index.memories(NO_FILTERS) if memory.place not in _APART and memory.id]
    fresh = [memory for memory in memories if (memory.id, memory.version) not in known]
    with suppress(MemvaultError), context.vault.lock_vault():
        for start in range(0, len(fresh), _BATCH):
            store.add_versions(_new_versions(context, fresh[start : start + _BATCH], known))
        if fresh:
            _drop_old_versions(context, store, {memory.id for memory in memories})


def merge_bases(
    context: VaultContext, operations: Sequence[Operation], id_: str, sides: tuple[bytes, bytes]
) -> Iterator[tuple[bytes, bool]]:
    """What two versions of a memory may have begun with, the likeliest first, and whether they surely have.

    They have where memvault made both of it, on whatever machine; of an edit by hand nobody noted what it was made in.
    """
    known = {version.digest: version.data for version in open_seen_versions(context).versions_of(id_)}
    steps = [(operation.op, step) for operation in operations for step in operation.steps]
    sure = _nearest_ancestor(steps, *(files.digest(side) for side in sides))
    before = {
        step.before: op for op, step in reversed(steps) if step.before and (step.id == id_ or step.before == sure)
    }
    for digest, op in before.items():
        if digest not in known and (data := context.vault.log.kept_bytes(op, digest)) is not None:
            known[digest] = data
    if sure in known:
        yield known[sure], True
    yield from ((data, False) for digest, data in known.items() if digest != sure)


def _nearest_ancestor(steps: Sequence[tuple[str, OperationStep]], one: str, other: str) -> str:
    """The version that both were made of, by as few changes as may be; empty where that is not sure."""
    made_of: dict[str, list[str]] = {}
    for _, step in steps:
        if step.before and step.after and step.before != step.after:
            made_of.setdefault(step.after, []).append(step.before)
    ways = [_ancestors(made_of, digest) for digest in (one, other)]
    nearest = {next((digest for digest in way if digest in there), "") for way, there in (ways, ways[::-1])}
    return nearest.pop() if len(nearest) == 1 else ""


def _ancestors(made_of: Mapping[str, Sequence[str]], digest: str) -> list[str]:
    found = [digest]
    for each in found:  # it grows while it is walked
        found += [before for before in made_of.get(each, ()) if before not in found]
    return found


def _new_versions(
    context: VaultContext, memories: list[Memory], known: Container[tuple[str, str]]
) -> Iterator[SeenVersion]:
    eraser = tombstones.purge_eraser(context)
    for memory in memories:
        try:
            note = context.vault.read_note(memory.path)
        except MemvaultError:
            continue
        text = note.raw.decode("utf-8", "replace")
        is_fit = codec.claims_id(note.block) and not has_private(text) and not (eraser and eraser(text) != text)
        if is_fit and (memory.id, note.version) not in known:
            yield SeenVersion(memory.id, context.now.strftime(_STAMP), note.raw)


def _drop_old_versions(context: VaultContext, store: SeenVersions, living: set[str]) -> None:
    oldest = (context.now - timedelta(days=context.settings.integer("undo.keep_days"))).strftime(_STAMP)
    most = context.settings.integer("undo.keep_megabytes") * _MEGA
    store.drop_versions(lambda version: version.at >= oldest, living, keep_bytes=most)
