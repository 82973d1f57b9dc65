"""Memories as a person reads them: a hit of a recall, a note whole, a line of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from memvault.cli.output.terminal import Paper, Styles
from memvault.core.fields import RELATIONS, number_text
from memvault.core.ids import short
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.weight import Use
from memvault.text.display import ELLIPSIS, one_line, plural, printable, wrap
from memvault.text.stem import stem
from memvault.text.terms import spans
from memvault.text.terms import terms as terms_of

# A passage as a person reads it: wrapped, the words that were looked for set off, cut around them.

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
