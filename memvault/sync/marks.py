"""What git is told about a vault's files: how they are merged, and which never leave this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memvault.storage.vault.layout import STATE, TRASH, Layout
from memvault.system import files

ATTRIBUTES, IGNORES = ".gitattributes", ".gitignore"
DRIVER = "memvault"

_BEGIN, _END = (
    "# memvault: begin (how memories travel; this part is kept up by `memvault sync init`)",
    "# memvault: end",
)


def attributes() -> tuple[str, ...]:
    """Notes and records are merged by memvault, recipients by union of their lines; no line ending is ever changed.

    Git's own union would bring back a line that was made void on one side, where the other has added one below it.
    """
    return (
        f"*.md merge={DRIVER} -text",
        f"*.markdown merge={DRIVER} -text",
        f"{STATE}/journal/** merge={DRIVER} -text",
        f"{STATE}/ledger/*.jsonl merge={DRIVER} -text",
        f"{STATE}/ledger/key merge={DRIVER} -text",
        f"{STATE}/vault.json merge={DRIVER} -text",
        "*.age -merge -text",
        ".recipients merge=union -text",
    )


def ignores(layout: Layout, *, with_transcripts: bool) -> tuple[str, ...]:
    """What belongs to this machine alone, or to nobody else."""
    return tuple(_ignores(layout, with_transcripts=with_transcripts))


def _ignores(layout: Layout, *, with_transcripts: bool) -> Iterator[str]:
    yield f"/{STATE}/undo/"
    yield f"/{STATE}/lock"
    yield f"/{STATE}/lock.turn"
    yield ".*.tmp"
    yield f"/{TRASH}/"
    yield f"/{layout.private}*"
    yield f"!/{layout.private}*.md.age"
    yield f"!/{layout.private}.recipients"
    yield "*.agekey"
    yield "*identity.txt"
    if not with_transcripts:
        yield f"/{layout.transcripts}*"
        yield f"!/{layout.transcripts}.gitkeep"


def with_block(data: bytes, lines: tuple[str, ...]) -> bytes:
    """A file's bytes with our lines in them, in a part of their own; every other byte stays."""
    eol = b"\r\n" if b"\r\n" in data else b"\n"
    block = eol.join(line.encode() for line in (_BEGIN, *lines, _END)) + eol
    before, begun, rest = data.partition(_BEGIN.encode())
    if not begun:
        gap = b"" if not data or data.endswith(eol) else eol
        return data + gap + (eol if data else b"") + block
    after = rest.partition(_END.encode())[2]
    return before + block + after.removeprefix(b"\r").removeprefix(b"\n")


def bytes_of(path: Path) -> bytes:
    """A file's bytes; none where there is no file."""
    return files.read(path) if path.is_file() else b""
