"""What journals and ledgers say of each memory's use, read on from where one stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from memvault.core.value import Gathering, field
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.journal import Journal, Touch, touch_of
from memvault.storage.journal.jsonl import Record
from memvault.storage.journal.ledger import Ledger
from memvault.text.dates.dates import read_moment

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
