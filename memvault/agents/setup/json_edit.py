"""Values of ours put into the text of somebody's settings and taken out again; every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

# JSON as a program's settings have it, comments and all: read into a tree that knows where everything stands.

MAX_DEPTH = 100

_BLANK = re.compile(r"[ \t\r\n]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')


class MalformedJson(Exception):
    """What stands there is no JSON: why, and on which line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class JsonLeaf:
    """A string, a number, a truth value or null, and where it stands."""

    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class JsonArray:
    """A list, and where it stands."""

    start: int
    end: int
    items: tuple[JsonNode, ...]


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A name in an object, where it begins, and its value."""

    name: str
    start: int
    node: JsonNode


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object, and where it stands; of two members of one name the last one counts, as everywhere."""

    start: int
    end: int
    members: tuple[JsonMember, ...]

    def find_index(self, name: str) -> int:
        """Return the place of a member; -1 where there is none of that name."""
        return next((at for at in reversed(range(len(self.members))) if self.members[at].name == name), -1)

    def get(self, name: str) -> JsonNode | None:
        """Return the value of a member; None where there is none of that name."""
        at = self.find_index(name)
        return None if at < 0 else self.members[at].node


JsonNode = JsonLeaf | JsonArray | JsonObject


@lru_cache(maxsize=4)  # one change asks several times about the same text, which may be megabytes
def parse_json(text: str, *, lenient: bool = False) -> JsonNode:
    """Return the tree of a whole text, or Malformed; `lenient` takes comments and commas before a closing bracket."""
    return _JsonReader(text, lenient=lenient).read_document()


def to_python(node: JsonNode | None) -> object:
    """Return the value that a node stands for."""
    match node:
        case JsonLeaf():
            return node.value
        case JsonArray():
            return [to_python(item) for item in node.items]
        case JsonObject():
            return {member.name: to_python(member.node) for member in node.members}
        case None:
            return None


def find_node(node: JsonNode | None, path: Sequence[str | int]) -> JsonNode | None:
    """Return what names and numbers lead to; None where they lead nowhere."""
    for step in path:
        match node, step:
            case JsonObject(), str():
                node = node.get(step)
            case JsonArray(), int():
                node = node.items[step] if step < len(node.items) else None
            case _:
                return None
    return node


def skip_blanks(text: str, position: int) -> int:
    """Return where the next character stands that is neither blank nor part of a comment."""
    while found := _BLANK.match(text, position) or _COMMENT.match(text, position):
        position = found.end()
    return position


class _JsonReader:
    """One pass over a text."""

    def __init__(self, text: str, *, lenient: bool) -> None:
        self._text = text
        self._lenient = lenient

    def read_document(self) -> JsonNode:
        """Return the one value that the text consists of."""
        node = self._read_value(self._skip_blanks(1 if self._text.startswith("\ufeff") else 0), 0)
        end = self._skip_blanks(node.end)
        if end < len(self._text):
            raise self._build_error("something stands behind the end", end)
        return node

    def _read_value(self, start: int, depth: int) -> JsonNode:
        if depth > MAX_DEPTH:
            raise self._build_error("it is nested too deeply", start)
        match self._text[start : start + 1]:
            case "{":
                return self._read_object(start, depth)
            case "[":
                items: list[JsonNode] = []
                position = self._skip_blanks(start + 1)
                while self._text[position : position + 1] != "]":
                    items.append(self._read_value(position, depth + 1))
                    position = self._find_next(items[-1].end, "]")
                return JsonArray(start, position + 1, tuple(items))
            case "":
                raise self._build_error("it ends too early", start)
            case _:
                return self._read_leaf(start)

    def _read_leaf(self, start: int) -> JsonLeaf:
        found = _SCALAR.match(self._text, start)
        if found is None:
            raise self._build_error("a value is missing or misspelt", start)
        try:
            return JsonLeaf(start, found.end(), json.loads(found[0]))
        except ValueError:  # a bad escape in a string, or a number with more digits than Python reads
            raise self._build_error("a value is misspelt", start) from None

    def _read_object(self, start: int, depth: int) -> JsonObject:
        members: list[JsonMember] = []
        position = self._skip_blanks(start + 1)
        while self._text[position : position + 1] != "}":
            if self._text[position : position + 1] != '"':
                raise self._build_error(
                    "a name in quotes is missing" if self._text[position:] else "it ends too early", position
                )
            name = self._read_leaf(position)
            colon = self._skip_blanks(name.end)
            if self._text[colon : colon + 1] != ":":
                raise self._build_error("a colon is missing", colon)
            node = self._read_value(self._skip_blanks(colon + 1), depth + 1)
            members.append(JsonMember(str(name.value), name.start, node))
            position = self._find_next(node.end, "}")
        return JsonObject(start, position + 1, tuple(members))

    def _find_next(self, end: int, closing: str) -> int:
        """Return where the next element begins, or the closing bracket stands."""
        position = self._skip_blanks(end)
        if self._text[position : position + 1] == closing:
            return position
        if self._text[position : position + 1] != ",":
            raise self._build_error("a comma is missing" if self._text[position:] else "it ends too early", position)
        after = self._skip_blanks(position + 1)
        if self._text[after : after + 1] == closing and not self._lenient:
            raise self._build_error("a comma has nothing behind it", position)
        return after

    def _skip_blanks(self, position: int) -> int:
        if self._lenient:
            return skip_blanks(self._text, position)
        found = _BLANK.match(self._text, position)
        return found.end() if found else position

    def _build_error(self, reason: str, position: int) -> MalformedJson:
        if self._text.startswith(("//", "/*"), position):
            reason = "a comment stands where none may be"
        return MalformedJson(reason, self._text.count("\n", 0, position) + 1)


