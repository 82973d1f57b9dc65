"""What a text is written on: how wide it is, in which colours, in which time zone its dates are read."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from memvault.core.value import Record
from memvault.text.display import cell_width, to_one_line, wrap_text

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


class TerminalFormat(Record):
    """The page a person reads; a width of 0 is a pipe, where nothing is cut or wrapped."""

    width: int = 0
    styles: TextStyles = PLAIN
    zone: tzinfo = UTC

    def format_day(self, moment: datetime) -> str:
        """The date of a moment, as the reader's calendar has it."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d}"

    def format_minute(self, moment: datetime) -> str:
        """The date and time of a moment, as the reader's clock has them."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M}"

    def width_beside(self, indent: str) -> int:
        """The width that is left beside an indent."""
        return max(20, self.width - cell_width(indent)) if self.width else 0

    def wrap_block(self, text: str, indent: str = "") -> str:
        """Lines of text, wrapped, each behind the indent."""
        lines = wrap_text(text, self.width_beside(indent))
        return "\n".join(f"{indent}{line}" if line else "" for line in lines)

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
