"""The vault as a person reads it: at a glance, its settings, what was done to it, what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memvault.cli.context import Desk
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.core.plan import Operation, Step
from memvault.core.settings import Value, as_toml
from memvault.text.dates.dates import read_moment
from memvault.text.display import one_line, plural, printable, wrap

_NAMED = 3
_LONGEST_SESSION = 8
_TIERS = {"0": "identity", "1": "hot", "2": "memories", "3": "archived"}
_DONE = {"create": "made", "rewrite": "changed", "move": "moved", "remove": "removed", "note": "noted"}


# -- the vault at a glance


def labelled(label: str, text: str, paper: Paper) -> str:
    """A label and what it stands for, whose further lines stand below its first."""
    head = f"  {label:<9} "
    lines = wrap(one_line(text), paper.room(head))
    return "\n".join((" " * len(head) if number else head) + line for number, line in enumerate(lines))


def counted(label: str, counts: Mapping[str, int], paper: Paper) -> str:
    """How many there are of each; nothing where there is none of any."""
    return labelled(label, ", ".join(f"{name} {count}" for name, count in counts.items()), paper) if counts else ""


def tiers(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by tier, under the names of the tiers."""
    return {_TIERS[tier]: count for tier, count in counts.items()}


def due(memories: Sequence[Memory]) -> str:
    """The reminders whose day has come."""
    rows = [f"  {short(memory.id)}  {one_line(memory.title)}" for memory in memories]
    return "\n".join(["Due:", *rows]) if rows else ""


# -- settings


def settings(rows: Sequence[tuple[str, Value, Value]], paper: Paper) -> str:
    """Every setting with its value; what differs from its default is marked."""
    columns = (Column(""), Column("SETTING"), Column("VALUE", gives_way=True), Column("DEFAULT"))
    return table(columns, [_setting(*row) for row in rows], paper)


def _setting(name: str, value: Value, default: Value) -> list[str]:
    differs = value != default
    return ["*" if differs else "", name, as_toml(value), as_toml(default) if differs else ""]


def setting(name: str, value: Value, default: Value, meaning: str, paper: Paper) -> str:
    """One setting: its value, what it would be by itself, and what it does."""
    by_itself = "its default" if value == default else f"by default {as_toml(default)}"
    return f"{paper.styles.title(name)} = {one_line(as_toml(value))}  ({by_itself})\n{paper.block(meaning, '  ')}"


# -- what was done


def operations(found: Sequence[Operation], device: str, paper: Paper) -> str:
    """What was done to the vault, a line each, as it looks on this device."""
    columns = (
        Column("WHEN", may_go=True),
        Column("OPERATION"),
        Column("DID"),
        Column("STATE"),
        Column("BY", may_go=True),
        Column("WHAT", gives_way=True),
    )
    return table(columns, [_operation(op, device, paper) for op in found], paper)


def _operation(op: Operation, device: str, paper: Paper) -> list[str]:
    return [_when(op.at, paper), op.op, op.verb, op.state, _who(op, device), _gist(op)]


def _who(op: Operation, device: str) -> str:
    """Who did it: a person unless an agent is named or it is upkeep; and on which machine, where that is another."""
    by = op.agent or ("upkeep" if op.verb == "maintain" else "you")
    # A purged session's name is a mark in brackets.
    session = op.session if op.session.startswith("[") else op.session[:_LONGEST_SESSION]
    who = f"{by} {session}".rstrip()
    return one_line(who if op.device == device else f"{who} on {op.device}")


def _when(at: str, paper: Paper) -> str:
    moment = read_moment(at)
    return at if moment is None else paper.minute(moment)


def _gist(op: Operation) -> str:
    """The files an operation was about, the first few by name; for an undo, what it took back."""
    if op.undoes:
        return f"took back {op.undoes}"
    names = list(dict.fromkeys((step.to or step.path).rpartition("/")[2] for step in op.steps if step.path))
    more = f" and {plural(len(names) - _NAMED, 'other', 'others')}" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def operation(op: Operation, paper: Paper) -> str:
    """One operation with every change it made, and why."""
    who = [
        f"by {op.agent}" if op.agent else "",
        f"in session {op.session}" if op.session else "",
        f"on {op.device}" if op.device else "",
    ]
    facts = [op.op, op.state, _when(op.at, paper), *who, f"takes back {op.undoes}" if op.undoes else ""]
    head = [paper.styles.title(op.verb), paper.facts(facts, "  ")]
    # One decision may take several lines in the ledger: it is told once.
    steps = [paper.block(said, "  ") for said in dict.fromkeys(map(_step, op.steps))]
    refused = [paper.styles.warning(paper.block(f"not done: {one_line(reason)}", "  ")) for reason in op.refused]
    return "\n".join([*head, *steps, *refused])


