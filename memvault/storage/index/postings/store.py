"""The term index of one folder: changed in commits, read as the last of them left it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memvault.errors import DamagedIndex
from memvault.storage.index.postings.cache import Cache
from memvault.storage.index.postings.contents import Contents, read_contents
from memvault.storage.index.postings.read import Reading
from memvault.storage.index.postings.segment import SegmentFile
from memvault.storage.index.postings.sharing import shared

Texts = Mapping[str, Sequence[str]]

CACHE_BYTES = 96 << 20
_TRIES = 10
_SEVERAL = 3  # fewer segments are left alone, unless something in them is gone


class Postings:
    """Documents known by a key of 64 bits, never used twice, and the terms of each in some fields."""

    def __init__(self, folder: Path, fields: tuple[str, ...], *, cache_bytes: int = CACHE_BYTES) -> None:
        self._folder = folder
        self._fields = fields
        self._shared = shared(folder, cache_bytes)
        self._files: dict[str, SegmentFile] = {}
        self._reading: Reading | None = None
        self._contents: Contents | None = None  # those of the reading

    # -- reading

    @property
    def cache(self) -> Cache:
        """Where what is unfolded or worked out of the segments is kept, for all who have this index open here."""
        return self._shared.cache

    def reading(self) -> Reading:
        """What the last commit left, by whatever process it was made; the same one until there is another."""
        for _ in range(_TRIES):
            contents = read_contents(self._folder, self._fields, known=self._contents)
            known = self._reading
            if known is not None and known.state == contents.state:
                self._contents = contents
                return known
            try:
                self._reading = Reading(contents, self._fields, self._opened(contents), self._shared.cache)
            except FileNotFoundError:  # a commit has just merged it away
                continue
            self._contents = contents
            return self._reading
        raise DamagedIndex(path=self._folder, reason="a segment of it is missing")

    def state(self) -> str:
        """What differs after every change, by whatever process it was made."""
        return read_contents(self._folder, self._fields, known=self._contents).state

    def _opened(self, contents: Contents) -> list[SegmentFile]:
        known = self._files
        self._files = {part.id: known.get(part.id) or self._shared.file(part) for part in contents.parts}
        return list(self._files.values())

    # -- changing

    def replace(self, documents: Iterable[tuple[int, Texts]], gone: Iterable[range] = ()) -> None:
        """Take documents in and let go of those whose keys lie in some ranges: all of it or, if it fails, nothing."""
        from memvault.storage.index.postings.write import replace  # Whoosh, which only those who write need

        with suppress(FileNotFoundError):  # a commit has just merged it away: then each is opened where it is needed
            # Who writes again and again finds them open, and reads no directory of a large one for every change.
            self._opened(read_contents(self._folder, self._fields, known=self._contents))
        replace(self._folder, self._fields, documents, gone, opened=self._files)

    def merge_if_idle(self) -> bool:
        """Merge segments if that is worth it; says whether it was. For when there is time: nothing depends on it."""
        if all(not section.gone for section in self.reading().sections) and len(self.reading().sections) < _SEVERAL:
            return False
        from memvault.storage.index.postings.write import merge_small

        return merge_small(self._folder, self._fields)

    def optimise(self) -> None:
        """Merge all segments into one, without what is gone."""
        from memvault.storage.index.postings.write import merge_all

        merge_all(self._folder, self._fields)

    def close(self) -> None:
        """Let go of files, and of what is kept of them: whoever else has them open here unfolds anew what they need."""
        self._reading = self._contents = None
        self._files = {}
        self._shared.cache.clear()
