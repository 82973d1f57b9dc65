"""Conversations as a person reads them: a map of topics, and turns in order with speakers and days."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from memvault.cli.output.passage import passage
from memvault.cli.output.terminal import Paper
from memvault.text.escape import one_line
from memvault.text.figures import plural
from memvault.transcripts.model.talk import Turn

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
