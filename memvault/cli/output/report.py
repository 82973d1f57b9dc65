"""The vault as a person reads it: at a glance, its settings, what was done to it, what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Self

from memvault.cli.context import CliContext
from memvault.cli.output.terminal import Column, TerminalFormat, format_table
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.plan import Operation, OperationStep
from memvault.core.settings import to_toml
from memvault.core.settings.table import Value
from memvault.text.dates.dates import read_moment
from memvault.text.display import escape_controls, format_count, to_one_line, wrap_text

_NAMED = 3
_LONGEST_SESSION = 8
_TIERS = {"0": "identity", "1": "hot", "2": "memories", "3": "archived"}
_DONE = {"create": "made", "rewrite": "changed", "move": "moved", "remove": "removed", "note": "noted"}


# -- the vault at a glance


def format_label(label: str, text: str, paper: TerminalFormat) -> str:
    """A label and what it stands for, whose further lines stand below its first."""
    head = f"  {label:<9} "
    lines = wrap_text(to_one_line(text), paper.width_beside(head))
    return "\n".join((" " * len(head) if number else head) + line for number, line in enumerate(lines))


def format_counts(label: str, counts: Mapping[str, int], paper: TerminalFormat) -> str:
    """How many there are of each; nothing where there is none of any."""
    return format_label(label, ", ".join(f"{name} {count}" for name, count in counts.items()), paper) if counts else ""


def name_tiers(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by tier, under the names of the tiers."""
    return {_TIERS[tier]: count for tier, count in counts.items()}


def format_due(memories: Sequence[Memory]) -> str:
    """The reminders whose day has come."""
    rows = [f"  {short_id(memory.id)}  {to_one_line(memory.title)}" for memory in memories]
    return "\n".join(["Due:", *rows]) if rows else ""


# -- settings


def format_settings(rows: Sequence[tuple[str, Value, Value]], paper: TerminalFormat) -> str:
    """Every setting with its value; what differs from its default is marked."""
    columns = (Column(""), Column("SETTING"), Column("VALUE", may_shrink=True), Column("DEFAULT"))
    return format_table(columns, [_setting_row(*row) for row in rows], paper)


def _setting_row(name: str, value: Value, default: Value) -> list[str]:
    differs = value != default
    return ["*" if differs else "", name, to_toml(value), to_toml(default) if differs else ""]


def format_setting(name: str, value: Value, default: Value, meaning: str, paper: TerminalFormat) -> str:
    """One setting: its value, what it would be by itself, and what it does."""
    by_itself = "its default" if value == default else f"by default {to_toml(default)}"
    return (
        f"{paper.styles.title(name)} = {to_one_line(to_toml(value))}  ({by_itself})\n{paper.wrap_block(meaning, '  ')}"
    )


# -- what was done


def format_operations(found: Sequence[Operation], device: str, paper: TerminalFormat) -> str:
    """What was done to the vault, a line each, as it looks on this device."""
    columns = (
        Column("WHEN", may_go=True),
        Column("OPERATION"),
        Column("DID"),
        Column("STATE"),
        Column("BY", may_go=True),
        Column("WHAT", may_shrink=True),
    )
    return format_table(columns, [_operation_row(op, device, paper) for op in found], paper)


def _operation_row(op: Operation, device: str, paper: TerminalFormat) -> list[str]:
    return [_format_time(op.at, paper), op.op, op.verb, op.state, _operation_actor(op, device), _operation_files(op)]


def _operation_actor(op: Operation, device: str) -> str:
    """Who did it: a person unless an agent is named or it is upkeep; and on which machine, where that is another."""
    by = op.agent or ("upkeep" if op.verb == "maintain" else "you")
    # A purged session's name is a mark in brackets.
    session = op.session if op.session.startswith("[") else op.session[:_LONGEST_SESSION]
    who = f"{by} {session}".rstrip()
    return to_one_line(who if op.device == device else f"{who} on {op.device}")


