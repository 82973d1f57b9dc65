"""A bundle: the notes byte for byte, a list of them with their hashes, and the same once more as lines of JSON."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType

from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import Bench
from memvault.text.dates.dates import write_moment
from memvault.transfer.exporters import lines
from memvault.transfer.exporters.taken import Taken

SCHEMA = 1
MANIFEST, LINES, NOTES, PRIVATE = "manifest.json", "memories.jsonl", "notes/", "private/"
# The same notes make the same bundle, byte for byte; and no earlier day can be written into a zip.
_DAY = (1980, 1, 1, 0, 0, 0)


Sealed = Mapping[str, bytes]
"""Private memories, and the list of those they are sealed to: file names and bytes, sealed as they are."""
_NONE_SEALED: Sealed = MappingProxyType({})


def made(bench: Bench, taken: tuple[Taken, ...], *, sealed: Sealed = _NONE_SEALED) -> bytes:
    """The bundle, as a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _parts(bench, taken, sealed):
            about = zipfile.ZipInfo(name, _DAY)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o600 << 16
            archive.writestr(about, data)
    return buffer.getvalue()


def _parts(bench: Bench, taken: tuple[Taken, ...], sealed: Sealed) -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _manifest(bench, taken, sealed)
    yield LINES, lines.made(bench, taken)
    for one in taken:
        yield f"{NOTES}{one.memory.path}", one.raw
    for name, data in sealed.items():
        yield f"{PRIVATE}{name}", data


def _manifest(bench: Bench, taken: tuple[Taken, ...], sealed: Sealed) -> bytes:
    own = charter.read(bench.vault.root)
    said = {
        "memvault": "bundle",
        "schema": SCHEMA,
        "format": own.format,
        "vault": own.id,
        "made": write_moment(bench.now),
        "notes": [
            {"path": one.memory.path, "id": one.memory.id, "sha256": sha256(one.raw).hexdigest(), "bytes": len(one.raw)}
            for one in taken
        ],
    }
    if sealed:
        said["private"] = [
            {"name": name, "sha256": sha256(data).hexdigest(), "bytes": len(data)} for name, data in sealed.items()
        ]
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()
