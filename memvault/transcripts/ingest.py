"""Ingest transcripts: archive them whole, extract facts and topics, and learn memories."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from memvault.core.conversation import Conversation
from memvault.core.query import NO_FILTERS
from memvault.errors import BadInput, DamagedIndex, MemvaultError, Unreadable
from memvault.storage.pauses import PausePeriod, hidden_sessions, read_pauses
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system import project as projects
from memvault.system.age import PrivateKeys
from memvault.system.paths import claude_projects, config_folder
from memvault.text.dates.dates import read_moment
from memvault.transcripts.archive.append import AppendResult
from memvault.transcripts.archive.archive import split_conversations
from memvault.transcripts.archive.originals import set_up_sealing
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.extract.candidates import PassedSentence
from memvault.transcripts.extract.extract import extract_new
from memvault.transcripts.formats import FORMATS, guess_format
from memvault.transcripts.formats.claude_code import is_transcript
from memvault.transcripts.learn import LearnPolicy, LearnResult, ObeyTurn, TranscriptLearner
from memvault.transcripts.model.record import (
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    get_text,
    parse_moment,
)
from memvault.transcripts.model.redact import Redactor
from memvault.transcripts.search import open_archive, refresh_index

# Text said during a pause is not archived automatically.


def without_paused(records: Iterable[TranscriptRecord], state: Path, start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield the records that were not said during a pause of everything, their session or their project."""
    pauses, hidden = read_pauses(state), hidden_sessions(state)
    if not pauses and hidden is None:
        yield from records
        return
    head, at = start.head, None
    for record in records:
        if isinstance(record, Conversation):
            head = record
        elif isinstance(record, TranscriptEntry):
            said = record.turn.time if record.turn else None
            at = said or parse_moment((record.raw or {}).get("timestamp"), start.zone) or at
        # An unreadable entry has the time of the entry before it.
        if not isinstance(record, TranscriptEntry | UnreadableEntry) or not _is_paused(
            record, head, at, pauses, hidden
        ):
            yield record


def _is_paused(
    record: TranscriptEntry | UnreadableEntry,
    head: Conversation | None,
    at: datetime | None,
    pauses: tuple[PausePeriod, ...],
    hidden: Callable[[str], bool] | None,
) -> bool:
    folder = head.project if head and any(pause.scope.of == "project" for pause in pauses) else ""
    sessions = {head.id if head else ""}
    if isinstance(record, TranscriptEntry):
        sessions |= {record.turn.session if record.turn else "", get_text(record.raw or {}, "sessionId")}
    if hidden is not None and any(map(hidden, sessions)):
        return True
    return any(_pause_applies(pause, _project_of(folder), session, at) for pause in pauses for session in sessions)


def _pause_applies(pause: PausePeriod, project: str, session: str, at: datetime | None) -> bool:
    # "Do not remember this conversation" covers all of it, whenever it is said.
    if pause.scope.of == "session" and pause.until is None:
        return pause.applies_to(project, session, pause.since)
    return at is not None and pause.applies_to(project, session, at)


@cache
def _project_of(folder: str) -> str:
    return projects.project_of(Path(folder)) if folder else ""


# Which files were read to their end, as they were then: a short list in this machine's state.

Stamp = list[int]

_FILE = "ingested.json"


