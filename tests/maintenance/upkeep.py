"""A vault that lives through time, on one machine or several: notes written by hand, runs, and what lies on the disk."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from memvault import Memvault
from memvault.core.memory import Memory
from memvault.storage.journal.runs import MaintainResult
from tests.conftest import Clock

Opened = Callable[[Memvault], Memvault]

# No merge, no move to Tier 1 and no generated page: what is left is the same however often it is done.
FADING = ("adopt", "touches", "decay", "stale", "revive", "archive")


def note(name: str, *lines: str, body: str = "") -> bytes:
    """A note of Tier 2 as a person might have it, made and last used when the clock starts."""
    given = {line.partition(":")[0] for line in lines}
    usual = (
        f"id: {uuid5(NAMESPACE_URL, name)}",
        "type: learning",
        f"title: {name}",
        "created: 2026-01-29T09:30:00Z",
        "last_accessed: 2026-01-29T09:30:00Z",
        "access_count: 0",
        "weight: 0.8",
        "status: active",
        "pinned: false",
    )
    kept = [line for line in usual if line.partition(":")[0] not in given]
    return "\n".join(["---", *kept, *lines, "---", body or f"Only {name} says {name * 3}.", ""]).encode()


def notes_of(root: Path) -> dict[str, bytes]:
    """Every note by its path, the trash included, the generated page left out."""
    found = (path for path in root.rglob("*.md") if path.name != "CLAUDE.md")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def everything(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a vault, its own state included, with its time."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def bodies_of(root: Path) -> str:
    """All texts of a vault in one."""
    return "\n".join(data.decode("utf-8", "replace") for data in notes_of(root).values())


class Machine(NamedTuple):
    """One computer with its own device name, cache and clock."""

    vault: Memvault
    clock: Clock


def machine(home: Path, root: Path, clock: Clock, opened: Callable[[Memvault], Memvault], **given: object) -> Machine:
    """A computer of its own that opens a vault."""
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    environment = {name: str(home / name) for name in names}
    vault = Memvault(root, clock=clock, zone=UTC, environment=environment, **given)  # type: ignore[arg-type]
    return Machine(opened(vault), clock)


def synced(one: Machine, other: Machine) -> None:
    """What a syncing program does: what is newer wins, what was removed on one side is removed on the other."""
    roots, seen = (one.vault.root, other.vault.root), one.vault.root.parent / "synced"
    before = set(seen.read_text().split("\n")) if seen.exists() else set()
    here, there = (_shared(root) for root in roots)
    for path in before & (here ^ there):
        for root in roots:
            (root / path).unlink(missing_ok=True)
    for path in (here | there) - (before & (here ^ there)):
        newest = max(
            (root / path for root in roots if (root / path).exists()), key=lambda file: file.stat().st_mtime_ns
        )
        for target in (root / path for root in roots):
            if not target.exists() or target.read_bytes() != newest.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(newest, target)
    seen.write_text("\n".join(_shared(roots[0])))


def _shared(root: Path) -> set[str]:
    """What travels: the notes, and of the state the journals and ledgers."""
    paths = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    own = (path for path in paths if path.parts[0] != ".memvault" or path.parts[1] in ("journal", "ledger"))
    return {path.as_posix() for path in own}


def write(vault: Memvault, name: str, *lines: str, folder: str = "2-memories", body: str = "") -> Path:
    path = vault.root / folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(note(name, *lines, body=body))
    return path


def retype(path: Path, field: str, value: object) -> None:
    """What a person does in an editor."""
    text = re.sub(rf"^{field}: .*$", f"{field}: {value}", path.read_text(), flags=re.MULTILINE)
    assert text != path.read_text(), f"{field} was {value} already"
    path.write_text(text)


def said(path: Path, field: str) -> str:
    found = re.search(rf"^{field}: (.*)$", path.read_text(), flags=re.MULTILINE)
    return found[1] if found else ""


def weight(vault: Memvault, name: str) -> float:
    return next(row.weight for row in vault.list().rows if row.memory.title == name)


def memory(vault: Memvault, name: str) -> Memory:
    return vault.find(name)


def fade(vault: Memvault, *more: str) -> MaintainResult:
    return vault.maintain(only=(*FADING, *more))


def wishes(root: Path) -> list[str]:
    """The lines that say that a person typed something."""
    lines = "".join(path.read_text() for path in (root / ".memvault/journal").rglob("*.jsonl")).splitlines()
    return [line for line in lines if re.search(r'"e":"(weight|status|pin)"', line)]
