"""Hold bytes for a while: in memory while they are few, then in a file without a name."""

from __future__ import annotations

from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir

from memvault.system.files.reader import write_errors

_IN_MEMORY = 8 * 1024 * 1024

SpoolPlace = tuple[int, int]  # where some bytes begin, and how many they are


class Spool:
    """A store of bytes that is gone once it is closed, or once the process ends."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - whoever holds the spool closes it
        self._end = 0

    def put(self, data: bytes) -> SpoolPlace:
        """Put bytes by, and say where."""
        with write_errors(Path(gettempdir())):
            self._file.seek(self._end)
            self._file.write(data)
        place = (self._end, len(data))
        self._end += len(data)
        return place

    def get(self, place: SpoolPlace) -> bytes:
        """Return the bytes that were put there."""
        with write_errors(Path(gettempdir())):
            self._file.seek(place[0])
            return self._file.read(place[1])

    def close(self) -> None:
        """Remove all of it."""
        self._file.close()
