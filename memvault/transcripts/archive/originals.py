"""Originals of lines with secrets: collected while a reader's records pass, and sealed before these are written."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.core.conversation import Conversation, Turn
from memvault.errors import BadInput, BadKey, MemvaultError, NoConversation, NoKey, NotOpened
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import SEALED, Layout
from memvault.system import age, files
from memvault.system.age import Keyring
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.archive import ENDING
from memvault.transcripts.model.record import Raw, SeenSet, TranscriptEntry, TranscriptRecord
from memvault.transcripts.model.redact import Redactor
from memvault.transcripts.search import open_archive

if TYPE_CHECKING:
    from memvault.transcripts.archive.append import AppendResult
    from memvault.transcripts.archive.archive import Archive


# Where sealed originals lie: beside the conversation that they are of, numbered.

_WAITING = ".sealing-"
_GZIP = 31  # as zlib calls it: so that age and gunzip, or zcat, are all that is needed to read one
_MOST_UNPACKED = 256 * 1024 * 1024  # what a few bytes may swell to


class SealedFiles:
    """The sealed files of a vault; whoever adds to them holds the lock of the archive.

    Until the conversation has a file whose name they can share, they wait under a name that hides whose they are.
    """

    def __init__(self, root: Path, layout: Layout) -> None:
        self._root, self._folder = root, root / layout.transcripts

    def put_lines(self, talk: str, lines: Sequence[bytes], recipients: Sequence[str], *, public: Path) -> None:
        """Seal some lines of a conversation, durably; they wait until `settle` gives them their name."""
        squeezed = zlib.compressobj(wbits=_GZIP)
        data = squeezed.compress(b"".join(lines)) + squeezed.flush()
        sealed = age.seal_bytes(data, recipients, path=public)
        files.make_folder(self._folder)
        waiting = self._waiting_files(talk)
        number = _file_number(waiting[-1]) + 1 if waiting else 1
        target = self._folder / f"{_hidden_name(talk)}{number}{SEALED}"
        files.check_inside(self._root, target)
        files.create_file(target, sealed)

    def name_waiting(self, talk: str, path: str) -> None:
        """Give what waits for a conversation its name beside it; without a path there is none, and it goes."""
        for waiting in self._waiting_files(talk):
            if not path:
                files.remove_file(waiting)
                continue
            there = self._files_beside(path)
            number = _file_number(there[-1]) + 1 if there else 1
            files.move_file(waiting, self._root / f"{path.removesuffix(ENDING)}.{number}{SEALED}")

    def sealed_files(self, talk: str, path: str) -> list[Path]:
        """The sealed files of a conversation, in order, those included that a killed run left waiting."""
        return [*self._files_beside(path), *self._waiting_files(talk)]

    def all_files(self) -> Iterator[Path]:
        """All sealed files."""
        found = () if files.leads_out(self._folder) else sorted(self._folder.rglob(f"*{SEALED}"))
        return (path for path in found if path.is_file() and not files.leads_out(path))

    def read_lines(self, path: Path, identities: Sequence[str], *, key: Path) -> list[bytes]:
        """What was sealed, line by line."""
        squeezed = age.unseal_bytes(files.read_file(path), identities, path=path, key=key)
        opening = zlib.decompressobj(_GZIP)
        try:
            data = opening.decompress(squeezed, _MOST_UNPACKED)
        except zlib.error as error:
            raise NotOpened(path=path, reason="it is damaged") from error
        if not opening.eof:
            raise NotOpened(path=path, reason="what is in it is too large, or not whole")
        return data.splitlines()

    def _files_beside(self, path: str) -> list[Path]:
        stem = self._root / path.removesuffix(ENDING)
        return _numbered_files(stem.parent, f"{stem.name}.")

    def _waiting_files(self, talk: str) -> list[Path]:
        return _numbered_files(self._folder, _hidden_name(talk))


def _hidden_name(talk: str) -> str:
    return f"{_WAITING}{files.digest(talk.encode('utf-8', 'surrogatepass'))}."


def _numbered_files(folder: Path, begin: str) -> list[Path]:
    wanted = re.compile(rf"{re.escape(begin)}[0-9]{{1,9}}{re.escape(SEALED)}")
    found = [path for path in folder.iterdir() if wanted.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, key=_file_number)


def _file_number(path: Path) -> int:
    return int(path.name.removesuffix(SEALED).rpartition(".")[2])


_MOST = 4 * 1024 * 1024  # of text that is held until it is sealed
_PRIVATE = re.compile(r"private(?:>|&gt;|\\+u003e)", re.IGNORECASE)  # also as texts within texts spell it
_REDACTED = b"[redacted: "
_AGAIN = re.compile(r"~[0-9]{1,9}\Z")


class SealingSetup(NamedTuple):
    """What seals the originals of one run, or why they are not kept."""

    sealing: OriginalSealer | None = None
    why_not: str = ""


def set_up_sealing(context: VaultContext, store: Archive, keyring: Keyring | None) -> SealingSetup:
    """Get ready to seal, if that is wanted; where it is not possible, conversations are taken in all the same."""
    if keyring is None:
        return SealingSetup()
    try:
        recipients = keyring.read_recipients()
        sealing = OriginalSealer(SealedFiles(context.vault.root, context.vault.layout), store, keyring, recipients)
        sealing.check_sealing()
    except MemvaultError as error:
        told = f"Originals were not sealed, their secrets were left out: {error}"
        return SealingSetup(why_not=f"{told} {error.advice}".rstrip())
    return SealingSetup(sealing)


class OriginalSealer:
    """The originals of one run. What is in the archive already is not sealed, nor any line with a private span."""

    def __init__(self, shelf: SealedFiles, store: Archive, keyring: Keyring, recipients: tuple[str, ...]) -> None:
        self._shelf, self._store = shelf, store
        self._keyring, self._recipients = keyring, recipients
        self._redactor = Redactor()
        self._source_id = self._talk = ""  # of the conversation: its id in the source, and in the archive
        self._known_lines: SeenSet | None = None
        self._lines: list[bytes] = []
        self._held_records: list[TranscriptRecord] = []
        self._size = 0
        self._waiting: Counter[str] = Counter()
        self.count = 0  # lines that were sealed

    def check_sealing(self) -> None:
        """Raise what would keep anything from being sealed."""
        age.seal_bytes(b"", self._recipients, path=self._keyring.recipients_path)

    def seal_passing(self, records: Iterable[TranscriptRecord]) -> Iterator[TranscriptRecord]:
        """The same records; those after a line with a secret are held back until its original is safe.

        So a run that is killed leaves nothing in the archive of which the original was still to be sealed.
        """
        self._begin_conversation(
            ""
        )  # what a source before this one left, when it could not be read to its end, was not archived
        for record in records:
            if isinstance(record, Conversation) and record.id != self._source_id:
                yield from self._release_held()
                self._begin_conversation(record.id, self._redactor.redact_head(record).id)
            original = self._original_line(record) if isinstance(record, TranscriptEntry) and self._talk else b""
            if original:
                self._lines.append(original)
            if not self._lines:
                yield record
                continue
            self._held_records.append(record)
            self._size += len(original) or _record_size(record)
            if self._size >= _MOST:
                yield from self._release_held()
        yield from self._release_held()

    def name_sealed(self, tally: AppendResult) -> None:
        """Put what was sealed of a conversation beside it, now that it has its name."""
        if tally.head:
            self._shelf.name_waiting(tally.head.id, tally.path)
            sealed = self._waiting.pop(tally.head.id, 0)
            self.count += sealed if tally.path else 0

    def _begin_conversation(self, source_id: str, talk: str = "") -> None:
        self._source_id, self._talk, self._known_lines = source_id, talk, None
        self._lines, self._held_records, self._size = [], [], 0

    def _release_held(self) -> Iterator[TranscriptRecord]:
        if self._lines:
            self._shelf.put_lines(self._talk, self._lines, self._recipients, public=self._keyring.recipients_path)
            self._waiting[self._talk] += len(self._lines)
        held, self._lines, self._held_records, self._size = self._held_records, [], [], 0
        yield from held

    # -- one line

    def _original_line(self, kept: TranscriptEntry) -> bytes:
        """The line as it would stand in the archive with its secrets; empty where it has none, or is not new."""
        turn = self._redactor.redact_turn(kept.turn) if kept.turn else None
        raw = self._redactor.redact_record(kept.raw) if kept.raw else None
        if turn == kept.turn and raw == kept.raw:
            return b""
        clean, line = _encode_original(turn, raw), _encode_original(kept.turn, kept.raw)
        if _REDACTED not in clean or _PRIVATE.search(line.decode()) or self._store.is_purged_entry(self._talk, kept):
            return b""
        keys = [_turn_key(turn) if turn != kept.turn else None, _raw_key(raw)]
        is_there = [self._archived_lines.add(key) for key in keys if key]
        return b"" if all(is_there) else line

    @property
    def _archived_lines(self) -> SeenSet:
        """The redacted lines that the conversation has: read when the first one comes, as most have none."""
        if self._known_lines is None:
            self._known_lines = SeenSet()
            for path in self._store.find_paths(self._talk):
                there = self._store.open_transcript(path)
                if there.read_head().id == self._talk:
                    for _, lines in there.turns_file.read_members():
                        self._remember_lines(self._known_lines, lines)
        return self._known_lines

    @staticmethod
    def _remember_lines(known: SeenSet, lines: list[bytes]) -> None:
        for record in (codec.decode_line(line) for line in lines if _REDACTED in line):
            if record is None:
                continue
            if isinstance(raw := record.get("raw"), dict):
                known.add(codec.encode_line(raw))
            if turn := codec.decode_turn(record.get("turn")):
                known.add(_turn_key(turn))
                known.add((_AGAIN.sub("", turn.id), turn.session, turn.text))


def _encode_original(turn: Turn | None, raw: Raw | None) -> bytes:
    return codec.encode_line({**({"turn": codec.encode_turn(turn)} if turn else {}), **({"raw": raw} if raw else {})})


def _turn_key(turn: Turn | None) -> tuple[str, str, str] | None:
    return (turn.id, turn.session, turn.text) if turn else None


def _raw_key(raw: Raw | None) -> bytes | None:
    line = codec.encode_line(raw) if raw else b""
    return line if _REDACTED in line else None


def _record_size(record: TranscriptRecord) -> int:
    return len(codec.encode_line(record.raw)) if isinstance(record, TranscriptEntry) and record.raw else 0


# Sealed originals: how it stands with them, and what they say to whoever has the key.


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeKeyResult:
    """A person's key, after it was asked for."""

    key: Path
    public: Path
    new: bool
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SealStatus:
    """Whether originals are sealed, to which key, and what is sealed already."""

    secrets: str  # the setting
    installed: bool
    key: Path
    has_key: bool
    recipients: tuple[str, ...]
    files: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsealResult:
    """The lines of a conversation that were sealed, each with its secrets, in their order and once."""

    path: str
    lines: tuple[str, ...]