class ReadFiles:
    """Paths of ingested files with their stamps; without it files are read again, but nothing is doubled."""

    def __init__(self, context: VaultContext) -> None:
        self._path = None if context.state is None else context.state / _FILE
        self._stamps: dict[str, Stamp] = {}
        if self._path is not None and self._path.exists():
            with suppress(MemvaultError, ValueError):
                self._stamps = json.loads(files.read_file(self._path))

    def file_stamp(self, path: Path) -> Stamp:
        """Return what changes about a file when its content changes."""
        try:
            found = path.stat()
        except OSError:
            return []
        return [found.st_size, found.st_mtime_ns, found.st_ino]

    def is_unchanged(self, path: Path, stamp: Stamp) -> bool:
        """Return whether a file was read and has not changed since."""
        return bool(stamp) and stamp in (self._stamps.get(name) for name in (_path_key(path), _hidden_key(path)))

    def mark_read(self, path: Path, stamp: Stamp, *, is_gone: bool = False) -> None:
        """Record that a file was read; a purged conversation's file under a name that does not reveal it."""
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
_WAIT_SECONDS = 600.0  # another run may be ingesting a large file


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """What to ingest, and how."""

    paths: tuple[Path, ...]
    format: str = ""
    learn: bool = True  # whether to learn memories
    everything: bool = False  # all transcripts of this person's own agent, too
    skip_paused: bool = False  # leave out what was said during a pause
    dry_run: bool = False
    obey: ObeyTurn | None = None  # what obeys the commands that were spoken to memvault


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedConversation:
    """The result for one conversation."""

    source: Path
    id: str
    title: str
    path: str  # in the archive
    turns: int  # new ones
    kept: int  # other new lines
    repeated: int
    bad: int
    told: tuple[tuple[str, str], ...] = ()  # the first unreadable entries: where, and why
    facts: int = 0  # extracted ones
    topics: int = 0
    learnt: tuple[LearnResult, ...] = ()
    passed: tuple[PassedSentence, ...] = ()  # what of people's words became no memory, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """The result of a whole run."""

    taken: tuple[IngestedConversation, ...] = ()
    unchanged: int = 0  # files without new lines
    forgotten: int = 0  # purged conversations
    lapsed: int = 0  # expired conversations without later turns
    failed: tuple[tuple[str, str], ...] = ()  # files that could not be read, and why
    size: int = 0  # bytes written
    sealed: int = 0  # lines whose original was sealed
    unsealed: str = ""  # why none was sealed, though it was wanted
    dry_run: bool = False


