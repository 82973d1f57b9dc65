"""Find trigger phrases of memories in a prompt, as whole words in whatever case or width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.text.characters import DENSE, HANGUL, MARK, class_string, fold_text
from memvault.text.terms import STOPWORDS

_FEWEST, _FEWEST_DENSE = 3, 2
_FEW = 2  # "who am I" is rare enough
LONGEST = 20_000  # characters of a prompt that are looked at
_PLAIN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*(?:\+\+|#(?!\w))?")  # C, C++ and C# are three
_RUN = re.compile(
    f"[Aa0][Aa0{MARK}]*(?:'[Aa0{MARK}]+)*(?:\\+\\+|#(?![Aa0]))?|{HANGUL}[{HANGUL}{MARK}]*|[{DENSE}][{MARK}]*"
)


def normalize_prompt(prompt: str) -> str:
    """Return the words of a prompt in the form in which the keys of phrases stand in it."""
    return f" {' '.join(_split_words(prompt[:LONGEST]))} "


def trigger_key(phrase: str) -> str:
    """Return the phrase as it would stand among the words of a prompt; empty where it has no word."""
    low = phrase.lower()
    if low.isascii() and low.replace(" ", "").isalnum():  # most are plain words, and there may be thousands
        return f" {' '.join(low.split())} "
    words = _split_words(phrase)
    if not words:
        return ""
    # A particle is written onto its noun.
    return f" {' '.join(words)}" if class_string(words[-1][-1]) == HANGUL else f" {' '.join(words)} "


def is_specific(phrase: str) -> bool:
    """Return whether a phrase is enough to load a memory by: not one that stands in every other prompt.

    It has three letters or digits at least, two where words have no spaces, and is not of one or two small words alone.
    """
    words = _split_words(phrase)
    fewest = _FEWEST_DENSE if any(class_string(word[0]) in DENSE for word in words) else _FEWEST
    return sum(map(len, words)) >= fewest and (
        len(words) > _FEW or any(word.replace("'", "") not in STOPWORDS for word in words)
    )


def key_ranges(words: str) -> Iterator[tuple[str, str]]:
    """Yield the ranges, from a text to below another, of all keys that may stand in a prompt."""
    for word in dict.fromkeys(words.split()):
        yield f" {word} ", f" {word}!"
        if class_string(word[0]) == HANGUL:
            yield from ((f" {word[:end]}", f" {word[:end]} ") for end in range(1, len(word) + 1))


def _split_words(text: str) -> list[str]:
    if text.isascii():
        return _PLAIN.findall(text.lower())
    flat = fold_text(text).lower()
    return [flat[found.start() : found.end()] for found in _RUN.finditer(class_string(flat))]
