"""Fit text into the cells of a terminal, and make it safe to print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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


# Text of memories made harmless, one table for every way out: what hides, steers or poses is spelled out.

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_TAGS = "\U000e0000"  # from here up, no character is meant to be seen

# Controls but newline and tab; what turns the direction of text; what takes no room, so that text could
# hide in it; letters and signs that look like nothing at all; lone surrogates, which no encoding can carry.
_BLANKS = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_SUSPECT = (
    f"[{_BLANKS}\x00-\x08\x0b-\x1f\x7f-\x9f\xad"
    "\u034f\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffc"
    "\ud800-\udfff\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# Those of them that Python calls printable.
_UNSEEN_MARKS = frozenset(f"{_BLANKS}\u034f\u180b\u180c\u180d\u180f\ufffc\U0001d159") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)

_UNKNOWN = ("Co", "Cn")

# Scripts in which a joiner or non-joiner changes how letters are drawn: Arabic to Mongolian, their supplements.
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\ua8ff]"
_SIGN = "[#*0-9\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]"
_PICTURE = f"(?:{_SIGN}|\ufe0f)"
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_STYLE = "[\ufe0e\ufe0f]"  # says of a sign whether it is a picture
_VARIANT = "[\ufe00-\ufe0d\U000e0100-\U000e01ef]"

# What agents obey. A comment would hide what follows, or look like a mark of ours; the tags are ours, those that agents
# put around turns, tools and what hooks tell, and those of the models' own templates. A name of several words is no
# element of HTML: whichever program reads such a tag, it is not for a note to write it.
_TAG = (
    r"(?i)<(?=!--|\s*[|]|<\s*/?\s*sys|\s*/?\s*(?:memvault|system|assistant|human|user|developer|antml|function|tool|invoke"
    r"|parameter|command|result|output|document|context|environment|message|response|answer|query|example"
    r"|agent|artifact|scratchpad|task\b|important\b|inst\b|instruction|thinking|think\b|reasoning|prompt|admin|override"
    r"|(?:s|bos|eos|pad|unk)\s*>))"
    r"|(?<!\w)<(?=\s*/?\s*[a-z][a-z0-9]*[-_:][a-z])|<(?=\s*/\s*[a-z][a-z0-9]*[-_:][a-z])"
    r"|<(?=\s*(?:start|end)_of_turn)"
    r"|\[(?=\s*/?\s*(?:inst|sys(?:tem)?(?:_prompt)?|user|assistant|tool_(?:calls?|results?|content)|available_tools"
    r"|model_settings|think)\s*\])"
)
# Wide letters and other brackets are read like the plain ones.
_PLAIN = {0xFF01 + step: 0x21 + step for step in range(94)} | dict.fromkeys(map(ord, "﹤‹〈⟨〈"), "<")
_OPENING = frozenset("<[＜［﹤‹〈⟨〈")


def neutralize_text(text: str) -> str:
    """Spell out every character and tag that could deceive a reader, a terminal or a model, as in \\x1b and &lt;."""
    text = text.replace("\r\n", "\n")
    return _spell_out(text, _escape_code, lambda opening: "&#91;" if opening in "[［" else "&lt;")


def spell_controls(text: str) -> str:
    """Spell out what could deceive a reader, for a page on which markup is escaped anyway: tags stay as written."""
    return _spell_out(text.replace("\r\n", "\n"), _escape_code, str)


def to_one_line(text: str) -> str:
    """Do the same on one line, for titles, names and other parts of a line."""
    return neutralize_text(" ".join(text.split()))


def neutralize_json(page: str) -> str:
    """Do the same in JSON by its own escapes, so that a program reads every character as it stands in the note."""
    return _spell_out(page, _escape_in_json, _escape_in_json)


def _spell_out(text: str, spell: Callable[[str], str], open_: Callable[[str], str]) -> str:
    """Replace each suspect character, and the bracket that opens a tag."""
    if not _is_plain(text):
        text = _escape_unknown(_pattern(_SUSPECT).sub(lambda found: _escape_match(found, spell), text), spell)
    if _OPENING.isdisjoint(text):
        return text
    pieces, reached = [], 0
    for found in _pattern(_TAG).finditer(text if text.isascii() else text.translate(_PLAIN)):
        pieces += [text[reached : found.start()], open_(text[found.start()])]
        reached = found.start() + 1
    return "".join(pieces) + text[reached:]


def _is_plain(text: str) -> bool:
    """Return whether a text needs no escaping, quicker than compiling the patterns."""
    if not text.isascii() and (max(text) >= _TAGS or not _UNSEEN_MARKS.isdisjoint(text)):
        return False
    return text.replace("\n", "").replace("\t", "").isprintable()


def _escape_unknown(text: str, spell: Callable[[str], str]) -> str:
    """Spell out each character that is of private use or not assigned."""
    from unicodedata import category  # deferred: most texts are plain

    unknown = [character for character in set(text) if category(character) in _UNKNOWN]
    return text.translate({ord(character): spell(character) for character in unknown}) if unknown else text


@cache
def _pattern(characters: str) -> re.Pattern[str]:
    return re.compile(characters)


def _matches_class(character: str, characters: str) -> bool:
    return _pattern(characters).match(character) is not None


def _escape_match(found: re.Match[str], spell: Callable[[str], str]) -> str:
    text, at = found.string, found.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    is_proper = (
        (found[0] in (_ZWJ, _ZWNJ) and _is_proper_joiner(before, after))
        or (_matches_class(found[0], _VARIANT) and _matches_class(before, _IDEOGRAPH))
        or (
            _matches_class(found[0], _STYLE) and _matches_class(before, _PICTURE) and not _matches_class(before, _STYLE)
        )
    )
    return found[0] if is_proper else spell(found[0])


def _is_proper_joiner(before: str, after: str) -> bool:
    """Return whether a joiner stands between letters that it shapes, or within an emoji."""
    shapes = _matches_class(before, _JOINING) and not _matches_class(after, _SUSPECT)
    return shapes or (_matches_class(before, _PICTURE) and _matches_class(after, _PICTURE))


def _escape_code(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


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
