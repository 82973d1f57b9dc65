"""What two notes have with each other: merged, offered as a duplicate, called a conflict, or left alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from memvault.core.ids import derive_id
from memvault.core.memory import Memory, Place
from memvault.core.similarity import pairs, same_words, tokens, verdict
from memvault.core.similarity.verdict import compare_memories
from memvault.text.markdown import guess_title
from memvault.text.stem import stem

Verdicts = Counter[tuple[str, str]]

_FREE = "free-contradiction"

# Each part of the comparison, and what stands in its place where it is left out.
_PARTS: dict[str, tuple[ModuleType, str, object]] = {
    "statements in equal words": (verdict, "says_same", lambda *_: False),
    "words in the place of others": (verdict, "_is_one_word_replaced", lambda *_: False),
    "several places: another thing": (verdict, "_SEVERAL", 99),
    "phrases: another thing": (verdict, "_names_others", lambda *_: False),
    "titles of one pattern": (verdict, "_have_other_titles", lambda *_: False),
    "denials that may be none": (verdict, "_counts", lambda *_: True),
    "retractions": (verdict, "_find_retraction", lambda *_: None),
    "offers": (verdict, "_is_offered", lambda *_: False),
    "likeness in meaning": (verdict, "_LIKE", 9),
    "other things in one place": (verdict, "are_strangers", lambda *_: False),
    "opposites in any sentences": (verdict, "_find_opposites", lambda *_: ()),
    "pairs found by meaning": (pairs, "_pairs_by_meaning", lambda *_: set()),
    "irregular forms": (tokens, "base_form", stem),
    "prepositions and denials alike": (same_words, "_depend_alike", lambda *_: True),
    "roles alike": (same_words, "_turns_around", lambda *_: False),
    "facts in their parts": (same_words, "_swaps_facts", lambda *_: False),
    "one form": (same_words, "_have_one_form", lambda *_: True),
}
"""What is printed for each: merged, found and told rightly, then offered and told wrongly."""


def measure(half: Path) -> dict[str, str]:
    """Return the figures with the titles that people gave, and with titles made from the text."""
    lines = (half / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    figures = {
        f"{name}, {titles}": value
        for titles in ("real", "made")
        for name, value in _list_figures(_count_verdicts(rows, makes_titles=titles == "made"))
    }
    return {**figures, **{f"without {part}": value for part, value in _measure_parts(rows)}}


def judge_pair(row: dict[str, Any], *, makes_titles: bool = False) -> str:
    """Return what becomes of the two notes of a row."""
    found = compare_memories([_read_note(row, side, makes_title=makes_titles) for side in "ab"])
    if found.groups:
        return "merged"
    return "offered" if found.proposals else "conflict" if found.contradictions else "left"


def _read_note(row: dict[str, Any], side: str, *, makes_title: bool) -> Memory:
    note, name = row[side], f"{row['id']}-{side}"
    created = datetime.fromisoformat(f"{note['created']}T12:00:00+00:00")
    return Memory(
        id=derive_id("7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11", name),
        path=f"2-memories/{name}.md",
        place=Place.MEMORIES,
        kind=row["kind"],
        title=guess_title(note["text"]) if makes_title else note["title"],
        created=created,
        last_accessed=created,
        body=note["text"],
    )


def _count_verdicts(rows: list[dict[str, Any]], *, makes_titles: bool = False) -> Verdicts:
    return Counter((_sort_of(row), judge_pair(row, makes_titles=makes_titles)) for row in rows)


def _measure_parts(rows: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield for each part of the comparison what becomes of the pairs without it: what the part is worth."""
    for name, (module, attribute, instead) in {"nothing": (verdict, "AUTOMATIC", verdict.AUTOMATIC), **_PARTS}.items():
        with patch.object(module, attribute, instead):
            tokens._cached_tokens.cache_clear()
            found = _count_verdicts(rows)
            tokens._cached_tokens.cache_clear()
        sorts = {sort: sum(count for (each, _), count in found.items() if each == sort) for sort, _ in found}
        same = [found["duplicate", became] for became in ("merged", "offered", "conflict")]
        told = sum(found[sort, "conflict"] for sort in sorts if sort.startswith("contradiction"))
        wrong = sum(found[sort, "merged"] + found[sort, "offered"] for sort in sorts if sort != "duplicate")
        yield name, f"{same[0]} {same[0] + same[1]} {told} | {wrong} {same[2] + found['different', 'conflict']}"


def _sort_of(row: dict[str, Any]) -> str:
    return f"{row['label']} {row['sort']}" if row["sort"] == _FREE else str(row["label"])


def _list_figures(found: Verdicts) -> Iterator[tuple[str, str]]:
    def count(sort: str, *verdicts: str) -> int:
        known = ("merged", "offered", "conflict", "left")
        return sum(found[sort, verdict] for verdict in verdicts or known)

    free, others = f"contradiction {_FREE}", ("contradiction", f"contradiction {_FREE}", "different")
    total = sum(map(count, others))
    yield "duplicates merged", f"{count('duplicate', 'merged')}/{count('duplicate')}"
    yield "others merged", f"{sum(count(sort, 'merged') for sort in others)}/{total}"
    yield "duplicates merged or offered", f"{count('duplicate', 'merged', 'offered')}/{count('duplicate')}"
    yield (
        "contradictions offered",
        f"{sum(count(sort, 'offered') for sort in others[:2])}/{sum(map(count, others[:2]))}",
    )
    yield "different ones offered", f"{count('different', 'offered')}/{count('different')}"
    yield "one-word contradictions told", f"{count('contradiction', 'conflict')}/{count('contradiction')}"
    yield "reworded contradictions told", f"{count(free, 'conflict')}/{count(free)}"
    wrong = count("duplicate", "conflict") + count("different", "conflict")
    yield (
        "conflicts told that are none",
        f"{wrong}/{wrong + count('contradiction', 'conflict') + count(free, 'conflict')}",
    )
