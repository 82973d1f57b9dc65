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
from memvault.storage.journal.journal import JsonRecord, append_records, parse_lines, read_from, read_readable
from memvault.system import files
from memvault.text.dates.dates import read_moment

# Marks in the bytes of a ledger: the readable ones, and how many lines may hold unreadable ones.

_TOMBSTONE = b'"tombstone"'
_MARK = re.compile(rb'"mac"\s*:\s*"([0-9a-f]{64})"')
_MAC = re.compile(r"[0-9a-f]{64}")
_MARKS_PROOF = re.compile(rb'"e"\s*:\s*"key"\s*,\s*"mac"\s*:\s*"([0-9a-f]{64})"')
_SORTS = frozenset({"tombstone", "lift", "key", "purging", "purged"})  # entries with a mac
_OF_GIT = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")  # conflict markers around complete lines
_MOST = 8  # ledgers whose result is cached


def mark_entries(data: bytes) -> list[dict[str, object]]:
    """Return all entries; a damaged line counts as a tombstone where it still shows a mark."""
    entries: list[dict[str, object]] = []
    for line in _complete_lines(data):
        parsed = list(parse_lines(line))
        mark = None if any(entry.get("e") in _SORTS for entry in parsed) else _MARK.search(line)
        if mark:
            why = "purge" if b'"purge"' in line else "forget"
            parsed = [
                {"t": "", **entry, "e": "tombstone", "mac": mark[1].decode(), "why": why} for entry in parsed or [{}]
            ]
        entries += parsed
    return entries


@lru_cache(_MOST)
def lost_marks(data: bytes) -> int:
    """Return how many lines of a ledger may have held a mark that can no longer be read.

    What a power cut left of the last line was never confirmed, so it is not counted.
    """
    is_blanked = bool(data) and not data.strip(b"\0")
    return is_blanked or sum(map(_is_lost_mark, _complete_lines(data)))


def _complete_lines(data: bytes) -> Iterator[bytes]:
    return iter(data[: data.rfind(b"\n") + 1].split(b"\n"))


def is_unreadable_line(line: bytes) -> bool:
    """Return whether nothing is left of a line, not even a mark."""
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
        data = json.loads(line)
    except ValueError:
        return not (
            _MARK.search(line) or (line.startswith(b"{") and not line.rstrip().endswith(b"}") and b"\0" not in line)
        )
    if not isinstance(data, dict):
        return True
    return data.get("e") == "tombstone" and not _MAC.fullmatch(str(data.get("mac", "")))


KEY = "key"
_KEY = re.compile(r"[0-9a-f]{64}")
_PROOF = "\x04"  # the text of a key's proof: no other text begins like this

Written = dict[tuple[str, str], dict[str, object]]  # (id, field) -> what a program on each device wrote last


