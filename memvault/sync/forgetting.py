"""What either of two machines knows as forgotten: neither brings it back to the other."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN, Erase
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.journal import tombstones
from memvault.storage.journal.ledger import Ledger
from memvault.storage.vault import codec
from memvault.sync.repository import Tree
from memvault.system import files

_GROUND = "memvault-marks"


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of both sides, as they are looked for in notes."""

    ledger: Ledger | None = None
    standing: frozenset[str] = frozenset()
    erase: Erase | None = None

    @classmethod
    def of(cls, folder: Path, ledgers: Iterable[tuple[str, bytes]]) -> Marks:
        """The marks in some ledgers and their keys, which are laid into an empty folder; MarksUnknown if any lacks."""
        for name, data in ledgers:
            if "/" not in name:
                files.create(folder / name, data)
        ledger = Ledger(folder, "")
        ledger.whole()  # what may have been forgotten is brought back by nobody
        return cls(ledger, frozenset(ledger.decisions().tombstones), tombstones.eraser_of(ledger))

    def is_forgotten(self, raw: bytes) -> bool:
        """Whether a note's text is one that was forgotten."""
        body = frontmatter.parse(raw).text
        if self.ledger is None or not self.ledger.macs(body):
            return False
        return tombstones.is_dead(self.ledger, set(self.standing), body)

    def without_purged(self, raw: bytes, path: str) -> bytes | None:
        """A note without what was forgotten for good; None where nothing else is in it."""
        if self.erase is None:
            return raw
        body = frontmatter.parse(raw).text
        left = self.erase(body)
        if left == body:
            return raw
        if left.strip() == FORGOTTEN:
            return None
        try:
            return codec.with_body(raw, left, path=path)
        except CannotEdit:
            return raw.replace(body.encode(), left.encode())


NO_MARKS = Marks()


@contextmanager
def ground_for_marks(tree: Tree) -> Iterator[Path]:
    """An empty folder for ledgers, within git's own, that is gone afterwards; should we be killed, at the next run."""
    clear(tree)
    folder = tree.in_git(_GROUND)
    files.make_folder(folder)
    try:
        yield folder
    finally:
        clear(tree)


def clear(tree: Tree) -> None:
    """Remove what a killed run left: the hashes in it, and their key, are for nobody else."""
    shutil.rmtree(tree.in_git(_GROUND), ignore_errors=True)