def _step(step: Step) -> str:
    target = f" to {step.to}" if step.to else ""
    reason = f" ({step.why})" if step.why else ""
    return one_line(f"{_DONE.get(step.do, step.do)} {step.path}{target}{reason}")


# -- what is wrong


def finding(severity: str, where: str, what: str, mend: str, paper: Paper) -> str:
    """One thing that is wrong: how bad it is, where, what, and how to mend it."""
    styles = {"error": paper.styles.bad, "warning": paper.styles.warning}
    mark = styles.get(severity, paper.styles.faint)(severity)
    parts = [f"{mark}  {one_line(where)}".rstrip(), paper.block(printable(what), "  ")]
    return "\n".join([*parts, *([paper.styles.faint(paper.block(printable(mend), "  "))] if mend else [])])


def mended(where: str, cure: str) -> str:
    """One thing that was put right."""
    return one_line(f"  {where}: {cure}" if where else f"  {cure}")


# What is to be done and what is in hand, as a person reads it.

_INDENT = "  "


def moment(when: datetime, paper: Paper) -> str:
    """A day, with the time where it is not a whole day that is meant."""
    local = when.astimezone(paper.zone)
    return paper.day(when) if (local.hour, local.minute) == (0, 0) else paper.minute(when)


def reminder(
    memory: Memory,
    paper: Paper,
    *,
    due: datetime | None,
    is_due: bool,
    priority: float,
    condition: str,
    state: str,
) -> str:
    """One thing to be done, in two lines."""
    when = f"{'due since' if is_due else 'due'} {moment(due, paper)}" if due else ""
    over = state if state in ("completed", "cancelled") else ""
    facts = [short(memory.id), over or when, f"priority {priority:g}", f"when: {condition}" if condition else ""]
    title = one_line(memory.title)
    head = paper.styles.warning(title) if is_due else paper.styles.title(title)
    return f"{head}\n{paper.facts([*facts, memory.path], _INDENT)}"


def task(memory: Memory, notes: Sequence[str], paper: Paper, *, last_used: datetime | None, session: str) -> str:
    """A task in hand, with what was noted on it."""
    used = f"last used {paper.minute(last_used)}" if last_used else ""
    facts = [short(memory.id), f"since {paper.minute(memory.created)}", used, f"session {session}" if session else ""]
    lines = [paper.block(f"- {one_line(note)}", _INDENT) for note in notes]
    return "\n".join([paper.styles.title(one_line(memory.title)), paper.facts(facts, _INDENT), *lines])


def followed(count: int, rate: float | None) -> str:
    """How often a way was followed, and how often it worked."""
    share = "" if rate is None else f", worked {round(100 * rate)} % of the time"
    return f"followed {plural(count, 'time', 'times')}{share}"


# A run of upkeep as a person reads it: what changes, sorted by what it means, each with its reason.

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


# How far something is, on a person's terminal, once it takes longer than a moment.

PATIENCE = 1.0  # seconds before anything is shown
_PAUSE = 0.1
_WIDTH = 30


class Bar:
    """A progress bar on stderr; where nobody watches, nothing."""

    def __init__(self, desk: Desk, label: str) -> None:
        self._stream = desk.stderr
        self._label = label
        self._watched = desk.is_watched
        self._began = self._drawn = time.monotonic()
        self._is_drawn = False

    def __call__(self, done: int, whole: int) -> None:
        """Say that so much of the whole is done; a whole of 0 is one that nobody knows yet."""
        now = time.monotonic()
        is_too_soon = now - self._drawn < _PAUSE and (done < whole or not whole)
        if not self._watched or now - self._began < PATIENCE or is_too_soon:
            return
        self._drawn, self._is_drawn = now, True
        filled = _WIDTH * done // whole if whole else 0
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._stream.write(f"\r{self._label} [{bar}] {done:,} of {whole:,}" if whole else f"\r{self._label} {done:,}")
        self._stream.flush()

    def close(self) -> None:
        """Leave the line clean."""
        if self._is_drawn:
            self._stream.write("\r" + " " * (len(self._label) + _WIDTH + 30) + "\r")
            self._stream.flush()
