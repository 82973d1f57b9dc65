"""Values of ours put into the text of somebody's settings and taken out again; every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

# JSON as a program's settings have it, comments and all: read into a tree that knows where everything stands.

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


Path = tuple[str | int, ...]
Kept = Callable[[Path], str | None]

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/(?=[ \t]*\r?\n))")
_USUAL_INDENT = "  "


def appended(text: str, path: Sequence[str], value: object, *, lenient: bool = False) -> str:
    """The text with a value at the end of the list that the names lead to; what is missing on the way is made."""
    node, rest = _nearest(text, path, Array, lenient=lenient)
    if not rest:
        return _inserted(text, node, "", value, lenient=lenient)
    return _inserted(text, node, rest[0], _wrapped(rest[1:], [value]), lenient=lenient)


def set_member(text: str, path: Sequence[str], name: str, value: object, *, lenient: bool = False) -> str:
    """The text with a new member at the end of the object that the names lead to; it must not have one of that name."""
    node, rest = _nearest(text, path, Object, lenient=lenient)
    if not rest:
        return _inserted(text, node, name, value, lenient=lenient)
    return _inserted(text, node, rest[0], _wrapped(rest[1:], {name: value}), lenient=lenient)


def cut(text: str, path: Path, *, kept: Kept, lenient: bool = False) -> str:
    """The text without the value that the path leads to, and without what holds nothing else.

    `kept` gives the text of an emptied list or object that is to stay, and None for one that may go.
    """
    root = parse(text, lenient=lenient)
    while True:
        holder = at(root, path[:-1])
        assert isinstance(holder, Array | Object)
        if len(_spans(holder)) > 1:
            return _without(text, holder, _place(holder, path[-1]))
        stays = kept(path[:-1])
        if stays is not None or len(path) == 1:
            empty = "[]" if isinstance(holder, Array) else "{}"
            return text[: holder.start] + (empty if stays is None else stays) + text[holder.end :]
        path = path[:-1]


def empty_ones(text: str, *, lenient: bool = False) -> Kept:
    """What `cut` is to leave where it empties a list or object that this text has too: as it stands here, if empty."""
    root = parse(text, lenient=lenient)

    def kept(path: Path) -> str | None:
        found = at(root, path)
        if not isinstance(found, Array | Object) or not all(isinstance(step, str) for step in path):
            return None
        if _spans(found):
            return "[]" if isinstance(found, Array) else "{}"
        return text[found.start : found.end]

    return kept


# -- putting in


def _nearest(
    text: str, path: Sequence[str], last: type[Array | Object], *, lenient: bool
) -> tuple[Array | Object, Sequence[str]]:
    """How far the names lead, and those that lead nowhere yet."""
    node = parse(text, lenient=lenient)
    for depth, name in enumerate(path):
        if not isinstance(node, Object):
            raise _misfit(text, node, path[:depth], "an object")
        found = node.get(name)
        if found is None:
            return node, path[depth:]
        node = found
    if not isinstance(node, last):
        raise _misfit(text, node, path, "a list" if last is Array else "an object")
    return node, ()


def _misfit(text: str, node: Node, path: Sequence[str], wanted: str) -> Malformed:
    what = f"what stands under {'.'.join(path)}" if path else "it"
    return Malformed(f"{what} is not {wanted}", text.count("\n", 0, node.start) + 1)


def _wrapped(names: Sequence[str], value: object) -> object:
    for name in reversed(names):
        value = {name: value}
    return value


def _inserted(text: str, holder: Array | Object, name: str, value: object, *, lenient: bool) -> str:
    spans = _spans(holder)
    eol = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    spread = _is_spread(text, holder)
    margin = _margin(text, spans[-1][0] if spans else holder.start)
    indent = margin if spans else margin + unit
    shown = _written(name, value, unit if spread else None).replace("\n", eol + indent)
    if spans:
        return _behind(text, spans[-1][1], shown, lead=eol + indent if spread else " ", lenient=lenient)
    inner = f"{eol}{indent}{shown}{eol}{margin}" if spread else shown
    return text[: holder.start + 1] + inner + text[holder.end - 1 :]


def _is_spread(text: str, holder: Array | Object) -> bool:
    """Whether each element has a line of its own; what is empty goes by the text around it."""
    around = text.strip("\ufeff \t\r\n")
    return "\n" in text[holder.start : holder.end] if _spans(holder) else "\n" in around or len(around) <= len("{ }")


def _behind(text: str, end: int, shown: str, *, lead: str, lenient: bool) -> str:
    """A further element behind the last one, and behind the remark that stands on its line."""
    following = skip(text, end)
    has_comma = text[following] == ","  # before a closing bracket: then ours gets one as well
    place = following + 1 if has_comma else end
    remark = _REST_OF_LINE.match(text, place) if lenient and lead != " " else None
    stop = remark.end() if remark else place
    comma, last = ("", ",") if has_comma else (",", "")
    return text[:place] + comma + text[place:stop] + lead + shown + last + text[stop:]


def _written(name: str, value: object, unit: str | None) -> str:
    shown = json.dumps(value, ensure_ascii=False, indent=unit)
    return f"{json.dumps(name, ensure_ascii=False)}: {shown}" if name else shown


def _unit(text: str) -> str:
    """One step of indentation, as the text has it."""
    found = _INDENT.search(text)
    return found[1] if found else _USUAL_INDENT


def _margin(text: str, position: int) -> str:
    """The blanks at the beginning of the line on which something stands."""
    begin = text.rfind("\n", 0, position) + 1
    found = re.compile(r"\ufeff?([ \t]*)").match(text, begin)
    return found[1] if found else ""


# -- taking out


def _spans(node: Array | Object) -> list[tuple[int, int]]:
    """Where each element stands, its name included."""
    if isinstance(node, Array):
        return [(item.start, item.end) for item in node.items]
    return [(member.start, member.node.end) for member in node.members]


def _place(holder: Array | Object, step: str | int) -> int:
    if isinstance(holder, Object):
        return holder.index(str(step))
    return int(step)


def _without(text: str, holder: Array | Object, place: int) -> str:
    """The text without one of several elements: the blanks before it go with it, and one comma."""
    spans = _spans(holder)
    start, end = spans[place]
    begin = _begin(text, start, end)
    comma = skip(text, end)
    if text[comma] == ",":
        return text[:begin] + text[end:comma] + text[comma + 1 :]
    before = skip(text, spans[place - 1][1])
    return text[:before] + text[before + 1 : begin] + text[end:]


def _begin(text: str, start: int, end: int) -> int:
    """Where the line of an element begins, or the blanks before it.

    Behind a remark the line break stays, or the remark would swallow what follows.
    """
    blanks = len(text[:start].rstrip(" \t"))
    if text[blanks - 1] != "\n":
        return blanks
    begin = blanks - (2 if text[blanks - 2 : blanks] == "\r\n" else 1)
    line = text[text.rfind("\n", 0, begin) + 1 : begin]
    rest = text[end:].lstrip(" \t,")
    return start if "//" in line and not rest.startswith(("\r", "\n")) else begin


def lines_of(before: str, after: str, *, name: str) -> str:
    """What differs between two texts, as a diff with little around it: settings may hold what is nobody's business."""
    from difflib import unified_diff  # deferred: only an installation shows it

    old, new = before.splitlines(), after.splitlines()
    return "\n".join(unified_diff(old, new, name, name, lineterm="", n=1))
