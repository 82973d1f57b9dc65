"""Memories in few tokens: a line each, and a moment in the course of time; whoever wants more asks for it by the id."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from memvault.cli.output.memory import marks
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.text.escape import one_line
from memvault.text.tokens import clip

_TITLE_TOKENS = 12  # with its id and day a memory takes 20 tokens at most
_GIST_TOKENS = 32
_MARKED, _UNMARKED = "> ", "  "
_LEAD = re.compile(r"^\s*(?:[-*+>]|\d+[.)]|#{1,6})\s+", re.MULTILINE)


def line(ref: str, day: str, text: str, *, weak: bool = False) -> str:
    """One hit on one line: what opens it, its day, and what it is called."""
    return " ".join(filter(None, (ref, day, clip(one_line(text), _TITLE_TOKENS), "(weak)" if weak else "")))


def memory_line(memory: Memory, paper: Paper, *, weak: bool = False) -> str:
    """One memory on one line."""
    return line(short(memory.id), paper.day(memory.created), memory.title, weak=weak)


def gist(text: str) -> str:
    """How a text begins, on one line, without the signs of lists and headings."""
    return clip(one_line(_LEAD.sub("", text[:1_000])), _GIST_TOKENS)


def moment_line(memory: Memory, begins: str, *, chosen: bool, paper: Paper | None = None) -> str:
    """One memory in the course of time: when, what, and below it how it begins; a chosen one is marked."""
    paper = paper or Paper()
    when = paper.day(memory.created) if _is_day(memory.created, paper.zone) else paper.minute(memory.created)
    facts = ", ".join([short(memory.id), memory.kind, *marks(memory)])
    head = f"{when} {one_line(memory.title)} ({facts})"
    mark = _MARKED if chosen else _UNMARKED
    below = paper.block(begins, _UNMARKED + _UNMARKED) if begins and one_line(begins) != one_line(memory.title) else ""
    first, *others = paper.block(head, _UNMARKED).split("\n")
    title = paper.styles.title(first[len(_UNMARKED) :])
    return "\n".join(filter(None, (mark + title, *others, below)))


def _is_day(moment: datetime, zone: tzinfo) -> bool:
    """A date alone stands at midnight; what is known to the minute hardly ever does."""
    return moment.astimezone(zone).strftime("%H%M%S") == "000000"
