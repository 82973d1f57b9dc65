"""Reading key by key what YAML cannot read whole, so that one bad line does not hide the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from memvault.storage.frontmatter.fast_read import fields_of
from memvault.storage.frontmatter.scalars import NULLS, Value
from memvault.storage.frontmatter.yaml_events import NOT_YAML, Allowance, Entry, Node, Trouble, entry_of, tree

# What a person writes stays far below; what does not is read with less care, and never written to.
_MAX_KEYS, _MAX_TRIES = 2000, 200
_TOO_MANY = "it has too many keys to be sure of each"
_STRAY = "what stands here belongs to no key"
_BROKEN = "its frontmatter is broken over several lines"

# Only these are blank to YAML; Python's own idea of space is wider.
_BLANK = " \t\r\n"
_KEY = re.compile(
    r"""^(?![ \t\r\n#]|-[ \r\n]|---|\.\.\.)("(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|[^\n]*?):(?=[ \t\r\n]|\Z)""", re.MULTILINE
)
# A key that begins so may be no key at all, but part of something that goes on below.
_OPENS_MORE = re.compile(r"""[\[{&*!|>?]|"(?!.*"\Z)|'(?!.*'\Z)""")
_TABS = re.compile(r"(?m)^[ \t]++|(?<![ \t])[ \t]++(?=#|\r?$)")
_COMMENT = re.compile(r"[ \t]#.*")
_NOTHING = re.compile(r"(?:[ \t\r\n]*+#[^\n]*+)*+[ \t\r\n]*+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """The lines of one key."""

    text: str
    at: int  # in the whole text
    name: str
    name_end: int  # in these lines

    @property
    def has_one_line(self) -> bool:
        return _NOTHING.fullmatch(self.text.partition("\n")[2]) is not None


@dataclass(slots=True)
class Rescued:
    """What could be read key by key, the first thing that was wrong, and why nothing may be changed."""

    entries: list[Entry] = field(default_factory=list)
    trouble: Trouble | None = None
    locked: str = ""

    def note(self, reason: str, at: int, *, locked: str = "") -> None:
        """Remembers what was wrong, if it is the first."""
        self.trouble = self.trouble or Trouble(reason, at)
        self.locked = self.locked or locked


def rescue(text: str, whole: Trouble, allowance: Allowance) -> Rescued:
    """Every key that begins a line, each read for itself; `whole` says why they could not be read together."""
    found = Rescued()
    keys = list(islice(_KEY.finditer(text), _MAX_KEYS + 1))
    bounds = [key.start() for key in keys] + [len(text)]
    if not _NOTHING.fullmatch(text, 0, bounds[0]):
        found.note(_STRAY, 0, locked=_BROKEN)
    for number, key in enumerate(keys[:_MAX_KEYS]):
        at = key.start()
        piece = _Piece(text[at : bounds[number + 1]], at, key[1], key.end() - at)
        if _OPENS_MORE.match(piece.name):
            found.note(_STRAY, at, locked=_BROKEN)
        found.entries.append(_at_a_glance(piece) if number >= _MAX_TRIES else _entry(piece, found, allowance))
    if len(keys) > _MAX_TRIES:
        found.note(_TOO_MANY, 0, locked=_TOO_MANY)
    if found.trouble is None:
        found.note(whole.reason, whole.at, locked=_BROKEN)
    return found


def _entry(piece: _Piece, found: Rescued, allowance: Allowance) -> Entry:
    read = _alone(piece.text, piece.at, allowance)
    if isinstance(read, Entry):
        return read
    if "\t" in piece.text:
        value = _TABS.sub(lambda tabs: " " * len(tabs[0]), piece.text[piece.name_end :])
        spaced = _alone(piece.text[: piece.name_end] + value, piece.at, allowance)
        if isinstance(spaced, Entry):
            below = piece.text.partition("\n")[2]
            found.note("a tab stands where YAML wants spaces", piece.at, locked=_BROKEN if "\t" in below else "")
            return spaced
    if piece.has_one_line:
        found.note(_reason(piece, read), piece.at, locked="" if _is_closed(piece) else _BROKEN)
        return _one_line(piece)
    line = piece.text.partition("\n")[0]
    first = _alone(line, piece.at, allowance)
    if isinstance(first, Entry) and first.value.value is not None:
        found.note(_STRAY, piece.at + len(line) + 1, locked=_BROKEN)
        return first
    found.note(_reason(piece, read), piece.at, locked=_BROKEN)
    return _several_lines(piece)


def _alone(text: str, at: int, allowance: Allowance) -> Entry | Trouble:
    """The entry of a key whose lines are valid YAML by themselves, or why they are not."""
    try:
        root = tree(text, allowance)
    except Trouble as trouble:
        return trouble
    if root is None or root.style != ":" or len(root.parts) != 2:
        return Trouble(NOT_YAML)
    entry = entry_of(text, *root.parts)
    return Entry(_shifted(entry.name, at), _shifted(entry.value, at), entry.locked)


def _reason(piece: _Piece, trouble: Trouble) -> str:
    if trouble.reason != NOT_YAML:
        return trouble.reason
    return f"the value of `{piece.name[:40]}` is not valid YAML; put it in quotes"


def _shifted(node: Node, by: int) -> Node:
    parts = tuple(_shifted(part, by) for part in node.parts)
    return Node(node.start + by, node.end + by, node.style, node.value, parts, node.tied)


def _at_a_glance(piece: _Piece) -> Entry:
    fields = fields_of(piece.text)
    if fields is None or len(fields) != 1:
        return _one_line(piece) if piece.has_one_line else _several_lines(piece)
    ((key, value),) = fields.items()
    return Entry(_name(piece, key), Node(piece.at, piece.at, "?", value), _TOO_MANY)


def _name(piece: _Piece, key: str) -> Node:
    return Node(piece.at, piece.at + piece.name_end - 1, "", key)


def _one_line(piece: _Piece) -> Entry:
    """`title: Fix: x`, `tags: [#a, #b]`, `at: @home`, as their writer meant them."""
    rest = piece.text.partition("\n")[0][piece.name_end :]
    written = rest.strip(_BLANK)
    start = piece.at + piece.name_end + len(rest) - len(rest.lstrip(_BLANK))
    if written.startswith("[") and written.endswith("]"):
        items: Value = [_unquoted(item.strip(_BLANK)) for item in written[1:-1].split(",") if item.strip(_BLANK)]
        return Entry(_name(piece, _unquoted(piece.name)), Node(start, start + len(written), "?", items))
    written = _COMMENT.sub("", written).rstrip(_BLANK)
    value = None if written in NULLS else _unquoted(written)
    return Entry(_name(piece, _unquoted(piece.name)), Node(start, start + len(written), "?", value))


def _several_lines(piece: _Piece) -> Entry:
    first, _, below = piece.text[piece.name_end :].partition("\n")
    lines = [line.strip(_BLANK) for line in below.split("\n") if not _NOTHING.fullmatch(line)]
    first = first.strip(_BLANK)
    value: Value = "\n".join([first, *lines] if first else lines)
    if not first and all(line.startswith("-") for line in lines):
        value = [_unquoted(line[1:].strip(_BLANK)) for line in lines]
    end = piece.at + len(piece.text)
    return Entry(_name(piece, _unquoted(piece.name)), Node(end, end, "?", value), _BROKEN)


def _is_closed(piece: _Piece) -> bool:
    """Whether a value that YAML rejects is at least sure to end with its line."""
    written = piece.text.partition("\n")[0][piece.name_end :].strip(_BLANK)
    opening = written[:1]
    if opening in ('"', "'"):
        return written.count(opening) % 2 == 0 and "\\" not in written
    closing = {"[": "]", "{": "}"}.get(opening, "")
    return opening not in ("|", ">") and written.endswith(closing)


def _unquoted(text: str) -> str:
    text = text.strip(_BLANK)
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
