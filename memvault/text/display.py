"""Fit text into the cells of a terminal, and make it safe to print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from unicodedata import category, east_asian_width

ELLIPSIS = "…"
_SOFT_HYPHEN, _JOINER, _AS_PICTURE = "\u00ad", "\u200d", "\ufe0f"
_NO_CELL = frozenset({"Mn", "Me", "Cf", "Cc"})
_CLOSING = frozenset({"Pe", "Pf", "Po"})


def cell_width(text: str) -> int:
    """Count the cells of a text: two for a wide character, none for a combining one, one emoji per sequence."""
    return len(text) if text.isascii() else sum(width for _, width in _split_clusters(text))


def clip_line(text: str, width: int) -> str:
    """Cut a text to so many cells with an ellipsis; a width of 0 cuts nothing."""
    if not width or cell_width(text) <= width:
        return text
    kept, used = "", 0
    for cluster, size in _split_clusters(text):
        if used + size > width - 1:
            break
        kept, used = kept + cluster, used + size
    return kept.rstrip() + ELLIPSIS


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text with spaces up to a width: after it, or (`right`) before it."""
    room = " " * max(0, width - cell_width(text))
    return room + text if right else text + room


def wrap_text(text: str, width: int) -> list[str]:
    """Break the lines of a text so that they fit a width; a width of 0 breaks nothing."""
    return [part for line in text.split("\n") for part in _wrap_line(line.rstrip(), width)]


def _wrap_line(line: str, width: int) -> list[str]:
    if not width or cell_width(line) <= width:
        return [line]
    margin = line[: len(line) - len(line.lstrip())][: width // 2]
    lines, current, used = [], margin, len(margin)
    for gap, piece, size in _break_points(line, width - len(margin)):
        if current != margin and used + len(gap) + size > width:
            lines.append(current)
            current, used = margin, len(margin)
        lead = "" if current == margin else gap
        current, used = current + lead + piece, used + len(lead) + size
    return [*lines, current]


def _break_points(line: str, width: int) -> Iterator[tuple[str, str, int]]:
    """Yield the parts between which a line may be broken: the gap before each, itself, its cells."""
    for word in line.split():
        gap = " "
        for piece in [word] if word.isascii() and len(word) <= width else _split_word(word, width):
            yield gap, piece, cell_width(piece)
            gap = ""


def _split_word(word: str, width: int) -> list[str]:
    """Break a long or spaceless word between wide characters, or where it would not fit on a line."""
    parts, used, wide = [""], 0, False
    for cluster, size in _split_clusters(word):
        full = used + size > width
        if parts[-1] and (full or ((wide or size == 2) and category(cluster[0]) not in _CLOSING)):
            parts.append("")
            used = 0
        parts[-1] += cluster
        used, wide = used + size, size == 2
    return parts


def _split_clusters(text: str) -> list[tuple[str, int]]:
    """Return what a person sees as one character, each with its cells."""
    found: list[tuple[str, int]] = []
    for char in text:
        before, width = found[-1] if found else ("", 0)
        if before and _extends_cluster(char, before):
            grown = 2 if char == _AS_PICTURE or _is_flag(char) else width
            found[-1] = (before + char, grown)
        else:
            found.append((char, _character_width(char)))
    return found


def _extends_cluster(char: str, before: str) -> bool:
    if _is_flag(char):
        return len(before) == 1 and _is_flag(before)
    return before.endswith(_JOINER) or "\U0001f3fb" <= char <= "\U0001f3ff" or _character_width(char) == 0


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


@lru_cache(maxsize=4096)
def _character_width(char: str) -> int:
    if category(char) in _NO_CELL and char != _SOFT_HYPHEN:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


# Memory text made harmless to print: control, direction and invisible characters are shown, not obeyed.

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_TAGS = "\U000e0000"  # from here up, no character is meant to be seen

# Controls but newline and tab; what turns the direction of text; what takes no room, so that text could
# hide in it; letters and signs that look like nothing at all; lone surrogates, which no encoding can carry.
_BLANKS = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_SUSPECT = (
    f"[{_BLANKS}\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

_UNKNOWN = ("Co", "Cn")

# Scripts in which a joiner or non-joiner changes how letters are drawn: Arabic to Mongolian, their supplements.
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\ua8ff]"
_PICTURE = "[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]"
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_VARIANT = "[\U000e0100-\U000e01ef]"


def escape_controls(text: str) -> str:
    """Spell out every character that could deceive a reader or a terminal, as in \\x1b."""
    text = text.replace("\r\n", "\n")
    if _is_plain(text):
        return text
    return _escape_unknown(_pattern(_SUSPECT).sub(_escape_match, text))


def to_one_line(text: str) -> str:
    """Do the same on one line, for titles, names and other parts of a line."""
    return escape_controls(" ".join(text.split()))


def _is_plain(text: str) -> bool:
    """Return whether a text needs no escaping, quicker than compiling the patterns."""
    if any(blank in text for blank in _BLANKS) or max(text, default="") >= _TAGS:
        return False
    return text.replace("\n", "").replace("\t", "").isprintable()


def _escape_unknown(text: str) -> str:
    """Spell out each character that is of private use or not assigned."""
    from unicodedata import category  # deferred: most texts are plain

    unknown = [character for character in set(text) if category(character) in _UNKNOWN]
    return text.translate({ord(character): _escape_code(ord(character)) for character in unknown}) if unknown else text


@cache
def _pattern(characters: str) -> re.Pattern[str]:
    return re.compile(characters)


def _matches_class(character: str, characters: str) -> bool:
    return _pattern(characters).match(character) is not None


def _escape_match(found: re.Match[str]) -> str:
    text, at = found.string, found.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if found[0] in (_ZWJ, _ZWNJ) and _is_proper_joiner(before, after):
        return found[0]
    if _matches_class(found[0], _VARIANT) and _matches_class(before, _IDEOGRAPH):
        return found[0]
    return _escape_code(ord(found[0]))


def _is_proper_joiner(before: str, after: str) -> bool:
    """Return whether a joiner stands between letters that it shapes, or within an emoji."""
    shapes = _matches_class(before, _JOINING) and not _matches_class(after, _SUSPECT)
    return shapes or (_matches_class(before, _PICTURE) and _matches_class(after, _PICTURE))


def _escape_code(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Numbers as a person says them.

KILO = 1024


def format_size(count: int) -> str:
    """Format a number of bytes in the unit a person would choose."""
    if count < KILO:
        return f"{count} bytes"
    return f"{count / KILO:.1f} KB" if count < KILO * KILO else f"{count / KILO / KILO:.1f} MB"


def format_count(count: int, one: str, many: str) -> str:
    """Format a number with its noun."""
    return f"{count:,} {one if count == 1 else many}"
