"""Where sealed originals lie: beside the conversation that they are of, numbered."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from memvault.errors import NotOpened
from memvault.privacy.private import age
from memvault.storage.vault.layout import Layout
from memvault.system import files
from memvault.transcripts.archive.archive import ENDING

SEALED = ".sealed.age"
_WAITING = ".sealing-"
_GZIP = 31  # as zlib calls it: so that age and gunzip, or zcat, are all that is needed to read one
_MOST = 256 * 1024 * 1024  # what a few bytes may swell to


class Shelf:
    """The sealed files of a vault; whoever adds to them holds the lock of the archive.

    Until the conversation has a file whose name they can share, they wait under a name that hides whose they are.
    """

    def __init__(self, root: Path, layout: Layout) -> None:
        self._root, self._folder = root, root / layout.transcripts

    def put(self, talk: str, lines: Sequence[bytes], recipients: Sequence[str], *, public: Path) -> None:
        """Seal some lines of a conversation, durably; they wait until `settle` gives them their name."""
        squeezed = zlib.compressobj(wbits=_GZIP)
        data = squeezed.compress(b"".join(lines)) + squeezed.flush()
        sealed = age.seal(data, recipients, path=public)
        files.make_folder(self._folder)
        waiting = self._waiting(talk)
        number = _number(waiting[-1]) + 1 if waiting else 1
        target = self._folder / f"{_hidden(talk)}{number}{SEALED}"
        files.check_inside(self._root, target)
        files.create(target, sealed)

    def settle(self, talk: str, path: str) -> None:
        """Give what waits for a conversation its name beside it; without a path there is none, and it goes."""
        for waiting in self._waiting(talk):
            if not path:
                files.remove(waiting)
                continue
            there = self._beside(path)
            number = _number(there[-1]) + 1 if there else 1
            files.move(waiting, self._root / f"{path.removesuffix(ENDING)}.{number}{SEALED}")

    def of(self, talk: str, path: str) -> list[Path]:
        """The sealed files of a conversation, in order, those included that a killed run left waiting."""
        return [*self._beside(path), *self._waiting(talk)]

    def every(self) -> Iterator[Path]:
        """All sealed files."""
        found = () if files.leads_out(self._folder) else sorted(self._folder.rglob(f"*{SEALED}"))
        return (path for path in found if path.is_file() and not files.leads_out(path))

    def lines(self, path: Path, identities: Sequence[str], *, key: Path) -> list[bytes]:
        """What was sealed, line by line."""
        squeezed = age.unseal(files.read(path), identities, path=path, key=key)
        opening = zlib.decompressobj(_GZIP)
        try:
            data = opening.decompress(squeezed, _MOST)
        except zlib.error as error:
            raise NotOpened(path=path, reason="it is damaged") from error
        if not opening.eof:
            raise NotOpened(path=path, reason="what is in it is too large, or not whole")
        return data.splitlines()

    def _beside(self, path: str) -> list[Path]:
        stem = self._root / path.removesuffix(ENDING)
        return _numbered(stem.parent, f"{stem.name}.")

    def _waiting(self, talk: str) -> list[Path]:
        return _numbered(self._folder, _hidden(talk))


def _hidden(talk: str) -> str:
    return f"{_WAITING}{files.digest(talk.encode('utf-8', 'surrogatepass'))}."


def _numbered(folder: Path, begin: str) -> list[Path]:
    wanted = re.compile(rf"{re.escape(begin)}[0-9]{{1,9}}{re.escape(SEALED)}")
    found = [path for path in folder.iterdir() if wanted.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    return int(path.name.removesuffix(SEALED).rpartition(".")[2])
