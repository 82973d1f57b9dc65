"""Take conversations in: into the archive whole, into facts and topics, and what is worth it into memories."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.query import ANY
from memvault.errors import BadInput, DamagedIndex, MemvaultError, Unreadable
from memvault.privacy.private.originals import made_ready
from memvault.storage.pauses import Quiet, hidden_sessions, pauses
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.system import project as projects
from memvault.text.dates.dates import read_moment
from memvault.transcripts.archive.append import Tally
from memvault.transcripts.archive.archive import conversations
from memvault.transcripts.archive.source_file import Origin
from memvault.transcripts.extract.extract import Extracted, extract
from memvault.transcripts.formats import SOURCES, Bad, Kept, Record, Start, guess
from memvault.transcripts.formats.claude_code import is_transcript
from memvault.transcripts.learn import Learnt, Lesson, Teacher
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.record import moment, text_of
from memvault.transcripts.model.turn import Talk
from memvault.transcripts.search import archive, refreshed

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask
    from memvault.privacy.private.age import Keyring


# What was said while memvault was told to keep quiet: it does not get into the archive by itself.


def on_record(records: Iterable[Record], state: Path, start: Start) -> Iterator[Record]:
    """The records without what was said during a pause of everything, of their session or of their project."""
    quiets, hidden = pauses(state), hidden_sessions(state)
    if not quiets and hidden is None:
        yield from records
        return
    head, at = start.head, None
    for record in records:
        if isinstance(record, Talk):
            head = record
        elif isinstance(record, Kept):
            at = _time(record, start) or at
        # What cannot be read is of the time of what stands before it.
        if not isinstance(record, Kept | Bad) or not _is_off(record, head, at, quiets, hidden):
            yield record


def _is_off(
    record: Kept | Bad,
    head: Talk | None,
    at: datetime | None,
    quiets: tuple[Quiet, ...],
    hidden: Callable[[str], bool] | None,
) -> bool:
    folder = head.project if head and any(quiet.scope.of == "project" for quiet in quiets) else ""
    sessions = {head.id if head else "", *(_sessions(record) if isinstance(record, Kept) else ())}
    if hidden is not None and any(map(hidden, sessions)):
        return True
    return any(_holds(quiet, _project(folder), session, at) for quiet in quiets for session in sessions)


def _holds(quiet: Quiet, project: str, session: str, at: datetime | None) -> bool:
    # "Do not remember this conversation" is meant of all of it, whenever it is said.
    if quiet.scope.of == "session" and quiet.until is None:
        return quiet.covers(project, session, quiet.since)
    return at is not None and quiet.covers(project, session, at)


def _sessions(record: Kept) -> tuple[str, ...]:
    turn = record.turn.session if record.turn else ""
    return (turn, text_of(record.raw or {}, "sessionId"))


def _time(record: Kept, start: Start) -> datetime | None:
    if record.turn is not None and record.turn.time is not None:
        return record.turn.time
    return moment((record.raw or {}).get("timestamp"), start.zone)


@cache
def _project(folder: str) -> str:
    return projects.of(Path(folder)) if folder else ""


# Which files were read to their end, as they were then: a short list beside what upkeep remembers.

Stamp = list[int]

_FILE = "ingested.json"


class Read:
    """Paths with their stamps. It only spares work: without it files are looked at again, and nothing is doubled."""

    def __init__(self, bench: Bench) -> None:
        self._path = None if bench.state is None else bench.state / _FILE
        self._stamps: dict[str, Stamp] = {}
        if self._path is not None and self._path.exists():
            with suppress(MemvaultError, ValueError):
                self._stamps = json.loads(files.read(self._path))

    def stamp(self, path: Path) -> Stamp:
        """What changes about a file when its content does."""
        try:
            found = path.stat()
        except OSError:
            return []
        return [found.st_size, found.st_mtime_ns, found.st_ino]

    def has(self, path: Path, stamp: Stamp) -> bool:
        """Whether a file was read, and is as it was then."""
        return bool(stamp) and stamp in (self._stamps.get(name) for name in (_name(path), _unsaid(path)))

    def keep(self, path: Path, stamp: Stamp, *, is_gone: bool = False) -> None:
        """Remember that a file was read; of one that was forgotten for good, by a name that does not tell which."""
        self._stamps[_unsaid(path) if is_gone else _name(path)] = stamp
        if self._path is not None:
            with suppress(MemvaultError, OSError):
                files.make_folder(self._path.parent)
                files.overwrite(self._path, json.dumps(self._stamps).encode())


def _name(path: Path) -> str:
    return str(path.absolute())


def _unsaid(path: Path) -> str:
    return files.digest(_name(path).encode(errors="replace"))


Reading = Callable[[int, int], None]

_ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".zip")
_SILENCE = timedelta(minutes=10)
_TIME = re.compile(r'"timestamp"\s*:\s*"([^"]{10,40})"')
_WAIT_SECONDS = 600.0  # another run may be taking a large file in


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be taken in, and how."""

    paths: tuple[Path, ...]
    format: str = ""
    learn: bool = True  # whether memories are made of what is worth it
    own: Path | None = None  # where this person's own agent keeps its transcripts
    on_record: bool = False  # leave out what was said while memvault was told to keep quiet
    keyring: Keyring | None = None  # to which the originals of lines with secrets are sealed; None to keep none
    dry_run: bool = False
    ask: Ask | None = None
    reviewers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of one conversation."""

    source: Path
    id: str
    title: str
    path: str  # in the archive
    turns: int  # that are new
    kept: int  # other lines that are new
    repeated: int
    bad: int
    told: tuple[tuple[str, str], ...] = ()  # the first of the bad ones: where, and why
    extracted: Extracted = field(default_factory=Extracted)
    learnt: tuple[Learnt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What came of all of them."""

    taken: tuple[Taken, ...] = ()
    unchanged: int = 0  # files that hold nothing new
    forgotten: int = 0  # conversations that were forgotten for good, and stay so
    lapsed: int = 0  # conversations that went when their time was over, and said nothing since
    failed: tuple[tuple[str, str], ...] = ()  # files that could not be read, and why
    size: int = 0  # bytes written
    sealed: int = 0  # lines of which the original was sealed
    unsealed: str = ""  # why none was, though it was wanted
    dry_run: bool = False


