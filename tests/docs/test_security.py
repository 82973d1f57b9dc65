"""The page on security: every defense that it claims has a test, and every test that it names is there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
DEFINED = Counter(
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^ *(?:async )?def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
)


def test_every_test_that_it_names_is_there_once() -> None:
    named = re.findall(r"`(test_\w+)`", PAGE)
    assert len(named) > 55
    assert [name for name in named if DEFINED[name] != 1] == []


def test_every_threat_has_one() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| threat", "|---"))]
    assert len(rows) >= 50
    assert all("`test_" in row for row in rows)
