"""What a text is written on: how wide it is, in which colours, in which time zone its dates are read."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from memvault.cli.output.styles import PLAIN, Styles
from memvault.core.value import Frozen
from memvault.text.display import cells, wrap
from memvault.text.escape import one_line

_DOT = " · "


class Paper(Frozen):
    """The page a person reads; a width of 0 is a pipe, where nothing is cut or wrapped."""

    width: int = 0
    styles: Styles = PLAIN
    zone: tzinfo = UTC

    def day(self, moment: datetime) -> str:
        """The date of a moment, as the reader's calendar has it."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d}"

    def minute(self, moment: datetime) -> str:
        """The date and time of a moment, as the reader's clock has them."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M}"

    def room(self, indent: str) -> int:
        """The width that is left beside an indent."""
        return max(20, self.width - cells(indent)) if self.width else 0

    def block(self, text: str, indent: str = "") -> str:
        """Lines of text, wrapped, each behind the indent."""
        lines = wrap(text, self.room(indent))
        return "\n".join(f"{indent}{line}" if line else "" for line in lines)

    def facts(self, facts: list[str], indent: str = "") -> str:
        """Short facts in a row with dots between; a new line begins between facts, never within one."""
        lines: list[str] = []
        for fact in filter(None, (one_line(fact) for fact in facts)):
            if lines and (not self.width or cells(lines[-1]) + cells(_DOT) + cells(fact) <= self.room(indent)):
                lines[-1] += _DOT + fact
            else:
                lines.append(fact)
        return "\n".join(f"{indent}{self.styles.faint(line)}" for line in lines)
