"""Two memories beside each other, or one below the other where the page is narrow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from memvault.cli.output.terminal import PLAIN, TerminalFormat, TextStyles
from memvault.core.value import replace
from memvault.text.display import escape_controls, pad_text, to_one_line, wrap_text

WIDE = 100
"""From so many cells on there is room for two columns."""

_BAR = "  |  "
_INDENT = "  "


class ComparedSide(NamedTuple):
    """One of the two: its title, short facts about it, what it says, and the words in that to set off."""

    title: str
    facts: Sequence[str]
    texts: Sequence[str]
    differing: Sequence[str] = ()


class _ComparedLine(NamedTuple):
    """A line as it is, by which it is measured, and how it is set off."""

    text: str
    style: str
    differing: Sequence[str] = ()

    def format_line(self, styles: TextStyles, width: int = 0) -> str:
        """The line as it is printed, filled up to a width."""
        padded = pad_text(self.text, width) if width else self.text
        match self.style:
            case "title":
                return styles.title(padded)
            case "faint":
                return styles.faint(padded)
            case _:
                return _highlight_words(padded, self.differing, styles)


def format_side_by_side(older: ComparedSide, newer: ComparedSide, paper: TerminalFormat) -> str:
    """The older left and the newer right; on a narrow page or in a pipe the newer first, and the older below it."""
    if paper.width < WIDE:
        return "\n".join(line.format_line(paper.styles) for side in (newer, older) for line in _side_lines(side, paper))
    width = (paper.width - len(_BAR)) // 2
    columns = [list(_side_lines(side, replace(paper, width=width))) for side in (older, newer)]
    empty = _ComparedLine("", "")
    rows = (
        f"{left.format_line(paper.styles, width)}{_BAR}{right.format_line(paper.styles)}".rstrip()
        for left, right in zip_longest(*columns, fillvalue=empty)
    )
    return "\n".join(rows)


def _side_lines(side: ComparedSide, paper: TerminalFormat) -> Iterator[_ComparedLine]:
    for line in wrap_text(to_one_line(side.title), paper.width):
        yield _ComparedLine(line, "title")
    for line in replace(paper, styles=PLAIN).join_facts(list(side.facts), _INDENT).split("\n"):
        yield _ComparedLine(line, "faint")
    for text in side.texts:
        for line in paper.wrap_block(escape_controls(text.strip()), _INDENT).split("\n"):
            yield _ComparedLine(line, "", side.differing)


def _highlight_words(line: str, words: Sequence[str], styles: TextStyles) -> str:
    """The line with the words in which the two differ set off."""
    wanted = "|".join(re.escape(to_one_line(word)) for word in sorted(words, key=len, reverse=True) if word.strip())
    if not (wanted and styles.has_color):
        return line
    return re.sub(rf"(?<!\w)(?:{wanted})(?!\w)", lambda found: styles.match(found[0]), line)
