"""Two versions of one file of a vault made one: what git, and every other way of syncing, calls for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from memvault import files
from memvault.core.kinds import Kinds
from memvault.vault.layout import STATE
from memvault.vault.merge import Ground, Merged, merged

KEY, CHARTER = f"{STATE}/ledger/key", f"{STATE}/vault.json"


@dataclass(frozen=True, slots=True)
class Known:
    """What a merge has to know of the vault."""

    vault_id: str
    zone: tzinfo
    kinds: Kinds


def joined(base: bytes | None, ours: bytes, theirs: bytes, path: str, known: Known) -> Merged | None:
    """The one file; None where that is for nobody but a person to make, and ours stays."""
    if path == KEY:
        return Merged(_lines(ours, theirs))
    if path == CHARTER:
        both = _charter(ours, theirs)
        return None if both is None else Merged(both)
    ground = Ground(path=path, vault_id=known.vault_id, zone=known.zone, kinds=known.kinds)
    return merged(base, ours, theirs, ground) if path.endswith((".md", ".markdown")) else None


def merge_files(base: Path, ours: Path, theirs: Path, root: Path, path: str, known: Known) -> bool:
    """Merge what git lays out in three files into the second of them; False where ours stays and a person must look."""
    before, one, two = (file.read_bytes() for file in (base, ours, theirs))
    # Of a file that both sides made, git gives an empty one for what was there before.
    found = joined(before or None, one, two, path, known)
    if found is None:
        return False
    if found.parked is not None:
        _put_beside(root / beside(path, found.parked_id), found.parked)
    files.overwrite(ours, found.raw)
    return True


def _put_beside(path: Path, data: bytes) -> None:
    files.make_folder(path.parent)
    if not path.exists():
        files.create(path, data)


def beside(path: str, id_: str) -> str:
    """Where a version that contradicts ours is put: beside it, under a name that every machine gives it."""
    stem, dot, ending = path.rpartition(".")
    return f"{stem}-{id_[:8]}{dot}{ending}"


def _lines(ours: bytes, theirs: bytes) -> bytes:
    return b"".join(line + b"\n" for line in sorted({*ours.split(), *theirs.split()}))


def _charter(ours: bytes, theirs: bytes) -> bytes | None:
    """Of one vault, the higher format and the earlier day; two vaults are never made one."""
    try:
        one, two = json.loads(ours), json.loads(theirs)
    except ValueError:
        return None
    if not (isinstance(one, Mapping) and isinstance(two, Mapping)) or one.get("id") != two.get("id"):
        return None
    created = min(filter(None, (str(side.get("created", "")) for side in (one, two))), default="")
    formats = [side.get("format") for side in (one, two)]
    known = [number for number in formats if isinstance(number, int)]
    both = {**two, **one, "format": max(known, default=1), **({"created": created} if created else {})}
    return (json.dumps(both, indent=1) + "\n").encode()
