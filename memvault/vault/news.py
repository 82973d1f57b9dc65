"""What journals and ledgers say of each memory's use, read on from where one stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memvault.core.dates import read_moment
from memvault.vault import records
from memvault.vault.journal import Journal, Touch, touch_of
from memvault.vault.ledger import Ledger
from memvault.vault.records import Record

WISHES = {"weight": "weight", "status": "status", "pin": "pinned"}  # the event, and the field a person changed


@dataclass(slots=True)
class News:
    """What further lines of one file tell."""

    touches: list[Touch] = field(default_factory=list)
    wishes: list[tuple[str, str, object, datetime]] = field(default_factory=list)  # id, field, value, when
    counts: list[tuple[str, int, datetime]] = field(default_factory=list)  # id, count before the journals, when
    confirmed: list[tuple[str, str]] = field(default_factory=list)  # id, the conversation that said it again
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
        case {"e": "weight" | "status" | "pin" as event, "id": str(id_), "value": value}:
            news.wishes.append((id_, WISHES[event], value, moment))
        case {"e": "count", "id": str(id_), "value": int(value)}:
            news.counts.append((id_, value, moment))
        case {"e": "confirm", "id": str(id_), "session": str(session)}:
            news.confirmed.append((id_, session))
        case {"e": "archive", "id": str(id_)}:
            news.archived.append((id_, True))
        case {"e": "lift", "of": "archive", "id": str(id_)}:
            news.archived.append((id_, False))