def ingest(bench: Bench, wanted: Wanted, *, progress: Reading | None = None) -> Ingested:
    """Take every conversation in some files and folders in; one that cannot be read does not stop the others."""
    if wanted.format and wanted.format not in SOURCES:
        raise BadInput(what="the format", value=wanted.format, reason=f"it must be one of {', '.join(SOURCES)}")
    work = _Work(bench, wanted)
    lost = [path for path in wanted.paths if not path.exists()]
    if lost and len(lost) == len(wanted.paths):
        raise Unreadable(path=lost[0], reason="there is no such file or folder")
    work.failed += [(str(path), "there is no such file or folder") for path in lost]
    found = sorted({file for path in wanted.paths if path not in lost for file in _files(path)})
    whole, done = sum(_size(file) for file in found), 0
    for file in found:
        try:
            work.take(file, (lambda read, done=done: progress(done + read, whole)) if progress else None)  # type: ignore[misc]
        except DamagedIndex:
            raise  # the hall sets such an index aside, and all of this is done again; nothing is doubled by that
        except MemvaultError as error:
            work.failed.append((str(file), str(error)))
        done += _size(file)
        if progress:
            progress(done, whole)
    return work.told()


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = (each for each in sorted(path.rglob("*")) if each.name.endswith(_ENDINGS) and each.is_file())
        yield from (each for each in found if not each.name.endswith(".jsonl") or is_transcript(str(each)))
    else:
        yield path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class _Work:
    """One run: the archive, what was read before, and what came of it so far."""

    def __init__(self, bench: Bench, wanted: Wanted) -> None:
        self._bench, self._wanted = bench, wanted
        self._store = archive(bench)
        self._sealing, self._unsealed = made_ready(bench, self._store, None if wanted.dry_run else wanted.keyring)
        self._read = Read(bench)
        self._known = _keywords(bench)
        self._taken: list[Taken] = []
        self._size = self._unchanged = self._forgotten = self._lapsed = 0
        self.failed: list[tuple[str, str]] = []

    def take(self, path: Path, progress: Callable[[int], None] | None) -> None:
        """Take one file in, unless it was read to its end and has not changed since."""
        stamp = self._read.stamp(path)
        # A file that is named is looked at again, as what was taken of it may have been damaged since.
        if path not in self._wanted.paths and self._read.has(path, stamp):
            self._unchanged += 1
            return
        origin = Origin.of(path)
        source = SOURCES.get(self._wanted.format or guess(origin.first, path.name))
        if source is None:
            reason = f"it is in no format that memvault knows; name it with --format: {', '.join(SOURCES)}"
            raise Unreadable(path=path, reason=reason)
        with self._locked():
            is_over = not source.grows or is_long_ago(origin, self._bench.now)
            start = self._store.begin(origin, source, Start(zone=self._bench.zone, closed=is_over))
            records = source.read(_counted(origin.chunks(start.at), start.at, progress), start)
            if self._wanted.on_record and self._bench.state is not None:
                records = on_record(records, self._bench.state, start)
            if self._wanted.dry_run:
                self._count(path, records)
                return
            before, gone = len(self._taken), self._forgotten
            records = self._sealing.watch(records) if self._sealing else records
            # A session that goes on in a new file repeats the old one: what is known of another is only named.
            elsewhere = refreshed(self._bench).is_known_turn if source.grows else None
            for tally in self._store.take(records, now=self._bench.now, origin=origin, elsewhere=elsewhere):
                self._took(path, tally)
        self._unchanged += len(self._taken) == before
        if is_over and self._wanted.learn:  # else an answer that was still being given is read when it is over
            self._read.keep(path, stamp, is_gone=self._forgotten > gone)

    def _locked(self) -> AbstractContextManager[None]:
        """One process adds to the archive at a time; those who write notes need not wait for it."""
        self._bench.vault.check_ground()
        folder = self._bench.vault.undo  # in the vault, as others may share it; what lies there never travels
        files.make_folder(folder)
        return files.lock(folder / "talks.lock", wait=_WAIT_SECONDS)

    def _took(self, source: Path, tally: Tally) -> None:
        if self._sealing:
            self._sealing.settle(tally)
        self._forgotten += tally.gone
        self._lapsed += tally.lapsed
        extracted, learnt = self._understood(tally.path, source) if tally.path else (Extracted(), ())
        self._size += tally.size
        if tally.turns or tally.kept or tally.bad or extracted.topics or learnt:
            self._taken.append(_taken(source, tally, extracted, learnt))

    def _understood(self, path: str, source: Path) -> tuple[Extracted, tuple[Learnt, ...]]:
        """What is drawn out of all that nobody looked at yet: of what is new, and of what a killed run left."""
        lesson = Lesson(self._bench, self._store, path, self._teacher(source)) if self._wanted.learn else None
        facts = topics = 0
        for drawn in extract(self._store, path, self._wanted.ask, known=self._known):
            facts, topics = facts + len(drawn.facts), topics + len(drawn.topics)
            if lesson:
                lesson.take(drawn)
        if lesson:
            lesson.catch_up()
        return Extracted(facts, topics), tuple(lesson.learnt) if lesson else ()

    def _teacher(self, source: Path) -> Teacher:
        own = self._wanted.own
        is_own = own is not None and own.absolute() in source.absolute().parents
        return Teacher(self._wanted.ask, self._wanted.reviewers, is_own)

    def _count(self, source: Path, records: Iterable[Record]) -> None:
        """What a file holds, without a word of it written."""
        for head, part in conversations(records):
            tally = Tally(head=Cleaning().head(head) if head else None)
            for record in part:
                match record:
                    case Talk():
                        tally.head = Cleaning().head(record)
                    case Kept(turn=None):
                        tally.kept += 1
                    case Kept():
                        tally.turns += 1
                    case Bad():
                        tally.skip(record)
            self._taken.append(_taken(source, tally, Extracted(), ()))

    def told(self) -> Ingested:
        """What came of the whole run."""
        return Ingested(
            taken=tuple(self._taken),
            unchanged=self._unchanged,
            forgotten=self._forgotten,
            lapsed=self._lapsed,
            failed=tuple(self.failed),
            size=self._size,
            sealed=self._sealing.count if self._sealing else 0,
            unsealed=self._unsealed,
            dry_run=self._wanted.dry_run,
        )


