"""The journal: what happened, one folder for each device, one file for each month."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from memvault.core.value import Frozen, Gathering, field
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.jsonl import Record
from memvault.storage.journal.ledger import Ledger
from memvault.storage.vault.layout import is_conflict_copy
from memvault.system import files
from memvault.text.dates.dates import read_moment

_TAIL = 65_536
TOUCHING = ("touch", "edit")


class Touch(Frozen):
    """One counted use: a memory, by whom (session, or device where there is none), when."""

    id: str
    who: str
    at: datetime


class Journal:
    """All devices' journals; this device's own is the only one ever written."""

    def __init__(self, folder: Path, device: str) -> None:
        self._folder = folder
        self._device = device

    def append(self, entries: Iterable[Record], now: datetime, *, durable: bool = False) -> None:
        """Add entries to this device's file of the month."""
        path = self._folder / self._device / f"{now:%Y-%m}.jsonl"
        records.append(path, entries, now, durable=durable)

    def paths(self) -> list[tuple[str, Path]]:
        """Every journal file, named `<device>/<month>`, in order of name."""
        found = sorted(self._folder.glob("*/*.jsonl")) if self._folder.is_dir() else []
        led_away = {folder for folder in {path.parent for path in found} if files.leads_out(folder)}
        return [
            (f"{path.parent.name}/{path.stem}", path)
            for path in found
            if path.parent not in led_away and files.is_there(path) and not is_conflict_copy(path.name)
        ]

    def entries(self, *, whole: bool = False) -> Iterator[tuple[str, dict[str, object]]]:
        """All entries of all devices, each with its device; an unreadable file is an error where all is wanted."""
        for name, path in self.paths():
            for entry in records.read_from(path)[0] if whole else records.readable(path):
                yield name.partition("/")[0], entry

    def since(self, moment: datetime) -> Iterator[dict[str, object]]:
        """The last entries of every file that was written to since a moment; those before it are among them."""
        for _, path in self.paths():
            if path.stat().st_mtime >= moment.timestamp():
                yield from records.read_from(path, _near_end(path))[0]

    def last_own(self, member: str) -> dict[str, object] | None:
        """This device's last entry that has some member."""
        own = [path for name, path in self.paths() if name.partition("/")[0] == self._device]
        for path in reversed(own):
            for start in dict.fromkeys((_near_end(path), 0)):  # mostly the end of a file is enough
                entries = records.read_from(path, start)[0]
                found = next((entry for entry in reversed(entries) if member in entry), None)
                if found is not None:
                    return found
        return None

    def own_tail(self) -> list[dict[str, object]]:
        """This device's last entries, far enough back to show the whole of its last operation."""
        own = [path for name, path in self.paths() if name.partition("/")[0] == self._device]
        tail = [entry for path in own[-2:] for entry in records.read_from(path, _near_end(path))[0]]
        if any(entry.get("e") == "op" for entry in tail):
            return tail
        # The last operation is longer than the tail, or much was read since it began.
        return [entry for path in own for entry in records.read_from(path)[0]]


def _near_end(path: Path) -> int:
    return max(0, path.stat().st_size - _TAIL)


def touch_of(entry: Record, device: str) -> Touch | None:
    """The use that an entry records, if it records one.

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


# What journals and ledgers say of each memory's use, read on from where one stopped.

_MOST = 1_000_000_000
WISHES = {"weight": "weight", "status": "status", "pin": "pinned"}  # the event, and the field a person changed


class News(Gathering):
    """What further lines of one file tell."""

    touches: list[Touch] = field(default_factory=list)
    wishes: list[tuple[str, str, object, datetime]] = field(default_factory=list)  # id, field, value, when
    counts: list[tuple[str, int, datetime]] = field(default_factory=list)  # id, count before the journals, when
    confirmed: list[tuple[str, str]] = field(default_factory=list)  # id, the conversation that said it again
    followed: list[tuple[str, str, bool, datetime]] = field(default_factory=list)  # id, who, whether it worked, when
    practised: list[tuple[str, int, float | None, datetime]] = field(default_factory=list)  # as it stood in the file
    uncounted: list[str] = field(default_factory=list)  # whose count before the journals is taken back
    archived: list[tuple[str, bool]] = field(default_factory=list)  # foreign notes, archived or lifted


def news_since(journal: Journal, ledger: Ledger, offsets: Mapping[str, int]) -> Iterator[tuple[str, int, News]]:
    """For every file that grew: its name, the new offset, and what came since the old one."""
    for name, path in [*journal.paths(), *ledger.paths()]:
        before = offsets.get(name, 0)
        if path.stat().st_size != before:
            yield (name, *_read_on(name, path, before))


def _read_on(name: str, path: Path, before: int) -> tuple[int, News]:
    entries, after = records.read_from(path, before)
    device, news = name.partition("/")[0], News()
    for entry in entries:
        _take(news, entry, device)
    return after, news


def _take(news: News, entry: Record, device: str) -> None:
    moment = read_moment(str(entry.get("t", "")))
    if moment is None:
        return
    match entry:
        case {"e": "touch" | "edit"}:
            if touch := touch_of(entry, device):
                news.touches.append(touch)
        case {"e": "weight" | "status" | "pin" as event, "id": str(id_), "value": value} if _is_sane(value):
            news.wishes.append((id_, WISHES[event], value, moment))
        case {"e": "count"} | {"e": "lift", "of": "count"}:
            _take_count(news, entry, moment)
        case {"e": "confirm", "id": str(id_), "session": str(session)}:
            news.confirmed.append((id_, session))
        case _:
            _take_rest(news, entry, device, moment)


def _take_count(news: News, entry: Record, moment: datetime) -> None:
    match entry:
        case {"e": "count", "id": str(id_), "value": int(value)} if _is_sane(value):
            news.counts.append((id_, value, moment))
        case {"e": "lift", "id": str(id_)}:
            news.counts = [count for count in news.counts if count[0] != id_]
            news.uncounted.append(id_)


def _is_sane(value: object) -> bool:
    """Whether a value is a text, or a number that a count or a weight can be; a line may come from anywhere."""
    return isinstance(value, str) or (isinstance(value, int | float) and 0 <= value < _MOST)


def _take_rest(news: News, entry: Record, device: str, moment: datetime) -> None:
    """How ways were followed, and which foreign notes are archived."""
    match entry:
        case {"e": "archive", "id": str(id_)} | {"e": "lift", "of": "archive", "id": str(id_)}:
            news.archived.append((id_, entry["e"] == "archive"))
        case {"e": "use", "id": str(id_), "ok": bool(ok)}:
            # A line that came twice is one use. Those of before had nothing drawn in them, and keep their identity.
            drawn = entry.get("nonce")
            news.followed.append((id_, f"{device}/{drawn}" if isinstance(drawn, str) else device, ok, moment))
        case {"e": "practice", "id": str(id_), "count": int(count)} if _is_sane(count):
            rate = entry.get("rate")
            is_rate = isinstance(rate, int | float) and 0 <= rate <= 1
            news.practised.append((id_, count, float(rate) if is_rate else None, moment))  # type: ignore[arg-type]