def make_seal_key(keyring: Keyring, *, dry_run: bool) -> MakeKeyResult:
    """Make a person's key where there is none; one that is there is never replaced."""
    is_new = not (keyring.key_path.exists() or keyring.recipients_path.exists()) if dry_run else keyring.make_key()
    return MakeKeyResult(key=keyring.key_path, public=keyring.recipients_path, new=is_new, dry_run=dry_run)


def seal_status(context: VaultContext, keyring: Keyring) -> SealStatus:
    """How it stands with sealed originals in this vault."""
    sizes = [path.stat().st_size for path in SealedFiles(context.vault.root, context.vault.layout).all_files()]
    is_installed = age.is_installed()
    return SealStatus(
        secrets=context.settings.text("transcripts.secrets"),
        installed=is_installed,
        key=keyring.key_path,
        has_key=keyring.key_path.exists(),
        recipients=_known_recipients(keyring) if is_installed else (),
        files=len(sizes),
        size=sum(sizes),
    )


def unseal_originals(context: VaultContext, keyring: Keyring, ref: str, key: Path | None = None) -> UnsealResult:
    """Open what was sealed of a conversation, with this person's key or with another that they name."""
    store, shelf = open_archive(context), SealedFiles(context.vault.root, context.vault.layout)
    found = store.find_paths(ref)
    if not found:
        raise NoConversation(ref=ref)
    if len(found) > 1:
        raise BadInput(what="the reference", value=ref, reason=f"{len(found)} conversations begin so; give more of it")
    identities = keyring.read_identities(key)
    lines = (
        line.decode("utf-8", "replace")
        for sealed in shelf.sealed_files(store.open_transcript(found[0]).read_head().id, found[0])
        for line in shelf.read_lines(sealed, identities, key=key or keyring.key_path)
    )
    return UnsealResult(path=found[0], lines=tuple(dict.fromkeys(lines)))


def _known_recipients(keyring: Keyring) -> tuple[str, ...]:
    try:
        return keyring.read_recipients()
    except (NoKey, BadKey):
        return ()
