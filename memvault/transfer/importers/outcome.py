"""What became of the memories of an import, and the changes that bring them in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

from memvault.core.plan import Change, Create, Rewrite
from memvault.system.files.spool import Place, Spool
from memvault.transfer.importers.item import Unread

TOLD = 1_000  # of what could not be read: the rest is counted


@dataclass(frozen=True, slots=True)
class One:
    """What became of one memory, and why.

    It is new, renewed, unchanged, yours (changed here and there), merged, beside (it contradicts what is here), known
    (the same text is here already), or refused.
    """

    outcome: str
    title: str
    origin: str
    path: str = ""
    id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was brought in, or would be in a dry run, and what could not be read."""

    source: str
    folder: Path
    memories: tuple[One, ...] = ()
    unread: tuple[Unread, ...] = ()
    more_unread: int = 0
    attached: int = 0  # files that came along
    op: str = ""
    dry_run: bool = False


class Changes(Sequence[Change]):
    """Changes of which the bytes are put by, so that the texts of a large import are never held together."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._kept: list[tuple[Create | Rewrite, Place]] = []

    def add(self, change: Create | Rewrite) -> None:
        """One more, at the end."""
        self._kept.append((replace(change, data=b""), self._spool.put(change.data)))

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Change]:
        return (self[number] for number in range(len(self._kept)))

    @overload
    def __getitem__(self, which: int) -> Change: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Change]: ...
    def __getitem__(self, which: int | slice) -> Change | Sequence[Change]:
        if isinstance(which, slice):
            return tuple(self[number] for number in range(*which.indices(len(self._kept))))
        bare, place = self._kept[which]
        return replace(bare, data=self._spool.get(place))

    def close(self) -> None:
        """Let go of the bytes."""
        self._spool.close()
