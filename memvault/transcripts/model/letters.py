"""Letters that can be written down: halves of one, as a cut string has them, are replaced."""

from __future__ import annotations

import re

_HALF = re.compile("[\ud800-\udfff]")


def written(text: str) -> str:
    """The text with a mark in the place of every half of a letter, which no encoding carries."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def all_written(value: object) -> object:
    """The same for every text and every name in a value of any shape."""
    match value:
        case str():
            return written(value)
        case list():
            return [all_written(one) for one in value]
        case dict():
            return {written(name): all_written(one) for name, one in value.items()}
        case _:
            return value
