"""A disk that writes down what is done to it, and what a power cut may leave of that."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from memvault.system.files import new_file as exchange

# What changes a disk, or makes a change last; nothing else matters to a power cut or to a kill.
CALLS = ("open", "write", "ftruncate", "fsync", "rename", "replace", "link", "unlink", "mkdir", "rmdir")
EXCHANGE = "renameat2"
_WRITES = os.O_CREAT | os.O_TRUNC

Listener = Callable[[str, tuple[Any, ...], dict[str, Any], Callable[[], Any]], Any]


@contextmanager
def overheard(listener: Listener) -> Iterator[None]:
    """Let somebody stand between this process and the disk; opening a file only to read it goes past them."""

    def through(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if name == "open" and not args[1] & _WRITES:
                return real(*args, **options)
            return listener(name, args, options, lambda: real(*args, **options))

        return call

    with ExitStack() as stack:
        for name in CALLS:
            stack.enter_context(patch.object(os, name, through(name, getattr(os, name))))
        if (kernel_rename := exchange.kernel_rename()) is not None:
            exchanging = through(EXCHANGE, kernel_rename)
            stack.enter_context(patch.object(exchange, "kernel_rename", lambda: exchanging))
        yield


# -- what was done


@dataclass(frozen=True, slots=True)
class Wrote:
    """A file holds this now, for whoever asks the system; the disk may know nothing of it."""

    file: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Synced:
    """A file's content is on the disk."""

    file: int


@dataclass(frozen=True, slots=True)
class SyncedFolder:
    """The names in a folder are on the disk."""

    folder: str


@dataclass(frozen=True, slots=True)
class Named:
    """Names came, went or changed their files, all of it in one step; a folder is a file without a number."""

    names: tuple[tuple[str, int | None], ...]
    folder: str = ""  # that was made, or taken away where `names` is empty too
    is_gone: bool = False

    @property
    def folders(self) -> frozenset[str]:
        """The folders of which one has to be synced for this to be on the disk: what is one step there, is one here."""
        return frozenset(str(Path(name).parent) for name in (*(name for name, _ in self.names), self.folder) if name)


Deed = Wrote | Synced | SyncedFolder | Named


@dataclass(slots=True)
class Record:
    """What was done below a folder, and how everything stood before."""

    top: Path
    but: Path  # what is below this folder is derived, and nobody's loss
    names: dict[str, int] = field(default_factory=dict)
    contents: dict[int, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    deeds: list[Deed] = field(default_factory=list)
    _now: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, top: Path, *, but: Path) -> Record:
        """A record that begins with what is there, all of it on the disk."""
        record = cls(top, but)
        for folder, _, files in os.walk(top):
            record.folders.add(folder)
            for name in files:
                path = str(Path(folder, name))
                if not Path(path).is_symlink():  # of git's views, which lead into the vault's own repository
                    record.names[path] = len(record.names)
                    record.contents[record.names[path]] = Path(path).read_bytes()
        record._now = dict(record.names)
        return record

    @contextmanager
    def kept(self) -> Iterator[Record]:
        """Write down all that this process does below the folder."""
        with overheard(self._listen):
            yield self

    def _listen(self, name: str, args: tuple[Any, ...], options: dict[str, Any], go: Callable[[], Any]) -> Any:
        if name in ("open", "mkdir", "unlink", "rmdir"):
            path = _path(args[0], options)
            was_there = os.path.lexists(path)
            result = go()
            self._one(name, path, was_there=was_there)
        elif name in ("rename", "replace", "link", EXCHANGE):
            result = go()
            if not (name == EXCHANGE and result):
                self._two(name, _path(args[0], options), _path(args[1], options), args)
        else:
            path = _path_of(args[0])
            result = go()
            self._content(name, path)
        return result

    def _inside(self, path: str) -> bool:
        return path.startswith(f"{self.top}/") and not path.startswith(str(self.but))

    def _one(self, name: str, path: str, *, was_there: bool) -> None:
        if not self._inside(path):
            return
        match name:
            case "open":
                if not was_there:
                    number = len(self.contents) + 1_000_000
                    self.contents[number] = b""
                    self._now[path] = number
                    self.deeds.append(Named(((path, number),)))
            case "mkdir":
                self.deeds.append(Named((), folder=path))
            case "unlink":
                self._now.pop(path, None)
                self.deeds.append(Named(((path, None),)))
            case _:
                self.deeds.append(Named((), folder=path, is_gone=True))

    def _two(self, name: str, one: str, other: str, args: tuple[Any, ...]) -> None:
        if not self._inside(one):
            return
        mine, theirs = self._now[one], self._now.get(other)
        if name == "link":
            names: tuple[tuple[str, int | None], ...] = ((other, mine),)
        elif name == EXCHANGE and args[2] == 2:
            names = ((one, theirs), (other, mine))
        else:
            names = ((other, mine), (one, None))
        for path, number in names:
            if number is None:
                self._now.pop(path, None)
            else:
                self._now[path] = number
        self.deeds.append(Named(names))

    def _content(self, name: str, path: str) -> None:
        if not self._inside(path) and path != str(self.top):
            return
        if path not in self._now:  # a folder, or a file that has lost its name by now
            if name == "fsync" and Path(path).is_dir():
                self.deeds.append(SyncedFolder(path))
            return
        number = self._now[path]
        self.deeds.append(Synced(number) if name == "fsync" else Wrote(number, Path(path).read_bytes()))


