"""Every way in which a file is written, moved or taken away: what it does, and what must hold if it is cut short."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memvault.errors import AlreadyThere
from memvault.system import files
from tests.system.files.tripwire import Tripwire, die, lacking

OLD = b"---\ntitle: old\n---\n" + b"as it was\n" * 40
NEW = b"---\ntitle: new\n---\n" + b"as it shall be\n" * 60
LATE = b"---\ntitle: late\n---\nsaved by an editor\n" * 5


@dataclass(frozen=True, slots=True)
class WritePath:
    """One way of writing: how the folder is before, what is done, and what may be found at any moment."""

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    intact: Callable[[Path], bool]
    done: Callable[[Path], bool]
    without: tuple[str, ...] = ()

    def run(self, folder: Path) -> None:
        """Do it, on a disk that lacks what this path does without."""
        with lacking(*self.without):
            self.act(folder)

    def again(self, folder: Path) -> None:
        """What the next command does: tidy up, then the same once more."""
        tidy(folder)
        if not self.done(folder):
            self.run(folder)
        tidy(folder)


def tidy(folder: Path) -> None:
    """Settle and sweep everything."""
    now_ns = time.time_ns() + 10**9
    for late in files.collect_late_writes(folder / "hold", older_than_ns=0, now_ns=now_ns):
        rescue(folder, late)
    files.collect_late_writes(folder / "hold", older_than_ns=0, now_ns=now_ns)
    files.remove_orphans(folder, older_than_ns=0, now_ns=now_ns)


def rescue(folder: Path, late: files.LateWrite) -> None:
    """Keep a late write beside its note, then let go of it."""
    try:
        files.create_file(folder / "rescued.md", late.data)
    except AlreadyThere:
        assert (folder / "rescued.md").read_bytes() == late.data
    files.release_slot(late)


def content(path: Path) -> bytes | None:
    """What a file holds; None where there is none."""
    return path.read_bytes() if os.path.lexists(path) else None


def _nothing(folder: Path) -> None:
    """A fresh folder."""


def _a_note(folder: Path) -> None:
    (folder / "note.md").write_bytes(OLD)
    (folder / "other").mkdir()


def _a_late_write(folder: Path) -> None:
    _a_note(folder)
    with (folder / "note.md").open("r+b") as editor:
        files.replace_note(folder / "note.md", NEW, expected=OLD, hold=folder / "hold")
        editor.truncate()
        editor.write(LATE)


def _create(folder: Path) -> None:
    files.create_file(folder / "note.md", NEW)


def _replace(folder: Path) -> None:
    files.replace_note(folder / "note.md", NEW, expected=OLD, hold=folder / "hold")


def _discard(folder: Path) -> None:
    files.discard_note(folder / "note.md", expected=OLD, hold=folder / "hold")


def _move(folder: Path) -> None:
    files.move_file(folder / "note.md", folder / "other" / "moved.md")


def _overwrite(folder: Path) -> None:
    files.overwrite_file(folder / "note.md", NEW)


def _append(folder: Path) -> None:
    files.append_line(folder / "logs" / "log.jsonl", b'{"n": 1}\n', durable=True)


def _a_torn_end(folder: Path) -> None:
    (folder / "logs").mkdir()
    (folder / "logs" / "talk.gz").write_bytes(WHOLE + b"torn")


def _extend(folder: Path) -> None:
    files.extend_at(folder / "logs" / "talk.gz", MEMBER, at=len(WHOLE))


def _settle(folder: Path) -> None:
    for late in files.collect_late_writes(folder / "hold", older_than_ns=0, now_ns=time.time_ns() + 10**9):
        rescue(folder, late)
    files.collect_late_writes(folder / "hold", older_than_ns=0, now_ns=time.time_ns() + 10**9)


def _locked(folder: Path) -> None:
    with files.lock(folder / "lock", wait=0):
        files.overwrite_file(folder / "locked.txt", b"done")


def _note_is(*allowed: bytes | None) -> Callable[[Path], bool]:
    return lambda folder: content(folder / "note.md") in allowed


def _is_somewhere(folder: Path) -> bool:
    found = {content(folder / "note.md"), content(folder / "other" / "moved.md")} - {None}
    return found == {OLD}


def _is_moved(folder: Path) -> bool:
    return content(folder / "note.md") is None and content(folder / "other" / "moved.md") == OLD


def _late_write_is_kept(folder: Path) -> bool:
    held = [path.read_bytes() for path in (folder / "hold").glob("*.held")]
    return content(folder / "note.md") == NEW and (content(folder / "rescued.md") == LATE or LATE in held)


def _log_is(*allowed: bytes | None) -> Callable[[Path], bool]:
    return lambda folder: content(folder / "logs" / "log.jsonl") in allowed


def _begins_whole(folder: Path) -> bool:
    return (content(folder / "logs" / "talk.gz") or b"").startswith(WHOLE)


LINE = b'{"n": 1}\n'
WHOLE, MEMBER = b"a whole member" * 20, b"another member" * 30
TORN = LINE[: len(LINE) // 2]

PATHS = (
    WritePath("create", _nothing, _create, _note_is(None, NEW), _note_is(NEW)),
    WritePath("create-by-link", _nothing, _create, _note_is(None, NEW), _note_is(NEW), ("exchange",)),
    WritePath("replace", _a_note, _replace, _note_is(OLD, NEW), _note_is(NEW)),
    WritePath("replace-by-link", _a_note, _replace, _note_is(OLD, NEW), _note_is(NEW), ("exchange",)),
    WritePath("replace-by-copy", _a_note, _replace, _note_is(OLD, NEW), _note_is(NEW), ("exchange", "link")),
    WritePath("discard", _a_note, _discard, _note_is(OLD, None), _note_is(None)),
    WritePath("move", _a_note, _move, _is_somewhere, _is_moved),
    WritePath("move-by-link", _a_note, _move, _is_somewhere, _is_moved, ("exchange",)),
    WritePath("overwrite", _a_note, _overwrite, _note_is(OLD, NEW), _note_is(NEW)),
    WritePath("append", _nothing, _append, _log_is(None, b"", TORN, LINE), _log_is(LINE, TORN + b"\n" + LINE)),
    WritePath(
        "extend", _a_torn_end, _extend, _begins_whole, lambda f: content(f / "logs" / "talk.gz") == WHOLE + MEMBER
    ),
    WritePath("settle", _a_late_write, _settle, _late_write_is_kept, lambda f: content(f / "rescued.md") == LATE),
    WritePath("lock", _nothing, _locked, lambda f: True, lambda f: content(f / "locked.txt") == b"done"),
)
BY_NAME = {path.name: path for path in PATHS}


def kill_everywhere(path: WritePath, folder: Path) -> int:
    """Run a path in child after child, each killed one call later than the last; return how many were."""
    at = 0
    while True:
        at += 1
        place = folder / str(at)
        place.mkdir()
        path.prepare(place)
        child = os.fork()
        if child == 0:
            with Tripwire(at, die).laid():
                path.run(place)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return at - 1
        if not os.WIFSIGNALED(status):
            raise AssertionError(f"{path.name} failed by itself at call {at}")


if __name__ == "__main__":
    # A process of its own, so that what forks has no threads and no test framework in it.
    os.fsync = lambda fd: None
    print(kill_everywhere(BY_NAME[sys.argv[1]], Path(sys.argv[2])))
