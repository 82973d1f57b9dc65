"""Conversations as a person reads them: a map of topics, and turns in order with speakers and days."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memvault.cli.output.memory import format_passage
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.text.display import cell_width, clip_line, format_count, to_one_line
from memvault.text.terms import clip_to_budget

if TYPE_CHECKING:
    from memvault.transcripts.dig import DigTopic, DigTurn
    from memvault.transcripts.search import TurnHit


_INDENT = "    "
_LOST_PREFIX = "lost:"  # what stands for a turn that cannot be read


def format_topic(found: DigTopic, paper: TerminalFormat) -> str:
    """A topic in two or three lines: what it is about, when, how long, and the reference that opens it."""
    day = paper.format_day(found.day) if found.day else ""
    facts = [found.ref, day, found.title, format_count(found.turns, "turn", "turns"), f"{found.tokens:,} tokens"]
    head = paper.wrap_block(to_one_line(found.summary), "  ")
    words = ", ".join(map(to_one_line, found.keywords))
    return "\n".join(filter(None, [head, paper.join_facts([*facts, words], _INDENT)]))


def format_turn_hit(rank: int, hit: TurnHit, terms: Collection[str], paper: TerminalFormat) -> str:
    """A turn that was found: who said it, when, what, and the reference that opens the conversation."""
    turn = hit.turn
    facts = [hit.ref, paper.format_minute(turn.time) if turn.time else "", "said in a conversation"]
    return "\n".join(
        (
            f"{rank:>2}. {paper.styles.title(to_one_line(turn.speaker) or '(nobody named)')}",
            paper.join_facts(facts, _INDENT),
            format_passage(hit.text, terms, paper, indent=_INDENT),
        )
    )


def format_conversation(
    title: str, name: str, lines: Sequence[DigTurn], terms: Collection[str], paper: TerminalFormat
) -> str:
    """Turns in their order, each with its speaker; a day or a time where it changes; what was found is marked."""
    parts = [paper.styles.title(to_one_line(title or name))]
    day = ""
    for line in lines:
        today = paper.format_day(line.time) if line.time else ""
        if today and today != day:
            parts.append(paper.styles.faint(f"-- {today}"))
            day = today
        parts.append(_format_turn(line, terms, paper))
    return "\n".join(parts)


def _format_turn(line: DigTurn, terms: Collection[str], paper: TerminalFormat) -> str:
    clock = paper.format_minute(line.time)[-5:] if line.time else ""
    mark = ">" if line.found else " "
    facts = " · ".join(filter(None, [to_one_line(line.speaker) or "(nobody named)", clock, line.ref]))
    done = [paper.join_facts([f"did: {'; '.join(line.deeds)}"], _INDENT)] if line.deeds else []
    text = format_passage(line.text, terms, paper, indent=_INDENT) if line.text else ""
    if line.id.startswith(_LOST_PREFIX):
        return paper.styles.faint(f"  {line.ref} · [this turn is damaged in the archive]")
    return "\n".join(filter(None, [f"{mark} {paper.styles.faint(facts)}", text, *done]))


# Memories in few tokens: a line each, and a moment in the course of time; whoever wants more asks for it by the id.

_TITLE_TOKENS = 12  # with its id and day a memory takes 20 tokens at most, where it is read by a program
_LEAST_TITLE = 20
_MARKED, _UNMARKED = "> ", "  "


def format_hit_line(
    ref: str, day: str, text: str, *, weak: bool = False, width: int = 0, link: Callable[[str], str] = str
) -> str:
    """One hit on one line: what opens it, its day, and what it is called, as far as a terminal or few tokens go."""
    head, tail, title = " ".join(filter(None, (ref, day))), " (weak)" if weak else "", to_one_line(text)
    room = max(_LEAST_TITLE, width - cell_width(head) - 1 - len(tail))
    shown = clip_line(title, room) if width else clip_to_budget(title, _TITLE_TOKENS)
    return f"{head} {link(shown)}{tail}"


def format_memory_line(memory: Memory, paper: TerminalFormat, *, weak: bool = False) -> str:
    """One memory on one line."""
    day = paper.format_day(memory.created)
    link = partial(paper.link_note, path=memory.path)
    return format_hit_line(short_id(memory.id), day, memory.title, weak=weak, width=paper.width, link=link)


def format_moment_line(memory: Memory, begins: str, *, chosen: bool, paper: TerminalFormat | None = None) -> str:
    """One memory in the course of time: when, what, and below it how it begins; a chosen one is marked."""
    paper = paper or TerminalFormat()
    when = (
        paper.format_day(memory.created)
        if (memory.created.astimezone(paper.zone).strftime("%H%M%S") == "000000")
        else paper.format_minute(memory.created)
    )
    facts = ", ".join([short_id(memory.id), memory.kind, *memory.remarks])
    head = f"{when} {to_one_line(memory.title)} ({facts})"
    mark = _MARKED if chosen else _UNMARKED
    below = (
        paper.wrap_block(begins, _UNMARKED + _UNMARKED)
        if begins and to_one_line(begins) != to_one_line(memory.title)
        else ""
    )
    first, *others = paper.wrap_block(head, _UNMARKED).split("\n")
    title = paper.format_title(first[len(_UNMARKED) :], memory.path)
    return "\n".join(filter(None, (mark + title, *others, below)))
