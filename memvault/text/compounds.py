"""Split a run of text without spaces: words, parts of compounds, pairs of characters, signs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memvault.text.characters import HAN, HANGUL, MARK, class_string, compile_pattern

Span = tuple[str, int, int]

_LONGEST_TOKEN = 64
_BLOB_TOKEN = 24
_SHORTEST_BLOB = 48
_RANDOM_WORD = 16

# The patterns run over a text's shape (see letters.py), so they need no Unicode: A upper case, a lower case,
# 0 digit, c a mark on what precedes, h k g t l m b scripts without spaces, e r signs.
_WORD = r"(?:0{1,3}(?:,000)+(?!,?0)|[Aa0][Aa0c]*+(?:'[Aa0][Aa0c]*+)*+)"
_JOINT = r"(?!--|\.\.|\+\+)[-_./\\@:#&=?%~+]{1,3}"
_PIECE = (
    rf"(?P<lead>(?<![Aa0c.\-#@])(?:--?|[.#@]))?(?P<words>{_WORD}(?:{_JOINT}{_WORD})*+)"
    r"(?P<tail>\+\+|[+#](?![Aa0+#]))?"
    r"|(?P<run>[hk][hkc]*+|g[gc]*+|t[tc]*+|l[lc]*+|m[mc]*+|b[bc]*+)"
    r"|rr?|e"
)
PLAIN = re.compile(r"""[("*_]*+([A-Za-z]?[a-z]++)[]).,;:!?"*_]*+""")  # most words by far, found at once
_WORD_AND_JOINT = rf"({_WORD})([^Aa0c]*)"
_LOOSE_JOINT = r"[^-_.]"
_CHARACTER = "[^c]c*"

# ParsedName, APIServer, iOS17; but APIs is one word, and so is a random key such as dQw4w9WgXcQ.
_HAS_HUMPS = "[ac]0*A|AAaa"
_HUMP = "(?:A+(?=Aaa)|A+a$|A?[ac]+|A+)[0c]*|0[0c]*"
_NUMBERED = "[Aa]{2,}+(?=0+$)|0++(?=[Aa]{2,}$)"
_STRETCH = "A?[ac]+|A+|0+"

_ELIDED = frozenset(
    ("l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "un", "all", "dall", "dell", "nell", "sull")
)
_ORDINALS = frozenset(("st", "nd", "rd", "th"))


def analyze_run(flat: str) -> list[Span]:
    """Return the tokens of folded text with their places; the parts of a compound come before the whole."""
    plain = PLAIN.fullmatch(flat)
    if plain:
        return [(_shorten_token(plain[1].lower()), *plain.span(1))]
    forms = class_string(flat)
    found: list[Span] = []
    for piece in compile_pattern(_PIECE).finditer(forms):
        start, end = piece.span()
        if piece["words"]:
            found += _compound_tokens(flat, forms, piece)
        elif piece["run"]:
            found += _character_pairs(flat, forms, start, end)
        else:
            found.append((flat[start:end], start, end))
    return found


def spell_units(flat: str) -> list[tuple[str, ...]]:
    """Return the smallest units of folded text, each in the spellings it answers to, the fullest last."""
    forms = class_string(flat)
    found: list[tuple[str, ...]] = []
    for piece in compile_pattern(_PIECE).finditer(forms):
        if piece["words"]:
            found += _spelled_words(flat, forms, piece)
        else:
            found += [
                (flat[slice(*char.span())],) for char in compile_pattern(_CHARACTER).finditer(forms, *piece.span())
            ]
    return found


def _spelled_words(flat: str, forms: str, piece: re.Match[str]) -> list[tuple[str, ...]]:
    lead, words, tail = _split_affixes(flat, forms, piece)
    found = [[token for token, _, _ in _without_article(flat, start, end)] for start, end, _ in words]
    for (start, end, _), spellings in zip(words, found, strict=True):
        spellings.append(_word_text(flat[start:end]))
    if lead:
        found[0].append(lead + found[0][-1])
    if tail:
        found[-1].append(found[-1][-1] + tail)
    return [tuple(spellings) for spellings in found]


Word = tuple[int, int, str]
"""Where a word starts and ends, and what joins it to the next."""


def _split_affixes(flat: str, forms: str, piece: re.Match[str]) -> tuple[str, list[Word], str]:
    start, end = piece.span("words")
    lead = piece["lead"] or ""
    if not lead and flat[start] in "vV" and forms[start + 1 : start + 2] == "0":
        lead, start = "v", start + 1
    found = compile_pattern(_WORD_AND_JOINT).finditer(forms, start, end)
    return lead, [(word.start(1), word.end(1), word[2]) for word in found], piece["tail"] or ""


def _compound_tokens(flat: str, forms: str, piece: re.Match[str]) -> list[Span]:
    lead, words, tail = _split_affixes(flat, forms, piece)
    start, end = words[0][0], words[-1][1]
    whole = _join_words(flat, words)
    if _is_blob(forms, words):
        return [(_shorten_token(whole, _BLOB_TOKEN), start, end)]
    found: list[Span] = []
    # Split where a path, an address or a URL does, so that `login.py` is found inside `src/login.py`.
    segments: list[list[Word]] = [[]]
    for word in words:
        segments[-1].append(word)
        if compile_pattern(_LOOSE_JOINT).search(word[2]):
            segments.append([])
    for segment in [segment for segment in segments if segment]:
        for first, last, _ in segment:
            found += _word_tokens(flat, forms, first, last)
        if 1 < len(segment) < len(words):
            found.append((_shorten_token(_join_words(flat, segment)), segment[0][0], segment[-1][1]))
    if len(words) > 1:
        found.append((_shorten_token(whole), start, end))
    if lead or tail:
        found.append((_shorten_token(lead + whole + tail), *piece.span()))
    return found


def _join_words(flat: str, words: list[Word]) -> str:
    """Run together, as in PipeWire and pipe-wire; but 2.7.5 is not 275, nor 12:30 the number 1230."""
    pieces: list[str] = []
    joint = ""
    for start, end, following in words:
        text = _word_text(flat[start:end])
        if joint and pieces[-1][-1].isdecimal() and text[0].isdecimal():
            pieces.append(joint[0] if joint[0] in ".:" else "-")
        pieces.append(text)
        joint = following
    return "".join(pieces)


def _word_text(text: str) -> str:
    word = text.casefold().replace(",", "")
    return word.removesuffix("'s").replace("'", "") if "'" in word else word


def _word_tokens(flat: str, forms: str, start: int, end: int) -> list[Span]:
    form = forms[start:end]
    if form.islower() and form.isalpha():
        return [(_shorten_token(flat[start:end].casefold()), start, end)]
    humps = _split_humps(form)
    found = _without_article(flat, start, end)
    for first, last in humps:
        found += _split_number(flat, forms, start + first, start + last)
    if len(humps) != 1:
        found.append((_shorten_token(_word_text(flat[start:end])), start, end))
    return found


def _without_article(flat: str, start: int, end: int) -> list[Span]:
    """Return the word after a French or Italian article: *amour* in *l'amour*."""
    head, _, rest = flat[start:end].partition("'")
    if len(rest) < 2 or head.casefold() not in _ELIDED:
        return []
    return [(_shorten_token(_word_text(rest)), end - len(rest), end)]


def _split_humps(form: str) -> list[tuple[int, int]]:
    if not compile_pattern(_HAS_HUMPS).search(form) or "'" in form:
        return [(0, len(form))]
    humps = [hump.span() for hump in compile_pattern(_HUMP).finditer(form)]
    is_random = len(humps) > 3 and len(form) < 3 * len(humps)
    return [(0, len(form))] if is_random else humps


def _split_number(flat: str, forms: str, start: int, end: int) -> list[Span]:
    """Split ADR016 into adr and 016, 5km into 5 and km, 29th into 29; and keep each of them whole."""
    found: list[Span] = []
    front = compile_pattern(_NUMBERED).match(forms[start:end])
    if front:
        middle = start + front.end()
        found.append((_shorten_token(flat[start:middle].casefold()), start, middle))
        rest = flat[middle:end].casefold()
        if rest not in _ORDINALS:
            found.append((_shorten_token(rest), middle, end))
    found.append((_shorten_token(_word_text(flat[start:end])), start, end))
    return found


def _is_blob(forms: str, words: list[Word]) -> bool:
    """Return whether it is Base64 or the like, whose pieces nobody searches for."""
    length = words[-1][1] - words[0][0]
    if length < _SHORTEST_BLOB:
        return False
    random = [last - first for first, last, _ in words if _is_random(forms[first:last])]
    return 3 * len(random) >= len(words) and 2 * sum(random) > length


def _is_random(form: str) -> bool:
    mixed = "A" in form and "a" in form and "0" in form
    return mixed and len(form) >= _RANDOM_WORD and 3 * len(compile_pattern(_STRETCH).findall(form)) > len(form)


def _shorten_token(token: str, longest: int = _LONGEST_TOKEN) -> str:
    # Both ends are kept, as what tells long paths and addresses apart stands at their end.
    half = longest // 2
    return token if len(token) <= longest else token[:half] + token[-half:]


def _character_pairs(flat: str, forms: str, start: int, end: int) -> list[Span]:
    """Return overlapping pairs of characters, and single Han and Hangul, as one can be a word."""
    edges = [*_character_starts(forms, start, end), end]
    found: list[Span] = []
    for first, left, right in zip(range(len(edges)), edges, edges[1:], strict=False):
        if forms[left] in (HAN, HANGUL) or len(edges) == 2:
            found.append((flat[left:right], left, right))
        if right < end:
            found.append((flat[left : edges[first + 2]], left, edges[first + 2]))
    return found


def _character_starts(forms: str, start: int, end: int) -> Iterable[int]:
    if MARK not in forms[start:end]:
        return range(start, end)
    return (char.start() for char in compile_pattern(_CHARACTER).finditer(forms, start, end))
