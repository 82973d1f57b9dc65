"""The text between the fences as entries with their places: read whole where YAML allows, else key by key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from memvault.storage.frontmatter.scalars import NULLS, Value, read_plain_fields
from memvault.storage.frontmatter.yaml_events import (
    MAX_EVENTS,
    NOT_YAML,
    FrontmatterEntry,
    FrontmatterError,
    FrontmatterOutline,
    YamlNode,
    line_start,
    make_entry,
    parse_tree,
)

_TIED = "its frontmatter carries an anchor or a tag as a whole"
_BRACES = "its frontmatter is one mapping in braces"
_ALIAS = "an alias stands here for nothing that could be read"
_PLACEHOLDER = "braces within braces are no value; put them in quotes"
_ASKED = "its frontmatter is written with question marks"
_TWICE = "it is given more than once"


def read_outline(text: str) -> FrontmatterOutline:
    """Return the entries of a frontmatter, whatever its state."""
    allowance = iter(range(MAX_EVENTS))
    try:
        root = parse_tree(text, allowance)
    except FrontmatterError as trouble:
        found = recover_outline(text, trouble, allowance)
        entries = _lock_duplicates(found.entries)
        return FrontmatterOutline(entries, "", found.trouble, found.locked, is_mapping=bool(entries))
    if root is None:
        return FrontmatterOutline()
    if root.style not in (":", "{"):
        return FrontmatterOutline(is_mapping=False)
    entries = _lock_duplicates([make_entry(text, name, value) for name, value in root.pairs])
    indent = text[line_start(text, root.start) : root.start]
    locked = _TIED if root.tied else _BRACES if root.style == "{" else _ASKED if indent.strip(" ") else ""
    return FrontmatterOutline(entries, indent, next(_find_problems(root), None), locked)


def _lock_duplicates(entries: Sequence[FrontmatterEntry]) -> tuple[FrontmatterEntry, ...]:
    """Return the entries with those locked whose key occurs again."""
    counts = Counter(entry.key for entry in entries)
    if len(counts) == len(entries):
        return tuple(entries)
    return tuple(FrontmatterEntry(e.name, e.value, _TWICE) if counts[e.key] > 1 else e for e in entries)


def _find_problems(root: YamlNode) -> Iterator[FrontmatterError]:
    """Yield what parses as events but has no meaning as values, in file order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.style == "?":
            yield FrontmatterError(_ALIAS if node.tied else _PLACEHOLDER, node.start)
        if isinstance(node.value, dict) and len(node.value) * 2 < len(node.parts):
            seen: set[object] = set()
            for name, _ in node.pairs:
                if name.value in seen:
                    yield FrontmatterError(f"`{str(name.value)[:40]}` is given twice; the last one counts", name.start)
                seen.add(name.value)
        waiting.extend(part for part in reversed(node.parts) if part.parts or part.style == "?")


# Reads key by key what YAML cannot read whole, so that one bad line does not hide the others.

# A person's frontmatter stays far below. Above, keys are read less carefully and never changed.
_MAX_KEYS, _MAX_TRIES = 2000, 200
_TOO_MANY = "it has too many keys to be sure of each"
_STRAY = "what stands here belongs to no key"
_BROKEN = "its frontmatter is broken over several lines"

# Only these are blank to YAML; Python counts more.
_BLANK = " \t\r\n"
_KEY = re.compile(
    r"""^(?![ \t\r\n#]|-[ \r\n]|---|\.\.\.)("(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|[^\n]*?):(?=[ \t\r\n]|\Z)""", re.MULTILINE
)
# A key that begins like this may be part of a value that spans lines.
_OPENS_MORE = re.compile(r"""[\[{&*!|>?]|"(?!.*"\Z)|'(?!.*'\Z)""")
_TABS = re.compile(r"(?m)^[ \t]++|(?<![ \t])[ \t]++(?=#|\r?$)")
_COMMENT = re.compile(r"[ \t]#.*")
_NOTHING = re.compile(r"(?:[ \t\r\n]*+#[^\n]*+)*+[ \t\r\n]*+")


@dataclass(frozen=True, slots=True)
class _KeyLines:
    """The lines of one key."""

    text: str
    at: int  # in the whole text
    name: str
    name_end: int  # in these lines

    @property
    def has_one_line(self) -> bool:
        return _NOTHING.fullmatch(self.text.partition("\n")[2]) is not None


@dataclass(slots=True)
class RecoveredOutline:
    """What could be read key by key, the first problem, and why nothing may be changed."""

    entries: list[FrontmatterEntry] = field(default_factory=list)
    trouble: FrontmatterError | None = None
    locked: str = ""

    def note_problem(self, reason: str, at: int, *, locked: str = "") -> None:
        """Record a problem, if it is the first."""
        self.trouble = self.trouble or FrontmatterError(reason, at)
        self.locked = self.locked or locked


def recover_outline(text: str, whole: FrontmatterError, allowance: Iterator[int]) -> RecoveredOutline:
    """Read every key that begins a line for itself; `whole` says why they could not be read together."""
    found = RecoveredOutline()
    keys = list(islice(_KEY.finditer(text), _MAX_KEYS + 1))
    bounds = [key.start() for key in keys] + [len(text)]
    if not _NOTHING.fullmatch(text, 0, bounds[0]):
        found.note_problem(_STRAY, 0, locked=_BROKEN)
    for number, key in enumerate(keys[:_MAX_KEYS]):
        at = key.start()
        piece = _KeyLines(text[at : bounds[number + 1]], at, key[1], key.end() - at)
        if _OPENS_MORE.match(piece.name):
            found.note_problem(_STRAY, at, locked=_BROKEN)
        found.entries.append(_read_quickly(piece) if number >= _MAX_TRIES else _recover_entry(piece, found, allowance))
    if len(keys) > _MAX_TRIES:
        found.note_problem(_TOO_MANY, 0, locked=_TOO_MANY)
    if found.trouble is None:
        found.note_problem(whole.reason, whole.at, locked=_BROKEN)
    return found