def _path(given: Any, options: dict[str, Any]) -> str:
    path = os.fsdecode(given)
    folder = options.get("dir_fd")
    return str(Path(_path_of(folder), path)) if folder is not None else str(Path(path).absolute())


def _path_of(descriptor: int) -> str:
    try:
        return str(Path(f"/proc/self/fd/{descriptor}").readlink())
    except OSError:
        return ""


# -- what a power cut may leave

Model = Literal["ordered", "weak"]
Loss = Literal["none", "lost", "torn", "zeros"]
Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class State:
    """What is on the disk after a power cut."""

    files: Files
    folders: frozenset[str]
    cut: int  # how many deeds had been done
    told: str

    def lay(self, top: Path) -> None:
        """Make a folder hold exactly this."""
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        for folder in sorted(self.folders):
            Path(folder).mkdir(parents=True, exist_ok=True)
        for path, data in self.files.items():
            Path(path).write_bytes(data)
            Path(path).chmod(0o600)


def states(record: Record, model: Model) -> Iterator[State]:
    """Every state that the disk may be in after a power cut at any moment, each of them once."""
    seen: set[int] = set()
    losses: tuple[Loss, ...] = ("none", "lost", "torn") if model == "ordered" else ("none", "lost", "torn", "zeros")
    for cut in range(len(record.deeds) + 1):
        for kept, told in _orders(record.deeds[:cut], model):
            for loss in losses:
                files, folders = _files(record, cut, kept, loss)
                mark = hash((frozenset(files.items()), folders, cut == len(record.deeds)))
                if mark not in seen:
                    seen.add(mark)
                    yield State(files, folders, cut, f"cut after deed {cut}, {told}, unsynced bytes: {loss}")


def _orders(deeds: list[Deed], model: Model) -> Iterator[tuple[frozenset[int], str]]:
    """Which changes of names the disk has by then: in their order, or any that was not synced missing or alone."""
    naming = [number for number, deed in enumerate(deeds) if isinstance(deed, Named)]
    if model == "ordered":
        synced = max(
            (number for number, deed in enumerate(deeds) if isinstance(deed, Synced | SyncedFolder)), default=-1
        )
        for end in range(synced + 1, len(deeds) + 1):
            yield frozenset(number for number in naming if number < end), f"names up to deed {end}"
        return
    pending = [number for number in naming if not _is_synced(deeds, number)]
    sure = frozenset(naming) - frozenset(pending)
    yield sure, "only synced names"
    yield frozenset(naming), "all names"
    for one in pending:
        yield sure | {one}, f"of unsynced names only deed {one}"
        yield frozenset(naming) - {one}, f"all names but deed {one}"


def _is_synced(deeds: list[Deed], number: int) -> bool:
    deed = deeds[number]
    assert isinstance(deed, Named)
    later = {after.folder for after in deeds[number:] if isinstance(after, SyncedFolder)}
    return not deed.folders.isdisjoint(later)


def _files(record: Record, cut: int, kept: frozenset[int], loss: Loss) -> tuple[Files, frozenset[str]]:
    names, folders = dict(record.names), set(record.folders)
    for number in sorted(kept):
        deed = record.deeds[number]
        assert isinstance(deed, Named)
        if deed.folder:
            (folders.discard if deed.is_gone else folders.add)(deed.folder)
        for path, file in deed.names:
            if file is None:
                names.pop(path, None)
            else:
                names[path] = file
    contents = _contents(record, cut, loss)
    # A Path for each of some hundred files, of each of some thousand states, would take longer than all that is tried.
    there = {path: contents[file] for path, file in names.items() if os.path.dirname(path) in folders}  # noqa: PTH120
    return there, frozenset(folders)


def _contents(record: Record, cut: int, loss: Loss) -> dict[int, bytes]:
    held, sure = dict(record.contents), dict(record.contents)
    for deed in record.deeds[:cut]:
        if isinstance(deed, Wrote):
            held[deed.file] = deed.data
        elif isinstance(deed, Synced):
            sure[deed.file] = held[deed.file]
    return {file: _left(sure[file], data, loss) for file, data in held.items()}


def _left(sure: bytes, held: bytes, loss: Loss) -> bytes:
    """What a disk has of a file of which it is only sure that it once held something else."""
    if sure == held or loss == "none":
        return held
    if loss == "lost":
        return sure
    if len(sure) == len(held):  # written over in its place: no byte of the file is missing, but some are the older ones
        middle = len(held) // 2
        return held[:middle] + sure[middle:] if loss == "torn" else sure[:middle] + held[middle:]
    common = len(sure) if held.startswith(sure) else 0
    middle = common + (len(held) - common) // 2
    return held[:middle] if loss == "torn" else held[:common] + bytes(len(held) - common)
