"""Screens for captured text: each is a function that returns a reason or nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memvault.text.chatter import BOILERPLATE, CHATTER_WORDS, GENERIC_WORDS, SIGNAL_WORDS, STOCK_PHRASES
from memvault.text.terms import split_tokens

SHORT = 50
_LONGEST = 600  # characters: what is longer is not all chatter
_FEWEST_WORDS = 3  # that say something
_FEWEST_PARTICULARS = 2
_FEWEST_LETTERS = 3  # of a word that names something

_WISH = r"\b(?:i|we) (?:want|like|need|hate|expect) (?:every|all|any|each|no|my|our|only)\b"


@dataclass(frozen=True, slots=True)
class Captured:
    """A text that may become a memory, and the length below which an automatic one is too short."""

    text: str
    least: int = SHORT
    automatic: bool = True  # captured without being asked


TriviaScreen = Callable[[Captured], str]


def check_length(captured: Captured) -> str:
    """Return a reason if the text is too short to be worth a memory."""
    return f"it is shorter than {captured.least} characters" if len(captured.text.strip()) < captured.least else ""


def check_courtesies(captured: Captured) -> str:
    """Return a reason if the text is only thanks, agreement or greetings."""
    if len(captured.text) > _LONGEST:
        return ""
    rest = _drop_phrases(STOCK_PHRASES, plain_words(captured.text))
    return (
        ""
        if any(token not in CHATTER_WORDS for token in split_tokens(rest))
        else "there is nothing in it but courtesies"
    )


def check_words(captured: Captured) -> str:
    """Return a reason if the text is only signs and numbers, or one word over and over."""
    words = {token for token in split_tokens(captured.text) if any(map(str.isalpha, token))}
    is_spaced = not any(map(_is_wide, captured.text))
    return "there is hardly a word in it" if is_spaced and len(words) < _FEWEST_WORDS else ""


def check_particulars(captured: Captured) -> str:
    """Return a reason if the text has no name, number, reason or rule in it."""
    if len(captured.text) > _LONGEST or any(map(_is_wide, captured.text)):
        return ""
    rest = re.sub("|".join(BOILERPLATE), " ", captured.text, flags=re.IGNORECASE | re.MULTILINE)
    plain = _drop_phrases(STOCK_PHRASES, plain_words(rest))
    found = {
        token
        for token in split_tokens(plain.replace("'", " "))
        if token not in GENERIC_WORDS and (len(token) >= _FEWEST_LETTERS or any(map(str.isdigit, token)))
    }
    tells = not SIGNAL_WORDS.isdisjoint(split_tokens(plain)) or re.search(_WISH, plain)
    return "" if tells or len(found) >= _FEWEST_PARTICULARS else "it names no particular thing"


# Order is policy: the first reason is reported.
TRIVIA_SCREENS: Mapping[str, TriviaScreen] = MappingProxyType(
    {"short": check_length, "courtesies": check_courtesies, "words": check_words, "particulars": check_particulars}
)


def trivial_reason(captured: Captured, screens: Mapping[str, TriviaScreen] = TRIVIA_SCREENS) -> str:
    """Return why an automatically captured text is not worth a memory; empty if it is."""
    return next((reason for screen in screens.values() if (reason := screen(captured))), "")


def normalize_content(text: str) -> str:
    """Return a text in the form in which the same content is equal, as tombstones use it."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def plain_words(text: str) -> str:
    """Return the text with small letters, straight apostrophes and single spaces."""
    return " ".join(text.replace("’", "'").split()).casefold()


def _drop_phrases(phrases: tuple[str, ...], text: str) -> str:
    """Return the text without some phrases of whole words; `re` caches what it compiled."""
    return re.sub(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", " ", text)


def _is_wide(char: str) -> bool:
    return char > "\u2e7f" and unicodedata.east_asian_width(char) in "WF" and char.isalpha()
