"""YAML as a stream of events, stopped before it can do harm: values as plain text, with the place of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memvault.storage.frontmatter.scalars import NULLS, Value

# Characters that YAML parsers reject or break lines at, masked one for one so that offsets stay right.

_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PRIVATE = re.compile("[\U00100000-\U0010ffff]")
_VEIL = 0x100000


# The parts of a frontmatter, each with its place in the text.


class YamlNode(NamedTuple):
    """One value: its text, where it stands, and how it was written.

    `style` is a quote, `|` or `>`, or empty for a plain scalar; `[` and `{` for flow, `-` and `:` for block
    collections (the parts of a mapping are names and values by turns); `?` for what is kept as text only.
    """

    start: int
    end: int
    style: str
    value: Value
    parts: tuple[YamlNode, ...] = ()
    tied: bool = False  # it is an alias, or carries an anchor or a tag

    @property
    def pairs(self) -> Iterator[tuple[YamlNode, YamlNode]]:
        """Yield the names and values of a mapping; the value of a name is always text."""
        return zip(self.parts[::2], self.parts[1::2], strict=True)


class FrontmatterEntry(NamedTuple):
    """One top-level key, and why it must not be changed (empty where it may)."""

    name: YamlNode
    value: YamlNode
    locked: str = ""

    @property
    def key(self) -> str:
        """Return the name as text."""
        return str(self.name.value)


def make_entry(text: str, name: YamlNode, value: YamlNode) -> FrontmatterEntry:
    """Return the entry of a key as YAML read it, locked where its lines are not its own."""
    if name.tied or value.tied:
        return FrontmatterEntry(name, value, "it carries an anchor, an alias or a tag")
    alone = not text[line_start(text, name.start) : name.start].strip(" ")
    return FrontmatterEntry(name, value, "" if alone else "its key does not begin a line")


class FrontmatterError(Exception):  # the reader turns it into a FrontmatterProblem
    """Why reading stopped, and where in the text."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(frozen=True, slots=True)
class FrontmatterOutline:
    """The entries in file order, the first problem, and why none may be changed (empty where some may)."""

    entries: tuple[FrontmatterEntry, ...] = ()
    indent: str = ""
    trouble: FrontmatterError | None = None
    locked: str = ""
    is_mapping: bool = True

    @property
    def fields(self) -> dict[str, Value]:
        """Return the values by key; for a duplicate key, the last."""
        return {entry.key: entry.value.value for entry in self.entries}


def line_start(text: str, at: int) -> int:
    """Return where the line around a place begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return where the line around a place ends, its line break included."""
    return text.find("\n", at) + 1 or len(text)


MAX_DEPTH, MAX_EVENTS, MAX_ALIASES = 32, 20_000, 64

# Where libyaml and PyYAML's own parser disagree, PyYAML decides on every machine. It is slow, hence the limits.
_UNPORTABLE = re.compile(r"(?m)\t|^%|!|[|>][-+0-9]{0,2}#|:[,\[\]{}]|\\U|\\u[dD]")
_MAX_UNPORTABLE, _MAX_BRACKETS = 4096, 128
NOT_YAML = "it is not valid YAML"
_BLOCK = ("|", ">")
_TOO_DEEP = f"it is nested more than {MAX_DEPTH} deep"
_TOO_MANY = f"it has more than {MAX_EVENTS:,} parts"
_BRACKET = re.compile(r"[\[{]")


def parse_tree(text: str, allowance: Iterator[int]) -> YamlNode | None:
    """Return the one value a text holds, None for an empty text; raises FrontmatterError where it must not be read.

    The allowance, of one for each event, is shared by all attempts at one frontmatter.
    """
    import yaml  # deferred: ordinary notes do not need it, and it takes a fifth of the start-up time

    seen = text
    if _ODD.search(text):
        taken = _PRIVATE.search(text) is not None
        seen = _ODD.sub(lambda odd: "\ufffd" if taken else chr(_VEIL + ord(odd[0])), text)
    builder = _TreeBuilder(seen, veiled=seen != text)
    actions = {
        yaml.ScalarEvent: builder.add_scalar,
        yaml.AliasEvent: builder.add_alias,
        yaml.SequenceStartEvent: builder.open_collection,
        yaml.MappingStartEvent: builder.open_collection,
        yaml.SequenceEndEvent: builder.close_collection,
        yaml.MappingEndEvent: builder.close_collection,
        yaml.DocumentStartEvent: builder.begin_document,
    }
    try:
        for event in _read_events(seen, allowance):
            if action := actions.get(type(event)):
                action(event)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # A libyaml from 0.2.6 on refuses deep nesting itself, before the event that would be counted here.
        too_deep = "nesting depth" in str(getattr(error, "problem", ""))
        raise FrontmatterError(_TOO_DEEP if too_deep else NOT_YAML) from None
    return builder.root