def ingest(context: VaultContext, options: IngestOptions, *, progress: ReadProgress | None = None) -> IngestResult:
    """Ingest every conversation in some files and folders; one that cannot be read does not stop the others."""
    if options.everything:
        own = claude_projects(context.environment)
        paths = (*options.paths, own) if own.is_dir() else options.paths
        options = replace(options, paths=paths, skip_paused=True)
    if options.format and options.format not in FORMATS:
        raise BadInput(what="the format", value=options.format, reason=f"it must be one of {', '.join(FORMATS)}")
    work = _IngestRun(context, options)
    missing = [path for path in options.paths if not path.exists()]
    if missing and len(missing) == len(options.paths):
        raise Unreadable(path=missing[0], reason="there is no such file or folder")
    work.failed += [(str(path), "there is no such file or folder") for path in missing]
    found = sorted({file for path in options.paths if path not in missing for file in _find_files(path)})
    total, done = sum(_file_size(file) for file in found), 0
    for file in found:
        try:
            work.ingest_file(file, (lambda read, done=done: progress(done + read, total)) if progress else None)  # type: ignore[misc]
        except DamagedIndex:
            raise  # the open vault sets a damaged index aside and repeats the whole run, which doubles nothing
        except MemvaultError as error:
            work.failed.append((str(file), str(error)))
        done += _file_size(file)
        if progress:
            progress(done, total)
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
    """One run: the archive, the files read before, and the results so far."""

    def __init__(self, context: VaultContext, options: IngestOptions) -> None:
        self._context, self._options = context, options
        self._archive = open_archive(context)
        self._sealing, self._unsealed = None, ""
        if context.settings.text("transcripts.secrets") == "seal" and not options.dry_run:
            keys = PrivateKeys(config_folder(context.environment))
            self._sealing, self._unsealed = set_up_sealing(context, self._archive, keys)
        self._ask = context.ask_model()
        self._reviewers = {} if self._ask is None else context.reviewers()
        self._read_files = ReadFiles(context)
        counts = Counter(
            word for memory in context.index.memories(NO_FILTERS) for word in (*memory.tags, *memory.topics)
        )
        counts.update(word for words in refresh_index(context).keyword_sets() for word in words)
        self._keywords = dict(counts)
        self._conversations: list[IngestedConversation] = []
        self._size = self._unchanged = self._forgotten = self._lapsed = 0
        self.failed: list[tuple[str, str]] = []

    def ingest_file(self, path: Path, progress: Callable[[int], None] | None) -> None:
        """Ingest one file, unless it was read to its end and has not changed since."""
        stamp = self._read_files.file_stamp(path)
        # A named file is read again, as its archived turns may be damaged since.
        if path not in self._options.paths and self._read_files.is_unchanged(path, stamp):
            self._unchanged += 1
            return
        origin = SourceFile.open_file(path)
        source = FORMATS.get(self._options.format or guess_format(origin.first, path.name))
        if source is None:
            reason = f"its format is unknown; give one with --format: {', '.join(FORMATS)}"
            raise Unreadable(path=path, reason=reason)
        vault = self._context.vault
        vault.check_writable_places()
        # In the vault, as others may share it: one process appends at a time. This folder is never synced.
        files.make_folder(vault.undo)
        with files.lock(vault.undo / "talks.lock", wait=_WAIT_SECONDS):
            is_over = not source.grows or is_finished(origin, self._context.now)
            start = self._archive.resume_point(origin, source, ReadStart(zone=self._context.zone, closed=is_over))
            records = source.read(_report_progress(origin.read_chunks(start.at), start.at, progress), start)
            if self._options.skip_paused and self._context.state is not None:
                records = without_paused(records, self._context.state, start)
            if self._options.dry_run:
                self._count_records(path, records)
                return
            before, gone = len(self._conversations), self._forgotten
            records = self._sealing.seal_passing(records) if self._sealing else records
            # A session resumed in a new file repeats the old one: turns known elsewhere are only referenced.
            elsewhere = refresh_index(self._context).is_known_turn if source.grows else None
            for head, part in split_conversations(records):
                appended = self._archive.append_conversation(
                    head, part, now=self._context.now, origin=origin, elsewhere=elsewhere
                )
                self._record_conversation(path, appended)
        self._unchanged += len(self._conversations) == before
        if is_over and self._options.learn:  # else an open answer is read when it is complete
            self._read_files.mark_read(path, stamp, is_gone=self._forgotten > gone)

    def _record_conversation(self, source: Path, appended: AppendResult) -> None:
        if self._sealing:
            self._sealing.name_sealed(appended)
        self._forgotten += appended.purged
        self._lapsed += appended.expired
        facts, topics, learner = self._extract_and_learn(appended.path, source) if appended.path else (0, 0, None)
        learned = tuple(learner.results) if learner else ()
        self._size += appended.size
        if appended.turns or appended.other_lines or appended.unreadable_count or topics or learned:
            taken = _make_ingested(source, appended)
            passed = tuple(learner.passed) if learner else ()
            self._conversations.append(replace(taken, facts=facts, topics=topics, learnt=learned, passed=passed))

    def _extract_and_learn(self, path: str, source: Path) -> tuple[int, int, TranscriptLearner | None]:
        """Extract and learn everything that is not yet processed: new turns, and those a killed run left."""
        learner = None
        if self._options.learn:
            is_own = claude_projects(self._context.environment).absolute() in source.absolute().parents
            policy = LearnPolicy(self._ask, self._reviewers, is_own, self._options.obey)
            learner = TranscriptLearner(self._context, self._archive, path, policy)
        facts = topics = 0
        for extraction in extract_new(self._archive, path, self._ask, known=self._keywords):
            facts, topics = facts + len(extraction.facts), topics + len(extraction.topics)
            if learner:
                learner.learn_extraction(extraction)
        if learner:
            learner.learn_missed()
        return facts, topics, learner

    def _count_records(self, source: Path, records: Iterable[TranscriptRecord]) -> None:
        """Count the records of a file without writing anything."""
        for head, part in split_conversations(records):
            appended = AppendResult(head=Redactor().redact_head(head) if head else None)
            for record in part:
                match record:
                    case Conversation():
                        appended.head = Redactor().redact_head(record)
                    case TranscriptEntry(turn=None):
                        appended.other_lines += 1
                    case TranscriptEntry():
                        appended.turns += 1
                    case UnreadableEntry():
                        appended.count_unreadable(record)
            self._conversations.append(_make_ingested(source, appended))

    def make_result(self) -> IngestResult:
        """Return the result of the whole run."""
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


def _make_ingested(source: Path, appended: AppendResult) -> IngestedConversation:
    head = appended.head
    return IngestedConversation(
        source=source,
        id=head.id if head else "",
        title=head.title if head else "",
        path=appended.path,
        turns=appended.turns,
        kept=appended.other_lines,
        repeated=appended.repeated,
        bad=appended.unreadable_count,
        told=tuple((bad.where, bad.why) for bad in appended.unreadable),
    )


def is_finished(origin: SourceFile, now: datetime) -> bool:
    """Return whether the last turn of a transcript is so old that nobody is speaking any more."""
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
