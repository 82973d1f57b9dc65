"""Originals of lines with secrets: collected while a reader's records pass, and sealed before these are written."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.errors import BadInput, BadKey, MemvaultError, NoConversation, NoKey, NotOpened
from memvault.privacy.private import age
from memvault.privacy.private.age import Keyring
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import Layout
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.archive import ENDING
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.record import Kept, Raw, Record, Seen
from memvault.transcripts.model.turn import Talk, Turn
from memvault.transcripts.search import archive

if TYPE_CHECKING:
    from memvault.transcripts.archive.append import Tally
    from memvault.transcripts.archive.archive import Talks


# Where sealed originals lie: beside the conversation that they are of, numbered.

SEALED = ".sealed.age"
_WAITING = ".sealing-"
_GZIP = 31  # as zlib calls it: so that age and gunzip, or zcat, are all that is needed to read one
_SHELF_MOST = 256 * 1024 * 1024  # what a few bytes may swell to


class Shelf:
    """The sealed files of a vault; whoever adds to them holds the lock of the archive.

    Until the conversation has a file whose name they can share, they wait under a name that hides whose they are.
    """

    def __init__(self, root: Path, layout: Layout) -> None:
        self._root, self._folder = root, root / layout.transcripts

    def put(self, talk: str, lines: Sequence[bytes], recipients: Sequence[str], *, public: Path) -> None:
        """Seal some lines of a conversation, durably; they wait until `settle` gives them their name."""
        squeezed = zlib.compressobj(wbits=_GZIP)
        data = squeezed.compress(b"".join(lines)) + squeezed.flush()
        sealed = age.seal(data, recipients, path=public)
        files.make_folder(self._folder)
        waiting = self._waiting(talk)
        number = _number(waiting[-1]) + 1 if waiting else 1
        target = self._folder / f"{_hidden(talk)}{number}{SEALED}"
        files.check_inside(self._root, target)
        files.create(target, sealed)

    def settle(self, talk: str, path: str) -> None:
        """Give what waits for a conversation its name beside it; without a path there is none, and it goes."""
        for waiting in self._waiting(talk):
            if not path:
                files.remove(waiting)
                continue
            there = self._beside(path)
            number = _number(there[-1]) + 1 if there else 1
            files.move(waiting, self._root / f"{path.removesuffix(ENDING)}.{number}{SEALED}")

    def of(self, talk: str, path: str) -> list[Path]:
        """The sealed files of a conversation, in order, those included that a killed run left waiting."""
        return [*self._beside(path), *self._waiting(talk)]

    def every(self) -> Iterator[Path]:
        """All sealed files."""
        found = () if files.leads_out(self._folder) else sorted(self._folder.rglob(f"*{SEALED}"))
        return (path for path in found if path.is_file() and not files.leads_out(path))

    def lines(self, path: Path, identities: Sequence[str], *, key: Path) -> list[bytes]:
        """What was sealed, line by line."""
        squeezed = age.unseal(files.read(path), identities, path=path, key=key)
        opening = zlib.decompressobj(_GZIP)
        try:
            data = opening.decompress(squeezed, _SHELF_MOST)
        except zlib.error as error:
            raise NotOpened(path=path, reason="it is damaged") from error
        if not opening.eof:
            raise NotOpened(path=path, reason="what is in it is too large, or not whole")
        return data.splitlines()

    def _beside(self, path: str) -> list[Path]:
        stem = self._root / path.removesuffix(ENDING)
        return _numbered(stem.parent, f"{stem.name}.")

    def _waiting(self, talk: str) -> list[Path]:
        return _numbered(self._folder, _hidden(talk))


def _hidden(talk: str) -> str:
    return f"{_WAITING}{files.digest(talk.encode('utf-8', 'surrogatepass'))}."


def _numbered(folder: Path, begin: str) -> list[Path]:
    wanted = re.compile(rf"{re.escape(begin)}[0-9]{{1,9}}{re.escape(SEALED)}")
    found = [path for path in folder.iterdir() if wanted.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    return int(path.name.removesuffix(SEALED).rpartition(".")[2])


_MOST = 4 * 1024 * 1024  # of text that is held until it is sealed
_PRIVATE = re.compile(r"private(?:>|&gt;|\\+u003e)", re.IGNORECASE)  # also as texts within texts spell it
_REDACTED = b"[redacted: "
_AGAIN = re.compile(r"~[0-9]{1,9}\Z")


class Readiness(NamedTuple):
    """What seals the originals of one run, or why they are not kept."""

    sealing: Sealing | None = None
    why_not: str = ""


def made_ready(bench: Bench, store: Talks, keyring: Keyring | None) -> Readiness:
    """Get ready to seal, if that is wanted; where it is not possible, conversations are taken in all the same."""
    if keyring is None:
        return Readiness()
    try:
        recipients = keyring.recipients()
        sealing = Sealing(Shelf(bench.vault.root, bench.vault.layout), store, keyring, recipients)
        sealing.try_out()
    except MemvaultError as error:
        told = f"Originals were not sealed, their secrets were left out: {error}"
        return Readiness(why_not=f"{told} {error.advice}".rstrip())
    return Readiness(sealing)


class Sealing:
    """The originals of one run. What is in the archive already is not sealed, nor any line with a private span."""

    def __init__(self, shelf: Shelf, store: Talks, keyring: Keyring, recipients: tuple[str, ...]) -> None:
        self._shelf, self._store = shelf, store
        self._keyring, self._recipients = keyring, recipients
        self._cleaning = Cleaning()
        self._source_id = self._talk = ""  # of the conversation: its id in the source, and in the archive
        self._known: Seen | None = None
        self._lines: list[bytes] = []
        self._held: list[Record] = []
        self._size = 0
        self._waiting: Counter[str] = Counter()
        self.count = 0  # lines that were sealed

    def try_out(self) -> None:
        """Raise what would keep anything from being sealed."""
        age.seal(b"", self._recipients, path=self._keyring.public)

    def watch(self, records: Iterable[Record]) -> Iterator[Record]:
        """The same records; those after a line with a secret are held back until its original is safe.

        So a run that is killed leaves nothing in the archive of which the original was still to be sealed.
        """
        self._begin("")  # what a source before this one left, when it could not be read to its end, was not archived
        for record in records:
            if isinstance(record, Talk) and record.id != self._source_id:
                yield from self._let_go()
                self._begin(record.id, self._cleaning.head(record).id)
            original = self._original(record) if isinstance(record, Kept) and self._talk else b""
            if original:
                self._lines.append(original)
            if not self._lines:
                yield record
                continue
            self._held.append(record)
            self._size += len(original) or _weight(record)
            if self._size >= _MOST:
                yield from self._let_go()
        yield from self._let_go()

    def settle(self, tally: Tally) -> None:
        """Put what was sealed of a conversation beside it, now that it has its name."""
        if tally.head:
            self._shelf.settle(tally.head.id, tally.path)
            sealed = self._waiting.pop(tally.head.id, 0)
            self.count += sealed if tally.path else 0

    def _begin(self, source_id: str, talk: str = "") -> None:
        self._source_id, self._talk, self._known = source_id, talk, None
        self._lines, self._held, self._size = [], [], 0

    def _let_go(self) -> Iterator[Record]:
        if self._lines:
            self._shelf.put(self._talk, self._lines, self._recipients, public=self._keyring.public)
            self._waiting[self._talk] += len(self._lines)
        held, self._lines, self._held, self._size = self._held, [], [], 0
        yield from held

    # -- one line

    def _original(self, kept: Kept) -> bytes:
        """The line as it would stand in the archive with its secrets; empty where it has none, or is not new."""
        turn = self._cleaning.turn(kept.turn) if kept.turn else None
        raw = self._cleaning.record(kept.raw) if kept.raw else None
        if turn == kept.turn and raw == kept.raw:
            return b""
        clean, line = _line(turn, raw), _line(kept.turn, kept.raw)
        if _REDACTED not in clean or _PRIVATE.search(line.decode()) or self._store.forgets(self._talk, kept):
            return b""
        keys = [_key(turn) if turn != kept.turn else None, _raw_key(raw)]
        is_there = [self._there.add(key) for key in keys if key]
        return b"" if all(is_there) else line

    @property
    def _there(self) -> Seen:
        """The redacted lines that the conversation has: read when the first one comes, as most have none."""
        if self._known is None:
            self._known = Seen()
            for path in self._store.find(self._talk):
                there = self._store.open(path)
                if there.head().id == self._talk:
                    for _, lines in there.talk.members():
                        self._remember(self._known, lines)
        return self._known

    @staticmethod
    def _remember(known: Seen, lines: list[bytes]) -> None:
        for record in (codec.record(line) for line in lines if _REDACTED in line):
            if record is None:
                continue
            if isinstance(raw := record.get("raw"), dict):
                known.add(codec.line(raw))
            if turn := codec.turn_of(record.get("turn")):
                known.add(_key(turn))
                known.add((_AGAIN.sub("", turn.id), turn.session, turn.text))


def _line(turn: Turn | None, raw: Raw | None) -> bytes:
    return codec.line({**({"turn": codec.of_turn(turn)} if turn else {}), **({"raw": raw} if raw else {})})


def _key(turn: Turn | None) -> tuple[str, str, str] | None:
    return (turn.id, turn.session, turn.text) if turn else None


def _raw_key(raw: Raw | None) -> bytes | None:
    line = codec.line(raw) if raw else b""
    return line if _REDACTED in line else None


def _weight(record: Record) -> int:
    return len(codec.line(record.raw)) if isinstance(record, Kept) and record.raw else 0


# Sealed originals: how it stands with them, and what they say to whoever has the key.


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
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
class Unsealed:
    """The lines of a conversation that were sealed, each with its secrets, in their order and once."""

    path: str
    lines: tuple[str, ...]


def make_key(keyring: Keyring, *, dry_run: bool) -> Made:
    """Make a person's key where there is none; one that is there is never replaced."""
    is_new = not (keyring.key.exists() or keyring.public.exists()) if dry_run else keyring.make()
    return Made(key=keyring.key, public=keyring.public, new=is_new, dry_run=dry_run)


