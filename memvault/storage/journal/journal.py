"""The journal: what happened, one folder for each device, one file for each month."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memvault.core.value import MutableRecord, field
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.jsonl import JsonRecord
from memvault.storage.journal.ledger import Ledger
from memvault.storage.vault.layout import is_conflict_copy
from memvault.system import files
from memvault.text.dates.dates import read_moment

_TAIL = 65_536
TOUCHING = ("touch", "edit")


class Touch(NamedTuple):
    """One counted use: a memory, by whom (session, or device where there is none), when."""

    id: str
    who: str
    at: datetime


class Journal:
    """All devices' journals; only this device's own is written."""

    def __init__(self, folder: Path, device: str) -> None:
        self._folder = folder
        self._device = device

    def append(self, entries: Iterable[JsonRecord], now: datetime, *, durable: bool = False) -> None:
        """Add entries to this device's file of the month."""
        path = self._folder / self._device / f"{now:%Y-%m}.jsonl"
        records.append_records(path, entries, now, durable=durable)

    def journal_files(self) -> list[tuple[str, Path]]:
        """Return every journal file, named `<device>/<month>`, in order of name."""
        found = sorted(self._folder.glob("*/*.jsonl")) if self._folder.is_dir() else []
        outside = {folder for folder in {path.parent for path in found} if files.leads_out(folder)}
        return [
            (f"{path.parent.name}/{path.stem}", path)
            for path in found
            if path.parent not in outside and files.is_readable_file(path) and not is_conflict_copy(path.name)
        ]

    def entries(self, *, whole: bool = False) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield all entries with their devices; with `whole`, an unreadable file is an error."""
        for name, path in self.journal_files():
            for entry in records.read_from(path)[0] if whole else records.read_readable(path):
                yield name.partition("/")[0], entry

    def entries_since(self, moment: datetime) -> Iterator[dict[str, object]]:
        """Yield the last entries of every file written since a moment; earlier entries are among them."""
        for _, path in self.journal_files():
            if path.stat().st_mtime >= moment.timestamp():
                yield from records.read_from(path, _tail_offset(path))[0]

    def last_own_entry(self, member: str) -> dict[str, object] | None:
        """Return this device's last entry that has some member."""
        own = [path for name, path in self.journal_files() if name.partition("/")[0] == self._device]
        for path in reversed(own):
            for start in dict.fromkeys((_tail_offset(path), 0)):  # mostly the end of the file is enough
                entries = records.read_from(path, start)[0]
                found = next((entry for entry in reversed(entries) if member in entry), None)
                if found is not None:
                    return found
        return None

    def own_last_entries(self) -> list[dict[str, object]]:
        """Return this device's last entries, which cover the whole of its last operation."""
        own = [path for name, path in self.journal_files() if name.partition("/")[0] == self._device]
        tail = [entry for path in own[-2:] for entry in records.read_from(path, _tail_offset(path))[0]]
        if any(entry.get("e") == "op" for entry in tail):
            return tail
        # The last operation is longer than the tail, or much was read since it began.
        return [entry for path in own for entry in records.read_from(path)[0]]


def _tail_offset(path: Path) -> int:
    return max(0, path.stat().st_size - _TAIL)


def touch_of(entry: JsonRecord, device: str) -> Touch | None:
    """Return the use that an entry records, if any.

    An edit counts once however many devices saw it, so its text's hash stands for the session.
    """
    event, memory, at = entry.get("e"), entry.get("id"), entry.get("t")
    if event not in TOUCHING or not isinstance(memory, str) or not isinstance(at, str):
        return None
    when = read_moment(at)
    if when is None:
        return None
    who = f"edit:{entry.get('sha')}" if event == "edit" else str(entry.get("session") or f"device:{device}")
    return Touch(memory, who, when)


# What journals and ledgers say about each memory's use, read on from an offset.

_MOST = 1_000_000_000
TYPED_FIELDS = {"weight": "weight", "status": "status", "pin": "pinned"}  # the event, and the field a person changed


