"""A bundle: the notes byte for byte, a list of them with their hashes, and the same once more as lines of JSON."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from hashlib import sha256

from memvault.core.dates import write_moment
from memvault.vault import charter
from memvault.verbs.bench import Bench
from memvault.verbs.exporting import lines
from memvault.verbs.exporting.taken import Taken

SCHEMA = 1
MANIFEST, LINES, NOTES = "manifest.json", "memories.jsonl", "notes/"
# The same notes make the same bundle, byte for byte; and no earlier day can be written into a zip.
_DAY = (1980, 1, 1, 0, 0, 0)


def made(bench: Bench, taken: tuple[Taken, ...]) -> bytes:
    """The bundle, as a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _parts(bench, taken):
            about = zipfile.ZipInfo(name, _DAY)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o600 << 16
            archive.writestr(about, data)
    return buffer.getvalue()


def _parts(bench: Bench, taken: tuple[Taken, ...]) -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _manifest(bench, taken)
    yield LINES, lines.made(bench, taken)
    for one in taken:
        yield f"{NOTES}{one.memory.path}", one.raw


def _manifest(bench: Bench, taken: tuple[Taken, ...]) -> bytes:
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
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()
