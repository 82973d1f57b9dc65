"""What a frontmatter is made of, each part with its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memvault.storage.frontmatter.values import Value


class Node(NamedTuple):
    """One value: its text, where it stands, and how it was written.

    `style` is a quote, `|` or `>`, or empty for a plain scalar; `[` and `{` for flow, `-` and `:` for block
    collections (the parts of a mapping are names and values by turns); `?` for what is kept as text only.
    """

    start: int
    end: int
    style: str
    value: Value
    parts: tuple[Node, ...] = ()
    tied: bool = False  # it is an alias, or carries an anchor or a tag

    @property
    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """The names and values of a mapping; the value of a name is always text."""
        return zip(self.parts[::2], self.parts[1::2], strict=True)


class Entry(NamedTuple):
    """One top-level key, and why it must not be changed (empty where it may)."""

    name: Node
    value: Node
    locked: str = ""

    @property
    def key(self) -> str:
        """The name as text."""
        return str(self.name.value)


def entry_of(text: str, name: Node, value: Node) -> Entry:
    """The entry of a key as YAML read it, locked where its lines are not its own."""
    if name.tied or value.tied:
        return Entry(name, value, "it carries an anchor, an alias or a tag")
    alone = not text[line_start(text, name.start) : name.start].strip(" ")
    return Entry(name, value, "" if alone else "its key does not begin a line")


class Trouble(Exception):  # a finding about the text, which the reader turns into a Problem
    """Why reading stopped, and where in the text."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(frozen=True, slots=True)
class Outline:
    """The entries in file order, what is wrong with them, and why none may be changed (empty where some may)."""

    entries: tuple[Entry, ...] = ()
    indent: str = ""
    trouble: Trouble | None = None
    locked: str = ""
    is_mapping: bool = True

    @property
    def fields(self) -> dict[str, Value]:
        """The values by key; of a key given twice, the last."""
        return {entry.key: entry.value.value for entry in self.entries}


def line_start(text: str, at: int) -> int:
    """Where the line around a place begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Where the line around a place ends, its line break included."""
    return text.find("\n", at) + 1 or len(text)
