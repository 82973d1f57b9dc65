"""What stands in one folder: the names of its notes, and the stat key of each, packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct

from memvault.core.value import Frozen, field

# Size, mtime, ctime and inode: a change of text leaves all four alone only within a tick of the disk's clock.
StatKey = tuple[int, int, int, int]
UNSURE = -1  # in the place of the time of change of a note that was read within that tick: it is looked at once more

_KEY = Struct("<4q")
pack = _KEY.pack
_TOGETHER = 4_096


def unsure(key: StatKey) -> StatKey:
    """The key of a note that may have been saved again since it was read, and nothing would tell."""
    return key[0], key[1], UNSURE, key[3]


class Entries(Frozen):
    """The notes of a folder in the order in which the system names them, which is the same until one comes or goes."""

    names: list[str] = field(default_factory=list)
    keys: bytearray = field(default_factory=bytearray)  # packed: a tuple for each of 100,000 notes takes 30 MB

    @classmethod
    def of(cls, notes: Iterable[tuple[str, StatKey]]) -> Entries:
        """These notes in this order."""
        entries = cls()
        for name, key in notes:
            entries.names.append(name)
            entries.keys.extend(pack(*key))
        return entries

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, StatKey]]:
        """Each name with its key, in the order of names."""
        return iter(sorted(zip(self.names, _KEY.iter_unpack(self.keys), strict=True)))

    def mark(self) -> Iterator[bytes | bytearray]:
        """All of it as bytes, which differ whenever anything in the folder does; in pieces, as there may be many."""
        yield str(len(self)).encode()
        for start in range(0, len(self), _TOGETHER):
            yield "\0".join(("", *self.names[start : start + _TOGETHER])).encode("utf-8", "surrogatepass")
        yield self.keys
