"""Append-only lines of JSON, for the journal and the ledger."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from memvault.errors import Unreadable
from memvault.system import files
from memvault.text.dates.dates import write_moment

LONGEST_LINE = 4_000

JsonRecord = Mapping[str, object]


def encode_line(record: JsonRecord, now: datetime) -> bytes:
    """Return one record as a stamped line, never longer than one atomic write can be."""
    stamped = {"t": write_moment(now), **record}
    text = json.dumps(stamped, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > LONGEST_LINE:
        text = json.dumps(_shorten_texts(stamped), ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def _shorten_texts(record: JsonRecord) -> JsonRecord:
    return {key: value[:500] if isinstance(value, str) else value for key, value in record.items()}


def append_records(path: Path, records: Iterable[JsonRecord], now: datetime, *, durable: bool = False) -> None:
    """Append records to a file in one write."""
    data = b"".join(encode_line(record, now) for record in records)
    if data:
        files.append_line(path, data, durable=durable)


def parse_lines(data: bytes) -> Iterator[dict[str, object]]:
    """Yield the records in a file's bytes; torn, foreign and unreadable lines are skipped."""
    for text in data.split(b"\n"):
        try:
            found = json.loads(text)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def read_readable(path: Path) -> list[dict[str, object]]:
    """Return all records of a file; none of an unreadable one, so that the other files are still read."""
    try:
        return read_from(path)[0]
    except Unreadable:
        return []


def read_from(path: Path, offset: int = 0) -> tuple[list[dict[str, object]], int]:
    """Return the whole lines after an offset, and the offset behind them; a shrunken file is read from its start."""
    data = files.read_file(path)
    if offset > len(data):
        offset = 0
    end = data.rfind(b"\n") + 1
    return list(parse_lines(data[offset:end])), max(end, offset)
