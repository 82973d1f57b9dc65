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


def format_program_help(paper: TerminalFormat, *, everything: bool) -> str:
    """The commands of every day and the groups in a line each; on wish every command there is."""
    parts = [f"{ABOUT}\n\n{_INDENT}{_USAGE}"]
    for heading in HEADINGS:
        rows = [(name, row.help) for name, row in COMMANDS.items() if row.group == heading]
        if heading == GROUPED:
            rows = [*(() if everything else map(_group_row, GROUPS)), *rows]
        if rows and (everything or heading != MORE):
            parts.append(_format_rows(heading, rows, paper))
    if everything:
        parts += [_format_group(group, paper) for group in GROUPS]
        words = ", ".join(f"{alias} ({name})" for alias, name in ALIASES.items())
        parts.append(_wrap(f"Also understood: {words}.", paper))
    return "\n\n".join([*parts, _wrap(_MORE, paper)])


def format_group_help(group: str, paper: TerminalFormat) -> str:
    """The commands of a group."""
    return "\n\n".join([_format_group(group, paper), _wrap(f"`memvault help {group} COMMAND` explains one.", paper)])


def _format_group(group: str, paper: TerminalFormat) -> str:
    rows = [(name, row.help) for name, row in COMMANDS.items() if row.group == group]
    return _format_rows(f"{group}: {GROUPS[group]}", rows, paper)


def _group_row(group: str) -> tuple[str, str]:
    actions = (name.removeprefix(f"{group} ") for name, row in COMMANDS.items() if row.group == group)
    return group, f"{GROUPS[group]}: {', '.join(actions)}"


def _format_rows(heading: str, rows: Iterable[tuple[str, str]], paper: TerminalFormat) -> str:
    listed = list(rows)
    width = max(8, *(len(name) for name, _ in listed))
    lines = [
        clip_line(f"{_INDENT}{name:<{width}}{_INDENT}{text}", paper.width)
        if paper.width
        else f"{_INDENT}{name:<{width}}{_INDENT}{text}"
        for name, text in listed
    ]
    return "\n".join([paper.styles.title(heading), *lines])


def _wrap(text: str, paper: TerminalFormat) -> str:
    return "\n".join(wrap_text(text, paper.width))
