"""A folder as it was, to which it can be brought back again and again by writing only what differs."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Mark = tuple[int, int, int, int]


@dataclass(slots=True)
class Picture:
    """What a folder held, and by which marks it is seen that a file still is what it was."""

    top: Path
    _contents: dict[str, tuple[bytes, int, int]] = field(default_factory=dict)  # with its mode and its time
    _marks: dict[str, Mark] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)
    _folders: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, top: Path) -> Picture:
        """The picture of a folder as it is now."""
        picture = cls(top)
        for path, found in _below(str(top)):
            if stat.S_ISDIR(found.st_mode):
                picture._folders[path] = stat.S_IMODE(found.st_mode)
            elif stat.S_ISLNK(found.st_mode):
                picture._links[path] = os.readlink(path)  # noqa: PTH115 - names are plain text here
            else:
                mode = stat.S_IMODE(found.st_mode)
                picture._contents[path] = Path(path).read_bytes(), mode, found.st_mtime_ns
                picture._marks[path] = _mark(found)
        return picture

    def restore(self) -> None:
        """Bring the folder back to what it was."""
        there = {}
        for path, found in list(_below(str(self.top))):
            is_known = path in (self._folders if stat.S_ISDIR(found.st_mode) else self._contents)
            if is_known or (stat.S_ISLNK(found.st_mode) and self._links.get(path) == _target(path)):
                there[path] = found
            else:
                _remove(path)
        for path, mode in self._folders.items():
            if path not in there:
                Path(path).mkdir(parents=True, exist_ok=True)
                Path(path).chmod(mode)
        for path, target in self._links.items():
            if path not in there:
                Path(path).symlink_to(target)
        for path in self._contents:
            if path not in there or _mark(there[path]) != self._marks[path]:
                self._write(path)

    def _write(self, path: str) -> None:
        data, mode, time = self._contents[path]
        Path(path).unlink(missing_ok=True)
        Path(path).write_bytes(data)
        Path(path).chmod(mode)
        # The older time also shows that somebody wrote to it since, however soon.
        os.utime(path, ns=(time, time))
        self._marks[path] = _mark(os.lstat(path))


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - names are plain text here
    except FileNotFoundError:  # it went with its folder
        return ""


def _mark(found: os.stat_result) -> Mark:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode


def _below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        yield entry.path, entry.stat(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
        shutil.rmtree(path)
    else:
        Path(path).unlink(missing_ok=True)
