"""Take conversations in: into the archive whole, into facts and topics, and what is worth it into memories."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from memvault.core.conversation import Conversation
from memvault.core.query import NO_FILTERS
from memvault.errors import BadInput, DamagedIndex, MemvaultError, Unreadable
from memvault.storage.pauses import PausePeriod, incognito_sessions, read_pauses
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system import project as projects
from memvault.system.age import Keyring
from memvault.system.paths import claude_projects, config_folder
from memvault.text.dates.dates import read_moment
from memvault.transcripts.archive.append import AppendResult
from memvault.transcripts.archive.archive import split_conversations
from memvault.transcripts.archive.originals import set_up_sealing
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.extract.extract import ExtractCounts, extract_new
from memvault.transcripts.formats import (
    FORMATS,
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    guess_format,
)
from memvault.transcripts.formats.claude_code import is_transcript
from memvault.transcripts.learn import LearnPolicy, LearnResult, TranscriptLearner
from memvault.transcripts.model.record import get_text, parse_moment
from memvault.transcripts.model.redact import Redactor
from memvault.transcripts.search import open_archive, refresh_index

# What was said while memvault was told to keep quiet: it does not get into the archive by itself.


def without_paused(records: Iterable[TranscriptRecord], state: Path, start: ReadStart) -> Iterator[TranscriptRecord]:
    """The records without what was said during a pause of everything, of their session or of their project."""
    quiets, hidden = read_pauses(state), incognito_sessions(state)
    if not quiets and hidden is None:
        yield from records
        return
    head, at = start.head, None
    for record in records:
        if isinstance(record, Conversation):
            head = record
        elif isinstance(record, TranscriptEntry):
            at = _record_time(record, start) or at
        # What cannot be read is of the time of what stands before it.
        if not isinstance(record, TranscriptEntry | UnreadableEntry) or not _is_paused(
            record, head, at, quiets, hidden
        ):
            yield record


def _is_paused(
    record: TranscriptEntry | UnreadableEntry,
    head: Conversation | None,
    at: datetime | None,
    quiets: tuple[PausePeriod, ...],
    hidden: Callable[[str], bool] | None,
) -> bool:
    folder = head.project if head and any(quiet.scope.of == "project" for quiet in quiets) else ""
    sessions = {head.id if head else "", *(_session_ids(record) if isinstance(record, TranscriptEntry) else ())}
    if hidden is not None and any(map(hidden, sessions)):
        return True
    return any(_pause_applies(quiet, _project_of(folder), session, at) for quiet in quiets for session in sessions)


def _pause_applies(quiet: PausePeriod, project: str, session: str, at: datetime | None) -> bool:
    # "Do not remember this conversation" is meant of all of it, whenever it is said.
    if quiet.scope.of == "session" and quiet.until is None:
        return quiet.applies_to(project, session, quiet.since)
    return at is not None and quiet.applies_to(project, session, at)


def _session_ids(record: TranscriptEntry) -> tuple[str, ...]:
    turn = record.turn.session if record.turn else ""
    return (turn, get_text(record.raw or {}, "sessionId"))


def _record_time(record: TranscriptEntry, start: ReadStart) -> datetime | None:
    if record.turn is not None and record.turn.time is not None:
        return record.turn.time
    return parse_moment((record.raw or {}).get("timestamp"), start.zone)


@cache
def _project_of(folder: str) -> str:
    return projects.project_of(Path(folder)) if folder else ""


# Which files were read to their end, as they were then: a short list beside what upkeep remembers.

Stamp = list[int]

_FILE = "ingested.json"


class ReadFiles:
    """Paths with their stamps. It only spares work: without it files are looked at again, and nothing is doubled."""

    def __init__(self, context: VaultContext) -> None:
        self._path = None if context.state is None else context.state / _FILE
        self._stamps: dict[str, Stamp] = {}
        if self._path is not None and self._path.exists():
            with suppress(MemvaultError, ValueError):
                self._stamps = json.loads(files.read_file(self._path))

    def file_stamp(self, path: Path) -> Stamp:
        """What changes about a file when its content does."""
        try:
            found = path.stat()
        except OSError:
            return []
        return [found.st_size, found.st_mtime_ns, found.st_ino]

    def is_unchanged(self, path: Path, stamp: Stamp) -> bool:
        """Whether a file was read, and is as it was then."""
        return bool(stamp) and stamp in (self._stamps.get(name) for name in (_path_key(path), _hidden_key(path)))

    def mark_read(self, path: Path, stamp: Stamp, *, is_gone: bool = False) -> None:
        """Remember that a file was read; of one that was forgotten for good, by a name that does not tell which."""
        self._stamps[_hidden_key(path) if is_gone else _path_key(path)] = stamp
        if self._path is not None:
            with suppress(MemvaultError, OSError):
                files.make_folder(self._path.parent)
                files.overwrite_file(self._path, json.dumps(self._stamps).encode())


def _path_key(path: Path) -> str:
    return str(path.absolute())


def _hidden_key(path: Path) -> str:
    return files.digest(_path_key(path).encode(errors="replace"))


ReadProgress = Callable[[int, int], None]

_ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".zip")
_SILENCE = timedelta(minutes=10)
_TIME = re.compile(r'"timestamp"\s*:\s*"([^"]{10,40})"')
_WAIT_SECONDS = 600.0  # another run may be taking a large file in


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """What is to be taken in, and how."""

    paths: tuple[Path, ...]
    format: str = ""
    learn: bool = True  # whether memories are made of what is worth it
    everything: bool = False  # all transcripts of this person's own agent, too
    skip_paused: bool = False  # leave out what was said while memvault was paused
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedConversation:
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
    extracted: ExtractCounts = field(default_factory=ExtractCounts)
    learnt: tuple[LearnResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """What came of all of them."""

    taken: tuple[IngestedConversation, ...] = ()
    unchanged: int = 0  # files that hold nothing new
    forgotten: int = 0  # conversations that were forgotten for good, and stay so
    lapsed: int = 0  # conversations that went when their time was over, and said nothing since
    failed: tuple[tuple[str, str], ...] = ()  # files that could not be read, and why
    size: int = 0  # bytes written
    sealed: int = 0  # lines of which the original was sealed
    unsealed: str = ""  # why none was, though it was wanted
    dry_run: bool = False


def ingest(context: VaultContext, options: IngestOptions, *, progress: ReadProgress | None = None) -> IngestResult:
    """Take every conversation in some files and folders in; one that cannot be read does not stop the others."""
    if options.everything:
        own = claude_projects(context.environment)
        paths = (*options.paths, own) if own.is_dir() else options.paths
        options = replace(options, paths=paths, skip_paused=True)
    if options.format and options.format not in FORMATS:
        raise BadInput(what="the format", value=options.format, reason=f"it must be one of {', '.join(FORMATS)}")
    work = _IngestRun(context, options)
    lost = [path for path in options.paths if not path.exists()]
    if lost and len(lost) == len(options.paths):
        raise Unreadable(path=lost[0], reason="there is no such file or folder")
    work.failed += [(str(path), "there is no such file or folder") for path in lost]
    found = sorted({file for path in options.paths if path not in lost for file in _find_files(path)})
    whole, done = sum(_file_size(file) for file in found), 0
    for file in found:
        try:
            work.ingest_file(file, (lambda read, done=done: progress(done + read, whole)) if progress else None)  # type: ignore[misc]
        except DamagedIndex:
            raise  # the hall sets such an index aside, and all of this is done again; nothing is doubled by that
        except MemvaultError as error:
            work.failed.append((str(file), str(error)))
        done += _file_size(file)
        if progress:
            progress(done, whole)
    return work.make_result()


def _find_files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = (each for each in sorted(path.rglob("*")) if each.name.endswith(_ENDINGS) and each.is_file())
        yield from (each for each in found if not each.name.endswith(".jsonl") or is_transcript(str(each)))
    else:
        yield path


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class _IngestRun:
    """One run: the archive, what was read before, and what came of it so far."""

    def __init__(self, context: VaultContext, wanted: IngestOptions) -> None:
        self._bench, self._options = context, wanted
        self._archive = open_archive(context)
        is_sealing = context.settings.text("transcripts.secrets") == "seal" and not wanted.dry_run
        self._sealing, self._unsealed = set_up_sealing(
            context, self._archive, Keyring(config_folder(context.environment)) if is_sealing else None
        )
        self._ask = context.ask_model()
        self._reviewers = {} if self._ask is None else context.reviewers()
        self._read_files = ReadFiles(context)
        self._keywords = _count_keywords(context)
        self._conversations: list[IngestedConversation] = []
        self._size = self._unchanged = self._forgotten = self._lapsed = 0
        self.failed: list[tuple[str, str]] = []

    def ingest_file(self, path: Path, progress: Callable[[int], None] | None) -> None:
        """Take one file in, unless it was read to its end and has not changed since."""
        stamp = self._read_files.file_stamp(path)
        # A file that is named is looked at again, as what was taken of it may have been damaged since.
        if path not in self._options.paths and self._read_files.is_unchanged(path, stamp):
            self._unchanged += 1
            return
        origin = SourceFile.open_file(path)
        source = FORMATS.get(self._options.format or guess_format(origin.first, path.name))
        if source is None:
            reason = f"it is in no format that memvault knows; name it with --format: {', '.join(FORMATS)}"
            raise Unreadable(path=path, reason=reason)
        with self._lock_archive():
            is_over = not source.grows or is_finished(origin, self._bench.now)
            start = self._archive.resume_point(origin, source, ReadStart(zone=self._bench.zone, closed=is_over))
            records = source.read(_report_progress(origin.read_chunks(start.at), start.at, progress), start)
            if self._options.skip_paused and self._bench.state is not None:
                records = without_paused(records, self._bench.state, start)
            if self._options.dry_run:
                self._count_records(path, records)
                return
            before, gone = len(self._conversations), self._forgotten
            records = self._sealing.seal_passing(records) if self._sealing else records
            # A session that goes on in a new file repeats the old one: what is known of another is only named.
            elsewhere = refresh_index(self._bench).is_known_turn if source.grows else None
            for tally in self._archive.append_all(records, now=self._bench.now, origin=origin, elsewhere=elsewhere):
                self._record_conversation(path, tally)
        self._unchanged += len(self._conversations) == before
        if is_over and self._options.learn:  # else an answer that was still being given is read when it is over
            self._read_files.mark_read(path, stamp, is_gone=self._forgotten > gone)

    def _lock_archive(self) -> AbstractContextManager[None]:
        """One process adds to the archive at a time; those who write notes need not wait for it."""
        self._bench.vault.check_writable_places()
        folder = self._bench.vault.undo  # in the vault, as others may share it; what lies there never travels
        files.make_folder(folder)
        return files.lock(folder / "talks.lock", wait=_WAIT_SECONDS)

    def _record_conversation(self, source: Path, tally: AppendResult) -> None:
        if self._sealing:
            self._sealing.name_sealed(tally)
        self._forgotten += tally.purged
        self._lapsed += tally.expired
        extracted, learnt = self._extract_and_learn(tally.path, source) if tally.path else (ExtractCounts(), ())
        self._size += tally.size
        if tally.turns or tally.other_lines or tally.unreadable_count or extracted.topics or learnt:
            self._conversations.append(_make_ingested(source, tally, extracted, learnt))

    def _extract_and_learn(self, path: str, source: Path) -> tuple[ExtractCounts, tuple[LearnResult, ...]]:
        """What is drawn out of all that nobody looked at yet: of what is new, and of what a killed run left."""
        lesson = (
            TranscriptLearner(self._bench, self._archive, path, self._learn_policy(source))
            if self._options.learn
            else None
        )
        facts = topics = 0
        for drawn in extract_new(self._archive, path, self._ask, known=self._keywords):
            facts, topics = facts + len(drawn.facts), topics + len(drawn.topics)
            if lesson:
                lesson.learn_extraction(drawn)
        if lesson:
            lesson.learn_missed()
        return ExtractCounts(facts, topics), tuple(lesson.results) if lesson else ()

    def _learn_policy(self, source: Path) -> LearnPolicy:
        is_own = claude_projects(self._bench.environment).absolute() in source.absolute().parents
        return LearnPolicy(self._ask, self._reviewers, is_own)

    def _count_records(self, source: Path, records: Iterable[TranscriptRecord]) -> None:
        """What a file holds, without a word of it written."""
        for head, part in split_conversations(records):
            tally = AppendResult(head=Redactor().redact_head(head) if head else None)
            for record in part:
                match record:
                    case Conversation():
                        tally.head = Redactor().redact_head(record)
                    case TranscriptEntry(turn=None):
                        tally.other_lines += 1
                    case TranscriptEntry():
                        tally.turns += 1
                    case UnreadableEntry():
                        tally.count_unreadable(record)
            self._conversations.append(_make_ingested(source, tally, ExtractCounts(), ()))

    def make_result(self) -> IngestResult:
        """What came of the whole run."""
        return IngestResult(
            taken=tuple(self._conversations),
            unchanged=self._unchanged,
            forgotten=self._forgotten,
            lapsed=self._lapsed,
            failed=tuple(self.failed),
            size=self._size,
            sealed=self._sealing.count if self._sealing else 0,
            unsealed=self._unsealed,
            dry_run=self._options.dry_run,
        )


def _make_ingested(
    source: Path, tally: AppendResult, extracted: ExtractCounts, learnt: tuple[LearnResult, ...]
) -> IngestedConversation:
    head = tally.head
    return IngestedConversation(
        source=source,
        id=head.id if head else "",
        title=head.title if head else "",
        path=tally.path,
        turns=tally.turns,
        kept=tally.other_lines,
        repeated=tally.repeated,
        bad=tally.unreadable_count,
        told=tuple((bad.where, bad.why) for bad in tally.unreadable),
        extracted=extracted,
        learnt=learnt,
    )


def is_finished(origin: SourceFile, now: datetime) -> bool:
    """Whether what was said last in a transcript was said so long ago that nobody is speaking any more."""
    times = _TIME.findall(origin.last.decode(errors="replace"))
    last = read_moment(times[-1]) if times else None
    return last is None or abs(now - last) > _SILENCE


def _report_progress(chunks: Iterable[bytes], start: int, progress: Callable[[int], None] | None) -> Iterator[bytes]:
    read = start
    for chunk in chunks:
        yield chunk
        read += len(chunk)
        if progress:
            progress(read)


def _count_keywords(context: VaultContext) -> dict[str, int]:
    """The keywords there are, and how often each stands, so that new topics are named as old ones were."""
    counts = Counter(word for memory in context.index.memories(NO_FILTERS) for word in (*memory.tags, *memory.topics))
    counts.update(word for words in refresh_index(context).keyword_sets() for word in words)
    return dict(counts)
