"""A prompt as it is read for commands: what is quoted, code or somebody else's is hidden, the rest in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import normalize

HIDDEN = "\ufffc"
LONGEST = 20_000  # characters: what stands behind them is no word to an assistant
_LONG = 1_500  # of a longer prompt only the first and the last paragraph are the person's own words
_MIN_BROKEN_LINE = 60  # a line that is longer may go on in the next

# Patterns are compiled where they are used: most prompts hold no word that a command could begin with.

# What stands in these is shown, not said. The first that begins wins, so that a quote within code is code.
_QUOTED = (
    r"\A\s*<(?P<first>[a-z][\w-]*)(?:\s[^<>]*)?>.*?(?:</(?P=first)>|\Z)"
    r"|^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<!`)(?P<tick>`{1,8})(?!`)[^\n]{1,400}?(?<!`)(?P=tick)(?!`)"
    r"|<(?P<tag>[a-z][\w-]*)(?:\s[^<>]{0,200})?>.{0,2000}?</(?P=tag)>"
    r"|^[ \t]*>[^\n]*"
    r"|(?:(?<=\n\n)|\A)(?:[ ]{4,}|\t)\S[^\n]*(?:\n(?:[ ]{4,}|\t)\S[^\n]*)*"
    r'|(?<![\w"])"[^"\n]{1,400}"(?!\w)'
    r"|(?<![\w'])'(?=\S)[^'\n]{1,200}(?<=\S)'(?!\w)"
    r"|“[^“”\n]{1,400}”|„[^“”„\n]{1,400}[“”]|«[^«»\n]{1,400}»|»[^«»\n]{1,400}«"
    r"|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』"
)
# A list, a heading, a comment, a difference between files, a shell: parts of something, not addressed to anybody.
_ITEM = r"[ \t]*(?:[-*+•#$%|]|//|/\*|--|\d{1,3}[.)])(?=[\s/*#-])|[ \t]*(?:@@|[-+]{3}\s)"
_BREAK = r"\n[ \t]*\n\s*"
_STOP = r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_]*(?=\s)|[。！？]+[」』）”’]*"
_ABBREVIATED = r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|z\.b|bzw|ca|approx|etc|sr|sra|p\.ej|[a-z])\.$"
_MONTH = r"(?i:\s(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez))"
_ENDS_OPEN = (":", "：")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that the person says to whoever listens, and where it lies in its prompt."""

    start: int
    end: int
    line_end: int
    paragraph_end: int


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt, and the same in small letters with all hidden that is not the person's own word: equally long."""

    prompt: str
    own_words: str

    @classmethod
    def parse_prompt(cls, prompt: str) -> PromptText:
        """Return the page of a prompt."""
        said = prompt[:LONGEST]
        lines = re.sub(
            _QUOTED, lambda found: HIDDEN * len(found[0]), fold_text(said), flags=re.MULTILINE | re.DOTALL
        ).split("\n")
        parts = [lines[0]]
        for before, line in pairwise(lines):
            goes_on = len(before) >= _MIN_BROKEN_LINE and line[:1].islower() and before.rstrip()[-1:].isalnum()
            parts += [" " if goes_on else "\n", line]
        return cls(said, "".join(parts))

    def find_sentences(self) -> Iterator[Sentence]:
        """The sentences in order, without those that are introduced as somebody's text, or stand amid a long one."""
        introduced = False
        parts = list(_split_paragraphs(self.own_words))
        for number, (start, end) in enumerate(parts):
            if len(self.own_words) <= _LONG or number in (0, len(parts) - 1):
                yield from self._split_paragraph(start, end, introduced=introduced)
            introduced = self.own_words[start:end].endswith(_ENDS_OPEN)

    def _split_paragraph(self, start: int, end: int, *, introduced: bool) -> Iterator[Sentence]:
        at = start
        for line in self.own_words[start:end].split("\n"):
            if not introduced and not re.match(_ITEM, line):
                for first, last in split_sentences(line):
                    yield Sentence(at + first, at + last, at + len(line), end)
            introduced = introduced or line.rstrip().endswith(_ENDS_OPEN)
            at += len(line) + 1


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a text lies; whoever writes to a machine may begin one with a small letter."""
    start = 0
    for found in re.finditer(_STOP, text):
        is_ordinal = re.match(_MONTH, text[found.end() :]) and text[: found.start()][-1:].isdigit()  # "am 4. Mai"
        if not is_ordinal and not re.search(_ABBREVIATED, text[start : found.end()]):
            yield _trim_span(text, start, found.end())
            start = found.end()
    if text[start:].strip():
        yield _trim_span(text, start, len(text))


def fold_text(text: str) -> str:
    """Return the text in small letters, with straight apostrophes and narrow signs: character by character."""
    return text.replace("\r", "\n").lower() if text.isascii() else "".join(map(_fold_character, text))


_STRAIGHT = {"’": "'", "‘": "'", "ʼ": "'", "´": "'", "\u00a0": " ", "\u202f": " ", "\u2028": "\n", "\r": "\n"}


def _fold_character(char: str) -> str:
    if char in _STRAIGHT:
        return _STRAIGHT[char]
    low = (normalize("NFKC", char) if "\uff01" <= char <= "\uff5e" else char).lower()
    return low if len(low) == 1 else char


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _split_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the paragraphs lie."""
    start = 0
    for found in re.finditer(_BREAK, text):
        if text[start : found.start()].strip():
            yield _trim_span(text, start, found.start())
        start = found.end()
    if text[start:].strip():
        yield _trim_span(text, start, len(text))