JsonPath = tuple[str | int, ...]
KeepRule = Callable[[JsonPath], str | None]

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/(?=[ \t]*\r?\n))")
_USUAL_INDENT = "  "


def append_value(text: str, path: Sequence[str], value: object, *, lenient: bool = False) -> str:
    """Return the text with a value at the end of the list that the names lead to; what is missing there is made."""
    return _insert_at(text, path, JsonArray, "", value, [value], lenient=lenient)


def set_member(text: str, path: Sequence[str], name: str, value: object, *, lenient: bool = False) -> str:
    """Return the text with a new member at the end of the object that the names lead to, which must have none such."""
    return _insert_at(text, path, JsonObject, name, value, {name: value}, lenient=lenient)


def remove_value(text: str, path: JsonPath, *, keep_rule: KeepRule, lenient: bool = False) -> str:
    """Return the text without the value that the path leads to, and without what holds nothing else.

    `kept` gives the text of an emptied list or object that is to stay, and None for one that may go.
    """
    root = parse_json(text, lenient=lenient)
    while True:
        holder = find_node(root, path[:-1])
        assert isinstance(holder, JsonArray | JsonObject)
        if len(_element_spans(holder)) > 1:
            place = holder.find_index(str(path[-1])) if isinstance(holder, JsonObject) else int(path[-1])
            spans = _element_spans(holder)
            start, end = spans[place]
            previous = spans[place - 1][1] if place else holder.start + 1
            begin = _element_start(text, previous, start, end)
            comma = skip_blanks(text, end)
            if text[comma] == ",":
                return text[:begin] + text[end:comma] + text[comma + 1 :]
            before = skip_blanks(text, spans[place - 1][1])
            return text[:before] + text[before + 1 : begin] + text[end:]
        stays = keep_rule(path[:-1])
        if stays is not None or len(path) == 1:
            empty = "[]" if isinstance(holder, JsonArray) else "{}"
            return text[: holder.start] + (empty if stays is None else stays) + text[holder.end :]
        path = path[:-1]


def keep_empty_containers(text: str, *, lenient: bool = False) -> KeepRule:
    """What `cut` is to leave where it empties a list or object that this text has too: as it stands here, if empty."""
    root = parse_json(text, lenient=lenient)

    def name_if_empty(path: JsonPath) -> str | None:
        found = find_node(root, path)
        if not isinstance(found, JsonArray | JsonObject) or not all(isinstance(step, str) for step in path):
            return None
        if _element_spans(found):
            return "[]" if isinstance(found, JsonArray) else "{}"
        return text[found.start : found.end]

    return name_if_empty


# -- putting in


