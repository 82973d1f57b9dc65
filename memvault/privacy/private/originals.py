"""Originals of lines with secrets: collected while a reader's records pass, and sealed before these are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memvault.errors import MemvaultError
from memvault.privacy.private import age
from memvault.privacy.private.shelf import Shelf
from memvault.storage.vault.context import Bench
from memvault.transcripts.archive import codec
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.record import Kept, Raw, Record
from memvault.transcripts.model.seen import Seen
from memvault.transcripts.model.talk import Talk, Turn

if TYPE_CHECKING:
    from memvault.privacy.private.keyring import Keyring
    from memvault.transcripts.archive.append import Tally
    from memvault.transcripts.archive.archive import Talks

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
