"""Versions of notes, transcripts and archives that nobody would make: each is answered, in bounded time and room.

Run it as `python -m tests.stress.fuzz --inputs 20000`; `--kinds merges` for one kind. Notes have `tests.stress.frontmatter`,
what an agent sends to the hooks has `tests.stress.hooks`.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from random import Random

from memvault.errors import MemvaultError
from memvault.storage import frontmatter
from memvault.storage.merging.merge_note import NoteContext, merge_note
from memvault.text.file_names import is_within
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.formats import FORMATS, guess_format
from memvault.transcripts.model.record import ReadStart, TranscriptEntry
from memvault.transfer.importers import bundle
from memvault.transfer.importers.item import BundleNote
from tests.stress import frontmatter as notes
from tests.stress.trials import report

SLOWEST = 2.0  # seconds of CPU time
_GROUND = NoteContext(path="2-memories/note.md", vault_id="7d3f6a52-0c1e-4a8e-9a55-3f1f0f6d2b11", zone=UTC)
_SCRAPS = (
    *(b"", b'"', b"{", b"}", b"[", b"]", b"null", b"\x00", b"\xff", b"9" * 400, b"\\ud800", b"[" * 3_000, b"\r\n"),
    b",",
)
_NAMES = (
    *("a.md", "../a.md", "/etc/a.md", "CON.md", "a\\..\\b.md", "x" * 300, "é.md", "e\u0301.md", "a.md/.."),
    *("\x00.md", ""),
)


@dataclass(slots=True)
class Figures:
    """What a run came to."""

    inputs: int = 0
    slowest: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


Try = Callable[[Random, Path], str]


def run(kind: str, folder: Path, *, inputs: int, seed: int = 0) -> Figures:
    """Try that many inputs, each made by a seed of its own, so that any of them can be made again."""
    figures = Figures()
    for number in range(seed, seed + inputs):
        began = time.process_time()  # of this process: a busy machine is nobody's fault here
        try:
            outcome = KINDS[kind](Random(number), folder)
        except Exception as error:
            outcome = f"crash: {type(error).__name__}"
            figures.wrong.append(f"{kind}, seed {number}: {type(error).__name__}: {error}")
        if outcome.startswith("lost"):
            figures.wrong.append(f"{kind}, seed {number}: {outcome}")
        figures.inputs += 1
        figures.outcomes[outcome.partition(":")[0]] += 1
        figures.slowest = max(figures.slowest, time.process_time() - began)
    return figures


# -- merges


def _merge(made: Random, _folder: Path) -> str:
    base = notes.note(made, _CORPUS)
    ours, theirs = _edited(made, base), _edited(made, base)
    found = merge_note(base if made.random() < 0.8 else None, ours, theirs, _GROUND)
    whole = (found.raw + (found.parked or b"")).decode("utf-8", "replace")
    for side in (ours, theirs):
        if gone := {line for line in _lines(side) - _lines(base) if line not in whole}:
            return f"lost: {sorted(gone)[:2]}"
    if found.parked is not None:
        return "apart"
    return "one side" if found.raw in (ours, theirs) else "joined"


def _edited(made: Random, raw: bytes) -> bytes:
    """A note as somebody may have left it: other lines in its text, another field, or damaged."""
    for _ in range(made.randrange(0, 3)):
        lines = raw.split(b"\n")
        at = made.randrange(len(lines) + 1)
        if made.random() < 0.6:
            lines.insert(at, b"Line %d is new." % made.randrange(10**6))
        elif lines[at:]:
            del lines[at]
        raw = b"\n".join(lines)
    return notes.note(made, [raw]) if made.random() < 0.2 else raw


def _lines(raw: bytes) -> set[str]:
    """The lines of a text that somebody typed as such; frontmatter goes by its meaning."""
    return {line.strip() for line in frontmatter.parse(raw).text.splitlines() if line.startswith("Line ")}


# -- transcripts


def _transcript(made: Random, _folder: Path) -> str:
    data = _spoiled(made, made.choice(_TALKS))
    name = guess_format(data[:65_536], "talk.jsonl") if made.random() < 0.5 else made.choice(sorted(FORMATS))
    if not name:
        return "unknown"
    middle = made.randrange(len(data) + 1)
    records = list(FORMATS[name].read([data[:middle], data[middle:]], ReadStart(name="talk")))
    return "turns" if any(isinstance(record, TranscriptEntry) and record.turn for record in records) else "no turns"


def _spoiled(made: Random, data: bytes) -> bytes:
    for _ in range(made.randrange(0, 5)):
        at, length = made.randrange(len(data) + 1), made.choice((0, 0, 1, 5, 40))
        scrap = made.choice(_SCRAPS) if made.random() < 0.8 else made.randbytes(3)
        data = data[:at] + scrap + data[at + length :]
    return data


# -- archives


def _archive(made: Random, folder: Path) -> str:
    path = folder / "archive.zip"
    path.write_bytes(_zipped(made))
    outcome = _read_as_export(path) if made.random() < 0.3 else _read_as_bundle(path)
    if [each.name for each in folder.iterdir()] != ["archive.zip"]:
        return "lost: something lies beside the archive"
    return outcome


def _read_as_bundle(path: Path) -> str:
    try:
        items = list(bundle.read_bundle(path))
    except MemvaultError:
        return "refused"
    for item in items:
        if isinstance(item, BundleNote) and not is_within(item.path, windows=sys.platform == "win32"):
            return f"lost: {item.path!r} would lead out of the vault"
    return "read" if any(isinstance(item, BundleNote) for item in items) else "nothing in it"


def _read_as_export(path: Path) -> str:
    try:
        data = b"".join(SourceFile.open_file(path).read_chunks())
    except MemvaultError:
        return "refused"
    list(FORMATS["chatgpt"].read([data], ReadStart(name="export")))
    return "read"


def _zipped(made: Random) -> bytes:
    parts = {made.choice(_NAMES) or "empty": made.randbytes(made.randrange(200)) for _ in range(made.randrange(1, 4))}
    rows = [
        {
            "path": name,
            "id": "",
            "sha256": sha256(data).hexdigest(),
            "bytes": len(data) if made.random() < 0.9 else made.randrange(10**12),
        }
        for name, data in parts.items()
    ]
    listed = json.dumps({"memvault": "bundle", "schema": 1, "vault": "x", "notes": rows}).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", _spoiled(made, listed) if made.random() < 0.3 else listed)
        archive.writestr("conversations.json", _spoiled(made, _TALKS[1]))
        for name, data in parts.items():
            archive.writestr(f"notes/{name}", data)
    return _spoiled(made, buffer.getvalue()) if made.random() < 0.5 else buffer.getvalue()


def _talks() -> Iterator[bytes]:
    turn = {"role": "user", "content": "The spare modem lies in the green box."}
    common = {"sessionId": "s", "timestamp": "2026-01-29T09:30:00Z", "cwd": "/home/noor/x"}
    rows = [{"type": "user", "uuid": f"u{n}", "message": turn, **common} for n in range(4)]
    yield b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    node = {
        "message": {"author": {"role": "user"}, "content": {"parts": ["Hello"]}, "create_time": 1.7e9},
        "children": [],
    }
    yield json.dumps(
        [{"id": "c", "title": "T", "create_time": 1.7e9, "mapping": {"a": node}, "current_node": "a"}]
    ).encode()
    said = {"uuid": "m", "sender": "human", "text": "Hello", "created_at": "2026-01-29T09:30:00Z"}
    yield json.dumps([{"uuid": "c", "name": "T", "account": {"uuid": "a"}, "chat_messages": [said]}]).encode()
    yield json.dumps({"id": "c", "turns": [{"id": "1", "speaker": "Ana", "text": "Hello"}]}).encode()


_CORPUS, _TALKS = notes.seeds(), tuple(_talks())
KINDS: Mapping[str, Try] = {"merges": _merge, "transcripts": _transcript, "archives": _archive}


def main() -> None:
    """Print what came of every kind, the slowest input, and the most room that was taken."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--inputs", type=int, default=20_000)
    ask.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    ask.add_argument("--seed", type=int, default=0)
    given = ask.parse_args()
    report(_tell(kind, given.inputs, given.seed) for kind in given.kinds)


def _tell(kind: str, inputs: int, seed: int) -> tuple[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        got = run(kind, Path(folder), inputs=inputs, seed=seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    slow = [f"the slowest took {got.slowest:.2f} s"] if got.slowest > SLOWEST else []
    return f"{kind}: {got.inputs:,} inputs, {dict(got.outcomes)}, at most {peak} MB", got.wrong + slow


if __name__ == "__main__":
    main()
