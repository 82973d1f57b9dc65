"""How the verdicts fare on pairs labelled by hand; the rules of labelling stand beside them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memvault.core.similarity.verdict import compare_texts

LABELLED = Path(__file__).parent / "labelled"


def test_labelled_pairs_get_the_right_verdict(record_property) -> None:  # type: ignore[no-untyped-def]
    counted: Counter[tuple[str, str]] = Counter()
    for name in ("pairs.jsonl", "second.jsonl"):
        for line in (LABELLED / name).read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            counted[pair["label"], str(compare_texts(pair["a"], pair["b"]))] += 1
    for (label, said), count in sorted(counted.items()):
        record_property(f"{label} called {said}", count)
    duplicates = sum(count for (label, _), count in counted.items() if label == "duplicate")
    found = counted["duplicate", "duplicate"] + counted["duplicate", "propose"]
    assert counted["distinct", "duplicate"] == 0
    assert counted["contradiction", "duplicate"] == 0
    assert found / duplicates >= 0.95
