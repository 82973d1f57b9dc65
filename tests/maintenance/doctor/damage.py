"""Ways to damage a vault, and to see what has changed in it since."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], None]
Snapshot = dict[str, tuple[str, bytes]]

ID = "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b"

# What every command may write to: no notes, and nothing that a person reads.
_BOOKS = (".memvault/journal", ".memvault/undo", ".memvault/ledger", ".memvault/lock")


def snapshot(root: Path, *, whole: bool = False) -> Snapshot:
    """Every file and folder of a vault with its mode and bytes; with `whole`, the books and time stamps too."""
    found: Snapshot = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not whole and name.startswith(_BOOKS):
            continue
        stat = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[name] = (f"{stat.st_mode:o} {stat.st_mtime_ns}" if whole else f"{stat.st_mode:o}", data)
    return found


def differing(before: Snapshot, after: Snapshot) -> set[str]:
    """The paths that are not what they were."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def note(path: str, text: str | bytes) -> Damage:
    """Damage that consists of one more file, made as memvault makes files."""

    def write(root: Path) -> None:
        folder = (root / path).parent
        for missing in (*reversed(folder.parents), folder):
            if not missing.exists():
                missing.mkdir(mode=0o700)
        (root / path).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
        (root / path).chmod(0o600)

    return write


def all_of(*damages: Damage) -> Damage:
    """Several damages at once."""

    def do(root: Path) -> None:
        for damage in damages:
            damage(root)

    return do


def journal(text: str) -> Damage:
    """Lines in the journal of another device."""
    return note(".memvault/journal/elsewhere/2026-01.jsonl", text)


def own_journal(root: Path) -> Path:
    """The journal that this device writes."""
    return next(path for path in root.glob(".memvault/journal/*/*.jsonl") if path.parent.name != "elsewhere")


def a_folder_for_the_journal(root: Path) -> None:
    own_journal(root).rename(root / "journal-before.jsonl")
    (root / ".memvault/journal" / own_device(root) / "2026-01.jsonl").mkdir(mode=0o700)


def own_device(root: Path) -> str:
    """The name of this device, as the vault's own folders tell it."""
    return next(path.name for path in (root / ".memvault/journal").iterdir() if path.name != "elsewhere")


def hard_link(root: Path) -> None:
    note("2-memories/one.md", "One text.")(root)
    note("attachments/about.txt", "Files.")(root)
    os.link(root / "2-memories/one.md", root / "attachments/one.txt")


def remove_folder(path: str) -> Damage:
    """Damage that takes a folder away with everything in it."""

    def remove(root: Path) -> None:
        for inner in sorted((root / path).rglob("*"), reverse=True):
            inner.rmdir() if inner.is_dir() else inner.unlink()
        (root / path).rmdir()

    return remove
