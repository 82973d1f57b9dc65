"""A folder of plain markdown and text files, each of which is one memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memvault.transfer.importers.item import Item, Source
from memvault.transfer.importers.markdown import PLAIN, File, found_in, items


def read(folder: Path) -> Iterator[Item]:
    """Every file with its title, its day, its tags and its text as it is."""
    for file in items(folder, PLAIN):
        yield found_in(file) if isinstance(file, File) else file


SOURCE = Source("folder", "a folder of notes", read)
