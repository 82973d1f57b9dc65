"""Trials of the ways of writing: each begins on the same ground, and is judged by how it ends when nothing goes wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

from tests.stress.disks import Named, Record, Synced, SyncedFolder, Wrote
from tests.stress.grounds import Ground, lay
from tests.stress.judging import Expected, tree
from tests.stress.pictures import Picture
from tests.stress.stage import CACHE, NOW, Stage, masked, same_chances
from tests.stress.ways import Way


@contextmanager
def unsynced() -> Iterator[None]:
    """Not to wait for the disk: what becomes of a kill or an error is the same, and what is said to it is heard still."""
    with patch.object(os, "fsync", lambda descriptor: None):
        yield


def report(rows: Iterable[tuple[str, Sequence[str]]]) -> NoReturn:
    """Print what came of each and the first of its problems, and end with 1 where there was one."""
    bad = 0
    for told, wrong in rows:
        bad += len(wrong)
        print(f"{told}: {len(wrong)} problems", flush=True)
        for problem in wrong[:10]:
            print(" ", problem[:300])
    raise SystemExit(1 if bad else 0)


class Trials:
    """A place for trials, with the grounds that they begin on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._expected: dict[str, tuple[Expected, Record]] = {}
        self._ground: Ground | None = None
        self._picture = Picture(folder)
        self.stage = Stage(folder / "stage")

    def begin(self, way: Way) -> Stage:
        """The stage, as it is before anything is done."""
        if way.ground == self._ground:
            self._picture.restore()
        else:
            self._lay(way.ground)
        if way.ground == "busy":
            with self.stage.open(NOW) as vault:
                vault.refresh()
        return self.stage

    def _lay(self, ground: Ground) -> None:
        place = self._folder / ground
        if not place.exists():
            lay(place, ground)
        shutil.rmtree(self.stage.folder, ignore_errors=True)
        shutil.copytree(place, self.stage.folder, symlinks=True)
        # What is derived belongs to a place and is made again; in daily use it is there.
        shutil.rmtree(self.stage.folder / CACHE, ignore_errors=True)
        self._ground, self._picture = ground, Picture.of(self.stage.folder)

    def expected(self, way: Way) -> Expected:
        """How it ends when nothing goes wrong."""
        return self._undisturbed(way)[0]

    def record(self, way: Way) -> Record:
        """What is done to the disk when nothing goes wrong."""
        return self._undisturbed(way)[1]

    def act(self, way: Way) -> None:
        """Do it, as it is done in every trial."""
        with same_chances(), self.stage.open(NOW) as vault:
            way.act(vault)

    def _undisturbed(self, way: Way) -> tuple[Expected, Record]:
        if way.name not in self._expected:
            stage = self.begin(way)
            before, record = tree(stage), Record.of(stage.folder, but=stage.folder / CACHE)
            with record.kept():
                self.act(way)
            after = tree(stage)
            whole = (*_on_the_way(record), *_elsewhere(stage))
            known = frozenset((*before.values(), *after.values(), *map(masked, whole)))
            self._expected[way.name] = Expected(way, before, after, known), record
        return self._expected[way.name]


def _on_the_way(record: Record) -> Iterator[bytes]:
    """Every content that was given a name: what a file with a name of its own has is always whole."""
    contents = dict(record.contents)
    for deed in record.deeds:
        match deed:
            case Wrote(file, data):
                contents[file] = data
            case Named(names):
                yield from (contents[file] for _, file in names if file is not None and contents[file])
            case Synced() | SyncedFolder():
                continue


def _elsewhere(stage: Stage) -> Iterator[bytes]:
    yield from (path.read_bytes() for path in stage.folder.glob("laptop/**/*.md"))
