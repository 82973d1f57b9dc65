"""The glossary names modules and classes that exist, each word once and in the order of the alphabet."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
ROWS = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]*) ?\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)[1:]
NAMED = [(word, name) for word, names in ROWS for name in re.findall(r"`\.([\w.]+)`", names)]


def resolve(name: str) -> object:
    """Return the module, class or other thing of that dotted name."""
    module = "memvault"
    found: object = import_module(module)
    for part in name.split("."):
        module = f"{module}.{part}"
        found = getattr(found, part) if hasattr(found, part) else import_module(module)
    return found


def test_glossary_lists_each_word_once_in_alphabetical_order() -> None:
    words = [word.casefold() for word, _ in ROWS]
    assert words == sorted(set(words))
    assert len(words) > 50


@pytest.mark.parametrize(("word", "name"), NAMED, ids=[word for word, _ in NAMED])
def test_glossary_names_code_that_exists(word: str, name: str) -> None:
    assert resolve(name) is not None, word
