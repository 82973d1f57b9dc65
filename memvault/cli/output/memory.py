"""Memories as a person reads them: a hit of a recall, a note whole, a line of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from memvault.cli.output.passage import passage
from memvault.cli.output.terminal import Paper
from memvault.core.fields import RELATIONS, number_text
from memvault.core.ids import short
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.weight import Use
from memvault.text.display import wrap
from memvault.text.escape import one_line
from memvault.text.figures import plural

EXCERPT_LINES = 4
_TOO_LONG_FOR_A_ROW = 100
_INDENT = "    "
MARKED_PLACES = {Place.IDENTITY: "identity", Place.HOT: "hot", Place.ARCHIVED: "archived", Place.FOREIGN: "foreign"}


def marks(memory: Memory) -> list[str]:
    """What is out of the ordinary about a memory, a word each."""
    found = [MARKED_PLACES.get(memory.place, ""), "pinned" if memory.pinned else ""]
    found += ["significant" if memory.emotional_flag else "", memory.status if memory.status != "active" else ""]
    if memory.more.get("superseded_by"):
        found.append("superseded")
    return list(dict.fromkeys(filter(None, found)))


def hit(
    rank: int,
    memory: Memory,
    text: str,
    terms: Collection[str],
    paper: Paper,
    *,
    weight: float,
    weak: bool,
    whole: bool,
    contradicts: Sequence[str] = (),
    alike: Sequence[str] = (),
    via: str = "",
) -> str:
    """One memory that was found: its title, what it is, and the passage that answers."""
    facts = [short(memory.id), paper.day(memory.created), f"weight {weight:.2f}", memory.path, *marks(memory)]
    against = f"contradicts {', '.join(map(short, contradicts))}" if contradicts else ""
    others = f"and {len(alike)} alike: {', '.join(map(short, alike))}" if alike else ""
    lines = 0 if whole or not paper.width else EXCERPT_LINES
    parts = [
        _numbered(rank, memory.title, paper),
        paper.facts([*facts, against, others, one_line(via), "weak match" if weak else ""], _INDENT),
        passage(re.sub(r"\n\s*\n", "\n\n", text), terms, paper, indent=_INDENT, lines=lines),
    ]
    return "\n".join(filter(None, parts))


def _numbered(rank: int, title: str, paper: Paper) -> str:
    first, *others = wrap(one_line(title), paper.room(_INDENT))
    lines = (f"{rank:>2}. {paper.styles.title(first)}", *(_INDENT + paper.styles.title(line) for line in others))
    return "\n".join(lines)


def named(memory: Memory, did: str, paper: Paper) -> str:
    """A memory and what became of it, in two lines."""
    return "\n".join(
        (paper.styles.title(one_line(memory.title)), paper.facts([short(memory.id), memory.path, did], "  "))
    )


def whole(
    memory: Memory,
    paper: Paper,
    *,
    weight: float,
    use: Use,
    links: Sequence[str],
    linked_from: Sequence[str],
    against: Sequence[Memory] = (),
) -> str:
    """A note's title, everything known of it, and its text."""
    times = f"used {plural(use.count, 'time', 'times')}, last {paper.day(use.last)}"
    head = [
        paper.styles.title(one_line(memory.title)),
        paper.facts([memory.id, memory.type, memory.kind, *marks(memory)]),
        paper.facts([f"weight {weight:.2f}", f"made {paper.minute(memory.created)}", times]),
        *(_said(label, texts, paper) for label, texts in _names(memory)),
        *(_said(name, _texts(value, paper), paper) for name, value in _besides(memory)),
        _said("found to contradict", [f"{other.title} ({short(other.id)})" for other in against], paper),
        _said("links to", links, paper),
        _said("linked from", linked_from, paper),
        _said("file", [memory.path], paper),
        paper.styles.warning(paper.block(f"its frontmatter could not be read: {one_line(memory.problem)}"))
        if memory.problem
        else "",
    ]
    text = passage(memory.body or "", (), paper, indent="")
    return "\n".join(filter(None, head)) + (f"\n\n{text}" if text else "")


def continued(memory: Memory, paper: Paper) -> str:
    """A later part of a note: its title, so that nobody takes it for another's, and the text."""
    text = passage(memory.body or "", (), paper, indent="")
    return f"{paper.styles.title(one_line(memory.title))}\n{paper.facts([memory.id, 'continued'])}\n\n{text}"


def _names(memory: Memory) -> list[tuple[str, Sequence[str]]]:
    return [
        ("tags", [f"#{tag}" for tag in memory.tags]),
        ("topics", memory.topics),
        ("people", memory.people),
        ("triggers", memory.triggers),
        *((f"refs {name}", texts) for name, texts in memory.refs.items()),
    ]


def _besides(memory: Memory) -> list[tuple[str, FieldValue]]:
    """The fields of its kind and its provenance; relations go first."""
    order = {name: number for number, name in enumerate(RELATIONS)}
    return sorted(memory.more.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))


def _said(label: str, texts: Sequence[str], paper: Paper) -> str:
    if sum(map(len, texts)) > _TOO_LONG_FOR_A_ROW and len(texts) > 1:
        return "\n".join([f"{label}:", *(paper.block(one_line(text), "  ") for text in texts)])
    return paper.block(f"{label}: {', '.join(map(one_line, texts))}") if texts else ""


def _texts(value: FieldValue, paper: Paper) -> Sequence[str]:
    return value if isinstance(value, tuple) else [_text(value, paper)]


def _text(value: FieldValue, paper: Paper) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            return paper.minute(value)
        case float():
            return number_text(value)
        case Mapping():
            return ", ".join(f"{name} {part}" for name, part in value.items())
        case _:
            return str(value)
