"""Two memories beside each other, or one below the other where the page is narrow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from memvault.cli.output.terminal import PLAIN, Paper, Styles
from memvault.core.value import replace
from memvault.text.display import one_line, pad, printable, wrap

WIDE = 100
"""From so many cells on there is room for two columns."""

_BAR = "  |  "
_INDENT = "  "


class Side(NamedTuple):
    """One of the two: its title, short facts about it, what it says, and the words in that to set off."""

    title: str
    facts: Sequence[str]
    says: Sequence[str]
    differing: Sequence[str] = ()


class _Line(NamedTuple):
    """A line as it is, by which it is measured, and how it is set off."""

    text: str
    style: str
    differing: Sequence[str] = ()

    def styled(self, styles: Styles, width: int = 0) -> str:
        """The line as it is printed, filled up to a width."""
        padded = pad(self.text, width) if width else self.text
        match self.style:
            case "title":
                return styles.title(padded)
            case "faint":
                return styles.faint(padded)
            case _:
                return _set_off(padded, self.differing, styles)


def side_by_side(older: Side, newer: Side, paper: Paper) -> str:
    """The older left and the newer right; on a narrow page or in a pipe the newer first, and the older below it."""
    if paper.width < WIDE:
        return "\n".join(line.styled(paper.styles) for side in (newer, older) for line in _lines(side, paper))
    width = (paper.width - len(_BAR)) // 2
    columns = [list(_lines(side, replace(paper, width=width))) for side in (older, newer)]
    empty = _Line("", "")
    rows = (
        f"{left.styled(paper.styles, width)}{_BAR}{right.styled(paper.styles)}".rstrip()
        for left, right in zip_longest(*columns, fillvalue=empty)
    )
    return "\n".join(rows)


def _lines(side: Side, paper: Paper) -> Iterator[_Line]:
    for line in wrap(one_line(side.title), paper.width):
        yield _Line(line, "title")
    for line in replace(paper, styles=PLAIN).facts(list(side.facts), _INDENT).split("\n"):
        yield _Line(line, "faint")
    for text in side.says:
        for line in paper.block(printable(text.strip()), _INDENT).split("\n"):
            yield _Line(line, "", side.differing)


def _set_off(line: str, words: Sequence[str], styles: Styles) -> str:
    """The line with the words in which the two differ set off."""
    wanted = "|".join(re.escape(one_line(word)) for word in sorted(words, key=len, reverse=True) if word.strip())
    if not (wanted and styles.colour):
        return line
    return re.sub(rf"(?<!\w)(?:{wanted})(?!\w)", lambda found: styles.match(found[0]), line)
