"""How often the one part of a memory that somebody means is forgotten, and all else stays word for word."""

from __future__ import annotations

import json
from pathlib import Path

from memvault.memories.forget import find_part
from memvault.text.sentence.clauses import remove_clause


def measure(half: Path) -> dict[str, str]:
    """Return how many parts go with the rest as it was, how many were asked about, and how many other parts went."""
    rows = [json.loads(line) for line in (half / "parts.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [forget_in_text(row["text"], row["forget"]) for row in rows]
    right = sum(rest == row["rest"] for rest, row in zip(found, rows, strict=True))
    asked = found.count(None)
    return {
        "parts: forgotten, the rest as it was": f"{right}/{len(rows)}",
        "parts: asked which": f"{asked}/{len(rows)}",
        "parts: another one forgotten": f"{len(rows) - right - asked}/{len(rows)}",
    }


def forget_in_text(text: str, what: str) -> str | None:
    """Return a text without the part that somebody means; None where it is not clear which."""
    clause = find_part(text, what)
    return None if clause is None else remove_clause(text, clause)
