"""From a change to the edits that carry it out and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from memvault.storage.frontmatter.changes import Change, Within, changed, needed, settings_of
from memvault.storage.frontmatter.scalars import (
    Manner,
    Refusal,
    Removed,
    Setting,
    after_colon,
    in_brackets,
    key_lines,
    key_text,
    scalar,
)
from memvault.storage.frontmatter.yaml_events import Node, line_end, line_start

# A text under edit: single edits by place, and how the note itself writes.

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


# Collections changed part by part, in their own style; what stays keeps its bytes.

_LISTS_COMMENT = re.compile(r"(?<![ \t])[ \t]*+#[^\r\n]*")
_GAP = re.compile(r",[ \r\n]*")
_DASH = re.compile(r" *- *")

# A part as it will be: which old part it is or replaces, if any, and its text.
Piece: TypeAlias = tuple[int | None, str]


def list_edits(sheet: Sheet, node: Node, items: Sequence[str]) -> list[Edit]:
    """What makes this list, which is not empty before and after, hold these items."""
    styles = {part.style for part in node.parts}
    style = styles.pop() if len(styles) == 1 else ""
    in_flow = node.style == "["
    new = [scalar(item, style=style, in_flow=in_flow) for item in items]
    pieces = list(_pieces(sheet, node, items, new))
    if in_flow:
        return [rebuilt(sheet, node, [(part.start, part.end) for part in node.parts], pieces)]
    return list(_block_edits(sheet, node, pieces))


def _pieces(sheet: Sheet, node: Node, items: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    from difflib import SequenceMatcher  # deferred: only a changed list needs it

    old = [part.value if isinstance(part.value, str) else number for number, part in enumerate(node.parts)]
    for what, a, a_end, b, b_end in SequenceMatcher(None, old, items, autojunk=False).get_opcodes():
        if what == "equal":
            yield from ((at, sheet.text[node.parts[at].start : node.parts[at].end]) for at in range(a, a_end))
        elif what == "replace" and a_end - a == b_end - b and _are_scalars(node.parts[a:a_end]):
            yield from zip(range(a, a_end), new[b:b_end], strict=True)
        else:
            yield from ((None, text) for text in new[b:b_end])


def _are_scalars(parts: Sequence[Node]) -> bool:
    return all(part.style in ("", '"', "'") and not part.tied and part.start < part.end for part in parts)


def rebuilt(sheet: Sheet, node: Node, spans: Sequence[tuple[int, int]], pieces: Sequence[Piece]) -> Edit:
    """The one edit that makes a flow collection, whose parts stand at `spans`, of these pieces."""
    text = sheet.text
    if not spans or not pieces:
        sheet.keep_comments(node.start, node.end)
        inner = ", ".join(piece for _, piece in pieces)
        return Edit(node.start, node.end, text[node.start] + inner + text[node.end - 1])
    gaps: dict[int | None, tuple[int, int]] = {at: (a[1], b[0]) for at, (a, b) in enumerate(pairwise(spans))}
    plain_gaps = (_LISTS_COMMENT.sub("", text[slice(*gap)]) for gap in gaps.values())
    usual = next(filter(_GAP.fullmatch, plain_gaps), ", ")
    parts = [text[node.start : spans[0][0]], pieces[0][1]]
    for (before, _), (after, piece) in pairwise(pieces):
        kept = before is not None and after == before + 1
        parts += [text[slice(*gaps.pop(before))] if kept else usual, piece]
    for lost in gaps.values():
        sheet.keep_comments(*lost)
    return Edit(node.start, node.end, "".join([*parts, text[spans[-1][1] : node.end]]))


def _block_edits(sheet: Sheet, node: Node, pieces: Sequence[Piece]) -> Iterator[Edit]:
    text = sheet.text
    kept = {at for at, _ in pieces}
    for number, part in enumerate(node.parts):
        if number not in kept:
            _dash(text, part)
            yield Edit(line_start(text, part.start), line_end(text, part.end), "")
    place = line_start(text, node.parts[0].start)
    for at, piece in pieces:
        if at is None:
            dash = _dash(text, node.parts[0])
            yield Edit(place, place, f"{dash}{piece}{sheet.manner.eol}")
            continue
        part = node.parts[at]
        place = line_end(text, part.end)
        if text[part.start : part.end] != piece:
            yield Edit(part.start, part.end, piece)


def _dash(text: str, item: Node) -> str:
    """What stands before an item on its line."""
    before = text[line_start(text, item.start) : item.start]
    if not _DASH.fullmatch(before):
        raise Refusal("a list item does not stand beside its dash")
    return before if before.endswith(" ") else before + " "


def edits_for(sheet: Sheet, name: Node, value: Node, change: Change) -> list[Edit]:
    """The edits that make a key hold what is asked for."""
    if name.tied or value.tied:
        raise Refusal(f"`{name.value}` carries an anchor, an alias or a tag")
    match change:
        case Removed():
            return [Edit(*sheet.lines(name, value), "")]
        case Within():
            return _within(sheet, name, value, change)
        case str():
            return _to_text(sheet, name, value, change)
        case list():
            return _to_list(sheet, name, value, change)
        case _:
            return _to_mapping(sheet, name, value, change)


def _to_text(sheet: Sheet, name: Node, value: Node, text: str) -> list[Edit]:
    if value.style in ("-", ":") or value.start == value.end:
        return _instead(sheet, name, value, after_colon(text, sheet.manner, indent=""))
    if value.style in ("[", "{"):
        sheet.keep_comments(value.start, value.end)
    elif value.style in ("|", ">"):
        sheet.keep_comments(value.start, line_end(sheet.text, value.start))
    return [Edit(value.start, value.end, scalar(text, style=value.style))]


def _to_list(sheet: Sheet, name: Node, value: Node, items: list[str]) -> list[Edit]:
    if value.style in ("[", "-"):
        edits = list_edits(sheet, value, items)
        emptied = value.style == "-" and not items
        colon = sheet.after_colon(name)
        return [Edit(colon, colon, " []"), *edits] if emptied else edits
    return _instead(sheet, name, value, after_colon(items, sheet.manner, indent=sheet.indent(name)))


def _to_mapping(sheet: Sheet, name: Node, value: Node, mapping: Mapping[str, Setting]) -> list[Edit]:
    if mapping and isinstance(value.value, dict):
        gone = {key: Removed() for key in value.value if key not in mapping}
        return _within(sheet, name, value, Within(needed(value.value, {**gone, **mapping})))
    return _instead(sheet, name, value, after_colon(mapping, sheet.manner, indent=sheet.indent(name)))


def _instead(sheet: Sheet, name: Node, value: Node, rendered: str) -> list[Edit]:
    """The edits that put another value after the colon, a comment on that line kept."""
    colon = sheet.after_colon(name)
    end = line_end(sheet.text, colon)
    edits = []
    if value.start >= end:
        below = line_end(sheet.text, value.end)
        sheet.keep_comments(end, below)
        edits.append(Edit(end, below, ""))
    elif value.start < value.end:
        if value.style != "?":
            sheet.keep_comments(value.start, value.end)
        edits.append(Edit(colon, value.end, ""))
        end = line_end(sheet.text, value.end)
    eol = sheet.manner.eol
    if rendered.startswith(eol):
        return [Edit(end, end, rendered.removeprefix(eol)), *edits]
    return [Edit(colon, colon, rendered.removesuffix(eol)), *edits]


# -- inside a mapping


def _within(sheet: Sheet, name: Node, value: Node, within: Within) -> list[Edit]:
    if value.value is not None and value.style not in ("{", ":"):
        raise Refusal(f"`{name.value}` holds something other than a mapping")
    after = changed(value.value, within)
    if after is None:
        return [Edit(*sheet.lines(name, value), "")]
    names = [inner.value for inner, _ in value.pairs]
    if len(names) > len(set(names)):
        raise Refusal(f"a key inside `{name.value}` is given more than once")
    if value.style == "{":
        return [_in_braces(sheet, value, within)]
    if value.style == ":":
        return _in_lines(sheet, value, within)
    new = settings_of(within.changes)
    return _instead(sheet, name, value, after_colon(new, sheet.manner, indent=sheet.indent(name)))


def _in_lines(sheet: Sheet, mapping: Node, within: Within) -> list[Edit]:
    there = {str(name.value): (name, value) for name, value in mapping.pairs}
    edits = []
    for key, change in within.changes.items():
        if key in there:
            name, value = there[key]
            sheet.indent(name)
            edits += edits_for(sheet, name, value, change)
        elif not isinstance(change, Removed):
            indent = sheet.indent(mapping.parts[0])
            end = line_end(sheet.text, mapping.end)
            edits.append(Edit(end, end, key_lines(key, change, sheet.manner, indent=indent)))
    return edits


def _in_braces(sheet: Sheet, mapping: Node, within: Within) -> Edit:
    pieces: list[Piece] = []
    spans = []
    left = dict(within.changes)
    for at, (name, value) in enumerate(mapping.pairs):
        spans.append((name.start, max(name.end, value.end)))
        change = left.pop(str(name.value), None)
        if change is None:
            pieces.append((at, sheet.text[slice(*spans[-1])]))
        elif not isinstance(change, Removed):
            pieces.append((at, _pair(sheet, name, value, change)))
    for key, change in left.items():
        if not isinstance(change, Removed):
            pieces.append((None, f"{key_text(key)}: {_inline(change)}"))
    return rebuilt(sheet, mapping, spans, pieces)


def _pair(sheet: Sheet, name: Node, value: Node, change: Setting) -> str:
    """A pair inside braces with another value, as much of it kept as can be."""
    if name.tied or value.tied:
        raise Refusal(f"`{name.value}` carries an anchor, an alias or a tag")
    if value.start == value.end:
        return f"{sheet.text[name.start : name.end]}: {_inline(change)}"
    before = sheet.text[name.start : value.start]
    if isinstance(change, list) and value.style == "[":
        return before + list_edits(sheet, value, change)[0].text
    sheet.keep_comments(value.start, value.end)
    return before + _inline(change, style=value.style)


def _inline(setting: Setting, *, style: str = "") -> str:
    match setting:
        case str():
            return scalar(setting, style=style, in_flow=True)
        case list():
            return in_brackets(setting)
        case _:
            pairs = (f"{key_text(key)}: {_inline(part)}" for key, part in setting.items())
            return "{" + ", ".join(pairs) + "}"
