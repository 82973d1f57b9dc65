"""How many notes that say they are from elsewhere are loaded by every session, and how many of a person's own are not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from memvault.core.memory import Place
from memvault.storage import frontmatter
from memvault.storage.vault.codec import NoteOrigin, read_memory

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def measure(half: Path) -> dict[str, str]:
    """Return how many poisoned notes in Tier 1 are barred, by where they say that they are from, and own notes that stay."""
    poisoned = _read_rows(half / "poison.jsonl")
    own = _read_rows(half / "notes.jsonl")
    barred = [row for row in poisoned if not _is_loaded(row["note"])]
    telling = [row for row in poisoned if row["where"] not in ("wikilink", "body only")]
    told = sum(row in barred for row in telling)
    kept = sum(_is_loaded(row["text"]) for row in own)
    return {
        "poison: barred, its frontmatter tells": f"{told}/{len(telling)}",
        "poison: barred, of all": f"{len(barred)}/{len(poisoned)}",
        "own notes: loaded as before": f"{kept}/{len(own)}",
    }


def _read_rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _is_loaded(note: str) -> bool:
    origin = NoteOrigin("1-hot/a.md", Place.HOT, "", _NOW, _NOW)
    return read_memory(frontmatter.parse(note.encode()), origin, version="").is_trusted
