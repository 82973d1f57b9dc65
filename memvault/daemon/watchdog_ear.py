"""The ear on every other system: watchdog passes on what that system tells, which may be less than everything."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.daemon.hints import Hearing, Hints
from memvault.storage.vault.layout import ENDINGS

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

_CHANGES = frozenset({"created", "modified", "moved", "deleted", "closed"})  # to look at a file is no change
_LEAVING = frozenset({"moved", "deleted"})


class WatchdogEar:
    """Hears what watchdog hears; what was lost on the way it cannot tell."""

    def __init__(self, root: Path, heard: Callable[[Hints], None], *, foreign: str = "") -> None:
        """Begin to listen; OSError where the system does not allow it."""
        from watchdog.observers import Observer

        self.hearing = Hearing.LITTLE if foreign else Hearing.MOST
        self.why = foreign
        self._root = Path(os.path.realpath(root))
        self._heard = heard
        self._observer = Observer()
        self._observer.schedule(self, str(self._root), recursive=True)  # type: ignore[arg-type]  # all it calls is `dispatch`
        self._observer.start()

    def follow(self, below: str, folders: Iterable[str]) -> None:
        """It listens to all folders from the start."""

    def catch_up(self) -> bool:
        """Nobody knows what is still on its way."""
        return False

    def close(self) -> None:
        """Hear no more."""
        self._observer.stop()
        self._observer.join()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Called by watchdog, in a thread of its own."""
        hints = Hints()
        if event.event_type in _CHANGES and not (event.is_directory and event.event_type == "modified"):
            for path in (event.src_path, event.dest_path):
                if path:
                    self._hear(hints, os.fsdecode(path), event)
        if hints:
            self._heard(hints)

    def _hear(self, hints: Hints, path: str, event: FileSystemEvent) -> None:
        try:
            *above, name = Path(path).relative_to(self._root).parts
        except ValueError:
            return
        if any(part.startswith(".") for part in above):
            return
        # Some systems do not say that what left was a folder.
        was_folder = event.event_type in _LEAVING and not name.casefold().endswith(ENDINGS)
        hints.hear("".join(f"{part}/" for part in above), name, is_folder=event.is_directory or was_folder)
