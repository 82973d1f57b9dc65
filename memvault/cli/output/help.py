"""The pages of help that list commands: those of a newcomer, those of a group, all there are."""

from __future__ import annotations

from collections.abc import Iterable

from memvault.cli.commands import ALIASES, COMMANDS, GROUPED, GROUPS, HEADINGS, MORE
from memvault.cli.output.terminal import TerminalFormat
from memvault.text.display import clip_line, wrap_text

ABOUT = "Memory for AI assistants, as plain markdown files that you own."
_USAGE = "memvault [--vault PATH] COMMAND …"
_MORE = "`memvault help WORD` explains a command or a group. `memvault help --all` lists everything."
_INDENT = "  "
_NAME_WIDTH = 8


def format_program_help(paper: TerminalFormat, *, everything: bool) -> str:
    """The commands of every day and the groups in a line each; on wish every command there is."""
    parts = [f"{ABOUT}\n\n{_INDENT}{_USAGE}"]
    for heading in HEADINGS:
        rows = [(name, row.help) for name, row in COMMANDS.items() if row.group == heading]
        if heading == GROUPED:
            room = paper.width - _NAME_WIDTH - 2 * len(_INDENT) if paper.width else 0
            rows = [*(() if everything else (_group_row(group, room) for group in GROUPS)), *rows]
        if rows and (everything or heading != MORE):
            parts.append(_format_rows(heading, rows, paper))
    if everything:
        parts += [_format_group(group, paper) for group in GROUPS]
        words = ", ".join(
            f"{alias} ({name})" for alias, name in ALIASES.items() if " " not in alias and alias not in GROUPS
        )
        parts.append(_wrap(f"Also understood: {words}.", paper))
    return "\n\n".join([*parts, _wrap(_MORE, paper)])


def format_group_help(group: str, paper: TerminalFormat) -> str:
    """The commands of a group."""
    return "\n\n".join([_format_group(group, paper), _wrap(f"`memvault help {group} COMMAND` explains one.", paper)])


def _format_group(group: str, paper: TerminalFormat) -> str:
    rows = [(name, row.help) for name, row in COMMANDS.items() if row.group == group]
    return _format_rows(f"{group}: {GROUPS[group]}", rows, paper)


def _group_row(group: str, room: int) -> tuple[str, str]:
    """A group with as many of its commands as fit the line."""
    actions = [name.removeprefix(f"{group} ") for name, row in COMMANDS.items() if row.group == group]
    text = f"{GROUPS[group]}: {', '.join(actions)}"
    while room and len(text) > room and len(actions) > 1:
        actions.pop()
        text = f"{GROUPS[group]}: {', '.join(actions)} …"
    return group, text


def _format_rows(heading: str, rows: Iterable[tuple[str, str]], paper: TerminalFormat) -> str:
    listed = list(rows)
    width = max(_NAME_WIDTH, *(len(name) for name, _ in listed))
    lines = [
        clip_line(f"{_INDENT}{name:<{width}}{_INDENT}{text}", paper.width)
        if paper.width
        else f"{_INDENT}{name:<{width}}{_INDENT}{text}"
        for name, text in listed
    ]
    return "\n".join([paper.styles.title(heading), *lines])


def _wrap(text: str, paper: TerminalFormat) -> str:
    return "\n".join(wrap_text(text, paper.width))
