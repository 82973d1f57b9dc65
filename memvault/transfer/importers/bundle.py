"""A bundle, as `memvault export` writes it: every note is held against its hash before a byte of it is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from memvault.core.ids import is_id
from memvault.errors import Unreadable
from memvault.system import files
from memvault.system.files.append_only import intact
from memvault.text.file_names import is_within
from memvault.transcripts.formats.entries import Item, Member, entries
from memvault.transcripts.model.record import Bad
from memvault.transfer.exporters.formats import MANIFEST, NOTES, SCHEMA
from memvault.transfer.importers.item import Item as Read
from memvault.transfer.importers.item import Source, Unread, Whole
from memvault.transfer.importers.json import Row, is_zip, row_of

_CHUNK = 256 * 1024
_MOST, _MOST_TIMES = 1024**3, 50  # bytes that all of it may come to, and how often its own size besides
_MOST_MEMBERS = 100
_LONGEST_NOTE = 16 * 1024 * 1024


def read(path: Path) -> Iterator[Read]:
    """Every note that the list names and that is what the list says; nothing else in the archive is looked at."""
    if not is_zip(path):
        raise Unreadable(path=path, reason="it is no bundle: a bundle is a zip file")
    with files.stream(path) as stream, intact(path), ZipFile(stream) as archive:
        left = _MOST + _MOST_TIMES * stream.seek(0, 2)
        for vault, row in _listed(path, archive):
            item = row if isinstance(row, Unread) else _note(path, archive, row, vault)
            left -= len(item.raw) if isinstance(item, Whole) else 0
            if left < 0:
                raise Unreadable(path=path, reason="there is more in it than any notes can come to")
            yield item


def _listed(path: Path, archive: ZipFile) -> Iterator[tuple[str, Row | Unread]]:
    """The rows of the list, with the vault it is of; what is no list of ours, or of a later day, is Unreadable."""
    if MANIFEST not in archive.namelist():
        raise Unreadable(path=path, reason=f"it is no bundle: there is no {MANIFEST} in it")
    said: dict[str, object] = {}
    is_checked = False
    with archive.open(MANIFEST) as opened:
        for event in entries(iter(lambda: opened.read(_CHUNK), b""), inner=frozenset({"notes"})):
            match event:
                case Member() if len(said) < _MOST_MEMBERS:
                    said[event.name] = event.value
                case Item():
                    is_checked = is_checked or _check(path, said)
                    yield str(said.get("vault", "")), row_of(path, f"byte {event.at:,} of {MANIFEST}", event.data)
                case Bad():
                    yield "", Unread(path, event.why, f"{event.where} of {MANIFEST}")
                case _:
                    pass
    _check(path, said)


def _check(path: Path, said: Mapping[str, object]) -> bool:
    """True where a list is one that this program knows how to read."""
    schema = said.get("schema")
    if said.get("memvault") != "bundle" or not isinstance(schema, int):
        raise Unreadable(path=path, reason=f"it is no bundle: its {MANIFEST} says something else")
    if schema > SCHEMA:
        raise Unreadable(path=path, reason="a newer memvault has made it, and this one does not know how to read it")
    return True


def _note(path: Path, archive: ZipFile, row: Row, vault: str) -> Whole | Unread:
    name, size = row.values.get("path"), row.values.get("bytes")
    if not isinstance(name, str):
        return Unread(path, "it has no path", row.where)
    if not is_within(name, windows=sys.platform == "win32"):
        return Unread(path, "its path leads elsewhere, or no file can be called so on this system", name or row.where)
    if not isinstance(size, int) or not 0 <= size <= _LONGEST_NOTE:
        return Unread(path, "it is too long for a note", name)
    try:
        with intact(path), archive.open(f"{NOTES}{name}") as opened:
            data = opened.read(size + 1)  # a bomb is let go of as soon as it is longer than it says
    except Unreadable:
        return Unread(path, "it is missing or damaged", name)
    if len(data) != size or sha256(data).hexdigest() != row.text("sha256"):
        return Unread(path, "it is not what the list says: its hash differs", name)
    id_ = row.text("id").casefold()
    return Whole(path=name, id=id_ if is_id(id_) else "", raw=data, vault=vault)


SOURCE = Source("bundle", "a bundle", read)
