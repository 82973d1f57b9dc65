"""Memories as a person reads them: a hit of a recall, a note whole, a line of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from memvault.cli.output.terminal import TerminalFormat, TextStyles
from memvault.core.fields import RELATIONS, format_number
from memvault.core.ids import short_id
from memvault.core.memory import FieldValue, Memory
from memvault.core.weight import MemoryUse
from memvault.text.display import ELLIPSIS, format_count, neutralize_text, to_one_line, wrap_text
from memvault.text.terms import extract_terms as terms_of
from memvault.text.terms import locate_terms

# A passage as a person reads it: wrapped, the words that were looked for set off, cut around them.

# A line end with text before it, and after it none of what begins a block of its own in markdown.
_SAME_PARAGRAPH = r"(?<=\S)\n(?=\S)(?![-*+#>|]|\d+[.)])"


def format_passage(text: str, terms: Collection[str], paper: TerminalFormat, *, indent: str, lines: int = 0) -> str:
    """The text behind an indent; of a longer one only so many lines, where most of the terms stand."""
    said = neutralize_text(text.strip())
    marks = 2 if lines and paper.width else 0  # room for the ellipses of a cut
    whole = wrap_text(_join_paragraphs(said) if paper.width else said, paper.width_beside(indent) - marks)
    start, end = _best_window(whole, terms, lines)
    shown = [highlight_terms(line, terms, paper.styles) for line in whole[start:end]]
    if shown and start:
        shown[0] = f"{ELLIPSIS} {shown[0]}"
    if shown and end < len(whole):
        shown[-1] = f"{shown[-1]} {ELLIPSIS}"
    return "\n".join(indent + line if line else "" for line in shown)


def _join_paragraphs(text: str) -> str:
    """The text with the lines of each paragraph joined, so that it fills the page; code stays as it is."""
    return text if "```" in text else re.sub(_SAME_PARAGRAPH, " ", text)


def highlight_terms(line: str, terms: Collection[str], styles: TextStyles) -> str:
    """The line with every word whose stem is among the terms set off."""
    if not (styles.has_color and terms):
        return line
    marked, at = "", 0
    for start, end in locate_terms(line, terms):
        marked += line[at:start] + styles.match(line[start:end])
        at = end
    return marked + line[at:]


def _best_window(lines: list[str], terms: Collection[str], most: int) -> tuple[int, int]:
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


def format_hit(
    rank: int,
    memory: Memory,
    text: str,
    terms: Collection[str],
    paper: TerminalFormat,
    *,
    weight: float,
    weak: bool,
    whole: bool,
    contradicts: Sequence[str] = (),
    alike: Sequence[str] = (),
    via: str = "",
) -> str:
    """One memory that was found: its title, what it is, and the passage that answers."""
    facts = [
        short_id(memory.id),
        f"made {paper.format_day(memory.created)}",
        f"weight {weight:.2f}",
        memory.path,
        *memory.remarks,
    ]
    against = f"contradicts {', '.join(map(short_id, contradicts))}" if contradicts else ""
    others = f"and {len(alike)} alike: {', '.join(map(short_id, alike))}" if alike else ""
    lines = 0 if whole or not paper.width else EXCERPT_LINES
    parts = [
        _format_rank(rank, memory, paper),
        paper.join_facts([*facts, against, others, to_one_line(via), "weak match" if weak else ""], _INDENT),
        format_passage(re.sub(r"\n\s*\n", "\n\n", text), terms, paper, indent=_INDENT, lines=lines),
    ]
    return "\n".join(filter(None, parts))


def _format_rank(rank: int, memory: Memory, paper: TerminalFormat) -> str:
    wrapped = wrap_text(to_one_line(memory.title), paper.width_beside(_INDENT))
    first, *others = (paper.format_title(line, memory.path) for line in wrapped)
    lines = (f"{rank:>2}. {first}", *(_INDENT + line for line in others))
    return "\n".join(lines)


def format_outcome(memory: Memory, did: str, paper: TerminalFormat) -> str:
    """A memory and what became of it, in two lines."""
    return "\n".join(
        (paper.format_title(memory.title, memory.path), paper.join_facts([short_id(memory.id), memory.path, did], "  "))
    )


def format_memory(
    memory: Memory,
    paper: TerminalFormat,
    *,
    weight: float,
    use: MemoryUse,
    links: Sequence[str],
    linked_from: Sequence[str],
    against: Sequence[Memory] = (),
) -> str:
    """A note's title, everything known of it, and its text."""
    times = f"used {format_count(use.count, 'time', 'times')}, last {paper.format_day(use.last)}"
    # Of a note that says nothing of itself that can be read, an id and a weight would be our inventions.
    is_unknown = bool(memory.problem) and not memory.stated
    head = [
        paper.format_title(memory.title, memory.path),
        paper.join_facts([] if is_unknown else [memory.id, memory.type, memory.kind, *memory.remarks]),
        paper.join_facts(
            [] if is_unknown else [f"weight {weight:.2f}", f"made {paper.format_minute(memory.created)}", times]
        ),
        *(_format_field(label, texts, paper) for label, texts in _list_names(memory)),
        *(_format_field(name, _field_texts(value, paper), paper) for name, value in _list_other_fields(memory)),
        _format_field("found to contradict", [f"{other.title} ({short_id(other.id)})" for other in against], paper),
        _format_field("links to", links, paper),
        _format_field("linked from", linked_from, paper),
        _format_field("file", [memory.path], paper),
        paper.styles.warning(paper.wrap_block(f"its frontmatter could not be read: {to_one_line(memory.problem)}"))
        if memory.problem
        else "",
    ]
    text = format_passage(memory.body or "", (), paper, indent="")
    return "\n".join(filter(None, head)) + (f"\n\n{text}" if text else "")


def format_continued(memory: Memory, paper: TerminalFormat) -> str:
    """A later part of a note: its title, so that nobody takes it for another's, and the text."""
    text = format_passage(memory.body or "", (), paper, indent="")
    return f"{paper.format_title(memory.title, memory.path)}\n{paper.join_facts([memory.id, 'continued'])}\n\n{text}"


def _list_names(memory: Memory) -> list[tuple[str, Sequence[str]]]:
    return [
        ("tags", [f"#{tag}" for tag in memory.tags]),
        ("topics", memory.topics),
        ("people", memory.people),
        ("triggers", memory.triggers),
        *((f"refs {name}", texts) for name, texts in memory.refs.items()),
    ]


def _list_other_fields(memory: Memory) -> list[tuple[str, FieldValue]]:
    """The fields of its kind and its provenance; relations go first."""
    order = {name: number for number, name in enumerate(RELATIONS)}
    return sorted(memory.more.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))


def _format_field(label: str, texts: Sequence[str], paper: TerminalFormat) -> str:
    if sum(map(len, texts)) > _TOO_LONG_FOR_A_ROW and len(texts) > 1:
        return "\n".join([f"{label}:", *(paper.wrap_block(to_one_line(text), "  ") for text in texts)])
    return paper.wrap_block(f"{label}: {', '.join(map(to_one_line, texts))}") if texts else ""


def _field_texts(value: FieldValue, paper: TerminalFormat) -> Sequence[str]:
    return value if isinstance(value, tuple) else [_format_value(value, paper)]


def _format_value(value: FieldValue, paper: TerminalFormat) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            return paper.format_minute(value)
        case float():
            return format_number(value)
        case Mapping():
            return ", ".join(f"{name} {part}" for name, part in value.items())
        case _:
            return str(value)
