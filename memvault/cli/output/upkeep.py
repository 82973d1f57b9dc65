"""A run of upkeep as a person reads it: what changes, sorted by what it means, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.text.escape import one_line
from memvault.text.figures import plural

SHOWN = 10


class Line(NamedTuple):
    """One change: the memory's id and title or path, where it goes, by which rules, and why."""

    id: str
    name: str
    to: str
    rules: tuple[str, ...]
    why: str


# What a change is listed under: the first of these rules that it was made by.
_HEADINGS: Mapping[str, str] = {
    "prune": "To the trash",
    "archive": "Into the archive",
    "consolidate": "Merged",
    "promote": "Become lasting knowledge",
    "expire": "Cleared away",
    "hot": "Up to Tier 1, or back",
    "stale": "Stale",
    "revive": "Active again",
    "adopt": "Weights you set",
    "decay": "Weights",
    "practice": "Ways that were followed",
    "touches": "Uses",
    "claude-md": "CLAUDE.md",
}


def run(lines: Sequence[Line], paper: Paper, *, everything: bool) -> str:
    """All changes, sorted by what they mean."""
    groups: dict[str, list[Line]] = {rule: [] for rule in _HEADINGS}
    for line in lines:
        groups[_heading(line)].append(line)
    return "\n\n".join(_group(rule, found, paper, everything=everything) for rule, found in groups.items() if found)


def _heading(line: Line) -> str:
    return next((rule for rule in _HEADINGS if rule in line.rules), "touches")


def _group(rule: str, lines: Sequence[Line], paper: Paper, *, everything: bool) -> str:
    head = f"{paper.styles.title(_HEADINGS[rule])}  {paper.styles.faint(str(len(lines)))}"
    shown = lines if everything else lines[:SHOWN]
    rest = len(lines) - len(shown)
    more = [paper.styles.faint(f"  and {plural(rest, 'other', 'others')} (--all shows them)")] if rest else []
    return "\n".join([head, *(_line(line, paper) for line in shown), *more])


def _line(line: Line, paper: Paper) -> str:
    named = f"{short(line.id)}  {one_line(line.name)}" if line.id else one_line(line.name)
    return paper.block(f"{named}: {one_line(line.why)}", "  ")


def counts(lines: Iterable[Line]) -> dict[str, int]:
    """How many changes each rule made."""
    found: dict[str, int] = {}
    for line in lines:
        for rule in line.rules:
            found[rule] = found.get(rule, 0) + 1
    return found


def summary(memories: int, changes: int, refused: int, *, dry_run: bool) -> str:
    """What a run came to, in a sentence."""
    if not (changes or refused):
        return f"Looked at {plural(memories, 'memory', 'memories')}: there is nothing to do."
    verb = "would change" if dry_run else "changed"
    told = f"Looked at {plural(memories, 'memory', 'memories')}, {verb} {plural(changes, 'file', 'files')}"
    return f"{told}; {plural(refused, 'change', 'changes')} could not be made." if refused else f"{told}."


def waiting(conflicts: int, proposals: int) -> str:
    """What waits for a person."""
    parts = [
        f"{plural(conflicts, 'contradiction', 'contradictions')} (memvault conflicts)" if conflicts else "",
        f"{plural(proposals, 'possible duplicate', 'possible duplicates')} (memvault duplicates)" if proposals else "",
    ]
    told = " and ".join(filter(None, parts))
    return f"For you to decide: {told}." if told else ""


def next_time(moment: datetime | None, paper: Paper) -> str:
    """When something is due again."""
    return f"Something is due on {paper.day(moment)}." if moment else ""
