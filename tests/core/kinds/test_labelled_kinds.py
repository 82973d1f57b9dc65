"""How well kinds are told from texts, on sets labelled by the rules in `labelled/README.md`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memvault.core.kinds import KINDS

LABELLED = Path(__file__).parents[2] / "labelled"

# The least that is right of all, and of each kind; every fourth text of the first set was never looked at while cues were written.
SETS = [("kinds", slice(None), 0.9, 0.85), ("kinds", slice(3, None, 4), 0.82, 0.7), ("second", slice(None), 0.85, 0.8)]


@pytest.mark.parametrize(("name", "part", "least", "least_of_each"), SETS)
def test_most_texts_are_taken_for_what_they_are(
    name: str, part: slice, least: float, least_of_each: float, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (LABELLED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines][part]
    known = Counter(row["kind"] for row in rows)
    guessed = [KINDS.guess_kind(row["text"]) for row in rows]
    right = Counter(row["kind"] for row, kind in zip(rows, guessed, strict=True) if row["kind"] == kind)
    with capsys.disabled():
        print(f"\nkinds told from {len(rows)} texts of {name}.jsonl:")
        for kind in KINDS:
            recall, precision = right[kind] / known[kind], right[kind] / max(1, guessed.count(kind))
            print(f"  {kind:12} {right[kind]:3} of {known[kind]:3}  recall {recall:.1%}  precision {precision:.1%}")
        print(f"  {'all':12} {right.total():3} of {known.total():3}  {right.total() / known.total():.1%}")
    assert right.total() / known.total() > least
    assert all(right[kind] / known[kind] > least_of_each for kind in KINDS)
