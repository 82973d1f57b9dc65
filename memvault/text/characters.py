"""Fold characters for search, and sort them into classes of writing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from unicodedata import category, decimal, normalize

# Patterns that are compiled when they are first used: most commands have no use for most of them.


@cache
def compile_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern, at once if it was used before."""
    return re.compile(source, flags)


# Classes of writing, one character each, so that a text's shape is a string as long as the text.
UPPER, LOWER, DIGIT, MARK, GAP, OTHER = "A", "a", "0", "c", " ", "!"
HAN, KANA, HANGUL, THAI, LAO, KHMER, BURMESE = "h", "k", "g", "t", "l", "m", "b"
EMOJI, FLAG, WIDE_POINT = "e", "r", "p"
DENSE = HAN + KANA + HANGUL + THAI + LAO + KHMER + BURMESE + WIDE_POINT
"""The classes in which a character says about as much as half a word elsewhere."""


def _parse_ranges(table: str) -> tuple[tuple[int, int], ...]:
    """Return the first and last character of each range of a table."""
    return tuple((int(first, 16), int(last, 16)) for first, _, last in (row.partition("-") for row in table.split()))


# Blocks of Unicode, and the class of each.
_BLOCKS = _parse_ranges("""
    0E00-0E7F 0E80-0EFF 1000-109F 1100-11FF 1780-17FF 3005-3007 3041-30FF 3100-312F 31F0-31FF 3400-9FFF A960-A97F
    AA60-AA7F AC00-D7FF F900-FAFF FF66-FF9F FFA0-FFDC 1B000-1B16F 20000-3FFFF
""")
_BLOCK_CLASSES = "tlbgmhkhkhgbghkgkh"
_BLOCK_STARTS = tuple(first for first, _ in _BLOCKS)
_SIGNS = ((0x1F1E6, 0x1F1FF, FLAG), (0x2600, 0x27BF, EMOJI), (0x2B00, 0x2BFF, EMOJI), (0x1F000, 0x1FAFF, EMOJI))

# What decomposition leaves alone although people type it either way.
_SAME_LETTERS = {
    **dict(zip("ĐđÐðØøŁłĦħŦŧƀɨı", "DdDdOoLlHhTtbii", strict=True)),
    **dict(zip("ÆæŒœÞþẞß", ("Ae", "ae", "Oe", "oe", "Th", "th", "SS", "ss"), strict=True)),
    **dict(zip("ىیکة", "ييكه", strict=True)),
    **dict.fromkeys("‘’‛ʼʹ′´׳״", "'"),
    **dict.fromkeys("‐‑", "-"),
}
# Vowel points and accents of Hebrew and Arabic, which most texts leave out, and what nobody sees.
_DROPPED = _parse_ranges("""
    034F-034F 0591-05BD 05BF-05BF 05C1-05C2 05C4-05C5 05C7-05C7 0610-061A 0640-0640 064B-065F 0670-0670 06D6-06DC
    06DF-06E4 06E7-06E8 06EA-06ED 180B-180D FE00-FE0F E0100-E01EF
""")
_ZERO_WIDTH_SPACE = "\u200b"

_MARKS_KEPT = 8
_PILE = "c" * (_MARKS_KEPT + 1)
_CLUSTER = f"[^c]c{{0,{_MARKS_KEPT}}}|\\Ac{{1,{_MARKS_KEPT}}}"


class _CharacterTable(dict[int, str | None]):
    """A translation table that works a character out when it is first met."""

    def __init__(self, rule: Callable[[str], str | None]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str | None:
        value = self[code] = self._rule(chr(code))
        return value


def _folded_letter(char: str) -> str | None:
    if _is_dropped(char):
        return None
    value = decimal(char, None)
    return _SAME_LETTERS.get(char, char) if value is None else str(value)


def _is_dropped(char: str) -> bool:
    # Joiners, soft hyphens, direction marks: nobody sees them, so they cannot tell words apart.
    if category(char) == "Cf":
        return char != _ZERO_WIDTH_SPACE
    return any(first <= ord(char) <= last for first, last in _DROPPED)


def _joining_class(char: str) -> str:
    # Compatibility vowels of Hangul and half-width kana marks compose with what precedes, as marks do.
    first = normalize("NFKD", char)[0]
    joins = category(first)[0] == "M" or "\u1160" <= first <= "\u11ff" or _is_dropped(char)
    return "c" if joins else "."


def _class_of(char: str) -> str:
    kind = category(char)
    if kind[0] == "M":
        return MARK
    if kind[0] in "LN":
        code = ord(char)
        row = bisect_right(_BLOCK_STARTS, code) - 1
        if kind != "Nd" and row >= 0 and code <= _BLOCKS[row][1]:
            return _BLOCK_CLASSES[row]
        if kind[0] == "N":
            return DIGIT
        return UPPER if kind in ("Lu", "Lt") else LOWER
    if kind == "So":
        return next((sign for first, last, sign in _SIGNS if first <= ord(char) <= last), OTHER)
    if "\u3001" <= char <= "\u303f" or "\ufe30" <= char <= "\uffef":
        return WIDE_POINT
    if char.isspace():
        return GAP
    return char if char.isascii() and char.isprintable() else OTHER


_LETTERS = _CharacterTable(_folded_letter)
_CLASSES = _CharacterTable(_class_of)
_JOIN_CLASSES = _CharacterTable(_joining_class)


@cache
def _ignorable_marks() -> re.Pattern[str]:
    # Compiled when the first text that is not ASCII comes by: most runs never need it.
    latin_and_greek = "(?<=[0-9A-Za-z\u00c0-\u02af\u0370-\u03ff\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff])"
    cyrillic = "(?<=[\u0400-\u052f\u0306\u0308])(?<![ГгКк])"
    return re.compile(
        f"{latin_and_greek}[\u0300-\u036f\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+"
        f"|(?<=[Ее])[\u0300\u0301\u0308]+|{cyrillic}[\u0300\u0301\u0483-\u0487]+"
    )


def class_string(text: str) -> str:
    """Replace each character by its class; ASCII punctuation stands for itself."""
    return text.translate(_CLASSES)


def fold_text(text: str) -> str:
    """Fold accents, compatibility forms and invisible characters away; case is kept.

    Marks go where readers take a word with and without them for the same (Latin, Greek, stress in Cyrillic, vowel
    points of Arabic and Hebrew), and stay where they make another letter (й, dakuten, Indic vowels).
    """
    if text.isascii():
        return text
    plain = normalize("NFKD", _limit_marks(text)).translate(_LETTERS)
    return normalize("NFC", _ignorable_marks().sub("", plain))


def fold_with_origins(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text, and for each of its characters the start and end of its origin."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    for cluster in compile_pattern(_CLUSTER).finditer(text.translate(_JOIN_CLASSES)):
        piece = fold_text(text[cluster.start() : cluster.end()])
        pieces.append(piece)
        places += [cluster.span()] * len(piece)
    return "".join(pieces), places


def _limit_marks(text: str) -> str:
    # Sorting n marks piled on one letter takes n * n steps inside unicodedata.
    joining = text.translate(_JOIN_CLASSES)
    if _PILE not in joining:
        return text
    return "".join(text[found.start() : found.end()] for found in compile_pattern(_CLUSTER).finditer(joining))
