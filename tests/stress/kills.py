"""A busy writer killed again and again at a random moment: what it said it had done must be there, whole.

Run it as `python -m tests.stress.kills --kills 1000`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from itertools import count
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system import files
from tests.system.files.paths import rescue

PAGE = b"and so on\n" * 200


def run(folder: Path, *, kills: int, seed: int = 0) -> tuple[int, list[str]]:
    """Kill a writer that often; return how many steps it had reported done, and what was wrong afterwards."""
    chance = random.Random(seed)
    (folder / "archive").mkdir()
    files.create_file(folder / "note.md", _text(0))
    done, wrong = 0, []
    step_seconds = _time_a_step(folder)
    for round_ in range(kills):
        reported = _one_life(folder, round_, chance.random() * step_seconds * 8)
        done += reported
        wrong += [f"round {round_}: {problem}" for problem in _problems(folder, round_, reported)]
    return done, wrong


def _one_life(folder: Path, round_: int, seconds: float) -> int:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _work(folder, round_, writer)
        finally:
            os._exit(1)
    os.close(writer)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"
    with os.fdopen(reader, "rb") as reports:
        return len(reports.read())


def _work(folder: Path, round_: int, reports: int) -> None:
    """Rewrite, create and move, and report each step after it is done."""
    for step in count():
        _make_a_step(folder, f"{round_}-{step}.md")
        os.write(reports, b".")


def _make_a_step(folder: Path, name: str) -> None:
    with files.lock(folder / "lock", wait=10):
        old = files.read_file(folder / "note.md")
        files.replace_note(folder / "note.md", _text(_count(old) + 1), expected=old, hold=folder / "hold")
        files.create_file(folder / name, _text(0))
        files.move_file(folder / name, folder / "archive" / name)
        _tidy(folder)


def _time_a_step(folder: Path) -> float:
    began = time.perf_counter()
    for number in range(5):
        _make_a_step(folder, f"first-{number}.md")
    return (time.perf_counter() - began) / 5


def _text(number: int) -> bytes:
    body = b"%d\n" % number + PAGE
    return body + files.digest(body).encode()


def _count(text: bytes) -> int:
    return int(text.split(b"\n", 1)[0])


def _is_whole(text: bytes) -> bool:
    return files.digest(text[:-32]).encode() == text[-32:]


def _tidy(folder: Path) -> None:
    now_ns = time.time_ns() + 10**9
    for late in files.collect_late_writes(folder / "hold", older_than_ns=0, now_ns=now_ns):
        rescue(folder, late)
    files.remove_orphans(folder, older_than_ns=0, now_ns=now_ns)


def _problems(folder: Path, round_: int, reported: int) -> list[str]:
    found = []
    note = files.read_file(folder / "note.md")
    if not _is_whole(note):
        found.append("the note is torn")
    for path in [*folder.glob("*.md"), *(folder / "archive").glob(f"{round_}-*.md")]:
        if not _is_whole(path.read_bytes()):
            found.append(f"{path.name} is torn")
    for step in range(reported):
        if not (folder / "archive" / f"{round_}-{step}.md").exists():
            found.append(f"step {step} was reported, and is gone")
    if _count(note) < _counted_before(folder) + reported:
        found.append("increments of the note are gone")
    files.overwrite_file(folder / "counted", b"%d" % _count(note))
    try:
        with files.lock(folder / "lock", wait=0):
            _tidy(folder)
            for path in folder.glob("[0-9]*.md"):
                files.move_file(path, folder / "archive" / path.name)
    except MemvaultError as error:
        found.append(f"the next command fails: {error}")
    leavings = [*folder.rglob(".mv-*.tmp"), *(folder / "hold").glob("*")]
    return found + [f"{path.name} is left" for path in leavings]


def _counted_before(folder: Path) -> int:
    return int(files.read_file(folder / "counted")) if (folder / "counted").exists() else 0


def main() -> None:
    """Print how many steps were done, and everything that was wrong."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--kills", type=int, default=1000)
    ask.add_argument("--seed", type=int, default=0)
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done, wrong = run(Path(folder), kills=given.kills, seed=given.seed)
    print(f"{given.kills} kills at random moments, {done} steps reported done, {len(wrong)} problems")
    for problem in wrong[:20]:
        print(" ", problem)


if __name__ == "__main__":
    main()
