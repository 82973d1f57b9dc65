"""What all who have one index open in a process share: the files of its segments, and what was unfolded of them."""

from __future__ import annotations

from _thread import allocate_lock  # what `threading` gives, without 2 ms of loading it
from pathlib import Path
from weakref import WeakValueDictionary

from memvault.storage.index.postings.cache import Cache
from memvault.storage.index.postings.contents import Part
from memvault.storage.index.postings.segment import SegmentFile


class Shared:
    """The cache and the open segments of one folder, as long as anybody has any use for them."""

    def __init__(self, folder: Path, cache_bytes: int) -> None:
        self.cache = Cache(cache_bytes)
        self._folder = folder
        self._files: WeakValueDictionary[str, SegmentFile] = WeakValueDictionary()

    def file(self, part: Part) -> SegmentFile:
        """The file of a segment: two that begin with it at once may open it twice, and one of them stays."""
        known = self._files.get(part.id)
        if known is None:
            known = self._files[part.id] = SegmentFile(self._folder, part)
        return known


_known: WeakValueDictionary[tuple[Path, int], Shared] = WeakValueDictionary()
_lock = allocate_lock()


def shared(folder: Path, cache_bytes: int) -> Shared:
    """What there is of a folder: several threads that ask the same must not each unfold and keep it."""
    with _lock:
        known = _known.get((folder, cache_bytes))
        if known is None:
            known = _known[folder, cache_bytes] = Shared(folder, cache_bytes)
        return known
