"""Characters that YAML parsers reject or break lines at, veiled one for one so that offsets hold."""

from __future__ import annotations

import re

_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PRIVATE = re.compile("[\U00100000-\U0010ffff]")
_VEIL = 0x100000


def veil(text: str) -> str:
    """The same text with each odd character as one private character."""
    if not _ODD.search(text):
        return text
    if _PRIVATE.search(text):
        return _ODD.sub("\ufffd", text)
    return _ODD.sub(lambda odd: chr(_VEIL + ord(odd[0])), text)


def unveil(text: str) -> str:
    """What a veiled text was."""
    return _PRIVATE.sub(lambda veiled: chr(ord(veiled[0]) - _VEIL), text)
