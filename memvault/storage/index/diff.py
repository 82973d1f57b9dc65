"""What differs between the files as they are and the files as they are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memvault.core.value import Gathering, field
from memvault.storage.vault.entries import Entries, StatKey

Listing = Iterable[tuple[str, Entries]]


def folder_of(path: str) -> str:
    """The folder of a note, as listings call it."""
    above, slash, _ = path.rpartition("/")
    return above + slash


class Diff(Gathering):
    """Paths that came, changed or went, and the digests of the folders that were looked into."""

    added: dict[str, StatKey] = field(default_factory=dict)
    changed: dict[str, StatKey] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    folders: dict[str, str] = field(default_factory=dict)
    folders_gone: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)  # from -> to, by the file's own number on the disk

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone or self.folders or self.folders_gone)

    def wanted(self) -> Iterator[tuple[str, StatKey]]:
        """What has to be read: everything that came or changed, in order."""
        return iter(sorted({**self.added, **self.changed}.items()))

    def compare(self, folder: str, entries: Entries, known: Mapping[str, StatKey]) -> None:
        """Compare one folder's notes with what is known of them."""
        seen = set()
        for name, key in entries:
            seen.add(name)
            before = known.get(name)
            if before is None:
                self.added[folder + name] = key
            elif before != key:
                self.changed[folder + name] = key
        self.gone |= {folder + name for name in known.keys() - seen}

    def compare_one(self, path: str, key: StatKey | None, before: StatKey | None) -> None:
        """Compare one note with what is known of it; its folder is to be compared anew when it is listed next."""
        if key == before:
            return
        if key is None:
            self.gone.add(path)
        else:
            (self.added if before is None else self.changed)[path] = key
        self.folders.setdefault(folder_of(path), "")

    def look_again(self, folder: str) -> None:
        """Have a folder compared anew when it is listed next; where nothing else differs, it is known as such."""
        if self.added or self.changed or self.gone or self.folders_gone:
            self.folders[folder] = ""
        else:
            self.folders.pop(folder, None)

    def find_moves(self, keys: Mapping[str, StatKey]) -> None:
        """A note that went here and came there with the same size, time and inode was moved."""
        by_file = {(key[0], key[1], key[3]): path for path, key in keys.items() if path in self.gone and key[3]}
        for path, key in self.added.items():
            source = by_file.pop((key[0], key[1], key[3]), None)
            if source is not None:
                self.moved[source] = path