class LedgerDecisions(MutableRecord):
    """The fold of all devices' ledgers."""

    paths_by_id: dict[str, str] = field(default_factory=dict)
    ids_by_path: dict[str, str] = field(default_factory=dict)
    ids_by_text: dict[str, str] = field(default_factory=dict)  # content hash -> id
    first_seen: dict[str, datetime] = field(default_factory=dict)
    tombstones: set[str] = field(default_factory=set)
    purged_macs: set[str] = field(default_factory=set)  # marks of purged texts
    expired_macs: dict[str, datetime] = field(default_factory=dict)  # marks of conversations -> up to when each expired
    unfinished_purges: dict[str, str] = field(default_factory=dict)  # marks of notes still to be removed -> device
    runs: dict[str, tuple[int, int]] = field(default_factory=dict)  # marks of sentences -> number of words, their sum
    program_values: Written = field(default_factory=dict)
    status_times: dict[str, datetime] = field(default_factory=dict)  # id -> when a program last decided the status
    counted_ids: set[str] = field(default_factory=set)  # ids whose count before the journals is recorded
    practice_ids: set[str] = field(default_factory=set)  # ids whose practice before the journals is recorded
    archived_ids: set[str] = field(default_factory=set)  # foreign notes that faded
    vetoes: dict[tuple[str, str], datetime] = field(default_factory=dict)  # (id, rule) -> when it was undone
    refused_pairs: set[tuple[str, str]] = field(default_factory=set)  # pairs that a person refused to merge
    moves: dict[str, TierMove] = field(default_factory=dict)
    renames: dict[tuple[str, str], None] = field(default_factory=dict)  # old and new keyword, in order
    snoozes: dict[tuple[str, ...], datetime | None] = field(default_factory=dict)  # card -> until when; None for good
    learned_turns: dict[str, int] = field(default_factory=dict)  # conversation -> number of turns already learned from

    def is_own_value(self, id_: str, name: str, value: object) -> bool:
        """Return whether a value is the last one a program wrote there on any device, with no person's value since."""
        return value in self.program_values.get((id_, name), {}).values()

    def fold_entry(self, entry: JsonRecord, device: str = "") -> None:
        """Fold one entry in; unknown sorts of entries are ignored."""
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
        """Lift a mark; a purged text is only known again where an entry says so, not by undoing an older operation."""
        if entry.get("of") == "purge":
            self.purged_macs.discard(mac)
            self.runs.pop(mac, None)
        if mac not in self.purged_macs:
            self.tombstones.discard(mac)

    def _note_written(self, id_: str, name: str, value: object, device: str, at: datetime | None) -> None:
        """Note what a program wrote, each device's last value, as clocks may differ; None means a person's."""
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
        """Fold in what maintenance decided."""
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
            case _:
                self._fold_choice(entry)

    def _fold_choice(self, entry: JsonRecord) -> None:
        """Fold in what a person chose about cards and keywords, and what was learned from."""
        match entry:
            case {"e": "snooze", "card": str(kind), "pair": [*ids]}:
                self.snoozes[kind, *map(str, ids)] = read_moment(str(entry.get("until", "")))
            case {"e": "keyword", "from": str(old), "to": str(new)}:
                self.renames.pop((old, new), None)  # a repeated entry counts as the last one
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
            case {"of": "snooze", "card": str(kind), "pair": [*ids]}:
                self.snoozes.pop((kind, *map(str, ids)), None)
            case {"of": "refuse", "pair": [str(one), str(other)]}:
                self.refused_pairs.discard((min(one, other), max(one, other)))

    def _note_path(self, id_: str, path: str) -> None:
        """Note where a memory lies; its former path is free for another."""
        before = self.paths_by_id.get(id_)
        if before is not None and self.ids_by_path.get(before) == id_:
            del self.ids_by_path[before]
        self.paths_by_id[id_] = path
        self.ids_by_path[path] = id_

    def _note_seen(self, id_: str, at: datetime | None) -> None:
        if at is not None:
            self.first_seen[id_] = min(at, self.first_seen.get(id_, at))


