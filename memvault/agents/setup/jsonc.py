"""JSON as a program's settings have it, comments and all: read into a tree that knows where everything stands."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

DEEPEST = 100

_BLANK = re.compile(r"[ \t\r\n]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')


class Malformed(Exception):
    """What stands there is no JSON: why, and on which line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string, a number, a truth value or null, and where it stands."""

    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Array:
    """A list, and where it stands."""

    start: int
    end: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A name in an object, where it begins, and its value."""

    name: str
    start: int
    node: Node


@dataclass(frozen=True, slots=True)
class Object:
    """An object, and where it stands; of two members of one name the last one counts, as everywhere."""

    start: int
    end: int
    members: tuple[Member, ...]

    def index(self, name: str) -> int:
        """The place of a member; -1 where there is none of that name."""
        return next((at for at in reversed(range(len(self.members))) if self.members[at].name == name), -1)

    def get(self, name: str) -> Node | None:
        """The value of a member; None where there is none of that name."""
        at = self.index(name)
        return None if at < 0 else self.members[at].node


Node = Leaf | Array | Object


@lru_cache(maxsize=4)  # one change asks several times about the same text, which may be megabytes
def parse(text: str, *, lenient: bool = False) -> Node:
    """The tree of a whole text, or Malformed; `lenient` takes comments and commas before a closing bracket."""
    return _Reader(text, lenient=lenient).whole()


def plain(node: Node | None) -> object:
    """The value that a node stands for."""
    match node:
        case Leaf():
            return node.value
        case Array():
            return [plain(item) for item in node.items]
        case Object():
            return {member.name: plain(member.node) for member in node.members}
        case None:
            return None


def at(node: Node | None, path: Sequence[str | int]) -> Node | None:
    """What names and numbers lead to; None where they lead nowhere."""
    for step in path:
        match node, step:
            case Object(), str():
                node = node.get(step)
            case Array(), int():
                node = node.items[step] if step < len(node.items) else None
            case _:
                return None
    return node


def skip(text: str, position: int) -> int:
    """Where the next character stands that is neither blank nor part of a comment."""
    while found := _BLANK.match(text, position) or _COMMENT.match(text, position):
        position = found.end()
    return position


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str, *, lenient: bool) -> None:
        self._text = text
        self._lenient = lenient

    def whole(self) -> Node:
        """The one value that the text consists of."""
        node = self._value(self._gap(1 if self._text.startswith("\ufeff") else 0), 0)
        end = self._gap(node.end)
        if end < len(self._text):
            raise self._trouble("something stands behind the end", end)
        return node

    def _value(self, start: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._trouble("it is nested too deeply", start)
        match self._text[start : start + 1]:
            case "{":
                return self._object(start, depth)
            case "[":
                return self._array(start, depth)
            case "":
                raise self._trouble("it ends too early", start)
            case _:
                return self._leaf(start)

    def _leaf(self, start: int) -> Leaf:
        found = _SCALAR.match(self._text, start)
        if found is None:
            raise self._trouble("a value is missing or misspelt", start)
        try:
            return Leaf(start, found.end(), json.loads(found[0]))
        except ValueError:  # a bad escape in a string, or a number with more digits than Python reads
            raise self._trouble("a value is misspelt", start) from None

    def _array(self, start: int, depth: int) -> Array:
        items: list[Node] = []
        position = self._gap(start + 1)
        while self._text[position : position + 1] != "]":
            items.append(self._value(position, depth + 1))
            position = self._next(items[-1].end, "]")
        return Array(start, position + 1, tuple(items))

    def _object(self, start: int, depth: int) -> Object:
        members: list[Member] = []
        position = self._gap(start + 1)
        while self._text[position : position + 1] != "}":
            name = self._name(position)
            colon = self._gap(name.end)
            if self._text[colon : colon + 1] != ":":
                raise self._trouble("a colon is missing", colon)
            node = self._value(self._gap(colon + 1), depth + 1)
            members.append(Member(str(name.value), name.start, node))
            position = self._next(node.end, "}")
        return Object(start, position + 1, tuple(members))

    def _name(self, position: int) -> Leaf:
        if self._text[position : position + 1] != '"':
            raise self._trouble(
                "a name in quotes is missing" if self._text[position:] else "it ends too early", position
            )
        return self._leaf(position)

    def _next(self, end: int, closing: str) -> int:
        """Where the next element begins, or the closing bracket stands."""
        position = self._gap(end)
        if self._text[position : position + 1] == closing:
            return position
        if self._text[position : position + 1] != ",":
            raise self._trouble("a comma is missing" if self._text[position:] else "it ends too early", position)
        after = self._gap(position + 1)
        if self._text[after : after + 1] == closing and not self._lenient:
            raise self._trouble("a comma has nothing behind it", position)
        return after

    def _gap(self, position: int) -> int:
        if self._lenient:
            return skip(self._text, position)
        found = _BLANK.match(self._text, position)
        return found.end() if found else position

    def _trouble(self, reason: str, position: int) -> Malformed:
        if self._text.startswith(("//", "/*"), position):
            reason = "a comment stands where none may be"
        return Malformed(reason, self._text.count("\n", 0, position) + 1)
