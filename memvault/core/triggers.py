"""Triggers in a prompt: phrases of memories that are said whole, in whatever case or width."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from memvault.core.letters import DENSE, HANGUL, MARK, flatten, shape

LONGEST = 20_000  # characters of a prompt that are looked at
_PLAIN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*(?:\+\+|#(?!\w))?")  # C, C++ and C# are three
_RUN = re.compile(
    f"[Aa0][Aa0{MARK}]*(?:'[Aa0{MARK}]+)*(?:\\+\\+|#(?![Aa0]))?|{HANGUL}[{HANGUL}{MARK}]*|[{DENSE}][{MARK}]*"
)


class Trigger(NamedTuple):
    """A phrase, and the id of the memory that it loads."""

    phrase: str
    id: str


def triggered(prompt: str, triggers: Iterable[Trigger | tuple[str, str]]) -> dict[str, str]:
    """The memories whose trigger stands in a prompt as whole words, each with its longest such phrase.

    Case, width and accents do not count, nor does what stands between the words. Where words have no spaces, the
    characters must stand side by side; a word in Hangul may have its particle behind it.
    """
    said = _said(prompt[:LONGEST])
    found: dict[str, str] = {}
    for phrase, id_ in triggers:
        if (key := _key(phrase)) and key in said and len(phrase) > len(found.get(id_, "")):
            found[id_] = phrase
    return found


def _said(prompt: str) -> str:
    return f" {' '.join(_words(prompt))} "


def _key(phrase: str) -> str:
    """The phrase as it would stand among the words of a prompt; empty where it has no word."""
    low = phrase.lower()
    if low.isascii() and low.replace(" ", "").isalnum():  # most are plain words, and there may be thousands
        return f" {' '.join(low.split())} "
    words = _words(phrase)
    if not words:
        return ""
    # A particle is written onto its noun.
    return f" {' '.join(words)}" if shape(words[-1][-1]) == HANGUL else f" {' '.join(words)} "


def _words(text: str) -> list[str]:
    if text.isascii():
        return _PLAIN.findall(text.lower())
    flat = flatten(text).lower()
    return [flat[found.start() : found.end()] for found in _RUN.finditer(shape(flat))]
