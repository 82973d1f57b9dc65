"""What a text is written on: its width, its colours, the time zone of its dates; and tables in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from memvault.core.value import Record
from memvault.text.dates.dates import WholeDay
from memvault.text.display import cell_width, clip_line, pad_text, to_one_line, wrap_text

# Colours and weights of text on a terminal; without colour, the bare text.

_CODES = {"title": "1", "match": "1;33", "faint": "2", "good": "32", "warning": "33", "bad": "31"}


class TextStyles(Record):
    """How text is set off; every method gives the bare text back where there is no colour."""

    has_color: bool = False

    def title(self, text: str) -> str:
        """What a thing is called."""
        return self._apply_style("title", text)

    def match(self, text: str) -> str:
        """A word that was looked for."""
        return self._apply_style("match", text)

    def faint(self, text: str) -> str:
        """What may be passed over."""
        return self._apply_style("faint", text)

    def good(self, text: str) -> str:
        """All is well."""
        return self._apply_style("good", text)

    def warning(self, text: str) -> str:
        """Worth a second look."""
        return self._apply_style("warning", text)

    def bad(self, text: str) -> str:
        """Something is wrong."""
        return self._apply_style("bad", text)

    def _apply_style(self, style: str, text: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.has_color and text else text


PLAIN = TextStyles()


_DOT = " · "
# What terminals that show links say of themselves; those inside of others say nothing sure.
_SHOW_LINKS = ("VTE_VERSION", "KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "ALACRITTY_WINDOW_ID")
_LINKING_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "WarpTerminal"})
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
_NESTED = ("TMUX", "STY")


def shows_links(environment: Mapping[str, str]) -> bool:
    """Whether a terminal shows links (OSC 8) as far as it is known; `FORCE_HYPERLINK` says so for any."""
    forced = environment.get("FORCE_HYPERLINK", "")
    if forced:
        return forced != "0"
    if any(map(environment.get, _NESTED)):
        return False
    is_named = environment.get("TERM_PROGRAM") in _LINKING_PROGRAMS
    return is_named or any(map(environment.get, _SHOW_LINKS)) or environment.get("TERM", "").startswith(_LINKING_TERMS)


class TerminalFormat(Record):
    """The page a person reads; a width of 0 is a pipe, where nothing is cut or wrapped."""

    width: int = 0
    styles: TextStyles = PLAIN
    zone: tzinfo = UTC
    root: Path | None = None  # of the vault, where its notes are shown as links into Obsidian

    def link_note(self, text: str, path: str) -> str:
        """A text that leads to a note in Obsidian, where that is shown."""
        if self.root is None or not text or not path:
            return text
        from memvault.system.programs import obsidian_uri  # deferred: most terminals show no links

        return f"\x1b]8;;{obsidian_uri(self.root / path)}\x1b\\{text}\x1b]8;;\x1b\\"

    def format_title(self, title: str, path: str) -> str:
        """What a note is called, on one line, as a link to it."""
        return self.link_note(self.styles.title(to_one_line(title)), path)

    def format_day(self, moment: datetime) -> str:
        """The date of a moment, as the reader's calendar has it."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d}"

    def format_minute(self, moment: datetime) -> str:
        """The date and time of a moment, as the reader's clock has them; of a whole day the date."""
        if isinstance(moment, WholeDay):
            return f"{moment:%Y-%m-%d}"
        return f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M}"

    def width_beside(self, indent: str) -> int:
        """The width that is left beside an indent."""
        return max(20, self.width - cell_width(indent)) if self.width else 0

    def wrap_block(self, text: str, indent: str = "") -> str:
        """Lines of text, wrapped, each behind the indent."""
        lines = wrap_text(text, self.width_beside(indent))
        return "\n".join(f"{indent}{line}" if line else "" for line in lines)

    def format_label(self, label: str, text: str) -> str:
        """A label and what it stands for, whose further lines stand below its first."""
        head = f"  {label:<9} "
        lines = wrap_text(to_one_line(text), self.width_beside(head))
        return "\n".join((" " * len(head) if number else head) + line for number, line in enumerate(lines))

    def join_facts(self, facts: list[str], indent: str = "") -> str:
        """Short facts in a row with dots between; a new line begins between facts, never within one."""
        lines: list[str] = []
        for fact in filter(None, (to_one_line(fact) for fact in facts)):
            if lines and (
                not self.width
                or cell_width(lines[-1]) + cell_width(_DOT) + cell_width(fact) <= self.width_beside(indent)
            ):
                lines[-1] += _DOT + fact
            else:
                lines.append(fact)
        return "\n".join(f"{indent}{self.styles.faint(line)}" for line in lines)


# Rows of short texts, set in columns.

_GAP = "  "
_LEAST, _READABLE = 12, 32


class Column(NamedTuple):
    """How one column is set: its heading, numbers to the right, and what becomes of it on a narrow page."""

    heading: str
    right: bool = False
    may_shrink: bool = False  # it is cut
    may_go: bool = False  # it is left out, rather than that another is cut too short to read


def format_table(headings: str, rows: Sequence[Sequence[str]], paper: TerminalFormat, paths: Sequence[str] = ()) -> str:
    """The rows below their headings; where the page is too narrow, columns are left out or cut.

    Bars stand between the headings. One begins with `>` where it has numbers, set to the right, and ends with `?` where
    its column may be left out, with `~` where it may be cut. With `paths`, the one that may be cut is the title of the
    note that a row is about.
    """
    columns = [
        Column(heading.strip(" >?~"), right=">" in heading, may_shrink="~" in heading, may_go="?" in heading)
        for heading in headings.split("|")
    ]
    lines = [[column.heading for column in columns], *([to_one_line(text) for text in row] for row in rows)]
    widths = [max(cell_width(line[number]) for line in lines) for number in range(len(columns))]
    shown = _choose_columns(columns, widths, paper.width)
    excess = _total_width([widths[number] for number in shown]) - paper.width if paper.width else 0
    way = [number for number in shown if columns[number].may_shrink][:1]
    widths = [
        max(_LEAST, width - excess) if excess > 0 and number in way else width for number, width in enumerate(widths)
    ]
    heading, *body = (_set_cells(columns, line, widths, shown) for line in lines)
    if paper.root is not None:
        for cells, path in zip(body, paths, strict=False):
            for at in map(shown.index, way):
                text = cells[at].rstrip()
                cells[at] = paper.link_note(text, path) + cells[at][len(text) :]
    return "\n".join([paper.styles.faint(_GAP.join(heading).rstrip()), *(_GAP.join(cells).rstrip() for cells in body)])


def _choose_columns(columns: Sequence[Column], widths: list[int], page: int) -> list[int]:
    """The columns that stay: one that may go goes while another would be cut below what can be read."""
    shown = list(range(len(columns)))
    for number in range(len(columns)):
        least = [min(widths[n], _READABLE) if columns[n].may_shrink else widths[n] for n in shown]
        if page and columns[number].may_go and _total_width(least) > page:
            shown.remove(number)
    return shown


def _total_width(widths: list[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _set_cells(columns: Sequence[Column], line: list[str], widths: list[int], shown: list[int]) -> list[str]:
    return [pad_text(clip_line(line[n], widths[n]), widths[n], right=columns[n].right) for n in shown]
