"""The archive of conversations: where each lies, how one is found, and how one grows."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.ids import SHORTEST_PREFIX
from memvault.errors import MemvaultError
from memvault.storage.vault.layout import Layout
from memvault.system import files
from memvault.text.file_names import slug
from memvault.transcripts.model.turn import Fact, Talk, Trajectory

if TYPE_CHECKING:
    from memvault.core.secrets.erase import Erase
    from memvault.transcripts.archive.append import Elsewhere, Tally
    from memvault.transcripts.archive.read import Transcript
    from memvault.transcripts.archive.source_file import Origin
    from memvault.transcripts.model.clean import Cleaning
    from memvault.transcripts.model.erased import IsGone, Lapsed, Rest
    from memvault.transcripts.model.record import Kept, Record, Source, Start

# Every search lists the archive; few open anything in it, and fewer add to it: so what those need is imported then.

ENDING, FACTS_ENDING = ".jsonl.gz", ".facts.jsonl.gz"
SHORT = 8
_NO_FILE = (0, 0, 0, 0)
_HEX = frozenset("0123456789abcdef")

Key = tuple[int, ...]


class Talks:
    """All conversations of a vault; whoever adds to them holds the vault's lock."""

    def __init__(
        self,
        root: Path,
        layout: Layout,
        erasing: Callable[[], Erase | None] = lambda: None,
        going: Callable[[], IsGone | None] = lambda: None,
        lapsing: Callable[[], Lapsed | None] = lambda: None,
    ) -> None:
        self._root, self._folder = root, layout.transcripts
        self._made: Cleaning | None = None
        self._erasing, self._going, self._lapsing = erasing, going, lapsing  # asked only by who adds something
        self._by_short: dict[str, list[str]] | None = None

    # -- reading

    def listing(self) -> list[tuple[str, Key]]:
        """Every conversation by its path in the vault, with what changes about its two files when they do."""
        found: dict[str, os.stat_result] = {}
        if not files.leads_out(self._root / self._folder):
            self._walk(self._root / self._folder, self._folder, found)
        talks = sorted(path for path in found if not path.endswith(FACTS_ENDING))
        return [(path, (*_key(found[path]), *_key(found.get(_side(path))))) for path in talks]

    def open(self, path: str) -> Transcript:
        """The conversation at a path; one that leads out of the archive is refused."""
        from memvault.transcripts.archive.read import Transcript

        return Transcript(self._absolute(path), self._absolute(_side(path)))

    def find(self, ref: str) -> list[str]:
        """The conversations that a session's id or the beginning of one means, or a file's name."""
        wanted = ref.strip()
        if not wanted:
            return []
        shorts = self._shorts()
        every = sorted({path for paths in shorts.values() for path in paths})
        named = [path for path in every if wanted in (path, _stem(path))]
        keys = {short(wanted), wanted.casefold()[:SHORT]}
        near = [path for path in every if any(key.startswith(tuple(keys)) for key in _shorts_in(_stem(path)))]
        return named or self._meant(near, wanted) or self._meant([path for path in every if path not in near], wanted)

    def begin(self, origin: Origin, source: Source, start: Start) -> Start:
        """Where reading a file begins: behind what is there of it already, if it only grew."""
        start = replace(start, name=start.name or origin.name)
        head = next((one for one in source.read([origin.first], start) if isinstance(one, Talk)), None)
        path = self._of(self._cleaning.head(head)) if head and source.grows else None
        if path is None:
            return start
        there = self.open(path)
        mark = there.marks().get(origin.key)
        # Where the archive is damaged, everything is read again, and what is missing finds its way back.
        at = origin.place(mark) if mark and not there.trouble else 0
        return replace(start, at=at, head=there.head() if at else None)

    # -- adding

    def take(
        self,
        records: Iterable[Record],
        *,
        now: datetime,
        origin: Origin | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> Iterator[Tally]:
        """Add all that a reader gives, conversation by conversation."""
        for head, part in conversations(records):
            tally = self.append(head, part, now=now, origin=origin, elsewhere=elsewhere)
            if tally.head or tally.bad or tally.gone:
                yield tally

    def append(
        self,
        head: Talk | None,
        records: Iterable[Record],
        *,
        now: datetime,
        origin: Origin | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> Tally:
        """Add what is new of a conversation, member by member; what was written stays, whatever comes after.

        `elsewhere` tells of a turn's id and text whether another conversation has it: then it is only named here.
        """
        from memvault.transcripts.archive.append import Addition, Tally
        from memvault.transcripts.model.erased import is_talk_gone

        is_gone = self._gone
        if is_gone and is_talk_gone(head, is_gone):
            deque(records, maxlen=0)  # whose they are is only known to who reads them all
            return Tally(gone=True)
        path = self._of(self._cleaning.head(head)) if head else None
        there = self._absolute(path) if path else None
        rest = self._rest(head, is_there=there is not None)
        records = rest.of(records) if rest else records
        addition = Addition(
            lambda talk, when: self._new_path(talk, when or now), there, self._cleaning, elsewhere, is_gone
        )
        tally = addition.add(chain([head] if head else [], records), origin)
        tally.lapsed = rest is not None and not rest.goes_on and there is None
        tally.path = path or (addition.path.relative_to(self._root).as_posix() if addition.path else "")
        return tally

    def learn(
        self, path: str, facts: Iterable[Fact], trajectories: Iterable[Trajectory], *, by: str, anew: bool = False
    ) -> int:
        """Add facts and topics beside a conversation, those of before set aside if `anew`; the bytes written."""
        from memvault.transcripts.archive import codec
        from memvault.transcripts.archive.gzip_members import packed

        clean = self._cleaning
        lines = [codec.line({"fact": codec.of_fact(clean.fact(fact))}) for fact in facts if fact.turns]
        lines += [codec.line({"trajectory": codec.of_trajectory(clean.trajectory(run))}) for run in trajectories]
        strand = self.open(path).side
        if not lines and not (anew and strand.size()):
            return 0
        first = codec.line({"v": codec.FORMAT, "by": by, **({"anew": True} if anew else {})})
        data = packed(b"".join((first, *lines)))
        files.extend(strand.path, data, at=strand.end())
        return len(data)

    def forgets(self, talk: str, kept: Kept) -> bool:
        """Whether anything of a line was forgotten for good, so that nothing may keep it as it was."""
        from memvault.transcripts.model.clean import Cleaning
        from memvault.transcripts.model.erased import is_past, without_gone

        if self._lapsed and is_past(kept, talk, self._lapsed):
            return True
        is_gone, plain = self._gone, Cleaning()
        if is_gone and (is_gone(talk, "") or without_gone(kept, Talk(id=talk, source=""), is_gone) is not kept):
            return True
        is_said = kept.turn is not None and self._cleaning.turn(kept.turn) != plain.turn(kept.turn)
        return is_said or (kept.raw is not None and self._cleaning.record(kept.raw) != plain.record(kept.raw))

    def _rest(self, head: Talk | None, *, is_there: bool) -> Rest | None:
        """What is left to take in of a conversation where any ever went as its time was over."""
        from memvault.transcripts.model.erased import Rest

        return Rest(head, self._lapsed, is_there=is_there) if head and self._lapsed else None

    @cached_property
    def _gone(self) -> IsGone | None:
        return self._going()

    @cached_property
    def _lapsed(self) -> Lapsed | None:
        return self._lapsing()

    @property
    def _cleaning(self) -> Cleaning:
        from memvault.transcripts.model.clean import Cleaning

        self._made = self._made or Cleaning(self._erasing())
        return self._made

    def rename(self, path: str) -> str:
        """Give a conversation the name that its head has by now; where it lies then."""
        head, stem = self.open(path).head(), _stem(path)
        target = self._new_path(head, datetime.fromisoformat(stem[:10]).replace(tzinfo=UTC))
        if target.name.removesuffix(ENDING).rpartition("-")[0] in (stem, stem.rpartition("-")[0]):
            return path
        there = target.relative_to(self._root).as_posix()
        for source, goal in ((_side(path), _side(there)), (path, there)):
            if (self._root / source).exists():
                files.make_folder((self._root / goal).parent)
                files.move(self._root / source, self._root / goal)
        self._by_short = None
        return there

    # -- names

    def _of(self, head: Talk) -> str | None:
        """The path of a conversation that is there already."""
        return next(iter(self._meant(self._shorts().get(short(head.id), ()), head.id, whole=True)), None)

    def _meant(self, paths: Iterable[str], wanted: str, *, whole: bool = False) -> list[str]:
        found = []
        for path in paths:
            try:
                name = self.open(path).head().id
            except MemvaultError:
                continue  # whoever lists it is told
            is_begun = len(wanted) >= SHORTEST_PREFIX and name.casefold().startswith(wanted.casefold())
            if name == wanted or (is_begun and not whole):
                found.append(path)
        return found

    def _new_path(self, head: Talk, when: datetime) -> Path:
        day = when.astimezone(UTC).date().isoformat()
        title = head.title or head.project.replace("\\", "/").rstrip("/").rpartition("/")[2] or head.id
        stem = f"{self._folder}{day[:7]}/{day}-{slug(title)}-{short(head.id)}"
        path, number = f"{stem}{ENDING}", 1
        while os.path.lexists(self._root / path):
            number += 1
            path = f"{stem}-{number}{ENDING}"
        self._shorts().setdefault(short(head.id), []).append(path)
        return self._absolute(path)

    def _shorts(self) -> dict[str, list[str]]:
        if self._by_short is None:
            self._by_short = {}
            for path, _ in self.listing():
                for key in _shorts_in(_stem(path)):
                    self._by_short.setdefault(key, []).append(path)
        return self._by_short

    def _absolute(self, path: str) -> Path:
        full = self._root / path
        files.check_read(full)
        files.check_inside(self._root / self._folder, full)
        return full

    def _walk(self, folder: Path, path: str, found: dict[str, os.stat_result]) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        self._walk(folder / entry.name, f"{path}{entry.name}/", found)
                    elif entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
                        found[path + entry.name] = entry.stat(follow_symlinks=False)
        except OSError:
            return  # not there yet, or not for us to see


def conversations(records: Iterable[Record]) -> Iterator[tuple[Talk | None, Iterator[Record]]]:
    """A reader's records, one conversation after the other; what comes before any head is nobody's."""
    current = ""

    def whose(record: Record) -> str:
        nonlocal current
        current = record.id if isinstance(record, Talk) else current
        return current

    for _, part in groupby(records, whose):
        given = iter(part)
        first = next(given)
        yield (first, given) if isinstance(first, Talk) else (None, chain([first], given))


def short(id_: str) -> str:
    """The eight hex digits that stand for a conversation in its file's name."""
    start = id_[:SHORT].casefold()
    if len(start) == SHORT and set(start) <= _HEX:
        return start
    return files.digest(id_.encode("utf-8", "surrogatepass"))[:SHORT]


def _shorts_in(stem: str) -> list[str]:
    return [part for part in stem.split("-")[-2:] if len(part) == SHORT and set(part) <= _HEX]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(ENDING)


def _side(path: str) -> str:
    return path.removesuffix(ENDING) + FACTS_ENDING


def _key(found: os.stat_result | None) -> Key:
    # Some file systems number their files beyond what a database counts to.
    return (
        (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino & 0x7FFF_FFFF_FFFF_FFFF)
        if found
        else _NO_FILE
    )
