"""Conversations as a person reads them: a map of topics, and turns in order with speakers and days."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, tzinfo
from typing import Protocol

from memvault.cli.output.memory import marks, passage
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.text.display import one_line, plural
from memvault.text.terms import clip
from memvault.transcripts.model.turn import Turn

_INDENT = "    "
_LOST = "lost:"  # what stands for a turn that cannot be read


class Topic(Protocol):
    """A line of the map."""

    @property
    def ref(self) -> str: ...
    @property
    def day(self) -> datetime | None: ...
    @property
    def title(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def keywords(self) -> tuple[str, ...]: ...
    @property
    def turns(self) -> int: ...
    @property
    def tokens(self) -> int: ...


class Line(Protocol):
    """One turn."""

    @property
    def ref(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def speaker(self) -> str: ...
    @property
    def time(self) -> datetime | None: ...
    @property
    def text(self) -> str: ...
    @property
    def deeds(self) -> tuple[str, ...]: ...
    @property
    def found(self) -> bool: ...


def topic(found: Topic, paper: Paper) -> str:
    """A topic in two or three lines: what it is about, when, how long, and the reference that opens it."""
    day = paper.day(found.day) if found.day else ""
    facts = [found.ref, day, found.title, plural(found.turns, "turn", "turns"), f"{found.tokens:,} tokens"]
    head = paper.block(one_line(found.summary), "  ")
    words = ", ".join(map(one_line, found.keywords))
    return "\n".join(filter(None, [head, paper.facts([*facts, words], _INDENT)]))


class Spoken(Protocol):
    """A turn that was found."""

    @property
    def ref(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def turn(self) -> Turn: ...
    @property
    def similarity(self) -> float: ...


def spoken(rank: int, hit: Spoken, terms: Collection[str], paper: Paper) -> str:
    """A turn that was found: who said it, when, what, and the reference that opens the conversation."""
    turn = hit.turn
    facts = [hit.ref, paper.minute(turn.time) if turn.time else "", "said in a conversation"]
    return "\n".join(
        (
            f"{rank:>2}. {paper.styles.title(one_line(turn.speaker) or '(nobody named)')}",
            paper.facts(facts, _INDENT),
            passage(hit.text, terms, paper, indent=_INDENT),
        )
    )


def conversation(title: str, name: str, lines: Sequence[Line], terms: Collection[str], paper: Paper) -> str:
    """Turns in their order, each with its speaker; a day or a time where it changes; what was found is marked."""
    parts = [paper.styles.title(one_line(title or name))]
    day = ""
    for line in lines:
        today = paper.day(line.time) if line.time else ""
        if today and today != day:
            parts.append(paper.styles.faint(f"-- {today}"))
            day = today
        parts.append(_said(line, terms, paper))
    return "\n".join(parts)


def _said(line: Line, terms: Collection[str], paper: Paper) -> str:
    clock = paper.minute(line.time)[-5:] if line.time else ""
    mark = ">" if line.found else " "
    facts = " · ".join(filter(None, [one_line(line.speaker) or "(nobody named)", clock, line.ref]))
    done = [paper.facts([f"did: {'; '.join(line.deeds)}"], _INDENT)] if line.deeds else []
    text = passage(line.text, terms, paper, indent=_INDENT) if line.text else ""
    if line.id.startswith(_LOST):
        return paper.styles.faint(f"  {line.ref} · [this turn is damaged in the archive]")
    return "\n".join(filter(None, [f"{mark} {paper.styles.faint(facts)}", text, *done]))


# Memories in few tokens: a line each, and a moment in the course of time; whoever wants more asks for it by the id.

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