class Ledger:
    """All devices' ledgers; only this device's own is written."""

    def __init__(self, folder: Path, device: str) -> None:
        self.folder = folder
        self.own = folder / f"{device}.jsonl"

    def append(self, entries: Iterable[JsonRecord], now: datetime) -> None:
        """Add decisions to this device's file, safe against a power cut."""
        append_records(self.own, entries, now, durable=True)

    def missing_entries(self, entries: Iterable[JsonRecord]) -> list[JsonRecord]:
        """Return the entries that this device's ledger lacks, whatever their time."""
        lines = read_from(self.own)[0] if self.own.is_file() else []
        held = {_canonical_text(line) for line in lines}
        return [entry for entry in entries if _canonical_text(entry) not in held]

    def decisions(self, *, whole: bool = False) -> LedgerDecisions:
        """Return all decisions folded in order of time; with `whole`, raise MarksUnknown where a part is unreadable."""
        if whole:
            ledgers = [(path, mark_entries(data)) for path, data in self.read_all()]
        else:
            ledgers = [(path, read_readable(path)) for _, path in self.ledger_files()]
        entries = [(t, path.stem, entry) for path, lines in ledgers for t, entry in _dated_entries(lines)]
        entries.sort(key=itemgetter(0))
        folded = LedgerDecisions()
        for _, device, entry in entries:
            folded.fold_entry(entry, device)
        return folded

    def read_all(self) -> list[tuple[Path, bytes]]:
        """Return every device's ledger; raise MarksUnknown where one, or the key of its marks, cannot be read."""
        try:
            files.check_read(self.folder)
            with os.scandir(self.folder) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(".jsonl"))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise MarksUnknown(path=self.folder, reason=files.describe_error(error)) from error
        except Unreadable as error:
            raise MarksUnknown(path=self.folder, reason=error.data["reason"]) from None
        ledgers = [(self.folder / name, self._read_file(self.folder / name)) for name in names]
        self._check_marks([data for _, data in ledgers])
        for path, data in ledgers if os.path.lexists(self.folder / KEY) else ():
            if lost := lost_marks(data):
                raise MarksUnknown(path=path, reason=f"{lost} of its lines are damaged")
        return ledgers

    def _check_marks(self, ledgers: list[bytes]) -> None:
        if any(_TOMBSTONE in data for data in ledgers):
            # With a missing or wrong key, no mark would ever be found again.
            path = self.folder / KEY
            if not os.path.lexists(path):
                raise MarksUnknown(path=path, reason="it is gone, and things were forgotten here")
            lines = self._read_file(path).decode("ascii", errors="replace").split()
            if not lines or not all(_KEY.fullmatch(line) for line in lines):
                raise MarksUnknown(path=path, reason="it is damaged")
            proofs = {mac.decode() for data in ledgers for mac in _MARKS_PROOF.findall(data)}
            # A kill while making a key leaves a proof without key: so one matching proof is enough.
            if proofs and not proofs.intersection(self.text_macs(_PROOF)):
                raise MarksUnknown(path=path, reason="it is not the key that the marks were made with")
        elif not any(map(bytes.strip, ledgers)) and self._has_key():
            # A key is made only when something is to be marked. Other lines may stand alone: an older version made a
            # key without writing a line, also for a text that leaves no mark.
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

    def ledger_files(self) -> list[tuple[str, Path]]:
        """Return every device's ledger, named `ledger:<device>`, in order of name."""
        if files.leads_out(self.folder):
            return []
        found = sorted(self.folder.glob("*.jsonl")) if self.folder.is_dir() else []
        return [(f"ledger:{path.stem}", path) for path in found if files.is_readable_file(path)]

    def text_macs(self, text: str) -> list[str]:
        """Return the keyed hashes of a text, one for each key: a tombstone tells nobody what was forgotten."""
        return self.mac_function()(text)

    def mac_function(self) -> Callable[[str], list[str]]:
        """Return a function that gives the keyed hashes of many texts, reading the keys once."""
        keys = self._read_keys()
        return lambda text: [_keyed_hash(key, text) for key in keys]

    def make_key(self, key: bytes, now: datetime) -> None:
        """Create the key and its proof, if there is none yet."""
        if not self._read_keys():
            # The proof goes first: without it, nobody would notice that a ledger was emptied.
            self.append([{"e": "key", "mac": _keyed_hash(key, _PROOF)}], now)
            files.append_line(self.folder / KEY, key.hex().encode() + b"\n", durable=True)

    def _read_keys(self) -> list[bytes]:
        """Return the keys: two, where two devices each made one before they met."""
        path = self.folder / KEY
        lines = files.read_file(path).decode("ascii", errors="replace").split() if path.exists() else []
        return [bytes.fromhex(line) for line in lines if _KEY.fullmatch(line)]


def _keyed_hash(key: bytes, text: str) -> str:
    import hmac  # deferred: only forgetting and capturing need it

    words = " ".join(unicodedata.normalize("NFC", text).split()).casefold().encode()
    return hmac.digest(key, words, "sha256").hex()


def _dated_entries(entries: Iterable[JsonRecord]) -> Iterator[tuple[str, JsonRecord]]:
    """Yield entries with their times; one dated before its predecessor counts as made just after it."""
    latest = ""
    for entry in entries:
        latest = max(latest, str(entry.get("t", "")))
        yield latest, entry


def _canonical_text(entry: JsonRecord) -> str:
    """Return an entry as text, whatever its time and the order of its members."""
    return json.dumps({name: value for name, value in entry.items() if name != "t"}, sort_keys=True)
