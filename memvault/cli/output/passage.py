"""A passage as a person reads it: wrapped, the words that were looked for set off, cut around them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memvault.cli.output.styles import Styles
from memvault.cli.output.terminal import Paper
from memvault.text.display import ELLIPSIS, wrap
from memvault.text.escape import printable
from memvault.text.terms import terms as terms_of
from memvault.text.words import spans, stem

# A line end with text before it, and after it none of what begins a block of its own in markdown.
_SAME_PARAGRAPH = r"(?<=\S)\n(?=\S)(?![-*+#>|]|\d+[.)])"


def passage(text: str, terms: Collection[str], paper: Paper, *, indent: str, lines: int = 0) -> str:
    """The text behind an indent; of a longer one only so many lines, where most of the terms stand."""
    said = printable(text.strip())
    marks = 2 if lines and paper.width else 0  # room for the ellipses of a cut
    whole = wrap(_flowing(said) if paper.width else said, paper.room(indent) - marks)
    start, end = _window(whole, terms, lines)
    shown = [highlighted(line, terms, paper.styles) for line in whole[start:end]]
    if shown and start:
        shown[0] = f"{ELLIPSIS} {shown[0]}"
    if shown and end < len(whole):
        shown[-1] = f"{shown[-1]} {ELLIPSIS}"
    return "\n".join(indent + line if line else "" for line in shown)


def _flowing(text: str) -> str:
    """The text with the lines of each paragraph joined, so that it fills the page; code stays as it is."""
    return text if "```" in text else re.sub(_SAME_PARAGRAPH, " ", text)


def highlighted(line: str, terms: Collection[str], styles: Styles) -> str:
    """The line with every word whose stem is among the terms set off."""
    if not (styles.colour and terms):
        return line
    marked, at = "", 0
    for start, end in _places(line, terms):
        marked += line[at:start] + styles.match(line[start:end])
        at = end
    return marked + line[at:]


def _places(line: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the terms stand, in order and without overlap: a compound goes before its parts."""
    found = sorted(((start, -end) for token, start, end in spans(line) if stem(token) in terms))
    reached = 0
    for start, minus_end in found:
        if start >= reached:
            reached = -minus_end
            yield start, reached


def _window(lines: list[str], terms: Collection[str], most: int) -> tuple[int, int]:
    """The run of lines that says the most of what was looked for; of equal ones the first."""
    if not most or len(lines) <= most:
        return 0, len(lines)
    said = [frozenset(terms_of(line)).intersection(terms) for line in lines]
    starts = range(len(lines) - most + 1)
    best = max(starts, key=lambda start: (len(frozenset().union(*said[start : start + most])), -start))
    return best, best + most
