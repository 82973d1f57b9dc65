"""How many cells of a terminal a text takes, and fitting text into so many cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from unicodedata import category, east_asian_width

ELLIPSIS = "…"
_SOFT_HYPHEN, _JOINER, _AS_PICTURE = "\u00ad", "\u200d", "\ufe0f"
_NO_CELL = frozenset({"Mn", "Me", "Cf", "Cc"})
_CLOSING = frozenset({"Pe", "Pf", "Po"})


def cells(text: str) -> int:
    """The cells a text takes: two for a wide character, none for a combining one; an emoji sequence is one emoji."""
    return len(text) if text.isascii() else sum(width for _, width in _clusters(text))


def clip(text: str, width: int) -> str:
    """The text, cut to so many cells with an ellipsis; a width of 0 cuts nothing."""
    if not width or cells(text) <= width:
        return text
    kept, used = "", 0
    for cluster, size in _clusters(text):
        if used + size > width - 1:
            break
        kept, used = kept + cluster, used + size
    return kept.rstrip() + ELLIPSIS


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces up to a width: after it, or (`right`) before it."""
    room = " " * max(0, width - cells(text))
    return room + text if right else text + room


def wrap(text: str, width: int) -> list[str]:
    """The lines of a text, each broken where it may be so that it fits; a width of 0 breaks nothing."""
    return [part for line in text.split("\n") for part in _broken(line.rstrip(), width)]


def _broken(line: str, width: int) -> list[str]:
    if not width or cells(line) <= width:
        return [line]
    margin = line[: len(line) - len(line.lstrip())][: width // 2]
    lines, current, used = [], margin, len(margin)
    for gap, piece, size in _pieces(line, width - len(margin)):
        if current != margin and used + len(gap) + size > width:
            lines.append(current)
            current, used = margin, len(margin)
        lead = "" if current == margin else gap
        current, used = current + lead + piece, used + len(lead) + size
    return [*lines, current]


def _pieces(line: str, width: int) -> Iterator[tuple[str, str, int]]:
    """The parts between which a line may be broken: what goes before each on the same line, itself, its cells."""
    for word in line.split():
        gap = " "
        for piece in [word] if word.isascii() and len(word) <= width else _parts(word, width):
            yield gap, piece, cells(piece)
            gap = ""


def _parts(word: str, width: int) -> list[str]:
    """A long or spaceless word: broken between wide characters, else only where it would not fit on a line."""
    parts, used, wide = [""], 0, False
    for cluster, size in _clusters(word):
        full = used + size > width
        if parts[-1] and (full or ((wide or size == 2) and category(cluster[0]) not in _CLOSING)):
            parts.append("")
            used = 0
        parts[-1] += cluster
        used, wide = used + size, size == 2
    return parts


def _clusters(text: str) -> list[tuple[str, int]]:
    """What a person sees as one character, each with its cells."""
    found: list[tuple[str, int]] = []
    for char in text:
        before, width = found[-1] if found else ("", 0)
        if before and _belongs(char, before):
            grown = 2 if char == _AS_PICTURE or _is_flag(char) else width
            found[-1] = (before + char, grown)
        else:
            found.append((char, _cell(char)))
    return found


def _belongs(char: str, before: str) -> bool:
    if _is_flag(char):
        return len(before) == 1 and _is_flag(before)
    return before.endswith(_JOINER) or "\U0001f3fb" <= char <= "\U0001f3ff" or _cell(char) == 0


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


@lru_cache(maxsize=4096)
def _cell(char: str) -> int:
    if category(char) in _NO_CELL and char != _SOFT_HYPHEN:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