def choose_parser(text: str) -> Any:
    """Return the parser for a text: libyaml's where it is installed and reliable, else PyYAML's own."""
    import yaml  # deferred, as above

    bracket = _BRACKET.search(text)
    asks_in_flow = bracket is not None and text.rfind("?") > bracket.start()
    if asks_in_flow or _UNPORTABLE.search(text):
        if len(text) > _MAX_UNPORTABLE or len(_BRACKET.findall(text)) > _MAX_BRACKETS:
            raise FrontmatterError("it is too long for YAML this unusual")
        return yaml.BaseLoader
    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def _read_events(text: str, allowance: Iterator[int]) -> Iterator[Any]:
    next_event = choose_parser(text)(text).get_event
    while (event := next_event()) is not None:
        if next(allowance, None) is None:
            raise FrontmatterError(_TOO_MANY, event.start_mark.index)
        yield event


@dataclass(slots=True)
class _OpenCollection:
    """A collection whose end has not been seen."""

    event: Any
    style: str
    parts: list[YamlNode] = field(default_factory=list)
    has_alias: bool = False


class _TreeBuilder:
    """Builds nodes from events with a stack of its own, so that depth never becomes recursion."""

    def __init__(self, text: str, *, veiled: bool) -> None:
        self.root: YamlNode | None = None
        self._text = text
        self._veiled = veiled
        self._open: list[_OpenCollection] = []
        self._anchored: dict[str, Value] = {}
        self._aliases = 0
        self._begun = False

    def begin_document(self, event: Any) -> None:
        if self._begun or event.explicit:
            raise FrontmatterError("a second document begins here", event.start_mark.index)
        self._begun = True

    def add_scalar(self, event: Any) -> None:
        start, end, style, text = event.start_mark.index, event.end_mark.index, event.style or "", event.value
        if start == end:
            while start and self._text[start - 1] in " \r\n":  # the parsers differ by the space before an empty value
                start -= 1
            end = start
        elif style in _BLOCK:
            end = start + len(self._text[start:end].rstrip(" \t\r\n"))
        tied = event.anchor is not None or event.tag is not None
        value = None if text in NULLS and not style and not event.tag else self._unmask(text)
        self._add_node(YamlNode(start, end, style, value, (), tied), event.anchor)

    def add_alias(self, event: Any) -> None:
        self._aliases += 1
        at = event.start_mark.index
        if self._aliases > MAX_ALIASES:
            raise FrontmatterError(f"it has more than {MAX_ALIASES} aliases", at)
        for collection in self._open:
            collection.has_alias = True
        end = event.end_mark.index
        known = event.anchor in self._anchored
        value = self._anchored[event.anchor] if known else f"*{event.anchor}"
        self._add_node(YamlNode(at, end, "" if known else "?", value, tied=True), None)

    def open_collection(self, event: Any) -> None:
        if len(self._open) == MAX_DEPTH:
            raise FrontmatterError(_TOO_DEEP, event.start_mark.index)
        flow, block = ("[", "-") if type(event).__name__ == "SequenceStartEvent" else ("{", ":")
        self._open.append(_OpenCollection(event, flow if event.flow_style else block))

    def close_collection(self, event: Any) -> None:
        done = self._open.pop()
        start, style, parts = done.event.start_mark.index, done.style, tuple(done.parts)
        # A block collection's own end mark lies behind the comments that follow it.
        end = event.end_mark.index if style in "[{" or not parts else parts[-1].end
        tied = bool(done.event.anchor or done.event.tag)
        anchor = None if done.has_alias else done.event.anchor  # aliases of aliases can grow exponentially
        self._add_node(self._make_collection(start, end, style, parts, tied=tied), anchor)

    def _make_collection(
        self, start: int, end: int, style: str, parts: tuple[YamlNode, ...], *, tied: bool
    ) -> YamlNode:
        if style in "[-":
            return YamlNode(start, end, style, [part.value for part in parts], parts, tied)
        if style == "{" and any(name.parts for name in parts[::2]):
            return YamlNode(start, end, "?", self._source_text(start, end), (), tied)  # {{placeholder}}
        parts = tuple(self._mapping_parts(style, parts))
        names = (str(name.value) for name in parts[::2])
        values = (value.value for value in parts[1::2])
        return YamlNode(start, end, style, dict(zip(names, values, strict=True)), parts, tied)

    def _mapping_parts(self, style: str, parts: tuple[YamlNode, ...]) -> Iterator[YamlNode]:
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            is_text = isinstance(name.value, str)
            yield name if is_text else name._replace(value=self._source_text(name.start, name.end), parts=())
            # The parsers differ in where they put an empty value between braces.
            nothing = style == "{" and value.start == value.end
            yield YamlNode(name.end, name.end, "", value.value, (), value.tied) if nothing else value

    def _add_node(self, node: YamlNode, anchor: str | None) -> None:
        if anchor:
            self._anchored[anchor] = node.value
        if self._open:
            self._open[-1].parts.append(node)
        else:
            self.root = node

    def _source_text(self, start: int, end: int) -> str:
        return self._unmask(self._text[start:end])

    def _unmask(self, text: str) -> str:
        if text.isascii():
            return text
        if self._veiled:
            text = _PRIVATE.sub(lambda veiled: chr(ord(veiled[0]) - _VEIL), text)
        # Two JSON \u escapes may be one character; half a pair is none.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
