"""Seal originals of lines with secrets while a reader's records pass, before these are archived."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.conversation import Conversation, Turn
from memvault.errors import MemvaultError, NotOpened
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import SEALED, Layout
from memvault.system import age, files
from memvault.system.age import PrivateKeys
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.archive import ENDING, Archive
from memvault.transcripts.model.record import Raw, SeenSet, TranscriptEntry, TranscriptRecord
from memvault.transcripts.model.redact import Redactor

if TYPE_CHECKING:
    from memvault.transcripts.archive.append import AppendResult


# Sealed originals lie beside their conversation, numbered.

_WAITING = ".sealing-"
_GZIP = 31  # zlib's value for gzip: age and gunzip, or zcat, are enough to read one
_MOST_UNPACKED = 256 * 1024 * 1024  # limit of what a few bytes may expand to


class SealedFiles:
    """The sealed files of a vault; whoever adds to them holds the lock of the archive.

    Until the conversation has a file whose name they can share, they wait under a name that does not reveal it.
    """

    def __init__(self, root: Path, layout: Layout) -> None:
        self._root, self._folder = root, root / layout.transcripts

    def put_lines(self, conversation: str, lines: Sequence[bytes], keys: PrivateKeys) -> None:
        """Seal some lines of a conversation, durably; they wait until `name_waiting` gives them their name."""
        packed = zlib.compressobj(wbits=_GZIP)
        data = packed.compress(b"".join(lines)) + packed.flush()
        sealed = keys.seal_bytes(data)
        files.make_folder(self._folder)
        target = self._folder / f"{_hidden_name(conversation)}{_next_number(self._waiting_files(conversation))}{SEALED}"
        files.check_inside(self._root, target)
        files.create_file(target, sealed)

    def name_waiting(self, conversation: str, path: str) -> None:
        """Give waiting files their name beside the conversation; without a path remove them."""
        for waiting in self._waiting_files(conversation):
            if not path:
                files.remove_file(waiting)
                continue
            number = _next_number(self._files_beside(path))
            files.move_file(waiting, self._root / f"{path.removesuffix(ENDING)}.{number}{SEALED}")

    def sealed_files(self, conversation: str, path: str) -> list[Path]:
        """Return the sealed files of a conversation, in order, with those that a killed run left waiting."""
        return [*self._files_beside(path), *self._waiting_files(conversation)]

    def all_files(self) -> Iterator[Path]:
        """Return all sealed files."""
        found = () if files.leads_out(self._folder) else sorted(self._folder.rglob(f"*{SEALED}"))
        return (path for path in found if path.is_file() and not files.leads_out(path))

    def read_lines(self, path: Path, keys: PrivateKeys) -> list[bytes]:
        """Return the sealed lines of a file."""
        packed = keys.unseal_bytes(files.read_file(path), path=path)
        stream = zlib.decompressobj(_GZIP)
        try:
            data = stream.decompress(packed, _MOST_UNPACKED)
        except zlib.error as error:
            raise NotOpened(path=path, reason=age.DAMAGED) from error
        if not stream.eof:
            raise NotOpened(path=path, reason="its content is too large, or incomplete")
        return data.splitlines()

    def _files_beside(self, path: str) -> list[Path]:
        stem = self._root / path.removesuffix(ENDING)
        return _numbered_files(stem.parent, f"{stem.name}.")

    def _waiting_files(self, conversation: str) -> list[Path]:
        return _numbered_files(self._folder, _hidden_name(conversation))


def _hidden_name(conversation: str) -> str:
    return f"{_WAITING}{files.digest(conversation.encode('utf-8', 'surrogatepass'))}."


def _numbered_files(folder: Path, begin: str) -> list[Path]:
    pattern = re.compile(rf"{re.escape(begin)}[0-9]{{1,9}}{re.escape(SEALED)}")
    found = [path for path in folder.iterdir() if pattern.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, key=_file_number)


def _next_number(files_so_far: Sequence[Path]) -> int:
    return _file_number(files_so_far[-1]) + 1 if files_so_far else 1


def _file_number(path: Path) -> int:
    return int(path.name.removesuffix(SEALED).rpartition(".")[2])


_MOST = 4 * 1024 * 1024  # of text held until it is sealed
_PRIVATE = re.compile(r"private(?:>|&gt;|\\+u003e)", re.IGNORECASE)  # also as nested JSON spells it
_REDACTED = b"[redacted: "
_AGAIN = re.compile(r"~[0-9]{1,9}\Z")


def set_up_sealing(context: VaultContext, archive: Archive, keys: PrivateKeys) -> tuple[OriginalSealer | None, str]:
    """Return what seals the originals of one run, or why nothing does: transcripts are ingested all the same."""
    try:
        keys.seal_bytes(b"")  # to raise what prevents it
    except MemvaultError as error:
        reason = f"Originals were not sealed, their secrets were left out: {error}"
        return None, f"{reason} {error.advice}".rstrip()
    return OriginalSealer(SealedFiles(context.vault.root, context.vault.layout), archive, keys), ""


class OriginalSealer:
    """Seals the originals of one run; not those already archived, nor lines with a private span."""

    def __init__(self, sealed: SealedFiles, archive: Archive, keys: PrivateKeys) -> None:
        self._files, self._archive, self._keys = sealed, archive, keys
        self._redactor = Redactor()
        self._source_id = self._conversation = ""  # of the conversation: its id in the source, and in the archive
        self._known_lines: SeenSet | None = None
        self._lines: list[bytes] = []
        self._held_records: list[TranscriptRecord] = []
        self._size = 0
        self._waiting: Counter[str] = Counter()
        self.count = 0  # sealed lines

    def seal_passing(self, records: Iterable[TranscriptRecord]) -> Iterator[TranscriptRecord]:
        """Yield the same records; hold back those after a line with a secret until its original is safe.

        So a killed run leaves nothing in the archive of which the original was still to be sealed.
        """
        self._begin_conversation("")  # what an unreadable earlier source left was not archived
        for record in records:
            if isinstance(record, Conversation) and record.id != self._source_id:
                yield from self._release_held()
                self._begin_conversation(record.id, self._redactor.redact_head(record).id)
            entry = record if isinstance(record, TranscriptEntry) else None
            original = self._original_line(entry) if entry and self._conversation else b""
            if original:
                self._lines.append(original)
            if not self._lines:
                yield record
                continue
            self._held_records.append(record)
            self._size += len(original or (codec.encode_line(entry.raw) if entry and entry.raw else b""))
            if self._size >= _MOST:
                yield from self._release_held()
        yield from self._release_held()

    def name_sealed(self, appended: AppendResult) -> None:
        """Name the sealed files of a conversation after it, once it has its name."""
        if appended.head:
            self._files.name_waiting(appended.head.id, appended.path)
            sealed = self._waiting.pop(appended.head.id, 0)
            self.count += sealed if appended.path else 0

    def _begin_conversation(self, source_id: str, conversation: str = "") -> None:
        self._source_id, self._conversation, self._known_lines = source_id, conversation, None
        self._lines, self._held_records, self._size = [], [], 0

    def _release_held(self) -> Iterator[TranscriptRecord]:
        if self._lines:
            self._files.put_lines(self._conversation, self._lines, self._keys)
            self._waiting[self._conversation] += len(self._lines)
        released, self._lines, self._held_records, self._size = self._held_records, [], [], 0
        yield from released

    # -- one line

    def _original_line(self, entry: TranscriptEntry) -> bytes:
        """Return the line as it would be archived with its secrets; empty where it has none, or is not new."""
        turn = self._redactor.redact_turn(entry.turn) if entry.turn else None
        raw = self._redactor.redact_record(entry.raw) if entry.raw else None
        if turn == entry.turn and raw == entry.raw:
            return b""
        clean, line = _encode_original(turn, raw), _encode_original(entry.turn, entry.raw)
        if (
            _REDACTED not in clean
            or _PRIVATE.search(line.decode())
            or self._archive.is_purged_entry(self._conversation, entry)
        ):
            return b""
        raw_line = codec.encode_line(raw) if raw else b""
        keys = [turn.key if turn and turn != entry.turn else None, raw_line if _REDACTED in raw_line else None]
        is_known = [self._archived_lines.add(key) for key in keys if key]
        return b"" if all(is_known) else line

    @property
    def _archived_lines(self) -> SeenSet:
        """Return the redacted lines in the archive: read only when needed, as most conversations have none."""
        if self._known_lines is None:
            self._known_lines = SeenSet()
            for path in self._archive.find_paths(self._conversation):
                transcript = self._archive.open_transcript(path)
                if transcript.read_head().id == self._conversation:
                    for _, lines in transcript.turns_file.read_members():
                        for line in lines:
                            record = codec.decode_line(line) if _REDACTED in line else None
                            if record and isinstance(raw := record.get("raw"), dict):
                                self._known_lines.add(codec.encode_line(raw))
                            if record and (turn := codec.decode_turn(record.get("turn"))):
                                self._known_lines.add(turn.key)
                                self._known_lines.add((_AGAIN.sub("", turn.id), turn.session, turn.text))
        return self._known_lines


def _encode_original(turn: Turn | None, raw: Raw | None) -> bytes:
    return codec.encode_line({**({"turn": codec.encode_turn(turn)} if turn else {}), **({"raw": raw} if raw else {})})
