"""An Obsidian vault: notes with their tags, aliases and links; what they embed is named, and comes only if wanted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from memvault.core.ids import inline_tags, without_code
from memvault.system import files
from memvault.transfer.importers.item import Found, Item, Source
from memvault.transfer.importers.markdown import MARKDOWN, File, found_in, items
from memvault.transfer.importers.shown import shown


def read(folder: Path) -> Iterator[Item]:
    """Every note; links stay as they are, as titles and aliases come too."""
    shelf = _Shelf(folder if folder.is_dir() else folder.parent)
    for file in items(folder, MARKDOWN):
        yield _found(file, shelf) if isinstance(file, File) else file


def _found(file: File, shelf: _Shelf) -> Found:
    named = shown(file.text)
    there = ((name, shelf.find(name, file.path.parent)) for name in named)
    return found_in(
        file,
        tags=tuple(dict.fromkeys((*file.listed("tags", "tag"), *inline_tags(without_code(file.text))))),
        artifacts=named,
        attachments={name: path for name, path in there if path is not None},
    )


class _Shelf:
    """The files of a vault, found as Obsidian finds them: by a path, or by a name wherever it lies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, name: str, beside: Path) -> Path | None:
        """The file that a note means; None where there is none, or it lies outside."""
        for path in (self._folder / name, beside / name, self._by_name.get(Path(name).name.casefold())):
            if path is not None and self._is_ours(path):
                return path
        return None

    def _is_ours(self, path: Path) -> bool:
        try:
            return path.is_file() and not path.is_symlink() and files.inside(self._folder, path)
        except (OSError, ValueError):  # no name at all
            return False

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for top, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if not name.casefold().endswith(MARKDOWN):
                    found.setdefault(name.casefold(), Path(top) / name)
        return found


SOURCE = Source("obsidian", "an Obsidian vault", read)
