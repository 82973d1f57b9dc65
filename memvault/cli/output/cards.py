"""The inbox on a page: one card whole, cards in a table, and two memories beside each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from memvault.cli.output.memory import format_passage
from memvault.cli.output.terminal import PLAIN, TerminalFormat, TextStyles, format_table
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.value import replace
from memvault.text.display import neutralize_text, pad_text, to_one_line, wrap_text

if TYPE_CHECKING:
    from memvault.maintenance.inbox.card import Card


_INDENT = "  "
_TEXT_LINES = 14  # of each memory on a card: `e` shows all of it


def format_card(card: Card, paper: TerminalFormat, *, place: str = "", merged: str = "", with_acts: bool = True) -> str:
    """One card: its question, why it is asked, its memories, and the acts that answer it."""
    path = card.memories[0].path if len(card.memories) == 1 else ""
    parts = [
        paper.styles.faint(f"{place}  {card.kind}".strip()),
        "\n".join(paper.format_title(line, path) for line in wrap_text(to_one_line(card.question), paper.width)),
        paper.wrap_block(to_one_line(card.why)),
        "",
        *([_format_pair(card, paper)] if len(card.memories) > 1 else [_format_one(card.memories[0], paper)]),
        *(
            ["", paper.styles.title("Merged they would say:"), paper.wrap_block(merged.strip(), _INDENT)]
            if merged
            else []
        ),
        "",
        format_acts(card, paper) if with_acts else _format_commands(card, paper),
    ]
    return "\n".join(parts)


def format_acts(card: Card, paper: TerminalFormat) -> str:
    """The keys that answer a card, in as many lines as they need."""
    return paper.join_facts([f"{act.key} {act.label}" for act in card.acts])


def _format_commands(card: Card, paper: TerminalFormat) -> str:
    """The commands that answer a card where no key is pressed."""
    # A card on a line or a folder is named by its key: others may be on the same memory.
    is_named = set(card.key.split("|")[1:]) == {memory.id or memory.path for memory in card.memories}
    ids = " ".join(_short_name(memory) for memory in card.memories) if is_named else quote(card.key)
    ways = [(f"memvault review {act.name} {ids}", act.label) for act in card.acts if act.name != "edit"]
    width = max(len(command) for command, _ in ways)
    return "\n".join(f"{_INDENT}{command:<{width}}  {paper.styles.faint(label)}" for command, label in ways)


def _format_one(memory: Memory, paper: TerminalFormat) -> str:
    body = memory.body or ""
    title = "" if body.lstrip("# \n").startswith(memory.title) else paper.format_title(memory.title, memory.path)
    text = format_passage(body, (), paper, indent=_INDENT, lines=_TEXT_LINES if paper.width else 0)
    return "\n".join(filter(None, (title, paper.join_facts(list_facts(memory, paper), _INDENT), text)))


def _format_pair(card: Card, paper: TerminalFormat) -> str:
    newer, older = (
        ComparedSide(memory.title, list_facts(memory, paper), [memory.body or ""], card.differing)
        for memory in card.memories
    )
    return format_side_by_side(older, newer, paper)


def list_facts(memory: Memory, paper: TerminalFormat) -> list[str]:
    """What tells a memory from another: its id, its day, who said it, where it lies."""
    source = str(memory.more.get("agent") or memory.source)
    return [
        short_id(memory.id),
        paper.format_day(memory.created),
        f"from {source}",
        memory.path,
        *memory.remarks,
    ]


def format_card_table(cards: Sequence[Card], paper: TerminalFormat) -> str:
    """Cards in columns, a line each."""
    rows = [[" ".join(_short_name(memory) for memory in card.memories), card.kind, card.question] for card in cards]
    return format_table("ID | KIND | QUESTION~", rows, paper, [card.memories[0].path for card in cards])


def _short_name(memory: Memory) -> str:
    return short_id(memory.id) or memory.path


def format_counts(counts: Mapping[str, int]) -> str:
    """How many cards there are of each kind."""
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


# Two memories beside each other, or one below the other where the page is narrow.

WIDE = 100
"""From so many cells on there is room for two columns."""

_BAR = "  |  "


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
        for line in paper.wrap_block(neutralize_text(text.strip()), _INDENT).split("\n"):
            yield _ComparedLine(line, "", side.differing)


def _highlight_words(line: str, words: Sequence[str], styles: TextStyles) -> str:
    """The line with the words in which the two differ set off."""
    wanted = "|".join(re.escape(to_one_line(word)) for word in sorted(words, key=len, reverse=True) if word.strip())
    if not (wanted and styles.has_color):
        return line
    return re.sub(rf"(?<!\w)(?:{wanted})(?!\w)", lambda found: styles.match(found[0]), line)