class JournalNews(MutableRecord):
    """What further lines of one file say."""

    touches: list[Touch] = field(default_factory=list)
    typed_values: list[tuple[str, str, object, datetime]] = field(default_factory=list)  # id, field, value, when
    baseline_counts: list[tuple[str, int, datetime]] = field(default_factory=list)  # id, count before journals, when
    confirmations: list[tuple[str, str]] = field(default_factory=list)  # id, the conversation that said it again
    outcomes: list[tuple[str, str, bool, datetime]] = field(default_factory=list)  # id, who, whether it worked, when
    practice_counts: list[tuple[str, int, float | None, datetime]] = field(default_factory=list)  # as in the file
    lifted_counts: list[str] = field(default_factory=list)  # ids whose count before the journals is lifted
    archive_marks: list[tuple[str, bool]] = field(default_factory=list)  # foreign notes, archived or lifted


def read_news(journal: Journal, ledger: Ledger, offsets: Mapping[str, int]) -> Iterator[tuple[str, int, JournalNews]]:
    """Yield every file that grew: its name, its new offset, and what came since the old one."""
    for name, path in [*journal.journal_files(), *ledger.ledger_files()]:
        before = offsets.get(name, 0)
        if path.stat().st_size != before:
            entries, after = records.read_from(path, before)
            device, news = name.partition("/")[0], JournalNews()
            for entry in entries:
                _fold_entry(news, entry, device)
            yield name, after, news


def _fold_entry(news: JournalNews, entry: JsonRecord, device: str) -> None:
    moment = read_moment(str(entry.get("t", "")))
    if moment is None:
        return
    match entry:
        case {"e": "touch" | "edit"}:
            if touch := touch_of(entry, device):
                news.touches.append(touch)
        case {"e": "weight" | "status" | "pin" as event, "id": str(id_), "value": value} if _is_sane(value):
            news.typed_values.append((id_, TYPED_FIELDS[event], value, moment))
        case {"e": "count"} | {"e": "lift", "of": "count"}:
            _fold_count(news, entry, moment)
        case {"e": "confirm", "id": str(id_), "session": str(session)}:
            news.confirmations.append((id_, session))
        case _:
            _fold_practice(news, entry, device, moment)


def _fold_count(news: JournalNews, entry: JsonRecord, moment: datetime) -> None:
    match entry:
        case {"e": "count", "id": str(id_), "value": int(value)} if _is_sane(value):
            news.baseline_counts.append((id_, value, moment))
        case {"e": "lift", "id": str(id_)}:
            news.baseline_counts = [count for count in news.baseline_counts if count[0] != id_]
            news.lifted_counts.append(id_)


def _is_sane(value: object) -> bool:
    """Return whether a value is a text, or a number that a count or a weight can be; a line may come from anywhere."""
    return isinstance(value, str) or (isinstance(value, int | float) and 0 <= value < _MOST)


def _fold_practice(news: JournalNews, entry: JsonRecord, device: str, moment: datetime) -> None:
    """Fold in how practices were followed, and which foreign notes are archived."""
    match entry:
        case {"e": "archive", "id": str(id_)} | {"e": "lift", "of": "archive", "id": str(id_)}:
            news.archive_marks.append((id_, entry["e"] == "archive"))
        case {"e": "use", "id": str(id_), "ok": bool(ok)}:
            # A repeated line is one use. Older lines have no nonce, and are identified as before.
            drawn = entry.get("nonce")
            news.outcomes.append((id_, f"{device}/{drawn}" if isinstance(drawn, str) else device, ok, moment))
        case {"e": "practice", "id": str(id_), "count": int(count)} if _is_sane(count):
            rate = entry.get("rate")
            is_rate = isinstance(rate, int | float) and 0 <= rate <= 1
            news.practice_counts.append((id_, count, float(rate) if is_rate else None, moment))  # type: ignore[arg-type]
