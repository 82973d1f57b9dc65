"""The ledger: decisions that must outlive every index, one file for each device, never rotated."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

from memvault.core.value import MutableRecord, field
from memvault.core.weight import TierMove
from memvault.errors import MarksUnknown, Unreadable
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.jsonl import JsonRecord
from memvault.system import files
from memvault.text.dates.dates import read_moment

# Marks in the bytes of a ledger: which can be made out, and of how many lines nobody can tell what they marked.

_TOMBSTONE = b'"tombstone"'
_MARK = re.compile(rb'"mac"\s*:\s*"([0-9a-f]{64})"')
_MAC = re.compile(r"[0-9a-f]{64}")
_MARKS_PROOF = re.compile(rb'"e"\s*:\s*"key"\s*,\s*"mac"\s*:\s*"([0-9a-f]{64})"')
_SORTS = frozenset({"tombstone", "lift", "key", "purging", "purged"})  # that have a mac
_OF_GIT = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")  # around lines that are all there
_MOST = 8  # ledgers of which it is not worked out twice


def has_tombstones(data: bytes) -> bool:
    """Whether a ledger marks anything as forgotten."""
    return _TOMBSTONE in data


def mark_proofs(written: Iterable[bytes]) -> set[str]:
    """The hashes by which the right keys are known."""
    return {mac.decode() for data in written for mac in _MARKS_PROOF.findall(data)}


def mark_entries(data: bytes) -> list[dict[str, object]]:
    """All entries; of a line that is damaged at least the mark, if it still shows one: too many harm less than one."""
    found: list[dict[str, object]] = []
    for line in _complete_lines(data):
        told = list(records.parse_lines(line))
        mark = None if any(one.get("e") in _SORTS for one in told) else _MARK.search(line)
        if mark:
            why = "purge" if b'"purge"' in line else "forget"
            told = [{"t": "", **one, "e": "tombstone", "mac": mark[1].decode(), "why": why} for one in told or [{}]]
        found += told
    return found


@lru_cache(_MOST)
def lost_marks(data: bytes) -> int:
    """How many lines of a ledger may have marked something by which it can be known no more.

    What a power cut left of the last line was never said to be done, so it is none of them.
    """
    is_blanked = bool(data) and not data.strip(b"\0")
    return is_blanked or sum(map(_is_lost_mark, _complete_lines(data)))


def _complete_lines(data: bytes) -> Iterator[bytes]:
    return iter(data[: data.rfind(b"\n") + 1].split(b"\n"))


def is_unreadable_line(line: bytes) -> bool:
    """Whether nobody can tell what a line of a record said: not even by a mark that it still shows."""
    if not line.strip():
        return False
    try:
        return not isinstance(json.loads(line), dict)
    except ValueError:
        return not _MARK.search(line)


def _is_lost_mark(line: bytes) -> bool:
    if not line.strip() or line.startswith(_OF_GIT):
        return False
    try:
        told = json.loads(line)
    except ValueError:
        return not (_MARK.search(line) or _is_torn(line))
    if not isinstance(told, dict):
        return True
    return told.get("e") == "tombstone" and not _MAC.fullmatch(str(told.get("mac", "")))


def _is_torn(line: bytes) -> bool:
    """Whether a line breaks off, as a power cut leaves it, and others were added below it since."""
    return line.startswith(b"{") and not line.rstrip().endswith(b"}") and b"\0" not in line


KEY = "key"
_KEY = re.compile(r"[0-9a-f]{64}")
_PROOF = "\x04"  # what a key's own hash is of: it begins as no text does

Written = dict[tuple[str, str], dict[str, object]]  # (id, field) -> what a program on each device wrote last


class LedgerDecisions(MutableRecord):
    """The fold of all devices' ledgers."""

    paths_by_id: dict[str, str] = field(default_factory=dict)
    ids_by_path: dict[str, str] = field(default_factory=dict)
    ids_by_text: dict[str, str] = field(default_factory=dict)  # content hash -> id
    first_seen: dict[str, datetime] = field(default_factory=dict)
    tombstones: set[str] = field(default_factory=set)
    purged_macs: set[str] = field(default_factory=set)  # those of texts that are to be nowhere any more
    expired_macs: dict[str, datetime] = field(default_factory=dict)  # those of conversations, and up to when each went
    unfinished_purges: dict[str, str] = field(
        default_factory=dict
    )  # those of notes that a purge is to remove -> its device
    runs: dict[str, tuple[int, int]] = field(default_factory=dict)  # those of sentences: how many words, their sum
    program_values: Written = field(default_factory=dict)
    status_times: dict[str, datetime] = field(
        default_factory=dict
    )  # when a program last decided what status a memory has
    counted_ids: set[str] = field(default_factory=set)  # memories whose count before the journals is noted
    practice_ids: set[str] = field(default_factory=set)  # memories whose practice before the journals is noted
    archived_ids: set[str] = field(default_factory=set)  # foreign notes that faded
    vetoes: dict[tuple[str, str], datetime] = field(default_factory=dict)  # (id, rule) -> when it was undone
    refused_pairs: set[tuple[str, str]] = field(default_factory=set)  # pairs not to be offered for merging again
    moves: dict[str, TierMove] = field(default_factory=dict)
    renames: dict[tuple[str, str], None] = field(default_factory=dict)  # keywords, old and new, in their order
    learned_turns: dict[str, int] = field(
        default_factory=dict
    )  # of how many turns of a conversation memories were made

    def is_own_value(self, id_: str, name: str, value: object) -> bool:
        """Whether a value is the last one that a program on some device wrote there, and nobody typed another since."""
        return value in self.program_values.get((id_, name), {}).values()

    def fold_entry(self, entry: JsonRecord, device: str = "") -> None:
        """Fold one entry in; entries of unknown sorts are left to those who know them."""
        at = read_moment(str(entry.get("at", ""))) or read_moment(str(entry.get("t", "")))
        match entry:
            case {"e": "id", "id": str(id_), "path": str(path), "sha": str(sha)}:
                self._note_path(id_, path)
                self.ids_by_text[sha] = id_
                self._note_seen(id_, at)
            case {"e": "seen", "id": str(id_)}:
                self._note_seen(id_, at)
            case {"e": "tombstone", "mac": str(mac)}:
                self.tombstones.add(mac)
                self._note_purge(mac, entry)
                self._note_expiry(mac, entry, at)
            case {"e": "lift", "mac": str(mac)}:
                self._lift_mark(mac, entry)
            case {"e": "purging", "mac": str(mac)}:
                self.unfinished_purges[mac] = device
            case {"e": "purged", "mac": str(mac)}:
                self.unfinished_purges.pop(mac, None)
            case {"e": "lift"}:
                self._fold_lift(entry, at)
            case {"e": "wrote", "id": str(id_), "field": str(name), "value": value}:
                self._note_written(id_, name, value, device, at)
            case _:
                self._fold_upkeep(entry, at)

    def _note_expiry(self, mac: str, entry: JsonRecord, at: datetime | None) -> None:
        end = read_moment(str(entry.get("to", ""))) or at
        if entry.get("why") == "expired" and end is not None:
            self.expired_macs[mac] = max(end, self.expired_macs.get(mac, end))

    def _note_purge(self, mac: str, entry: JsonRecord) -> None:
        if entry.get("why") != "purge":
            return
        self.purged_macs.add(mac)
        match entry:
            case {"words": int(count), "sum": int(total)}:
                self.runs[mac] = count, total

    def _lift_mark(self, mac: str, entry: JsonRecord) -> None:
        """What was purged is known again only where somebody said so: taking back an older operation does not."""
        if entry.get("of") == "purge":
            self.purged_macs.discard(mac)
            self.runs.pop(mac, None)
        if mac not in self.purged_macs:
            self.tombstones.discard(mac)

    def _note_written(self, id_: str, name: str, value: object, device: str, at: datetime | None) -> None:
        """Each device's last word counts: clocks may differ. No value means that a person's stands there."""
        if value is None:
            self.program_values.pop((id_, name), None)
            return
        self.program_values.setdefault((id_, name), {})[device] = value
        if name == "status":
            self._note_settled(id_, at)

    def _note_settled(self, id_: str, at: datetime | None) -> None:
        if at is not None:
            self.status_times[id_] = max(at, self.status_times.get(id_, at))

    def _fold_upkeep(self, entry: JsonRecord, at: datetime | None) -> None:
        """What upkeep decided."""
        match entry:
            case {"e": "count", "id": str(id_)}:
                self.counted_ids.add(id_)
            case {"e": "practice", "id": str(id_)}:
                self.practice_ids.add(id_)
            case {"e": "archive", "id": str(id_)}:
                self.archived_ids.add(id_)
            case {"e": "veto", "id": str(id_), "change": str(rule)} if at is not None:
                self.vetoes[id_, rule] = at
            case {"e": "refuse", "pair": [str(one), str(other)]}:
                self.refused_pairs.add((min(one, other), max(one, other)))
            case {"e": "moved", "id": str(id_), "from": str(source), "to": str(target)} if at is not None:
                self.moves[id_] = TierMove(source, target, at, by_keeper=entry.get("by") == "keeper")
            case {"e": "keyword", "from": str(old), "to": str(new)}:
                self.renames.pop((old, new), None)  # what is said again counts as said last
                self.renames[old, new] = None
            case {"e": "learnt", "talk": str(talk), "to": int(to)}:
                self.learned_turns[talk] = max(to, self.learned_turns.get(talk, 0))

    def _fold_lift(self, entry: JsonRecord, at: datetime | None) -> None:
        match entry:
            case {"of": "archive", "id": str(id_)}:
                self.archived_ids.discard(id_)
                self._note_settled(id_, at)
            case {"of": "count", "id": str(id_)}:
                self.counted_ids.discard(id_)
            case {"of": "veto", "id": str(id_), "change": str(rule)}:
                self.vetoes.pop((id_, rule), None)
            case {"of": "keyword", "from": str(old), "to": str(new)}:
                self.renames.pop((old, new), None)
            case {"of": "refuse", "pair": [str(one), str(other)]}:
                self.refused_pairs.discard((min(one, other), max(one, other)))

    def _note_path(self, id_: str, path: str) -> None:
        """A memory lies at one path: what lay there before it moved on is free for another."""
        before = self.paths_by_id.get(id_)
        if before is not None and self.ids_by_path.get(before) == id_:
            del self.ids_by_path[before]
        self.paths_by_id[id_] = path
        self.ids_by_path[path] = id_

    def _note_seen(self, id_: str, at: datetime | None) -> None:
        if at is not None:
            self.first_seen[id_] = min(at, self.first_seen.get(id_, at))


