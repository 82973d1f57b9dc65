"""YAML seen as a stream of events, stopped before it can harm: values as plain text, with the place of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memvault.storage.frontmatter.scalars import NULLS, Value

# Characters that YAML parsers reject or break lines at, veiled one for one so that offsets hold.

_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PRIVATE = re.compile("[\U00100000-\U0010ffff]")
_VEIL = 0x100000


def veil(text: str) -> str:
    """The same text with each odd character as one private character."""
    if not _ODD.search(text):
        return text
    if _PRIVATE.search(text):
        return _ODD.sub("\ufffd", text)
    return _ODD.sub(lambda odd: chr(_VEIL + ord(odd[0])), text)


def unveil(text: str) -> str:
    """What a veiled text was."""
    return _PRIVATE.sub(lambda veiled: chr(ord(veiled[0]) - _VEIL), text)


# What a frontmatter is made of, each part with its place in the text.


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


MAX_DEPTH, MAX_EVENTS, MAX_ALIASES = 32, 20_000, 64

# Where libyaml and PyYAML's own parser disagree, the latter decides on every machine. It is slow: hence the limits.
_UNPORTABLE = re.compile(r"(?m)\t|^%|!|[|>][-+0-9]{0,2}#|:[,\[\]{}]|\\U|\\u[dD]")
_MAX_UNPORTABLE, _MAX_BRACKETS = 4096, 128
NOT_YAML = "it is not valid YAML"
_BLOCK = ("|", ">")
_TOO_MANY = f"it has more than {MAX_EVENTS:,} parts"
_BRACKET = re.compile(r"[\[{]")


@dataclass(slots=True)
class Allowance:
    """How many events may still be looked at, shared by all attempts at one frontmatter."""

    events: int = MAX_EVENTS


def tree(text: str, allowance: Allowance) -> Node | None:
    """The one value a text holds, None for an empty text; Trouble where it cannot or must not be read."""
    import yaml  # deferred: ordinary notes are read without it, and it costs a fifth of a start

    if allowance.events <= 0:
        raise Trouble(_TOO_MANY)
    seen = veil(text)
    builder = _Builder(seen, veiled=seen != text)
    actions = {
        yaml.ScalarEvent: builder.scalar,
        yaml.AliasEvent: builder.alias,
        yaml.SequenceStartEvent: builder.open,
        yaml.MappingStartEvent: builder.open,
        yaml.SequenceEndEvent: builder.close,
        yaml.MappingEndEvent: builder.close,
        yaml.DocumentStartEvent: builder.begin,
    }
    try:
        for event in _events(seen, allowance):
            if action := actions.get(type(event)):
                action(event)
    except (yaml.YAMLError, ValueError, OverflowError):
        raise Trouble(NOT_YAML) from None
    return builder.root


def parser_for(text: str) -> Any:
    """The parser that reads this text: libyaml's where it is installed and to be trusted, else PyYAML's own."""
    import yaml  # deferred, as above

    bracket = _BRACKET.search(text)
    asks_in_flow = bracket is not None and text.rfind("?") > bracket.start()
    if asks_in_flow or _UNPORTABLE.search(text):
        if len(text) > _MAX_UNPORTABLE or len(_BRACKET.findall(text)) > _MAX_BRACKETS:
            raise Trouble("it is too long for YAML this unusual")
        return yaml.BaseLoader
    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def _events(text: str, allowance: Allowance) -> Iterator[Any]:
    next_event = parser_for(text)(text).get_event
    while (event := next_event()) is not None:
        allowance.events -= 1
        if allowance.events < 0:
            raise Trouble(_TOO_MANY, event.start_mark.index)
        yield event


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been seen."""

    event: Any
    style: str
    parts: list[Node] = field(default_factory=list)
    has_alias: bool = False


