"""What the deep look knows: the records, the census, what the catalogue saw; and where lost bytes are still kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from memvault.core.query import ANY
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep.journaled import Journaled
from memvault.maintenance.doctor.finding import Tally, command
from memvault.maintenance.doctor.scan import Survey
from memvault.storage.census import Census, Line, census
from memvault.storage.journal.jsonl import Record, readable
from memvault.storage.vault.layout import TRASH
from memvault.storage.vault.seen import Seen
from memvault.system import files

MEANT = "If you changed it so yourself, `memvault doctor --deep --accept` takes it as meant."

Opens = Callable[[str, bytes], str]
"""Why a sealed file cannot be opened with the keys that are at hand; empty where it can, or where there is none."""


class Deep:
    """One deep look at a vault; nothing in it writes into the vault."""

    def __init__(self, survey: Survey, opens: Opens, progress: Callable[[int, int], None]) -> None:
        self.survey = survey
        self.vault = survey.vault
        self.opens = opens
        self.tally = Tally()
        self.before: Census = census(survey.bench)
        self.fresh: Census = {}  # what is sound now
        self.doubtful: Census = {}  # what looks damaged, as it is
        self.lacking: dict[str, list[Record]] = {}  # records, and what the ledger is to say of what they lost
        # As it was left: whoever brings it up to date takes damage for an edit.
        self._stamps = survey.bench.catalogue.stamps()
        self._versions = {memory.path: memory.version for memory in survey.bench.catalogue.memories(ANY)}
        self._progress, self._done = progress, 0
        self.whole = len(survey.looks)

    def step(self) -> None:
        """One more file was looked at."""
        self._done += 1
        self._progress(self._done, max(self.whole, self._done))

    @cached_property
    def journaled(self) -> Journaled:
        """What the records say of every note."""
        return Journaled.of(self.survey.operations, self._told())

    def _told(self) -> Iterator[Record]:
        for _, path in self.vault.ledger.paths():
            yield from readable(path)

    def witnesses(self, path: str) -> Iterator[Line]:
        """What this machine saw of a file before: at the last census, and when the catalogue took it in."""
        if line := self.before.get(path):
            yield line
        if path in self._stamps:
            size, mtime = self._stamps[path]
            yield Line(self._versions.get(path, ""), size, mtime)

    # -- where it may come back from

    @cached_property
    def kept(self) -> dict[str, str]:
        """Every version that is kept for undo, and its path."""
        undo = self.vault.undo
        found = (path for path in files.below(self.vault.root, undo) if path.parent.name[:1].isdigit())
        return {path.name: self.vault.relative(path) or "" for path in found if path.parent.parent == undo}

    def copies(self, id_: str, versions: set[str]) -> Iterator[tuple[str, bytes]]:
        """Where some versions of a note are still kept, and their bytes."""
        for version in sorted(versions & self.kept.keys()):
            try:
                yield self.kept[version], files.read(self.vault.root / self.kept[version])
            except MemvaultError:
                continue
        folder = self.vault.undo / "seen"
        for seen in Seen(self.vault.root, folder, self.vault.device).of(id_) if id_ else ():
            yield self.vault.relative(folder) or "", seen.data

    def way_back(self, path: str, id_: str, versions: set[str]) -> str:
        """Whatever may bring a file back, the nearest first."""
        where = next((at for at, data in self.copies(id_, versions) if files.digest(data) in versions), "")
        thrown = next((at for at in self.vault.trash() if at.rpartition("/")[2] == path.rpartition("/")[2]), "")
        ways = [
            f"{where} keeps it as it was" if where else "",
            f"{command('restore', path.rpartition('/')[2])} brings {thrown} back" if thrown else "",
            f"`git log -- '{path}'` tells which commits have it" if (self.vault.root / ".git").exists() else "",
            "a backup or another machine may have it",
        ]
        told = "; ".join(filter(None, ways))
        return f"{told[:1].upper()}{told[1:]}."


def is_thrown(path: str) -> bool:
    """Whether a path lies in the trash."""
    return path.startswith(f"{TRASH}/")
