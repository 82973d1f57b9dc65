"""Private spans: text between <private> and </private> is never indexed, shown or sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_OPEN, _CLOSED = r"<\s{0,20}private\s{0,20}>", r"<\s{0,20}/\s{0,20}private\s{0,20}>"
_SPAN = rf"{_OPEN}.*?(?:{_CLOSED}|\Z)"
_EITHER = rf"({_CLOSED})|{_OPEN}"


def strip_private(text: str) -> str:
    """Return the text without its private spans; one that is never closed reaches to the end."""
    return text if "<" not in text else re.sub(_SPAN, "", text, flags=re.IGNORECASE | re.DOTALL)


def has_private(text: str) -> bool:
    """Return whether any of a text is marked as private."""
    return strip_private(text) != text


def has_unclosed_private(text: str) -> bool:
    """Return whether a private span begins that never ends, and so hides all that follows."""
    if "<" not in text:
        return False
    found = list(re.finditer(_EITHER, text, re.IGNORECASE))
    return bool(found) and not found[-1][1]


def strip_private_values(value: Any) -> Any:
    """Return a value of any shape, each of its texts without private spans."""
    match value:
        case str():
            return strip_private(value)
        case tuple():
            return tuple(strip_private_values(part) for part in value)
        case Mapping():
            return MappingProxyType({name: strip_private_values(part) for name, part in value.items()})
        case _:
            return value
