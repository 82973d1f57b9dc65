"""The archive of conversations: their paths, how to find them, and how to append to them."""

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

from memvault.core.conversation import Conversation, Fact, Trajectory
from memvault.core.ids import SHORTEST_PREFIX
from memvault.errors import MemvaultError
from memvault.storage.vault.layout import Layout
from memvault.system import files
from memvault.text.file_names import slugify

if TYPE_CHECKING:
    from memvault.core.secrets.erase import Erase
    from memvault.transcripts.archive.append import AppendResult, IsKnownElsewhere
    from memvault.transcripts.archive.read import Transcript
    from memvault.transcripts.archive.source_file import SourceFile
    from memvault.transcripts.model.record import (
        ExpiryLookup,
        IsPurgedTurn,
        ReadStart,
        TranscriptEntry,
        TranscriptFormat,
        TranscriptRecord,
    )
    from memvault.transcripts.model.redact import Redactor

# Every search lists the archive; few read it, and fewer append to it: so those imports are deferred.

ENDING, FACTS_ENDING = ".jsonl.gz", ".facts.jsonl.gz"
SHORT = 8
_NO_FILE = (0, 0, 0, 0)
_HEX = frozenset("0123456789abcdef")

Key = tuple[int, ...]


class Archive:
    """All conversations of a vault; whoever appends holds the archive's lock."""

    def __init__(
        self,
        root: Path,
        layout: Layout,
        load_eraser: Callable[[], Erase | None] = lambda: None,
        load_purged: Callable[[], IsPurgedTurn | None] = lambda: None,
        load_expired: Callable[[], ExpiryLookup | None] = lambda: None,
    ) -> None:
        self._root, self._folder = root, layout.transcripts
        # loaded only by appends
        self._load_eraser, self._load_purged, self._load_expired = load_eraser, load_purged, load_expired
        self._by_short: dict[str, list[str]] | None = None

    # -- reading

    def list_conversations(self) -> list[tuple[str, Key]]:
        """Return every conversation's path in the vault with the stat keys of its two files."""
        found: dict[str, os.stat_result] = {}
        if not files.leads_out(self._root / self._folder):
            self._walk_folder(self._root / self._folder, self._folder, found)
        paths = sorted(path for path in found if not path.endswith(FACTS_ENDING))
        return [(path, (*_stat_key(found[path]), *_stat_key(found.get(_facts_path(path))))) for path in paths]

    def open_transcript(self, path: str) -> Transcript:
        """Return the transcript at a path; refuse a path that leads out of the archive."""
        from memvault.transcripts.archive.read import Transcript

        return Transcript(self._absolute_path(path), self._absolute_path(_facts_path(path)))

    def find_paths(self, ref: str) -> list[str]:
        """Return the conversations that match a session id, the beginning of one, or a file name."""
        ref_text = ref.strip()
        if not ref_text:
            return []
        shorts = self._short_ids()
        every = sorted({path for paths in shorts.values() for path in paths})
        named = [path for path in every if ref_text in (path, _file_stem(path))]
        keys = {short_id(ref_text), ref_text.casefold()[:SHORT]}
        near = [path for path in every if any(key.startswith(tuple(keys)) for key in _short_ids_in(_file_stem(path)))]
        return (
            named
            or self._match_ids(near, ref_text)
            or self._match_ids([path for path in every if path not in near], ref_text)
        )

    def resume_point(self, origin: SourceFile, source: TranscriptFormat, start: ReadStart) -> ReadStart:
        """Return where to resume reading a file: after the archived part, if the file only grew."""
        start = replace(start, name=start.name or origin.name)
        head = next((one for one in source.read([origin.first], start) if isinstance(one, Conversation)), None)
        path = self._existing_path(self._redactor.redact_head(head)) if head and source.grows else None
        if path is None:
            return start
        there = self.open_transcript(path)
        mark = there.read_marks().get(origin.key)
        # Where the archive is damaged, everything is read again, and lost turns are restored.
        at = origin.resume_place(mark) if mark and not there.damage else 0
        return replace(start, at=at, head=there.read_head() if at else None)

    # -- adding

    def append_conversation(
        self,
        head: Conversation | None,
        records: Iterable[TranscriptRecord],
        *,
        now: datetime,
        origin: SourceFile | None = None,
        elsewhere: IsKnownElsewhere | None = None,
    ) -> AppendResult:
        """Append what is new of a conversation, member by member; what was written stays, whatever follows.

        `elsewhere` tells by a turn's id and text whether another conversation has it: then only a reference is added.
        """
        from memvault.transcripts.archive.append import AppendResult, ConversationWriter
        from memvault.transcripts.model.record import UnexpiredRecords, is_conversation_purged

        is_gone = self._is_purged
        if is_gone and is_conversation_purged(head, is_gone):
            deque(records, maxlen=0)  # only who reads them all learns which are whose
            return AppendResult(purged=True)
        path = self._existing_path(self._redactor.redact_head(head)) if head else None
        there = self._absolute_path(path) if path else None
        rest = (
            UnexpiredRecords(head, self._expired_until, is_there=bool(there)) if head and self._expired_until else None
        )
        records = rest.filter_records(records) if rest else records
        addition = ConversationWriter(
            lambda conversation, when: self._new_path(conversation, when or now),
            there,
            self._redactor,
            elsewhere,
            is_gone,
        )
        appended = addition.write_records(chain([head] if head else [], records), origin)
        appended.expired = rest is not None and not rest.has_later_turns and there is None
        appended.path = path or (addition.path.relative_to(self._root).as_posix() if addition.path else "")
        return appended

    def append_extracted(
        self, path: str, facts: Iterable[Fact], trajectories: Iterable[Trajectory], *, by: str, anew: bool = False
    ) -> int:
        """Append facts and topics of a conversation, replacing earlier ones if `anew`; return the bytes written."""
        from memvault.transcripts.archive import codec
        from memvault.transcripts.archive.codec import pack_member

        clean = self._redactor
        lines = [
            codec.encode_line({"fact": codec.encode_fact(clean.redact_fact(fact))}) for fact in facts if fact.turns
        ]
        lines += [
            codec.encode_line({"trajectory": codec.encode_trajectory(clean.redact_trajectory(run))})
            for run in trajectories
        ]
        strand = self.open_transcript(path).facts_file
        if not lines and not (anew and strand.file_size()):
            return 0
        first = codec.encode_line({"v": codec.FORMAT, "by": by, **({"anew": True} if anew else {})})
        data = pack_member(b"".join((first, *lines)))
        files.extend_at(strand.path, data, at=strand.append_offset())
        return len(data)

    def is_purged_entry(self, conversation: str, entry: TranscriptEntry) -> bool:
        """Return whether any part of a record was purged, so that nothing may keep its original."""
        from memvault.transcripts.model.record import is_expired, without_purged
        from memvault.transcripts.model.redact import Redactor

        if self._expired_until and is_expired(entry, conversation, self._expired_until):
            return True
        is_gone, plain = self._is_purged, Redactor()
        if is_gone and (
            is_gone(conversation, "")
            or without_purged(entry, Conversation(id=conversation, source=""), is_gone) is not entry
        ):
            return True
        is_said = entry.turn is not None and self._redactor.redact_turn(entry.turn) != plain.redact_turn(entry.turn)
        return is_said or (
            entry.raw is not None and self._redactor.redact_record(entry.raw) != plain.redact_record(entry.raw)
        )

    @cached_property
    def _is_purged(self) -> IsPurgedTurn | None:
        return self._load_purged()

    @cached_property
    def _expired_until(self) -> ExpiryLookup | None:
        return self._load_expired()

    @cached_property
    def _redactor(self) -> Redactor:
        from memvault.transcripts.model.redact import Redactor

        return Redactor(self._load_eraser())

    def rename_conversation(self, path: str) -> str:
        """Rename a conversation after its current head; return the path."""
        head, stem = self.open_transcript(path).read_head(), _file_stem(path)
        target = self._new_path(head, datetime.fromisoformat(stem[:10]).replace(tzinfo=UTC))
        if target.name.removesuffix(ENDING).rpartition("-")[0] in (stem, stem.rpartition("-")[0]):
            return path
        there = target.relative_to(self._root).as_posix()
        for source, goal in ((_facts_path(path), _facts_path(there)), (path, there)):
            if (self._root / source).exists():
                files.make_folder((self._root / goal).parent)
                files.move_file(self._root / source, self._root / goal)
        self._by_short = None
        return there

    # -- names

    def _existing_path(self, head: Conversation) -> str | None:
        """Return the path of an archived conversation."""
        return next(iter(self._match_ids(self._short_ids().get(short_id(head.id), ()), head.id, whole=True)), None)

    def _match_ids(self, paths: Iterable[str], ref_text: str, *, whole: bool = False) -> list[str]:
        found = []
        for path in paths:
            try:
                name = self.open_transcript(path).read_head().id
            except MemvaultError:
                continue  # reported by whoever lists it
            is_begun = len(ref_text) >= SHORTEST_PREFIX and name.casefold().startswith(ref_text.casefold())
            if name == ref_text or (is_begun and not whole):
                found.append(path)
        return found

    def _new_path(self, head: Conversation, when: datetime) -> Path:
        day = when.astimezone(UTC).date().isoformat()
        title = head.title or head.project.replace("\\", "/").rstrip("/").rpartition("/")[2] or head.id
        stem = f"{self._folder}{day[:7]}/{day}-{slugify(title)}-{short_id(head.id)}"
        path, number = f"{stem}{ENDING}", 1
        while os.path.lexists(self._root / path):
            number += 1
            path = f"{stem}-{number}{ENDING}"
        self._short_ids().setdefault(short_id(head.id), []).append(path)
        return self._absolute_path(path)

    def _short_ids(self) -> dict[str, list[str]]:
        if self._by_short is None:
            self._by_short = {}
            for path, _ in self.list_conversations():
                for key in _short_ids_in(_file_stem(path)):
                    self._by_short.setdefault(key, []).append(path)
        return self._by_short

    def _absolute_path(self, path: str) -> Path:
        full = self._root / path
        files.check_read(full)
        files.check_inside(self._root / self._folder, full)
        return full

    def _walk_folder(self, folder: Path, path: str, found: dict[str, os.stat_result]) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        self._walk_folder(folder / entry.name, f"{path}{entry.name}/", found)
                    elif entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
                        found[path + entry.name] = entry.stat(follow_symlinks=False)
        except OSError:
            return  # missing, or not readable


def split_conversations(
    records: Iterable[TranscriptRecord],
) -> Iterator[tuple[Conversation | None, Iterator[TranscriptRecord]]]:
    """Yield a reader's records by conversation; records before the first head belong to none."""
    current = ""

    def conversation_id(record: TranscriptRecord) -> str:
        nonlocal current
        current = record.id if isinstance(record, Conversation) else current
        return current

    for _, part in groupby(records, conversation_id):
        given = iter(part)
        first = next(given)
        yield (first, given) if isinstance(first, Conversation) else (None, chain([first], given))


def short_id(id_: str) -> str:
    """Return the eight hex digits that stand for a conversation in file names."""
    start = id_[:SHORT].casefold()
    if len(start) == SHORT and set(start) <= _HEX:
        return start
    return files.digest(id_.encode("utf-8", "surrogatepass"))[:SHORT]


def _short_ids_in(stem: str) -> list[str]:
    return [part for part in stem.split("-")[-2:] if len(part) == SHORT and set(part) <= _HEX]


def _file_stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(ENDING)


def _facts_path(path: str) -> str:
    return path.removesuffix(ENDING) + FACTS_ENDING


def _stat_key(found: os.stat_result | None) -> Key:
    return files.stat_key(found) if found else _NO_FILE
