"""By what a memory of another program is known again: its source, the place that it lies in, and its name there."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from memvault.core.ids import derived_id
from memvault.system import files
from memvault.transfer.importers.item import Found, Source

_MARK = 12


@dataclass(slots=True)
class Names:
    """The names of one import."""

    vault: str  # its id
    home: Path | None = None  # the person's: what lies below it is in the same place on all of their machines
    _brought: dict[str, list[str]] = field(default_factory=dict)  # name -> what came in under it
    _places: dict[Path, str] = field(default_factory=dict)

    def told_apart(self, found: Found) -> Found | None:
        """The memory, numbered where another one has its name; None where that one says the same."""
        text = files.digest(found.text.encode("utf-8", "replace"))[:_MARK]
        before = self._brought.setdefault(found.id or f"{self._place(found.place)}:{found.origin}", [])
        if text in before:
            return None
        before.append(text)
        return found if len(before) == 1 else replace(found, origin=f"{found.origin} ({len(before)})", id="")

    def ids(self, source: Source, found: Found) -> tuple[str, str]:
        """The id that it has in this vault, and the one that it had when no place was asked for."""
        bare = found.id or derived_id(self.vault, f"import:{source.name}:{found.origin}")
        place = self._place(found.place)
        if found.id or not place:
            return bare, bare
        return derived_id(self.vault, f"import:{source.name}:{place}:{found.origin}"), bare

    def _place(self, path: Path | None) -> str:
        """A mark of a place; which it is need not stand in a vault."""
        if path is None:
            return ""
        if path not in self._places:
            self._places[path] = files.digest(self._told(path).encode("utf-8", "surrogateescape"))[:_MARK]
        return self._places[path]

    def _told(self, path: Path) -> str:
        real = Path(os.path.realpath(path))
        home = Path(os.path.realpath(self.home)) if self.home else None
        told = Path("~", real.relative_to(home)) if home and real.is_relative_to(home) else real
        return os.path.normcase(told)
