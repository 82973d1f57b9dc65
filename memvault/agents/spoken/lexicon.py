"""Read the words that spoken commands are made of, a file for each language, and find them in a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

from memvault.agents.spoken.intent import parse_phrase

# A row of a file is a class of words and a pattern of those that belong to it, in small letters; a space stands for any
# number of them. `{name}` is another class; a word before `~` may have a slip of the finger in it.
# `brace`: the verb may stand last.
_FOLDER = Path(__file__).parent / "words"
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "zh", "ja")
_UNSPACED = ("zh", "ja")
OWN = "own-"  # what begins the class of a person's own phrases for a command


class Lexicon:
    """The words of one language by their class."""

    def __init__(self, rows: Mapping[str, str], *, is_spaced: bool = True) -> None:
        """Take the patterns of the classes."""
        self.rows = rows
        self.is_spaced = is_spaced
        self._patterns: dict[str, re.Pattern[str]] = {}

    def pattern(self, name: str) -> re.Pattern[str]:
        """Return the pattern of a class, compiled when it is first asked for; one that finds nothing without a row."""
        if name not in self._patterns:
            self._patterns[name] = re.compile(self._bound(self.spell_out(name)) if self.rows.get(name) else r"(?!)")
        return self._patterns[name]

    def spell_out(self, name: str) -> str:
        """Return the row of a class as a pattern, without the bounds of its words."""
        return self._fill_in(self.rows[name]).replace(" ?", r"\s*").replace(" ", r"\s+")

    @cached_property
    def orders_words(self) -> bool:
        """Return whether a command may end a sentence without a sign before it."""
        return "final" in self.rows

    def _bound(self, pattern: str) -> str:
        return rf"(?:(?<!\w)|(?='))(?:{pattern})(?:(?<=')|(?!\w|'\w))" if self.is_spaced else f"(?:{pattern})"

    def _fill_in(self, row: str) -> str:
        filled = re.sub(r"\{(\w+)\}", lambda found: f"(?:{self._fill_in(self.rows[found[1]])})", row)
        return re.sub(r"(\w+)~", lambda found: _allow_slip(found[1]), filled)


@cache
def read_lexicon(language: str) -> Lexicon:
    """Return the words of a language, from its file."""
    text = (_FOLDER / f"{language}.txt").read_text(encoding="utf-8")
    rows = dict(row.split(": ", 1) for row in text.splitlines() if ": " in row)
    return Lexicon(rows, is_spaced=language not in _UNSPACED)


@cache
def own_lexicon(phrases: tuple[str, ...]) -> Lexicon | None:
    """Return the phrases that a person has of their own, beside the courtesies of every language; None without any."""
    rows: dict[str, list[str]] = {}
    for name, phrase in filter(None, map(parse_phrase, phrases)):
        end = r"(?!\w)" if phrase[-1:].isascii() else ""
        rows.setdefault(OWN + name, []).append(re.escape(phrase).replace("\\ ", " ") + end)
    if not rows:
        return None
    courtesies = {
        name: rf"(?<!\w)(?:{'|'.join(read_lexicon(each).rows[name] for each in LANGUAGES[:-2])})(?!\w)"
        for name in ("open", "please")
    }
    return Lexicon(courtesies | {name: "|".join(said) for name, said in rows.items()}, is_spaced=False)


@cache
def _allow_slip(word: str) -> str:
    """Return a pattern for a word with one letter too many, too few, another or in the wrong place."""
    ways = [word, f"{word}{word[-1]}"]
    for at in range(1, len(word) - 1):
        before, letter, behind = word[:at], word[at], word[at + 1 :]
        ways += f"{before}{behind}", f"{before}[a-z]{letter}{behind}", f"{before}{behind[0]}{letter}{behind[1:]}"
        ways += [f"{before}[b-df-hj-np-tvxz]{behind}"] if letter not in "aeiou" else []
        ways += [f"{before}{behind[1:]}"] if len(word) > 7 else []
    return f"(?:{'|'.join(ways)})"
