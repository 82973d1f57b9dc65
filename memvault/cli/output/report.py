"""The vault as a person reads it: at a glance, its settings, what was done to it, what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.core.plan import Operation, Step
from memvault.core.settings import Value, as_toml
from memvault.text.dates.dates import read_moment
from memvault.text.display import wrap
from memvault.text.escape import one_line, printable
from memvault.text.figures import plural

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
