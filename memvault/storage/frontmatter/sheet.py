"""A text under edit: single edits by place, and how the note itself writes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memvault.storage.frontmatter.lines import Manner
from memvault.storage.frontmatter.nodes import Node, line_end, line_start
from memvault.storage.frontmatter.values import Refusal

_COMMENT = re.compile(r"(?:^|\s)#")


@dataclass(frozen=True, slots=True)
class Edit:
    """text[start:end] becomes `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The text between the fences and the manner it is written in."""

    text: str
    manner: Manner

    def indent(self, name: Node) -> str:
        """How far a key is indented; refused where something else stands before it."""
        before = self.text[line_start(self.text, name.start) : name.start]
        if before.strip(" "):
            raise Refusal(f"`{name.value}` does not begin its line")
        return before

    def after_colon(self, name: Node) -> int:
        """Where the value of a key may begin."""
        between = self.text[name.end : line_end(self.text, name.end)]
        if not between.lstrip(" ").startswith(":"):
            raise Refusal(f"the colon of `{name.value}` stands elsewhere")
        return name.end + between.index(":") + 1

    def lines(self, name: Node, value: Node) -> tuple[int, int]:
        """Where the lines of a key begin and end, comments before and after it left out."""
        return line_start(self.text, name.start), line_end(self.text, max(name.end, value.end))

    def keep_comments(self, start: int, end: int) -> None:
        """Refuses where a comment would go away with this text."""
        if _COMMENT.search(self.text, start, end):
            raise Refusal("a comment stands inside the value, and would be lost")


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made, those at one place in the order given."""
    done = 0
    pieces = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < done:
            raise Refusal("two changes touch the same text")
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*pieces, text[done:]])
