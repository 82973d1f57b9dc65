"""Memory text made harmless to print: control, direction and invisible characters are shown, not obeyed."""

from __future__ import annotations

import re
from functools import cache

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


def printable(text: str) -> str:
    """The text with every character that could deceive a reader or a terminal spelled out, as in \\x1b."""
    text = text.replace("\r\n", "\n")
    if _is_plain(text):
        return text
    return _without_unknown(_pattern(_SUSPECT).sub(_shown, text))


def one_line(text: str) -> str:
    """The same on one line: for titles, names and whatever else stands within a line of ours."""
    return printable(" ".join(text.split()))


def _is_plain(text: str) -> bool:
    """Whether nothing in a text can be suspect: known at once, where compiling the patterns would take a while."""
    if any(blank in text for blank in _BLANKS) or max(text, default="") >= _TAGS:
        return False
    return text.replace("\n", "").replace("\t", "").isprintable()


def _without_unknown(text: str) -> str:
    """The text with each character spelled out of which nobody knows what it is: of private use, or not assigned."""
    from unicodedata import category  # deferred: most texts are plain

    unknown = [character for character in set(text) if category(character) in _UNKNOWN]
    return text.translate({ord(character): _spelled(ord(character)) for character in unknown}) if unknown else text


@cache
def _pattern(characters: str) -> re.Pattern[str]:
    return re.compile(characters)


def _is(character: str, characters: str) -> bool:
    return _pattern(characters).match(character) is not None


def _shown(found: re.Match[str]) -> str:
    text, at = found.string, found.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if found[0] in (_ZWJ, _ZWNJ) and _joins(before, after):
        return found[0]
    if _is(found[0], _VARIANT) and _is(before, _IDEOGRAPH):
        return found[0]
    return _spelled(ord(found[0]))


def _joins(before: str, after: str) -> bool:
    """Whether a joiner does its proper work here: between letters that it shapes, or within one emoji."""
    shapes = _is(before, _JOINING) and not _is(after, _SUSPECT)
    return shapes or (_is(before, _PICTURE) and _is(after, _PICTURE))


def _spelled(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