def status(bench: Bench, keyring: Keyring) -> SealStatus:
    """How it stands with sealed originals in this vault."""
    sizes = [path.stat().st_size for path in Shelf(bench.vault.root, bench.vault.layout).every()]
    is_installed = age.is_installed()
    return SealStatus(
        secrets=bench.settings.text("transcripts.secrets"),
        installed=is_installed,
        key=keyring.key,
        has_key=keyring.key.exists(),
        recipients=_recipients(keyring) if is_installed else (),
        files=len(sizes),
        size=sum(sizes),
    )


def unsealed(bench: Bench, keyring: Keyring, ref: str, key: Path | None = None) -> Unsealed:
    """Open what was sealed of a conversation, with this person's key or with another that they name."""
    store, shelf = archive(bench), Shelf(bench.vault.root, bench.vault.layout)
    found = store.find(ref)
    if not found:
        raise NoConversation(ref=ref)
    if len(found) > 1:
        raise BadInput(what="the reference", value=ref, reason=f"{len(found)} conversations begin so; give more of it")
    identities = keyring.identities(key)
    lines = (
        line.decode("utf-8", "replace")
        for sealed in shelf.of(store.open(found[0]).head().id, found[0])
        for line in shelf.lines(sealed, identities, key=key or keyring.key)
    )
    return Unsealed(path=found[0], lines=tuple(dict.fromkeys(lines)))


def _recipients(keyring: Keyring) -> tuple[str, ...]:
    try:
        return keyring.recipients()
    except (NoKey, BadKey):
        return ()
