"""Private memories on their way between vaults: sealed as they are, and never opened for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from memvault.errors import NothingToDo, Unreadable
from memvault.privacy.private.age import recipients_in
from memvault.privacy.private.store import ENDING, RECIPIENTS, Safe, is_sealed
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.system.files.append_only import intact
from memvault.text.file_names import is_safe
from memvault.transfer.exporters.formats import MANIFEST, PRIVATE

_LONGEST, _LONGEST_LIST = 16 * 1024 * 1024, 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Brought:
    """What came of the private memories of a bundle, by the names of their files."""

    new: tuple[str, ...]
    unchanged: tuple[str, ...]
    refused: tuple[str, ...]
    dry_run: bool


def sealed_files(bench: Bench) -> Mapping[str, bytes]:
    """The sealed files, and the list of those that they are sealed to, by their names; none where nothing is sealed."""
    safe = Safe(bench.vault)
    found = {path.rpartition("/")[2]: safe.read(path) for path in safe.paths()}
    if found and safe.listed():
        found[RECIPIENTS] = safe.listing()
    return found


def bring_in(bench: Bench, path: Path, *, dry_run: bool = False) -> Brought:
    """Put the private memories of a bundle with those that are here; where a name is taken, they get another."""
    safe = Safe(bench.vault)
    new: list[str] = []
    unchanged: list[str] = []
    refused: list[str] = []
    with bench.vault.locked():
        there = {files.digest(safe.read(each)) for each in safe.paths()}
        for name, sealed in _checked(path):
            if sealed is None:
                refused.append(name)
            elif name == RECIPIENTS:
                if not (safe.listed() or dry_run):
                    safe.seal_to(recipients_in(sealed.decode("utf-8", "replace")))
            elif files.digest(sealed) in there:
                unchanged.append(name)
            else:
                new.append(name)
                if not dry_run:
                    safe.put(name, sealed)
    return Brought(tuple(new), tuple(unchanged), tuple(refused), dry_run)


def _checked(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """The files that the bundle's list names, with their bytes; None where these are not what the list says."""
    with files.stream(path) as stream, intact(path), ZipFile(stream) as archive:
        rows = _listed(path, archive)
        for row in rows:
            name = str(row.get("name", ""))
            is_ours = name == RECIPIENTS or (name.endswith(ENDING) and is_safe(name) and "/" not in name)
            yield (name, _bytes(archive, name, row)) if is_ours else (name, None)


def _listed(path: Path, archive: ZipFile) -> list[dict[str, object]]:
    if MANIFEST not in archive.namelist():
        raise Unreadable(path=path, reason=f"it is no bundle: there is no {MANIFEST} in it")
    with archive.open(MANIFEST) as opened:
        said = json.loads(opened.read(_LONGEST_LIST))
    rows = said.get("private") if isinstance(said, dict) else None
    if not isinstance(rows, list):
        raise NothingToDo(reason="There is no private memory in it: `memvault export --private` takes them along.")
    return [row for row in rows if isinstance(row, dict)]


def _bytes(archive: ZipFile, name: str, row: Mapping[str, object]) -> bytes | None:
    size = row.get("bytes")
    if not isinstance(size, int) or not 0 <= size <= _LONGEST or f"{PRIVATE}{name}" not in archive.namelist():
        return None
    with archive.open(f"{PRIVATE}{name}") as opened:
        data = opened.read(size + 1)  # a bomb is let go of as soon as it is longer than it says
    is_whole = len(data) == size and sha256(data).hexdigest() == row.get("sha256")
    return data if is_whole and (name == RECIPIENTS or is_sealed(data)) else None
