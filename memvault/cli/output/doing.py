"""What is to be done and what is in hand, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.text.escape import one_line
from memvault.text.figures import plural

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