def _format_time(at: str, paper: TerminalFormat) -> str:
    moment = read_moment(at)
    return at if moment is None else paper.format_minute(moment)


def _operation_files(op: Operation) -> str:
    """The files an operation was about, the first few by name; for an undo, what it took back."""
    if op.undoes:
        return f"took back {op.undoes}"
    names = list(dict.fromkeys((step.to or step.path).rpartition("/")[2] for step in op.steps if step.path))
    more = f" and {format_count(len(names) - _NAMED, 'other', 'others')}" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def format_operation(op: Operation, paper: TerminalFormat) -> str:
    """One operation with every change it made, and why."""
    who = [
        f"by {op.agent}" if op.agent else "",
        f"in session {op.session}" if op.session else "",
        f"on {op.device}" if op.device else "",
    ]
    facts = [op.op, op.state, _format_time(op.at, paper), *who, f"takes back {op.undoes}" if op.undoes else ""]
    head = [paper.styles.title(op.verb), paper.join_facts(facts, "  ")]
    # One decision may take several lines in the ledger: it is told once.
    steps = [paper.wrap_block(said, "  ") for said in dict.fromkeys(map(_format_step, op.steps))]
    refused = [
        paper.styles.warning(paper.wrap_block(f"not done: {to_one_line(reason)}", "  ")) for reason in op.refused
    ]
    return "\n".join([*head, *steps, *refused])


def _format_step(step: OperationStep) -> str:
    target = f" to {step.to}" if step.to else ""
    reason = f" ({step.why})" if step.why else ""
    return to_one_line(f"{_DONE.get(step.do, step.do)} {step.path}{target}{reason}")


# -- what is wrong


def format_finding(severity: str, where: str, what: str, mend: str, paper: TerminalFormat) -> str:
    """One thing that is wrong: how bad it is, where, what, and how to mend it."""
    styles = {"error": paper.styles.bad, "warning": paper.styles.warning}
    mark = styles.get(severity, paper.styles.faint)(severity)
    parts = [f"{mark}  {to_one_line(where)}".rstrip(), paper.wrap_block(escape_controls(what), "  ")]
    return "\n".join([*parts, *([paper.styles.faint(paper.wrap_block(escape_controls(mend), "  "))] if mend else [])])


def format_fixed(where: str, cure: str) -> str:
    """One thing that was put right."""
    return to_one_line(f"  {where}: {cure}" if where else f"  {cure}")


# What is to be done and what is in hand, as a person reads it.

_INDENT = "  "


def format_moment(when: datetime, paper: TerminalFormat) -> str:
    """A day, with the time where it is not a whole day that is meant."""
    local = when.astimezone(paper.zone)
    return paper.format_day(when) if (local.hour, local.minute) == (0, 0) else paper.format_minute(when)


def format_reminder(
    memory: Memory,
    paper: TerminalFormat,
    *,
    due: datetime | None,
    is_due: bool,
    priority: float,
    condition: str,
    state: str,
) -> str:
    """One thing to be done, in two lines."""
    when = f"{'due since' if is_due else 'due'} {format_moment(due, paper)}" if due else ""
    over = state if state in ("completed", "cancelled") else ""
    facts = [short_id(memory.id), over or when, f"priority {priority:g}", f"when: {condition}" if condition else ""]
    title = to_one_line(memory.title)
    head = paper.styles.warning(title) if is_due else paper.styles.title(title)
    return f"{head}\n{paper.join_facts([*facts, memory.path], _INDENT)}"


def format_task(
    memory: Memory, notes: Sequence[str], paper: TerminalFormat, *, last_used: datetime | None, session: str
) -> str:
    """A task in hand, with what was noted on it."""
    used = f"last used {paper.format_minute(last_used)}" if last_used else ""
    facts = [
        short_id(memory.id),
        f"since {paper.format_minute(memory.created)}",
        used,
        f"session {session}" if session else "",
    ]
    lines = [paper.wrap_block(f"- {to_one_line(note)}", _INDENT) for note in notes]
    return "\n".join([paper.styles.title(to_one_line(memory.title)), paper.join_facts(facts, _INDENT), *lines])


