"""An editor that takes no lock against a busy writer: how many of its saves are silently lost.

The editor saves, then waits until the writer has come across that very save: has read it in the note, or was
handed it as a late write. A save that it never comes across has been lost. Run it as
`python -m tests.stress.editors --saves 1000`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from memvault.errors import ChangedMeanwhile, MemvaultError
from memvault.system import files
from tests.system.files.tripwire import lacking

ROOT = Path(__file__).parents[2]
STYLES = ("rename", "in-place")
SAVED = re.compile(rb"^saved (\d+)\n(?:\.{60}\n)+whole \1\n", re.MULTILINE)


@dataclass(slots=True)
class Figures:
    """What a run came to."""

    lost: list[int] = field(default_factory=list)
    writes: int = 0
    put_back: int = 0
    late: int = 0
    seconds: float = 0.0


def run(
    folder: Path,
    *,
    saves: int,
    style: str,
    strategy: str = "replace",
    durable: bool = False,
    patience: float = 20,
    seed: int = 0,
) -> Figures:
    """Let an editor make its saves while a writer changes the same note all the time."""
    note = folder / "note.md"
    note.write_bytes(_page(0))
    command = [
        *("--saves", str(saves), "--style", style, "--note", str(note), "--patience", str(patience), "--seed"),
        str(seed),
    ]
    editor = subprocess.Popen(
        [sys.executable, "-m", "tests.stress.editors", *command],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with editor, nullcontext() if durable else patch.object(os, "fsync", lambda descriptor: None):
        return _Writer(note, editor, STRATEGIES[strategy]).work()


# -- the writer


class _Writer:
    def __init__(
        self, note: Path, editor: subprocess.Popen[bytes], strategy: Callable[[Path, bytes, bytes], None]
    ) -> None:
        self.note, self.hold, self.editor, self.strategy = note, note.with_name("hold"), editor, strategy
        self.seen: set[int] = set()
        self.figures = Figures()

    def work(self) -> Figures:
        began = time.perf_counter()
        while self.editor.poll() is None:
            with files.lock(self.note.with_name("lock"), wait=10):
                self._change()
                self._settle()
        assert self.editor.stdout is not None
        assert self.editor.returncode == 0
        self.figures.lost = json.loads(self.editor.stdout.read())
        self.figures.seconds = time.perf_counter() - began
        return self.figures

    def _change(self) -> None:
        try:
            found = files.read_file(self.note)
        except MemvaultError:
            return
        self._come_across(found)
        ours = b"ours %d\n" % self.figures.writes
        try:
            self.strategy(self.note, re.sub(rb"\A(ours \d+\n)?", ours, found), found)
            self.figures.writes += 1
        except ChangedMeanwhile:
            self.figures.put_back += 1

    def _settle(self) -> None:
        for late in files.collect_late_writes(self.hold, older_than_ns=0, now_ns=time.time_ns()):
            self.figures.late += 1
            self._come_across(late.data)
            files.release_slot(late)

    def _come_across(self, data: bytes) -> None:
        assert self.editor.stdin is not None
        for number in {int(found) for found in SAVED.findall(data)} - self.seen:
            self.seen.add(number)
            try:
                self.editor.stdin.write(b"%d\n" % number)
                self.editor.stdin.flush()
            except BrokenPipeError:  # it has given up waiting, and is gone
                return


def _replace(note: Path, data: bytes, expected: bytes) -> None:
    files.replace_note(note, data, expected=expected, hold=note.with_name("hold"))


def _rename(note: Path, data: bytes, expected: bytes) -> None:
    """What is not good enough: whoever saved after the read is overwritten."""
    aside = note.with_name("aside")
    aside.write_bytes(data)
    aside.replace(note)


STRATEGIES: dict[str, Callable[[Path, bytes, bytes], None]] = {"replace": _replace, "rename": _rename}


# -- the editor


def _page(number: int) -> bytes:
    return b"saved %d\n" % number + (b"." * 60 + b"\n") * 50 + b"whole %d\n" % number


def edit(note: Path, *, saves: int, style: str, patience: float, seed: int) -> list[int]:
    """Save again and again as editors do, and return the saves that nobody came across."""
    chance = random.Random(seed)
    lost = []
    for number in range(1, saves + 1):
        _dawdle(chance)
        _save_by_rename(note, _page(number)) if style == "rename" else _save_in_place(note, _page(number), chance)
        if not _was_seen(number, patience):
            lost.append(number)
    return lost


def _save_by_rename(note: Path, page: bytes) -> None:
    aside = note.with_name("note.md.tmp")
    aside.write_bytes(page)
    aside.replace(note)


def _save_in_place(note: Path, page: bytes, chance: random.Random) -> None:
    """Emptied at once or only when written, in one go or in several."""
    with note.open(chance.choice(["r+b", "wb"]), buffering=0) as file:
        if chance.random() < 0.5:
            _dawdle(chance)
        file.truncate()
        middle = chance.randrange(len(page))
        file.write(page[:middle])
        if chance.random() < 0.5:
            _dawdle(chance)
        file.write(page[middle:])


def _dawdle(chance: random.Random) -> None:
    for _ in range(chance.randrange(30_000)):
        pass


def _was_seen(number: int, patience: float) -> bool:
    until = time.monotonic() + patience
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([sys.stdin], [], [], left)
        if ready and int(os.read(sys.stdin.fileno(), 100).split()[-1]) == number:
            return True
    return False


# -- on demand


def main() -> None:
    """Print the figures of each style, with and without durable writes."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--saves", type=int, default=1000)
    ask.add_argument("--strategy", choices=STRATEGIES, default="replace")
    ask.add_argument("--patience", type=float, default=20)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--style", choices=STYLES)
    ask.add_argument("--lack", nargs="*", default=[], choices=["exchange", "link"], help="what the disk cannot do")
    ask.add_argument("--note", type=Path, help=argparse.SUPPRESS)
    given = ask.parse_args()
    if given.note:
        print(
            json.dumps(edit(given.note, saves=given.saves, style=given.style, patience=given.patience, seed=given.seed))
        )
        return
    for style in (given.style,) if given.style else STYLES:
        for durable in (False, True):
            with tempfile.TemporaryDirectory() as folder, lacking(*given.lack):
                got = run(
                    Path(folder), saves=given.saves, style=style, strategy=given.strategy, durable=durable,
                    patience=given.patience, seed=given.seed,
                )  # fmt: skip
            print(
                f"{style:9} {'durable' if durable else 'no fsync'}: {given.saves} saves, {len(got.lost)} lost; "
                f"{got.writes} writes, {got.put_back} given back, {got.late} late, {got.seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
