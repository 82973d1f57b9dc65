"""What of people's words is kept: sessions, statements, requests, and texts that are trivial."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from memvault import Memvault
from memvault.core.conversation import Turn
from memvault.core.secrets.screens import Captured, trivial_reason
from memvault.errors import Trivial
from memvault.text.statements.judge import SURE
from memvault.transcripts.extract.candidates import MemoryCandidate, find_candidates

PREFERENCES = Path(__file__).parents[4] / "shared" / "bench" / "prefeval-dev.json"
Row = dict[str, str]


def measure(half: Path) -> dict[str, str]:
    """Return every figure of what is kept, for one half of the sets."""
    return {**measure_statements(half), **measure_junk(half), **measure_captures(half), **measure_trivial(half)}


def measure_statements(half: Path) -> dict[str, str]:
    """Return how many sessions and statements are kept, by the sort of statement."""
    sessions = [row for row in read_rows(half, "sessions") if row["keep"]]
    found = {"sessions kept": f"{sum(map(is_session_kept, sessions))} of {len(sessions)}"}
    kept, known = Counter[str](), Counter[str]()
    for row in read_rows(half, "statements"):
        known[row["kind"]] += 1
        kept[row["kind"]] += bool(find_said(row["text"]))
    first = ("outright", "passing")
    found |= {f"preferences {name}": f"{kept[name]} of {known[name]}" for name in first}
    rest = [name for name in known if name not in first]
    found["other statements"] = f"{sum(kept[name] for name in rest)} of {sum(known[name] for name in rest)}"
    if PREFERENCES.exists() and half.name == "seen":
        cases = json.loads(PREFERENCES.read_text(encoding="utf-8"))["cases"]
        found["stated preferences of PrefEval"] = (
            f"{sum(bool(find_said(one['preference'])) for one in cases)} of {len(cases)}"
        )
    else:
        found["stated preferences of PrefEval"] = "-"
    return found


def is_session_kept(row: Row) -> bool:
    """Return whether one memory of a session has all words that the one thing worth keeping must have."""
    return any(holds(one.text, row["must_have"]) for one in find_in_turns(row["turns"]))


def holds(text: str, words: str | Sequence[str]) -> bool:
    """Return whether a text has all of some words."""
    return all(word.casefold() in text.casefold() for word in words)


def measure_junk(half: Path) -> dict[str, str]:
    """Return how much of what is kept is junk: what is sure enough to be given unasked, and the rest."""
    junk, every = Counter[bool](), Counter[bool]()
    for row in read_rows(half, "sessions"):
        for one in find_in_turns(row["turns"]):
            every[one.sureness >= SURE] += 1
            junk[one.sureness >= SURE] += not (row["keep"] and holds(one.text, row["must_have"]))
    for name, is_junk in (("statements", False), ("requests", True)):
        for row in read_rows(half, name):
            for one in find_said(row["text"]):
                every[one.sureness >= SURE] += 1
                junk[one.sureness >= SURE] += is_junk
    return {
        name: f"{junk[sure]} of {every[sure]}"
        for name, sure in (("junk given unasked", True), ("junk of the rest", False))
    }


def measure_captures(half: Path) -> dict[str, str]:
    """Return how many requests, and how many facts, `capture()` keeps."""
    requests, facts = read_rows(half, "requests"), read_rows(half, "statements")
    kept = {}
    with tempfile.TemporaryDirectory() as folder:
        Memvault.init(Path(folder) / "vault")
        vault = Memvault(Path(folder) / "vault")
        for name, rows in (("requests", requests), ("statements", facts)):
            found = [captures(vault, row["text"]) for row in rows]
            kept[name] = f"{sum(found)} of {len(rows)}"
            if name == "requests":  # and of each sort
                sorts = Counter(row["why"] for row, is_kept in zip(rows, found, strict=True) if is_kept)
                kept |= {
                    f"  {sort}": f"{sorts[sort]} of {count}"
                    for sort, count in Counter(row["why"] for row in rows).items()
                }
    return {f"{name} kept by capture()": figure for name, figure in kept.items()}


def captures(vault: Memvault, text: str) -> bool:
    """Return whether `capture()` would keep a text."""
    try:
        return vault.capture(text, dry_run=True).outcome == "kept"
    except Trivial:
        return False


def measure_trivial(half: Path) -> dict[str, str]:
    """Return how well trivial texts are told from short facts."""
    stopped = [(row, bool(trivial_reason(Captured(row["text"])))) for row in read_rows(half, "trivial")]
    right = sum(bool(row["trivial"]) for row, is_stopped in stopped if is_stopped)
    return {
        "trivial: precision": f"{right / max(1, sum(is_stopped for _, is_stopped in stopped)):.2f}",
        "trivial: recall": f"{right / max(1, sum(bool(row['trivial']) for row, _ in stopped)):.2f}",
    }


def find_said(text: str) -> tuple[MemoryCandidate, ...]:
    """Return what is kept of one sentence that a user says."""
    return find_in_turns([{"role": "user", "text": text}])


def find_in_turns(said: str | Sequence[Row]) -> tuple[MemoryCandidate, ...]:
    """Return what is kept of a conversation."""
    rows: Iterator[tuple[int, Row]] = enumerate(row for row in said if isinstance(row, dict))
    time = datetime(2026, 3, 12, 9, tzinfo=UTC)
    turns = [Turn(id=str(n), speaker=row["role"], role=row["role"], text=row["text"], time=time) for n, row in rows]
    return find_candidates(turns).found


def read_rows(half: Path, name: str) -> list[Row]:
    """Return the rows of one set."""
    return [json.loads(line) for line in (half / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
