"""The glossary has each word once, in the order of the alphabet, and the code uses it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
WORDS = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", PAGE, re.MULTILINE)[1:]


def test_glossary_lists_each_word_once_in_alphabetical_order() -> None:
    words = [word.casefold() for word in WORDS]
    assert words == sorted(set(words))
    assert len(words) > 50


def test_the_code_uses_every_word() -> None:
    files = (ROOT / "memvault").rglob("*.py")
    code = re.sub(r"[ _]", "", "\n".join(path.read_text(encoding="utf-8") for path in files).casefold())
    assert [word for word in WORDS if word.casefold().replace(" ", "") not in code] == []
