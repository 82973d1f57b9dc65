"""The term index of one folder: changed in commits, read as the last of them left it."""

from __future__ import annotations

from _thread import allocate_lock  # what `threading` gives, without 2 ms of loading it
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from weakref import WeakValueDictionary

from memvault.errors import DamagedIndex
from memvault.storage.index.postings.contents import SegmentInfo, TableOfContents, read_contents
from memvault.storage.index.postings.read import ByteCache, IndexSnapshot
from memvault.storage.index.postings.segment import SegmentFile

# Shared by all who have one index open in a process: its segment files and their decoded values.


class SharedFiles:
    """The cache and the open segments of one folder, kept as long as anybody uses them."""

    def __init__(self, folder: Path, cache_bytes: int) -> None:
        self.cache = ByteCache(cache_bytes)
        self._folder = folder
        self._files: WeakValueDictionary[str, SegmentFile] = WeakValueDictionary()

    def segment_file(self, part: SegmentInfo) -> SegmentFile:
        """Return the file of a segment; two threads may both open it, and one of the two stays."""
        known = self._files.get(part.id)
        if known is None:
            known = self._files[part.id] = SegmentFile(self._folder, part)
        return known


_known: WeakValueDictionary[tuple[Path, int], SharedFiles] = WeakValueDictionary()
_lock = allocate_lock()


def shared_files(folder: Path, cache_bytes: int) -> SharedFiles:
    """Return the shared files of a folder, so that threads do not each decode and keep the same."""
    with _lock:
        known = _known.get((folder, cache_bytes))
        if known is None:
            known = _known[folder, cache_bytes] = SharedFiles(folder, cache_bytes)
        return known


Texts = Mapping[str, Sequence[str]]

CACHE_BYTES = 96 << 20
_TRIES = 10
_SEVERAL = 3  # fewer segments are not merged, unless they have deletions


class PostingStore:
    """Documents with a 64-bit key, never used twice, and the terms of each in some fields."""

    def __init__(self, folder: Path, fields: tuple[str, ...], *, cache_bytes: int = CACHE_BYTES) -> None:
        self._folder = folder
        self._fields = fields
        self._shared = shared_files(folder, cache_bytes)
        self.cache = self._shared.cache  # of decoded values, for all who have this index open in this process
        self._files: dict[str, SegmentFile] = {}
        self._reading: IndexSnapshot | None = None
        self._contents: TableOfContents | None = None  # of the snapshot

    # -- reading

    def snapshot(self) -> IndexSnapshot:
        """Return what the last commit of any process left; the same object until there is another."""
        for _ in range(_TRIES):
            contents = read_contents(self._folder, self._fields, known=self._contents)
            known = self._reading
            if known is not None and known.state == contents.state:
                self._contents = contents
                return known
            try:
                self._reading = IndexSnapshot(contents, self._fields, self._open_files(contents), self._shared.cache)
            except FileNotFoundError:  # a commit has just merged it away
                continue
            self._contents = contents
            return self._reading
        raise DamagedIndex(path=self._folder, reason="a segment of it is missing")

    def state(self) -> str:
        """Return a word that differs after every change by any process."""
        return read_contents(self._folder, self._fields, known=self._contents).state

    def _open_files(self, contents: TableOfContents) -> list[SegmentFile]:
        known = self._files
        self._files = {part.id: known.get(part.id) or self._shared.segment_file(part) for part in contents.parts}
        return list(self._files.values())

    # -- changing

    def replace(self, documents: Iterable[tuple[int, Texts]], gone: Iterable[range] = ()) -> None:
        """Add documents and delete those whose keys lie in some ranges: all of it or, on failure, nothing."""
        from memvault.storage.index.postings.write import replace_documents  # deferred: loads Whoosh

        with suppress(FileNotFoundError):  # a commit merged it away
            # Kept open, so that repeated writes do not read a large segment's directory each time.
            self._open_files(read_contents(self._folder, self._fields, known=self._contents))
        replace_documents(self._folder, self._fields, documents, gone, opened=self._files)

    def merge_if_idle(self) -> bool:
        """Merge segments if that pays; return whether it did. Nothing depends on it."""
        if all(not section.gone for section in self.snapshot().sections) and len(self.snapshot().sections) < _SEVERAL:
            return False
        from memvault.storage.index.postings.write import merge_small

        return merge_small(self._folder, self._fields)

    def optimise(self) -> None:
        """Merge all segments into one, without deleted documents."""
        from memvault.storage.index.postings.write import merge_all

        merge_all(self._folder, self._fields)

    def close(self) -> None:
        """Release files and cached values; others who have them open decode again what they need."""
        self._reading = self._contents = None
        self._files = {}
        self._shared.cache.clear()
