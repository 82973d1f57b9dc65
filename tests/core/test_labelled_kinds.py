"""How well kinds are told from texts, on a set labelled by somebody who had not seen the code."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memvault.core.kinds import KINDS, guess

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "labelled" / "kinds.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_most_texts_are_taken_for_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    known = Counter(row["kind"] for row in ROWS)
    right = Counter(row["kind"] for row in ROWS if guess(row["text"]) == row["kind"])
    guessed = Counter(guess(row["text"]) for row in ROWS)
    with capsys.disabled():
        print("\nkinds told from texts:")
        for kind in KINDS:
            recall, precision = right[kind] / known[kind], right[kind] / max(1, guessed[kind])
            print(f"  {kind:12} {right[kind]:3} of {known[kind]:3}  recall {recall:.1%}  precision {precision:.1%}")
        print(f"  {'all':12} {right.total():3} of {known.total():3}  {right.total() / known.total():.1%}")
    assert right.total() / known.total() > 0.85
    assert all(right[kind] / known[kind] > 0.6 for kind in KINDS)
