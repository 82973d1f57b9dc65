"""Export and import private memories in bundles, sealed as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from memvault.errors import NothingToDo, Unreadable
from memvault.privacy.private.store import ENDING, RECIPIENTS, PrivateStore, is_sealed
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system.age import parse_recipients
from memvault.system.files.append_only import archive_errors
from memvault.text.file_names import is_safe
from memvault.transfer.exporters.formats import MANIFEST, PRIVATE

_LONGEST, _LONGEST_LIST = 16 * 1024 * 1024, 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PrivateImportResult:
    """The result of importing a bundle's private memories, by file name."""

    new: tuple[str, ...]
    unchanged: tuple[str, ...]
    refused: tuple[str, ...]
    dry_run: bool


def sealed_files(context: VaultContext) -> Mapping[str, bytes]:
    """Return the sealed files and the recipients' list by name; none where nothing is sealed."""
    safe = PrivateStore(context.vault)
    found = {path.rpartition("/")[2]: safe.read_sealed(path) for path in safe.memory_paths()}
    if found and safe.named_recipients():
        found[RECIPIENTS] = safe.read_list()
    return found


def import_sealed(context: VaultContext, path: Path, *, dry_run: bool = False) -> PrivateImportResult:
    """Import the private memories of a bundle; one whose name is taken gets another."""
    safe = PrivateStore(context.vault)
    new: list[str] = []
    unchanged: list[str] = []
    refused: list[str] = []
    with context.vault.lock_vault():
        there = {files.digest(safe.read_sealed(each)) for each in safe.memory_paths()}
        for name, sealed in _read_checked(path):
            if sealed is None:
                refused.append(name)
            elif name == RECIPIENTS:
                if not (safe.named_recipients() or dry_run):
                    safe.name_recipients(parse_recipients(sealed))
            elif files.digest(sealed) in there:
                unchanged.append(name)
            else:
                new.append(name)
                if not dry_run:
                    safe.put_sealed(name, sealed)
    return PrivateImportResult(tuple(new), tuple(unchanged), tuple(refused), dry_run)


def _read_checked(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yield the files in the bundle's list with their bytes; None where these do not match the list."""
    with files.open_stream(path) as stream, archive_errors(path), ZipFile(stream) as archive:
        rows = _read_manifest(path, archive)
        for row in rows:
            name = str(row.get("name", ""))
            is_ours = name == RECIPIENTS or (name.endswith(ENDING) and is_safe(name) and "/" not in name)
            yield (name, _read_entry(archive, name, row)) if is_ours else (name, None)


def _read_manifest(path: Path, archive: ZipFile) -> list[dict[str, object]]:
    if MANIFEST not in archive.namelist():
        raise Unreadable(path=path, reason=f"it is no bundle: there is no {MANIFEST} in it")
    with archive.open(MANIFEST) as opened:
        said = json.loads(opened.read(_LONGEST_LIST))
    rows = said.get("private") if isinstance(said, dict) else None
    if not isinstance(rows, list):
        raise NothingToDo(reason="The bundle has no private memories: `memvault export --private` includes them.")
    return [row for row in rows if isinstance(row, dict)]


def _read_entry(archive: ZipFile, name: str, row: Mapping[str, object]) -> bytes | None:
    size = row.get("bytes")
    if not isinstance(size, int) or not 0 <= size <= _LONGEST or f"{PRIVATE}{name}" not in archive.namelist():
        return None
    with archive.open(f"{PRIVATE}{name}") as opened:
        data = opened.read(size + 1)  # stop at the stated size: more may be a zip bomb
    is_whole = len(data) == size and sha256(data).hexdigest() == row.get("sha256")
    return data if is_whole and (name == RECIPIENTS or is_sealed(data)) else None