def format_usage(count: int, rate: float | None) -> str:
    """How often a way was followed, and how often it worked."""
    share = "" if rate is None else f", worked {round(100 * rate)} % of the time"
    return f"followed {format_count(count, 'time', 'times')}{share}"


# A run of upkeep as a person reads it: what changes, sorted by what it means, each with its reason.

SHOWN = 10


class MaintainLine(NamedTuple):
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


def format_run(lines: Sequence[MaintainLine], paper: TerminalFormat, *, everything: bool) -> str:
    """All changes, sorted by what they mean."""
    groups: dict[str, list[MaintainLine]] = {rule: [] for rule in _HEADINGS}
    for line in lines:
        groups[_find_heading(line)].append(line)
    return "\n\n".join(
        _format_group(rule, found, paper, everything=everything) for rule, found in groups.items() if found
    )


def _find_heading(line: MaintainLine) -> str:
    return next((rule for rule in _HEADINGS if rule in line.rules), "touches")


def _format_group(rule: str, lines: Sequence[MaintainLine], paper: TerminalFormat, *, everything: bool) -> str:
    head = f"{paper.styles.title(_HEADINGS[rule])}  {paper.styles.faint(str(len(lines)))}"
    shown = lines if everything else lines[:SHOWN]
    rest = len(lines) - len(shown)
    more = [paper.styles.faint(f"  and {format_count(rest, 'other', 'others')} (--all shows them)")] if rest else []
    return "\n".join([head, *(_format_line(line, paper) for line in shown), *more])


def _format_line(line: MaintainLine, paper: TerminalFormat) -> str:
    named = f"{short_id(line.id)}  {to_one_line(line.name)}" if line.id else to_one_line(line.name)
    return paper.wrap_block(f"{named}: {to_one_line(line.why)}", "  ")


def count_rules(lines: Iterable[MaintainLine]) -> dict[str, int]:
    """How many changes each rule made."""
    found: dict[str, int] = {}
    for line in lines:
        for rule in line.rules:
            found[rule] = found.get(rule, 0) + 1
    return found


def summarize_run(memories: int, changes: int, refused: int, *, dry_run: bool) -> str:
    """What a run came to, in a sentence."""
    if not (changes or refused):
        return f"Looked at {format_count(memories, 'memory', 'memories')}: there is nothing to do."
    verb = "would change" if dry_run else "changed"
    told = f"Looked at {format_count(memories, 'memory', 'memories')}, {verb} {format_count(changes, 'file', 'files')}"
    return f"{told}; {format_count(refused, 'change', 'changes')} could not be made." if refused else f"{told}."


def format_waiting(conflicts: int, proposals: int) -> str:
    """What waits for a person."""
    parts = [
        f"{format_count(conflicts, 'contradiction', 'contradictions')} (memvault conflicts)" if conflicts else "",
        f"{format_count(proposals, 'possible duplicate', 'possible duplicates')} (memvault duplicates)"
        if proposals
        else "",
    ]
    told = " and ".join(filter(None, parts))
    return f"For you to decide: {told}." if told else ""


def format_next_time(moment: datetime | None, paper: TerminalFormat) -> str:
    """When something is due again."""
    return f"Something is due on {paper.format_day(moment)}." if moment else ""


# How far something is, on a person's terminal, once it takes longer than a moment.

PATIENCE = 1.0  # seconds before anything is shown
_PAUSE = 0.1
_WIDTH = 30


class ProgressBar:
    """A progress bar on stderr; where nobody watches, nothing."""

    def __init__(self, cli: CliContext, label: str) -> None:
        self._stream = cli.stderr
        self._label = label
        self._watched = cli.has_stderr_terminal
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        """Leave the line clean."""
        if self._is_drawn:
            self._stream.write("\r" + " " * (len(self._label) + _WIDTH + 30) + "\r")
            self._stream.flush()
