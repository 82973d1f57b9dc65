"""How many secrets and personal numbers are recognized, and how many look-alikes are taken for some.

`python -m tests.benchmarks.judgement.secrets` lists each mistake in the half that may be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memvault.core.secrets.scan import find_secrets, redact_secrets

SEEN = Path(__file__).parents[2] / "labelled" / "seen"


def measure(half: Path) -> dict[str, str]:
    """Return the recall over all secrets and the share of harmless texts in which something was flagged."""
    rows = read_rows(half)
    secrets = sum(len(row["secret"]) for row in rows)
    harmless = sum(not row["secret"] for row in rows)
    missed, flagged = len(list(find_missed(rows))), len(list(find_flagged(rows)))
    return {
        "secrets recognized": f"{100 * (1 - missed / secrets):.1f} % of {secrets}",
        "look-alikes flagged": f"{100 * flagged / harmless:.1f} % of {harmless}",
    }


def find_missed(rows: list[dict]) -> Iterator[tuple[dict, str]]:
    """Yield each secret of which a part would be stored."""
    for row in rows:
        stored = redact_secrets(row["text"])
        spans = [(secret.start, secret.end) for secret in find_secrets(row["text"])]
        for secret in row["secret"]:
            start = row["text"].index(secret)
            is_covered = any(begin <= start and start + len(secret) <= end for begin, end in spans)
            if secret in stored or not is_covered:
                yield row, secret


def find_flagged(rows: list[dict]) -> Iterator[tuple[dict, str]]:
    """Yield each harmless text in which something is taken for a secret."""
    for row in rows:
        if not row["secret"]:
            for secret in find_secrets(row["text"])[:1]:
                yield row, f"{secret.sort}: {row['text'][secret.start : secret.end]}"


def read_rows(half: Path) -> list[dict]:
    """Return the rows of a half."""
    with (half / "secrets.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    """List each mistake in the half that may be looked at."""
    rows = read_rows(SEEN)
    print("; ".join(f"{name}: {figure}" for name, figure in measure(SEEN).items()))
    for row, found in (*find_missed(rows), *find_flagged(rows)):
        print(f"{row['kind']:20} {found!r}\n    {row['text']!r}")


if __name__ == "__main__":
    main()
