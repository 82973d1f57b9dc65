"""What every file of the vault was when it was last looked at on this machine: by it, silent damage is told."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.privacy.private.originals import SEALED
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import STATE
from memvault.storage.vault.vault import Vault
from memvault.system import files

FILE = "census.jsonl"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Line:
    """One file: the hash of its bytes, how many they were, and when it was last written to."""

    sha: str
    size: int
    mtime: int  # nanoseconds: on this machine alone, which is why no journal holds it
    meant: bool = False  # a person said that these bytes are meant, though they look damaged


Census = dict[str, Line]


def census(bench: Bench) -> Census:
    """The files as they were last, by their paths; empty where nobody has looked yet."""
    if bench.state is None:
        return {}
    try:
        data = files.read(bench.state / FILE)
    except (MemvaultError, FileNotFoundError):
        return {}
    return dict(_lines(data))


def keep(bench: Bench, found: Mapping[str, Line]) -> None:
    """Put down what the files are now; what is noted of others goes."""
    if bench.state is None:
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
    files.make_folder(bench.state)
    files.overwrite(bench.state / FILE, data)


def taken(bench: Bench) -> None:
    """Bring the census up to date; of what looks damaged, the sound line stays."""
    before, found = census(bench), {}
    for path in (*note_paths(bench.vault), *other_paths(bench.vault)):
        line = before.get(path)
        try:
            fresh = counted(bench.vault.root / path, line, grows=grows(path))
        except (MemvaultError, OSError):
            fresh = line
        if fresh is not None:
            found[path] = fresh
    # A note keeps its name when it moves, to the trash, too.
    names = {path.rpartition("/")[2] for path in (*found, *bench.vault.trash())}
    missing = {path: line for path, line in before.items() if path.rpartition("/")[2] not in names}
    if {**missing, **found} != before:
        with suppress(MemvaultError):  # no place for it is no reason to fail
            keep(bench, {**missing, **found})


def let_go(bench: Bench, paths: Collection[str]) -> None:
    """Forget some files that are meant to be nowhere."""
    found = census(bench)
    if not found.keys().isdisjoint(paths):
        keep(bench, {path: line for path, line in found.items() if path not in paths})


def let_go_of_records(bench: Bench) -> None:
    """Forget what growing files were, as some of what they held is taken out, and what was sealed beside them."""
    found = census(bench)
    left = {path: line for path, line in found.items() if not grows(path) and not path.endswith(SEALED)}
    if left != found:
        keep(bench, left)


def counted(path: Path, before: Line | None, *, grows: bool) -> Line | None:
    """The line of a file as it is; the one of before where it stands, or where the file cannot have come to be so."""
    stat = path.stat()
    if before is not None and stat.st_mtime_ns == before.mtime:
        return before  # the same bytes, or damaged ones
    if before is not None and grows and (stat.st_size < before.size or summed(path, before.size) != before.sha):
        return before
    sha = summed(path, stat.st_size)
    is_meant = before is not None and before.meant and before.sha == sha
    return Line(sha, stat.st_size, stat.st_mtime_ns, is_meant)


def summed(path: Path, size: int) -> str:
    """The hash of a file's first bytes, of which never many are held at once."""
    from hashlib import blake2b  # deferred: few commands hash what is too large to be held

    found, left = blake2b(digest_size=16), size
    with files.stream(path) as stream:
        while left > 0 and (data := stream.read(min(left, _CHUNK))):
            found.update(data)
            left -= len(data)
    return found.hexdigest()


def grows(path: str) -> bool:
    """Whether a file only ever grows: what it held, it still holds."""
    return path.endswith((".jsonl", ".jsonl.gz"))


# -- which files


def note_paths(vault: Vault) -> Iterator[str]:
    """Every note."""
    return (f"{folder}{name}" for folder, entries in vault.listing() for name, _ in entries)


def other_paths(vault: Vault) -> Iterator[str]:
    """What lies beside the notes and is not derived: records, conversations, and what is sealed."""
    layout = vault.layout
    for folder in (f"{STATE}/journal", f"{STATE}/ledger", layout.transcripts.rstrip("/"), layout.private.rstrip("/")):
        for above, folders, names in os.walk(vault.root / folder):
            folders.sort()
            for name in sorted(names):
                path = vault.relative(Path(above) / name)
                if path and name.endswith((".jsonl", ".gz", ".age")) and not name.startswith((".mv-", ".sealing-")):
                    yield path


def _lines(data: bytes) -> Iterator[tuple[str, Line]]:
    for line in data.split(b"\n"):
        try:
            told = json.loads(line)
            found = Line(str(told["sha"]), int(told["size"]), int(told["mtime"]), told.get("meant") is True)
            yield str(told["path"]), found
        except (ValueError, KeyError, TypeError):
            continue  # torn, or taken out as forgotten