class _Builder:
    """Makes nodes of events, with a stack of its own: depth never becomes recursion."""

    def __init__(self, text: str, *, veiled: bool) -> None:
        self.root: Node | None = None
        self._text = text
        self._veiled = veiled
        self._open: list[_Open] = []
        self._anchored: dict[str, Value] = {}
        self._aliases = 0
        self._begun = False

    def begin(self, event: Any) -> None:
        if self._begun or event.explicit:
            raise Trouble("a second document begins here", event.start_mark.index)
        self._begun = True

    def scalar(self, event: Any) -> None:
        start, end, style, text = event.start_mark.index, event.end_mark.index, event.style or "", event.value
        if start == end:
            start = end = self._before_space(start)
        elif style in _BLOCK:
            end = start + len(self._text[start:end].rstrip(" \t\r\n"))
        tied = event.anchor is not None or event.tag is not None
        value = None if text in NULLS and not style and not event.tag else self._plain(text)
        self._add(Node(start, end, style, value, (), tied), event.anchor)

    def alias(self, event: Any) -> None:
        self._aliases += 1
        at = event.start_mark.index
        if self._aliases > MAX_ALIASES:
            raise Trouble(f"it has more than {MAX_ALIASES} aliases", at)
        for collection in self._open:
            collection.has_alias = True
        end = event.end_mark.index
        known = event.anchor in self._anchored
        value = self._anchored[event.anchor] if known else f"*{event.anchor}"
        self._add(Node(at, end, "" if known else "?", value, tied=True), None)

    def open(self, event: Any) -> None:
        if len(self._open) == MAX_DEPTH:
            raise Trouble(f"it is nested more than {MAX_DEPTH} deep", event.start_mark.index)
        flow, block = ("[", "-") if type(event).__name__ == "SequenceStartEvent" else ("{", ":")
        self._open.append(_Open(event, flow if event.flow_style else block))

    def close(self, event: Any) -> None:
        done = self._open.pop()
        start, style, parts = done.event.start_mark.index, done.style, tuple(done.parts)
        # A block collection's own end mark lies behind the comments that follow it.
        end = event.end_mark.index if style in "[{" or not parts else parts[-1].end
        tied = bool(done.event.anchor or done.event.tag)
        anchor = None if done.has_alias else done.event.anchor  # an alias of aliases is how bombs are built
        self._add(self._collection(start, end, style, parts, tied=tied), anchor)

    def _collection(self, start: int, end: int, style: str, parts: tuple[Node, ...], *, tied: bool) -> Node:
        if style in "[-":
            return Node(start, end, style, [part.value for part in parts], parts, tied)
        if style == "{" and any(name.parts for name in parts[::2]):
            return Node(start, end, "?", self._source(start, end), (), tied)  # {{placeholder}}
        parts = tuple(self._parts_of_mapping(style, parts))
        names = (str(name.value) for name in parts[::2])
        values = (value.value for value in parts[1::2])
        return Node(start, end, style, dict(zip(names, values, strict=True)), parts, tied)

    def _parts_of_mapping(self, style: str, parts: tuple[Node, ...]) -> Iterator[Node]:
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            yield self._name(name)
            # The parsers differ in where they see nothing between braces.
            nothing = style == "{" and value.start == value.end
            yield Node(name.end, name.end, "", value.value, (), value.tied) if nothing else value

    def _name(self, node: Node) -> Node:
        if isinstance(node.value, str):
            return node
        return Node(node.start, node.end, node.style, self._source(node.start, node.end), (), node.tied)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor:
            self._anchored[anchor] = node.value
        if self._open:
            self._open[-1].parts.append(node)
        else:
            self.root = node

    def _source(self, start: int, end: int) -> str:
        return self._plain(self._text[start:end])

    def _plain(self, text: str) -> str:
        if text.isascii():
            return text
        if self._veiled:
            text = unveil(text)
        # A pair of JSON's \u escapes is one character; half a pair is none.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _before_space(self, at: int) -> int:
        """Where an empty value belongs: the parsers differ by the space before it."""
        while at and self._text[at - 1] in " \r\n":
            at -= 1
        return at