class Ledger:
    """All devices' ledgers; this device's own is the only one ever written."""

    def __init__(self, folder: Path, device: str) -> None:
        self.folder = folder
        self.own = folder / f"{device}.jsonl"

    def append(self, entries: Iterable[JsonRecord], now: datetime) -> None:
        """Add decisions to this device's file, safe against a power cut."""
        records.append_records(self.own, entries, now, durable=True)

    def missing_entries(self, entries: Iterable[JsonRecord]) -> list[JsonRecord]:
        """Those of some entries that this device's ledger does not have, whenever it was made."""
        lines = records.read_from(self.own)[0] if self.own.is_file() else []
        held = {_canonical_text(line) for line in lines}
        return [entry for entry in entries if _canonical_text(entry) not in held]

    def decisions(self, *, whole: bool = False) -> LedgerDecisions:
        """Everything decided so far, in order of time; with `whole`, MarksUnknown where a part cannot be read."""
        if whole:
            told = [(path, mark_entries(data)) for path, data in self.read_all()]
        else:
            told = [(path, records.read_readable(path)) for _, path in self.ledger_files()]
        entries = [(t, path.stem, entry) for path, found in told for t, entry in _dated_entries(found)]
        entries.sort(key=itemgetter(0))
        folded = LedgerDecisions()
        for _, device, entry in entries:
            folded.fold_entry(entry, device)
        return folded

    def read_all(self) -> list[tuple[Path, bytes]]:
        """Every device's ledger as it stands; MarksUnknown where one, or the key to what they mark, cannot be read."""
        self._check_folder()
        try:
            with os.scandir(self.folder) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(".jsonl"))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise MarksUnknown(path=self.folder, reason=files.describe_error(error)) from error
        found = [(self.folder / name, self._read_file(self.folder / name)) for name in names]
        self._check_marks([data for _, data in found])
        for path, data in found if os.path.lexists(self.folder / KEY) else ():
            if lost := lost_marks(data):
                raise MarksUnknown(path=path, reason=f"{lost} of its lines are damaged")
        return found

    def _check_folder(self) -> None:
        try:
            files.check_read(self.folder)
        except Unreadable as error:
            raise MarksUnknown(path=self.folder, reason=error.data["reason"]) from None

    def _check_marks(self, written: list[bytes]) -> None:
        if any(map(has_tombstones, written)):
            self._check_key(written)
        elif not any(map(bytes.strip, written)) and self._has_key():
            # A key is made only when something is to be marked by it. Other lines may stand alone: before the key was
            # written down as well, a text that leaves no mark had one made all the same.
            raise MarksUnknown(path=self.folder, reason="there is a key to marks here, and no ledger holds a line")

    def _has_key(self) -> bool:
        path = self.folder / KEY
        return os.path.lexists(path) and any(
            map(_KEY.fullmatch, self._read_file(path).decode("ascii", "replace").split())
        )

    def _read_file(self, path: Path) -> bytes:
        try:
            return files.read_file(path)
        except Unreadable as error:
            raise MarksUnknown(path=path, reason=str(error.data["reason"])) from error

    def _check_key(self, written: list[bytes]) -> None:
        """Without the key, or with another one in its place, no mark would ever be met again."""
        path = self.folder / KEY
        if not os.path.lexists(path):
            raise MarksUnknown(path=path, reason="it is gone, and things were forgotten here")
        lines = self._read_file(path).decode("ascii", errors="replace").split()
        if not lines or not all(_KEY.fullmatch(line) for line in lines):
            raise MarksUnknown(path=path, reason="it is damaged")
        proofs = mark_proofs(written)
        # Whoever was killed while making a key left a proof of one that never was: so one that fits is enough.
        if proofs and not proofs.intersection(self.text_macs(_PROOF)):
            raise MarksUnknown(path=path, reason="it is not the key that the marks were made with")

    def ledger_files(self) -> list[tuple[str, Path]]:
        """Every device's ledger, named `ledger:<device>`, in order of name."""
        if files.leads_out(self.folder):
            return []
        found = sorted(self.folder.glob("*.jsonl")) if self.folder.is_dir() else []
        return [(f"ledger:{path.stem}", path) for path in found if files.is_readable_file(path)]

    def text_macs(self, text: str) -> list[str]:
        """The keyed hashes of a text, one for each key: a tombstone tells nobody what was forgotten."""
        return self.mac_function()(text)

    def mac_function(self) -> Callable[[str], list[str]]:
        """What tells the keyed hashes of many texts, the keys read once."""
        keys = self._read_keys()
        return lambda text: [_keyed_hash(key, text) for key in keys]

    def make_key(self, key: bytes, now: datetime) -> None:
        """Lay down the key, if there is none yet, and by what it is known as the right one."""
        if not self._read_keys():
            # First, so that a key is never without: where there is none, a ledger that was emptied would not be missed.
            self.append([{"e": "key", "mac": _keyed_hash(key, _PROOF)}], now)
            files.append_line(self.folder / KEY, key.hex().encode() + b"\n", durable=True)

    def _read_keys(self) -> list[bytes]:
        """Two devices may each have made a key before they met: then the file has two lines."""
        path = self.folder / KEY
        lines = files.read_file(path).decode("ascii", errors="replace").split() if path.exists() else []
        return [bytes.fromhex(line) for line in lines if _KEY.fullmatch(line)]


def _keyed_hash(key: bytes, text: str) -> str:
    import hmac  # only forgetting and capturing need it

    words = " ".join(unicodedata.normalize("NFC", text).split()).casefold().encode()
    return hmac.digest(key, words, "sha256").hex()


def _dated_entries(entries: Iterable[JsonRecord]) -> Iterator[tuple[str, JsonRecord]]:
    """Entries with their times; one that a clock set back dated before its forerunner counts as made just after it."""
    latest = ""
    for entry in entries:
        latest = max(latest, str(entry.get("t", "")))
        yield latest, entry


def _canonical_text(entry: JsonRecord) -> str:
    """An entry as text, whenever it was made and in whatever order its members stand."""
    return json.dumps({name: value for name, value in entry.items() if name != "t"}, sort_keys=True)
