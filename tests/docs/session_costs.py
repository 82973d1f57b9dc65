"""The table in docs/agents.md of what sessions cost. `python -m tests.docs.session_costs --write` renews it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"
GOLDEN = Path(__file__).resolve().parents[1] / "clients" / "golden"
PARTS = ("start", "prompts", "tools")
_BLOCK = re.compile(r"<!-- from the sessions -->\n.*?<!-- end -->", re.DOTALL)


def renewed(page: str) -> str:
    """The page with the table as the golden files of the sessions have it."""
    rows = ["| session | at the start | prompts | tools |", "|---|---|---|---|"]
    rows += [
        _row(path.stem.replace("_", " "), path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("*.txt"))
    ]
    table = "\n".join(rows)
    return _BLOCK.sub(lambda _: f"<!-- from the sessions -->\n{table}\n<!-- end -->", page)


def _row(name: str, session: str) -> str:
    said = dict(re.findall(r"^(\w+): (\d+)$", session.rpartition("# tokens of what memvault gave")[2], re.MULTILINE))
    return f"| {' | '.join([name, *(said.get(part, '0') for part in PARTS)])} |"


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
