"""`memvault today`: the day at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.value import take_fields
from memvault.maintenance.inbox import CARD_KINDS, DayOverview, show_day
from memvault.memories.open_items import Reminder
from memvault.text.display import clip_line, format_count, to_one_line

TODAY_EXAMPLES = ("memvault today", "memvault today --json")

_MOST_DUE, _MOST_LEARNED, _MOST_FADING = 4, 3, 2  # lines: the day fits into fourteen


def today(cli: CliContext) -> CommandResult:
    """Show the day at a glance: what is due and overdue, what was learned yesterday, what fades, and what waits."""
    with cli.open_vault() as vault:
        found = vault.run(show_day)
    return CommandResult(
        result={
            **take_fields(found, "day", "due", "learned", "waiting"),
            "fading": [{**take_fields(row.memory, "id", "title", "path"), "at": row.falls} for row in found.fading],
        },
        text=lambda paper: "\n".join(_format_day(found, paper)),
    )


def _format_day(found: DayOverview, paper: TerminalFormat) -> Iterator[str]:
    local = found.day.astimezone(paper.zone)
    yield paper.styles.title(f"{local:%A}, {local.day} {local:%B %Y}")
    due = [(_due_line(reminder, found, paper), reminder.memory.path) for reminder in found.due]
    yield from _format_part("Due", due, _MOST_DUE, paper)
    learned = [(_memory_line(one), one.path) for one in found.learned]
    yield from _format_part("Learned yesterday", learned, _MOST_LEARNED, paper)
    fading = [
        (f"{_memory_line(row.memory)}, on {paper.format_day(row.falls or found.day)}", row.memory.path)
        for row in found.fading
    ]
    yield from _format_part("Fading soon", fading, _MOST_FADING, paper)
    waiting = sum(found.waiting.values())
    if waiting:
        named = ((count, CARD_KINDS[kind]) for kind, count in found.waiting.items())
        kinds = ", ".join(format_count(count, kind.one, kind.many) for count, kind in named)
        yield _clip(f"{format_count(waiting, 'card waits', 'cards wait')} (memvault review): {kinds}", paper)
    elif not (due or fading):
        yield "Nothing is due, and nothing waits for you."


def _format_part(heading: str, lines: Sequence[tuple[str, str]], most: int, paper: TerminalFormat) -> Iterator[str]:
    if not lines:
        return
    left = len(lines) - most
    # A line that says how many more there are takes the place of no memory.
    yield paper.styles.faint(f"{heading} ({most} of {len(lines)})" if left > 0 else heading)
    yield from (f"  {paper.link_note(_clip(line, paper, 2), path)}" for line, path in lines[:most])


def _due_line(reminder: Reminder, found: DayOverview, paper: TerminalFormat) -> str:
    days = 0
    if reminder.due is not None:
        days = (found.day.astimezone(paper.zone).date() - reminder.due.astimezone(paper.zone).date()).days
    late = f", {format_count(days, 'day', 'days')} over" if days > 0 else ""
    return f"{reminder.key} {to_one_line(reminder.title)}{late}"


def _memory_line(memory: Memory) -> str:
    return f"{short_id(memory.id)} {to_one_line(memory.title)}"


def _clip(line: str, paper: TerminalFormat, indent: int = 0) -> str:
    return clip_line(line, paper.width - indent) if paper.width else line