def _taken(source: Path, tally: Tally, extracted: Extracted, learnt: tuple[Learnt, ...]) -> Taken:
    head = tally.head
    return Taken(
        source=source,
        id=head.id if head else "",
        title=head.title if head else "",
        path=tally.path,
        turns=tally.turns,
        kept=tally.kept,
        repeated=tally.repeated,
        bad=tally.bad,
        told=tuple((bad.where, bad.why) for bad in tally.told),
        extracted=extracted,
        learnt=learnt,
    )


def is_long_ago(origin: Origin, now: datetime) -> bool:
    """Whether what was said last in a transcript was said so long ago that nobody is speaking any more."""
    times = _TIME.findall(origin.last.decode(errors="replace"))
    last = read_moment(times[-1]) if times else None
    return last is None or abs(now - last) > _SILENCE


def _counted(chunks: Iterable[bytes], start: int, progress: Callable[[int], None] | None) -> Iterator[bytes]:
    read = start
    for chunk in chunks:
        yield chunk
        read += len(chunk)
        if progress:
            progress(read)


def _keywords(bench: Bench) -> dict[str, int]:
    """The keywords there are, and how often each stands, so that new topics are named as old ones were."""
    counts = Counter(word for memory in bench.catalogue.memories(ANY) for word in (*memory.tags, *memory.topics))
    counts.update(word for words in refreshed(bench).keyword_sets() for word in words)
    return dict(counts)
