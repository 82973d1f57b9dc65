"""Chain the operation log: beside its lines stand their digests, each link bound to all links before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memvault.core.value import Record
from memvault.storage.journal.journal import Journal, JsonRecord, encode_line
from memvault.system import files
from memvault.text.dates.dates import write_moment

Item = TypeVar("Item")
LINK = "link"
_SORTS = ("op", "step", "done")
_FEW = 50  # digests in one link: a line is never longer than one atomic write
_TAIL = 65_536
_MARK = b'"e":"link"'


class ChainHead(Record):
    """Where a device's chain ends: the number of its last link, and the hash over all links up to it."""

    number: int = 0
    hash: str = ""


def line_digest(line: bytes) -> str:
    """Return the digest by which a link knows a line."""
    return files.digest(line.strip())


def is_chained(entry: Mapping[str, object]) -> bool:
    """Return whether a journal entry is of the operation log, and so bound by the chain."""
    return entry.get("e") in _SORTS


def link_hash(link: Mapping[str, object]) -> str:
    """Return the hash of a link, over all that it says: the hash of the link before it, too."""
    said = {name: value for name, value in link.items() if name != "h"}
    return files.digest(json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())


def append_chained(journal: Journal, op: str, records: Iterable[JsonRecord], now: datetime, *, durable: bool) -> None:
    """Append records of an operation with links over them, and over what a power cut left of it without one.

    The first links of all cover the older log.
    """
    lines = [encode_line(record, now) for record in records]
    own = journal.device_files().get(journal.device, [])
    head, tail = _find_head(own)
    if head.number:
        before = _unlinked_lines(tail, op)
    else:
        before = [line for path in own for line, entry in read_lines(files.read_file(path)) if is_chained(entry)]
    digests = [line_digest(line) for line in (*before, *lines)]
    links = _make_links(head, [{"d": part} for part in _split(digests)], now, _other_heads(journal))
    journal.append_lines([*lines, *links], now, durable=durable)


def append_gone(journal: Journal, gone: Mapping[str, str], now: datetime) -> None:
    """Record that lines are gone by intent: the digest of each, and the digest of what stands there instead."""
    if gone:
        head, _ = _find_head(journal.device_files().get(journal.device, []))
        parts = [{"gone": dict(part)} for part in _split(list(gone.items()), _FEW // 2)]
        journal.append_lines(_make_links(head, parts, now, {}), now, durable=True)


def read_lines(data: bytes) -> Iterator[tuple[bytes, dict[str, object]]]:
    """Yield the whole lines of a journal with their entries; what nobody can read is skipped."""
    for line in data.split(b"\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield line, entry


def _find_head(paths: Sequence[Path]) -> tuple[ChainHead, bytes]:
    """Return the last link in some files, and the end of the file that has it.

    A clock that was set back by a month writes into an earlier file, so each is looked at.
    """
    ends = [(_read_end(path), path) for path in paths]
    found = max((_last_link(end) for end, _ in ends), key=lambda head: head.number, default=ChainHead())
    if not found.number:  # much else was noted since
        found = max((_last_link(files.read_file(path)) for path in paths), key=lambda head: head.number, default=found)
    return found, next((end for end, _ in ends if found.number and _last_link(end) == found), b"")


def _read_end(path: Path) -> bytes:
    with files.open_stream(path) as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL))
        return stream.read()


def _last_link(data: bytes) -> ChainHead:
    at = data.rfind(_MARK)
    start, end = data.rfind(b"\n", 0, max(at, 0)) + 1, data.find(b"\n", at)
    for _, entry in read_lines(data[start:end] if at >= 0 else b""):
        number, hash_ = entry.get("n"), entry.get("h")
        if isinstance(number, int) and isinstance(hash_, str):
            return ChainHead(number, hash_)
    return ChainHead()


def _unlinked_lines(tail: bytes, op: str) -> list[bytes]:
    """Return the lines of an operation that no link covers: a power cut took the end of that write."""
    entries = list(read_lines(tail))
    linked = {digest for _, entry in entries for digest in list_digests(entry)}
    return [line for line, entry in entries if entry.get("op") == op and line_digest(line) not in linked]


def list_digests(entry: Mapping[str, object]) -> list[str]:
    """Return the digests of the lines that an entry of a journal covers, if it is a link."""
    digests = entry.get("d") if entry.get("e") == LINK else None
    return [one for one in digests if isinstance(one, str)] if isinstance(digests, list) else []


def _other_heads(journal: Journal) -> dict[str, str]:
    """Return how far the chains of the other devices go, as they are known here."""
    heads = {
        device: _find_head(paths)[0] for device, paths in journal.device_files().items() if device != journal.device
    }
    return {device: head.hash for device, head in heads.items() if head.number}


def _make_links(
    head: ChainHead, parts: Iterable[JsonRecord], now: datetime, heads: Mapping[str, object]
) -> list[bytes]:
    lines: list[bytes] = []
    for part in parts:
        more = {"heads": heads} if heads and not lines else {}
        said = {"t": write_moment(now), "e": LINK, "n": head.number + 1, "p": head.hash, **part, **more}
        head = ChainHead(head.number + 1, link_hash(said))
        lines.append(encode_line({**said, "h": head.hash}, now))
    return lines


def _split(items: list[Item], size: int = _FEW) -> list[list[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
