"""Strip English suffixes by Porter's second stemmer, so that "connected" and "connections" match."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from memvault.text.characters import compile_pattern

# More words than a large vault has: where there are more, all are forgotten again and again.
_CACHE_LIMIT = 131_072
_LONGEST = 64

_FIRST_REGION = re.compile("[aeiouy][^aeiouy]")
_VOWEL = re.compile("[aeiouy]")
_SHORT_ENDING = re.compile("(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$")
_CONSONANT_Y = "(^|[aeiouy])y"
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_NEEDS_E = ("at", "bl", "iz")
_LI_ENDINGS = "cdeghkmnrt"

# Their first region starts later than the rule says, or too many unlike words would meet.
_LATE_HEADS = ("gener", "commun", "arsen")


def _suffix_pairs(table: str) -> tuple[tuple[str, str], ...]:
    """Return each suffix of a table with what takes its place."""
    return tuple((suffix, other) for suffix, _, other in (row.partition(":") for row in table.split()))


_CHANGED_WORDS = """
skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli singly:singl
sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes
"""
_WHOLE_WORDS = dict(_suffix_pairs(_CHANGED_WORDS))
_DONE_AFTER_PLURALS = frozenset(("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"))

# Longest first within each table, as the longest suffix that matches decides.
_STEP_2 = _suffix_pairs(
    "ational:ate fulness:ful iveness:ive ization:ize ousness:ous biliti:ble lessli:less tional:tion alism:al "
    "aliti:al ation:ate entli:ent fulli:ful iviti:ive ousli:ous abli:able alli:al anci:ance ator:ate enci:ence "
    "izer:ize bli:ble ogi:og li:"
)
_STEP_3 = _suffix_pairs("ational:ate tional:tion alize:al ative: icate:ic iciti:ic ical:ic ness: ful:")
_STEP_4_TEXT = "ement able ance ence ible ment ant ate ent ion ism iti ive ize ous al er ic"
_STEP_4 = tuple(_STEP_4_TEXT.split())

# Most words end in none of them, which one look tells.
_ENDINGS_2, _ENDINGS_3 = (tuple(suffix for suffix, _ in step) for step in (_STEP_2, _STEP_3))

_stem_cache: dict[str, str] = {}


def stem(word: str) -> str:
    """Return the stem of a lower-case English word; words of other scripts or with digits stay as they are."""
    known = _stem_cache.get(word)
    if known is not None:
        return known
    if not 2 < len(word) <= _LONGEST or not (word.isascii() and word.isalpha()):
        return word
    if len(_stem_cache) >= _CACHE_LIMIT:
        _stem_cache.clear()
    stemmed = _stem_cache[word] = _WHOLE_WORDS.get(word) or _strip_suffixes(word)
    return stemmed


def _strip_suffixes(word: str) -> str:
    if "y" in word:
        word = compile_pattern(_CONSONANT_Y).sub(r"\1Y", word)
    late = next((head for head in _LATE_HEADS if word.startswith(head)), None)
    first = _after_region(word, 0) if late is None else len(late)
    second = _after_region(word, first)
    word = _without_plural(word)
    if word in _DONE_AFTER_PLURALS:
        return word
    word = _with_vowel_i(_without_tense(word, first))
    word = _apply_step_2(word, first)
    word = _apply_step_3(word, first, second)
    word = _apply_step_4(word, second)
    return _apply_step_5(word, first, second).lower()


def _after_region(word: str, start: int) -> int:
    found = _FIRST_REGION.search(word, start)
    return found.end() if found else len(word)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _without_tense(word: str, first: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            return word[:kept] + "ee" if kept >= first else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            bare = word[: -len(suffix)]
            return _restore_ending(bare, first) if _VOWEL.search(bare) else word
    return word


def _restore_ending(word: str, first: int) -> str:
    if word.endswith(_NEEDS_E):
        return word + "e"
    if word.endswith(_DOUBLES):
        return word[:-1]
    is_short = first >= len(word) and _SHORT_ENDING.search(word)
    return word + "e" if is_short else word


def _with_vowel_i(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy":
        return word[:-1] + "i"
    return word


def _apply_step_2(word: str, first: int) -> str:
    if not word.endswith(_ENDINGS_2):
        return word
    for suffix, other in _STEP_2:
        if not word.endswith(suffix):
            continue
        kept = len(word) - len(suffix)
        before = word[kept - 1 : kept]
        refused = (suffix == "ogi" and before != "l") or (suffix == "li" and before not in _LI_ENDINGS)
        return word if kept < first or refused else word[:kept] + other
    return word


def _apply_step_3(word: str, first: int, second: int) -> str:
    if not word.endswith(_ENDINGS_3):
        return word
    for suffix, other in _STEP_3:
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            return word[:kept] + other if kept >= (second if suffix == "ative" else first) else word
    return word


def _apply_step_4(word: str, second: int) -> str:
    if not word.endswith(_STEP_4):
        return word
    for suffix in _STEP_4:
        if word.endswith(suffix):
            kept = len(word) - len(suffix)
            refused = suffix == "ion" and word[kept - 1 : kept] not in ("s", "t")
            return word if kept < second or refused else word[:kept]
    return word


def _apply_step_5(word: str, first: int, second: int) -> str:
    kept = word[:-1]
    if word.endswith("e"):
        return kept if len(kept) >= second or (len(kept) >= first and not _SHORT_ENDING.search(kept)) else word
    return kept if word.endswith("ll") and len(kept) >= second else word


# How words are spelled: their singular, and how many corrections lead from one spelling to another.

_SHORTEST_PLURAL = 4
_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {
        "analyses": "analysis",
        "appendices": "appendix",
        "children": "child",
        "crises": "crisis",
        "criteria": "criterion",
        "hypotheses": "hypothesis",
        "indices": "index",
        "matrices": "matrix",
        "men": "man",
        "mice": "mouse",
        "people": "person",
        "theses": "thesis",
        "vertices": "vertex",
        "women": "woman",
        "aliases": "alias",
        "atlases": "atlas",
        "biases": "bias",
        "bonuses": "bonus",
        "buses": "bus",
        "campuses": "campus",
        "canvases": "canvas",
        "gases": "gas",
        "lenses": "lens",
        "statuses": "status",
        "viruses": "virus",
    }
)
_NO_PLURALS = frozenset(
    (
        *("alias", "always", "atlas", "bias", "canvas", "https", "ios", "jeans", "lens", "news", "pandas"),
        *("rails", "series", "species", "windows"),
    )
)
_HISSING = ("che", "she", "sse", "xe", "ze")


def to_singular(word: str) -> str:
    """Return one form for an English word and its plural, to compare by; it need not be a word itself."""
    word = _IRREGULAR.get(word, word)
    if len(word) < _SHORTEST_PLURAL or word in _NO_PLURALS or not word.isascii():
        return word
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) < _SHORTEST_PLURAL:
        return word
    # Library and cookie, box and cache: their plurals do not tell them apart.
    return f"{word[:-2]}y" if word.endswith("ie") else word.removesuffix("e") if word.endswith(_HISSING) else word


def edit_distance(one: str, other: str, *, most: int) -> int:
    """Count letters put in, left out, changed or swapped with the next, up to one more than `most`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    start = _common_prefix(one, other)
    end = _common_prefix(one[start:][::-1], other[start:][::-1])
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    if not one or not other:
        return len(one) + len(other)
    # What is left begins and ends with a difference, and each correction mends two ends at most.
    if most == 1:
        return 1 if len(one) == len(other) == 1 or (len(one) == 2 and one == other[::-1]) else 2
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        now = [row]
        for column, wanted in enumerate(other, start=1):
            cost = min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (letter != wanted))
            swapped = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted
            now.append(min(cost, before[column - 2] + 1) if swapped else cost)
        if min(now) > most:
            return most + 1
        before, last = last, now
    return last[-1]


def _common_prefix(one: str, other: str) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))
