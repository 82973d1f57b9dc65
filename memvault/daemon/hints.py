"""Hints at changes: what was heard of a vault since somebody looked, and how far silence can be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from memvault.storage.vault.layout import CONFIG, ENDINGS, IGNORE, STATE
from memvault.storage.vault.listing import is_text
from memvault.storage.vault.parts import Part

MOST = 5_000  # with more notes than that, a look at everything costs no more
_RULES = frozenset({CONFIG, IGNORE})


class Hearing(Enum):
    """How much an ear hears."""

    ALL = "all"  # its silence proves that nothing changed
    MOST = "most"  # it may miss something without knowing
    LITTLE = "little"  # what it does not hear has to be looked for all the time


@dataclass(slots=True)
class Hints:
    """Notes and folders, by vault paths, that may have changed."""

    notes: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)  # each with all that lies below it, ending in a slash
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.everything or self.notes or self.folders)

    def add(self, other: Hints) -> None:
        """Take further hints in."""
        self.notes |= other.notes
        self.folders |= other.folders
        self.everything |= other.everything or len(self.notes) > MOST
        if self.everything:  # which is all there is to know
            self.notes.clear()
            self.folders.clear()

    def hear(self, folder: str, name: str, *, is_folder: bool) -> None:
        """Something happened to what bears that name in a folder; most of what is not a note does not matter."""
        path = folder + name
        if path in _RULES:
            self.everything = True
        elif not is_text(path):
            return
        elif name == STATE and folder:
            self.folders.add(folder)  # it became a vault of its own, or is none any longer
        elif name.startswith("."):
            return
        elif is_folder:
            self.folders.add(f"{path}/")
        elif name.casefold().endswith(ENDINGS):
            self.notes.add(path)

    def part(self) -> Part:
        """The part of the vault that they are about."""
        return Part(frozenset(self.notes), frozenset(self.folders))


class Ear(Protocol):
    """What hears of changes in one vault, and passes them on from a thread of its own."""

    @property
    def hearing(self) -> Hearing:
        """How much it hears."""

    @property
    def why(self) -> str:
        """What keeps it from hearing enough; empty where nothing does."""

    def follow(self, below: str, folders: Iterable[str]) -> None:
        """Listen to these folders, and no longer to others below that one; OSError where that is impossible."""

    def catch_up(self) -> bool:
        """Pass on what happened before this call; False where it cannot be sure of that."""

    def close(self) -> None:
        """Hear no more."""


class Deaf:
    """An ear where the system tells nothing."""

    hearing = Hearing.LITTLE

    def __init__(self, why: str = "") -> None:
        """Hear nothing, for some reason."""
        self.why = why

    def follow(self, below: str, folders: Iterable[str]) -> None:
        """There is nothing to listen to."""

    def catch_up(self) -> bool:
        """It never knows."""
        return False

    def close(self) -> None:
        """There is nothing to let go of."""