def _insert_at(
    text: str,
    path: Sequence[str],
    last: type[JsonArray | JsonObject],
    name: str,
    value: object,
    whole: object,
    *,
    lenient: bool,
) -> str:
    """Insert a value where the names lead to; where they lead nowhere yet, a whole list or object with it."""
    node = parse_json(text, lenient=lenient)
    for depth, step in enumerate(path):
        if not isinstance(node, JsonObject):
            raise _type_error(text, node, path[:depth], "an object")
        found = node.get(step)
        if found is None:
            for missing in reversed(path[depth + 1 :]):
                whole = {missing: whole}
            return _insert_value(text, node, step, whole, lenient=lenient)
        node = found
    if not isinstance(node, last):
        raise _type_error(text, node, path, "a list" if last is JsonArray else "an object")
    return _insert_value(text, node, name, value, lenient=lenient)


def _type_error(text: str, node: JsonNode, path: Sequence[str], wanted: str) -> MalformedJson:
    what = f"what stands under {'.'.join(path)}" if path else "it"
    return MalformedJson(f"{what} is not {wanted}", text.count("\n", 0, node.start) + 1)


def _insert_value(text: str, holder: JsonArray | JsonObject, name: str, value: object, *, lenient: bool) -> str:
    spans = _element_spans(holder)
    eol = "\r\n" if "\r\n" in text else "\n"
    indented = _INDENT.search(text)
    unit = indented[1] if indented else _USUAL_INDENT
    around = text.strip("\ufeff \t\r\n")
    spread = (
        "\n" in text[holder.start : holder.end]
        if _element_spans(holder)
        else "\n" in around or len(around) <= len("{ }")
    )
    begin = text.rfind("\n", 0, spans[-1][0] if spans else holder.start) + 1
    found = re.compile(r"\ufeff?([ \t]*)").match(text, begin)
    margin = found[1] if found else ""
    indent = margin if spans else margin + unit
    shown = _format_member(name, value, unit if spread else None).replace("\n", eol + indent)
    if spans:
        end = spans[-1][1]
        lead = eol + indent if spread else " "
        following = skip_blanks(text, end)
        has_comma = text[following] == ","  # before a closing bracket: then ours gets one as well
        place = following + 1 if has_comma else end
        remark = _REST_OF_LINE.match(text, place) if lenient and lead != " " else None
        stop = remark.end() if remark else place
        comma, last = ("", ",") if has_comma else (",", "")
        return text[:place] + comma + text[place:stop] + lead + shown + last + text[stop:]
    inner = f"{eol}{indent}{shown}{eol}{margin}" if spread else shown
    return text[: holder.start + 1] + inner + text[holder.end - 1 :]


def _format_member(name: str, value: object, unit: str | None) -> str:
    shown = json.dumps(value, ensure_ascii=False, indent=unit)
    return f"{json.dumps(name, ensure_ascii=False)}: {shown}" if name else shown


# -- taking out


def _element_spans(node: JsonArray | JsonObject) -> list[tuple[int, int]]:
    """Return where each element stands, its name included."""
    if isinstance(node, JsonArray):
        return [(item.start, item.end) for item in node.items]
    return [(member.start, member.node.end) for member in node.members]


def _element_start(text: str, previous: int, start: int, end: int) -> int:
    """Return where the line of an element begins, or the blanks before it; `previous` is where the one before it ends.

    Behind a remark the line break stays, or the remark would swallow what follows.
    """
    blanks = len(text[:start].rstrip(" \t"))
    if text[blanks - 1] != "\n":
        return blanks
    begin = blanks - (2 if text[blanks - 2 : blanks] == "\r\n" else 1)
    remark = text[max(previous, text.rfind("\n", 0, begin) + 1) : begin]
    rest = text[end:].lstrip(" \t,")
    return start if "//" in remark and not rest.startswith(("\r", "\n")) else begin


def diff_lines(before: str, after: str, *, name: str) -> str:
    """What differs between two texts, as a diff with little around it: settings may hold what is nobody's business."""
    from difflib import unified_diff  # deferred: only an installation shows it

    old, new = before.splitlines(), after.splitlines()
    return "\n".join(unified_diff(old, new, name, name, lineterm="", n=1))