def _recover_entry(piece: _KeyLines, found: RecoveredOutline, allowance: Iterator[int]) -> FrontmatterEntry:
    read = _parse_alone(piece.text, piece.at, allowance)
    if isinstance(read, FrontmatterEntry):
        return read
    if "\t" in piece.text:
        value = _TABS.sub(lambda tabs: " " * len(tabs[0]), piece.text[piece.name_end :])
        spaced = _parse_alone(piece.text[: piece.name_end] + value, piece.at, allowance)
        if isinstance(spaced, FrontmatterEntry):
            below = piece.text.partition("\n")[2]
            found.note_problem(
                "a tab stands where YAML wants spaces", piece.at, locked=_BROKEN if "\t" in below else ""
            )
            return spaced
    if piece.has_one_line:
        found.note_problem(_problem_reason(piece, read), piece.at, locked="" if _is_closed(piece) else _BROKEN)
        return _read_one_line(piece)
    line = piece.text.partition("\n")[0]
    first = _parse_alone(line, piece.at, allowance)
    if isinstance(first, FrontmatterEntry) and first.value.value is not None:
        found.note_problem(_STRAY, piece.at + len(line) + 1, locked=_BROKEN)
        return first
    found.note_problem(_problem_reason(piece, read), piece.at, locked=_BROKEN)
    return _read_several_lines(piece)


def _parse_alone(text: str, at: int, allowance: Iterator[int]) -> FrontmatterEntry | FrontmatterError:
    """Return the entry of a key whose lines are valid YAML by themselves, or why they are not."""
    try:
        root = parse_tree(text, allowance)
    except FrontmatterError as trouble:
        return trouble
    if root is None or root.style != ":" or len(root.parts) != 2:
        return FrontmatterError(NOT_YAML)
    entry = make_entry(text, *root.parts)
    return FrontmatterEntry(_shift_node(entry.name, at), _shift_node(entry.value, at), entry.locked)


def _problem_reason(piece: _KeyLines, trouble: FrontmatterError) -> str:
    if trouble.reason != NOT_YAML:
        return trouble.reason
    return f"the value of `{piece.name[:40]}` is not valid YAML; put it in quotes"


def _shift_node(node: YamlNode, by: int) -> YamlNode:
    parts = tuple(_shift_node(part, by) for part in node.parts)
    return YamlNode(node.start + by, node.end + by, node.style, node.value, parts, node.tied)


def _read_quickly(piece: _KeyLines) -> FrontmatterEntry:
    fields = read_plain_fields(piece.text)
    if fields is None or len(fields) != 1:
        return _read_one_line(piece) if piece.has_one_line else _read_several_lines(piece)
    ((key, value),) = fields.items()
    return FrontmatterEntry(_name_node(piece, key), YamlNode(piece.at, piece.at, "?", value), _TOO_MANY)


def _name_node(piece: _KeyLines, key: str) -> YamlNode:
    return YamlNode(piece.at, piece.at + piece.name_end - 1, "", key)


def _read_one_line(piece: _KeyLines) -> FrontmatterEntry:
    """Read `title: Fix: x`, `tags: [#a, #b]`, `at: @home` as their writer meant them."""
    rest = piece.text.partition("\n")[0][piece.name_end :]
    written = rest.strip(_BLANK)
    start = piece.at + piece.name_end + len(rest) - len(rest.lstrip(_BLANK))
    if written.startswith("[") and written.endswith("]"):
        items: Value = [_unquote(item.strip(_BLANK)) for item in written[1:-1].split(",") if item.strip(_BLANK)]
        return FrontmatterEntry(
            _name_node(piece, _unquote(piece.name)), YamlNode(start, start + len(written), "?", items)
        )
    written = _COMMENT.sub("", written).rstrip(_BLANK)
    value = None if written in NULLS else _unquote(written)
    return FrontmatterEntry(_name_node(piece, _unquote(piece.name)), YamlNode(start, start + len(written), "?", value))


def _read_several_lines(piece: _KeyLines) -> FrontmatterEntry:
    first, _, below = piece.text[piece.name_end :].partition("\n")
    lines = [line.strip(_BLANK) for line in below.split("\n") if not _NOTHING.fullmatch(line)]
    first = first.strip(_BLANK)
    value: Value = "\n".join([first, *lines] if first else lines)
    if not first and all(line.startswith("-") for line in lines):
        value = [_unquote(line[1:].strip(_BLANK)) for line in lines]
    end = piece.at + len(piece.text)
    return FrontmatterEntry(_name_node(piece, _unquote(piece.name)), YamlNode(end, end, "?", value), _BROKEN)


def _is_closed(piece: _KeyLines) -> bool:
    """Return whether a value that YAML rejects surely ends with its line."""
    written = piece.text.partition("\n")[0][piece.name_end :].strip(_BLANK)
    opening = written[:1]
    if opening in ('"', "'"):
        return written.count(opening) % 2 == 0 and "\\" not in written
    closing = {"[": "]", "{": "}"}.get(opening, "")
    return opening not in ("|", ">") and written.endswith(closing)


def _unquote(text: str) -> str:
    text = text.strip(_BLANK)
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
