"""A scheduler's files: laid down, and taken back where the scheduler will not have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.maintenance.schedule.job import Piece
from memvault.system import files


@contextmanager
def laid_down(pieces: Sequence[Piece]) -> Iterator[None]:
    """Write what differs from what is there; should what follows fail, put back what was there."""
    before = {Path(piece.where): _content(Path(piece.where)) for piece in pieces}
    try:
        for piece in pieces:
            _put(Path(piece.where), piece.text.encode())
        yield
    except MemvaultError:
        for path, data in before.items():
            _put(path, data)
        raise


def text_of(path: Path) -> str:
    """What a file says; nothing where it is not there."""
    return (_content(path) or b"").decode("utf-8", "replace")


def _content(path: Path) -> bytes | None:
    return files.read(path) if path.is_file() else None


def _put(path: Path, data: bytes | None) -> None:
    if _content(path) == data:
        return
    if data is None:
        files.remove(path)
        return
    files.make_folder(path.parent)
    files.clear(path.parent)
    files.overwrite(path, data)
