"""Turns a change into the text edits that make it, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from memvault.storage.frontmatter.scalars import (
    FrontmatterStyle,
    Refusal,
    RemovedKey,
    Setting,
    Value,
    format_flow_list,
    format_key,
    format_key_name,
    format_scalar,
    format_value,
)
from memvault.storage.frontmatter.yaml_events import YamlNode, line_end, line_start

# Single edits by position, and the note's own style.

_COMMENT = re.compile(r"(?:^|\s)#")


@dataclass(frozen=True, slots=True)
class TextEdit:
    """text[start:end] becomes `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class FrontmatterText:
    """The text between the fences and the style it is written in."""

    text: str
    style: FrontmatterStyle

    def indent_of(self, name: YamlNode) -> str:
        """Return the indentation of a key; refused where something else stands before it."""
        before = self.text[line_start(self.text, name.start) : name.start]
        if before.strip(" "):
            raise Refusal(f"`{name.value}` does not begin its line")
        return before

    def value_offset(self, name: YamlNode) -> int:
        """Return where the value of a key may begin."""
        between = self.text[name.end : line_end(self.text, name.end)]
        if not between.lstrip(" ").startswith(":"):
            raise Refusal(f"the colon of `{name.value}` stands elsewhere")
        return name.end + between.index(":") + 1

    def line_span(self, name: YamlNode, value: YamlNode) -> tuple[int, int]:
        """Return where the lines of a key begin and end, without the comments around it."""
        return line_start(self.text, name.start), line_end(self.text, max(name.end, value.end))

    def check_no_comments(self, start: int, end: int) -> None:
        """Refuse where a comment would be lost with this text."""
        if _COMMENT.search(self.text, start, end):
            raise Refusal("a comment stands inside the value, and would be lost")


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return the text with every edit made, those at one place in the order given."""
    done = 0
    pieces = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < done:
            raise Refusal("two changes touch the same text")
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*pieces, text[done:]])


# Collections are changed part by part in their own style; unchanged parts keep their bytes.

_LISTS_COMMENT = re.compile(r"(?<![ \t])[ \t]*+#[^\r\n]*")
_GAP = re.compile(r",[ \r\n]*")
_DASH = re.compile(r" *- *")

# A part of the result: the old part it is or replaces, if any, and its text.
ItemText: TypeAlias = tuple[int | None, str]


def list_edits(sheet: FrontmatterText, node: YamlNode, items: Sequence[str]) -> list[TextEdit]:
    """Return the edits that make a list hold these items; it is not empty before or after."""
    styles = {part.style for part in node.parts}
    style = styles.pop() if len(styles) == 1 else ""
    in_flow = node.style == "["
    new = [format_scalar(item, style=style, in_flow=in_flow) for item in items]
    pieces = list(_item_texts(sheet, node, items, new))
    if in_flow:
        return [rebuild_flow(sheet, node, [(part.start, part.end) for part in node.parts], pieces)]
    return list(_block_edits(sheet, node, pieces))


def _item_texts(sheet: FrontmatterText, node: YamlNode, items: Sequence[str], new: Sequence[str]) -> Iterator[ItemText]:
    from difflib import SequenceMatcher  # deferred: only a changed list needs it

    old = [part.value if isinstance(part.value, str) else number for number, part in enumerate(node.parts)]
    for what, a, a_end, b, b_end in SequenceMatcher(None, old, items, autojunk=False).get_opcodes():
        if what == "equal":
            yield from ((at, sheet.text[node.parts[at].start : node.parts[at].end]) for at in range(a, a_end))
        elif what == "replace" and a_end - a == b_end - b and _are_scalars(node.parts[a:a_end]):
            yield from zip(range(a, a_end), new[b:b_end], strict=True)
        else:
            yield from ((None, text) for text in new[b:b_end])


def _are_scalars(parts: Sequence[YamlNode]) -> bool:
    return all(part.style in ("", '"', "'") and not part.tied and part.start < part.end for part in parts)


def rebuild_flow(
    sheet: FrontmatterText, node: YamlNode, spans: Sequence[tuple[int, int]], pieces: Sequence[ItemText]
) -> TextEdit:
    """Return the one edit that makes a flow collection of these pieces; its parts stand at `spans`."""
    text = sheet.text
    if not spans or not pieces:
        sheet.check_no_comments(node.start, node.end)
        inner = ", ".join(piece for _, piece in pieces)
        return TextEdit(node.start, node.end, text[node.start] + inner + text[node.end - 1])
    gaps: dict[int | None, tuple[int, int]] = {at: (a[1], b[0]) for at, (a, b) in enumerate(pairwise(spans))}
    plain_gaps = (_LISTS_COMMENT.sub("", text[slice(*gap)]) for gap in gaps.values())
    usual = next(filter(_GAP.fullmatch, plain_gaps), ", ")
    parts = [text[node.start : spans[0][0]], pieces[0][1]]
    for (before, _), (after, piece) in pairwise(pieces):
        kept = before is not None and after == before + 1
        parts += [text[slice(*gaps.pop(before))] if kept else usual, piece]
    for lost in gaps.values():
        sheet.check_no_comments(*lost)
    return TextEdit(node.start, node.end, "".join([*parts, text[spans[-1][1] : node.end]]))


def _block_edits(sheet: FrontmatterText, node: YamlNode, pieces: Sequence[ItemText]) -> Iterator[TextEdit]:
    text = sheet.text
    kept = {at for at, _ in pieces}
    for number, part in enumerate(node.parts):
        if number not in kept:
            _dash_before(text, part)
            yield TextEdit(line_start(text, part.start), line_end(text, part.end), "")
    place = line_start(text, node.parts[0].start)
    for at, piece in pieces:
        if at is None:
            dash = _dash_before(text, node.parts[0])
            yield TextEdit(place, place, f"{dash}{piece}{sheet.style.eol}")
            continue
        part = node.parts[at]
        place = line_end(text, part.end)
        if text[part.start : part.end] != piece:
            yield TextEdit(part.start, part.end, piece)


def _dash_before(text: str, item: YamlNode) -> str:
    """Return what stands before an item on its line."""
    before = text[line_start(text, item.start) : item.start]
    if not _DASH.fullmatch(before):
        raise Refusal("a list item does not stand beside its dash")
    return before if before.endswith(" ") else before + " "


def edits_for(sheet: FrontmatterText, name: YamlNode, value: YamlNode, change: Change) -> list[TextEdit]:
    """Return the edits that make a key hold what is asked for."""
    if name.tied or value.tied:
        raise Refusal(f"`{name.value}` carries an anchor, an alias or a tag")
    match change:
        case RemovedKey():
            return [TextEdit(*sheet.line_span(name, value), "")]
        case NestedChange():
            return _edit_nested(sheet, name, value, change)
        case str():
            if value.style in ("-", ":") or value.start == value.end:
                return _replace_value(sheet, name, value, format_value(change, sheet.style, indent=""))
            if value.style in ("[", "{"):
                sheet.check_no_comments(value.start, value.end)
            elif value.style in ("|", ">"):
                sheet.check_no_comments(value.start, line_end(sheet.text, value.start))
            return [TextEdit(value.start, value.end, format_scalar(change, style=value.style))]
        case list():
            return _edit_list(sheet, name, value, change)
        case _:
            return _edit_mapping(sheet, name, value, change)


def _edit_list(sheet: FrontmatterText, name: YamlNode, value: YamlNode, items: list[str]) -> list[TextEdit]:
    if value.style in ("[", "-"):
        edits = list_edits(sheet, value, items)
        emptied = value.style == "-" and not items
        colon = sheet.value_offset(name)
        return [TextEdit(colon, colon, " []"), *edits] if emptied else edits
    return _replace_value(sheet, name, value, format_value(items, sheet.style, indent=sheet.indent_of(name)))


def _edit_mapping(
    sheet: FrontmatterText, name: YamlNode, value: YamlNode, mapping: Mapping[str, Setting]
) -> list[TextEdit]:
    if mapping and isinstance(value.value, dict):
        gone = {key: RemovedKey() for key in value.value if key not in mapping}
        return _edit_nested(sheet, name, value, NestedChange(pending_settings(value.value, {**gone, **mapping})))
    return _replace_value(sheet, name, value, format_value(mapping, sheet.style, indent=sheet.indent_of(name)))


def _replace_value(sheet: FrontmatterText, name: YamlNode, value: YamlNode, rendered: str) -> list[TextEdit]:
    """Return the edits that put another value after the colon and keep a comment on that line."""
    colon = sheet.value_offset(name)
    end = line_end(sheet.text, colon)
    edits = []
    if value.start >= end:
        below = line_end(sheet.text, value.end)
        sheet.check_no_comments(end, below)
        edits.append(TextEdit(end, below, ""))
    elif value.start < value.end:
        if value.style != "?":
            sheet.check_no_comments(value.start, value.end)
        edits.append(TextEdit(colon, value.end, ""))
        end = line_end(sheet.text, value.end)
    eol = sheet.style.eol
    if rendered.startswith(eol):
        return [TextEdit(end, end, rendered.removeprefix(eol)), *edits]
    return [TextEdit(colon, colon, rendered.removesuffix(eol)), *edits]


# -- inside a mapping


def _edit_nested(sheet: FrontmatterText, name: YamlNode, value: YamlNode, within: NestedChange) -> list[TextEdit]:
    if value.value is not None and value.style not in ("{", ":"):
        raise Refusal(f"`{name.value}` holds something other than a mapping")
    after = apply_change(value.value, within)
    if after is None:
        return [TextEdit(*sheet.line_span(name, value), "")]
    names = [inner.value for inner, _ in value.pairs]
    if len(names) > len(set(names)):
        raise Refusal(f"a key inside `{name.value}` is given more than once")
    if value.style == "{":
        return [_edit_flow_mapping(sheet, value, within)]
    if value.style == ":":
        return _edit_block_mapping(sheet, value, within)
    new = new_settings(within.changes)
    return _replace_value(sheet, name, value, format_value(new, sheet.style, indent=sheet.indent_of(name)))


def _edit_block_mapping(sheet: FrontmatterText, mapping: YamlNode, within: NestedChange) -> list[TextEdit]:
    there = {str(name.value): (name, value) for name, value in mapping.pairs}
    edits = []
    for key, change in within.changes.items():
        if key in there:
            name, value = there[key]
            sheet.indent_of(name)
            edits += edits_for(sheet, name, value, change)
        elif not isinstance(change, RemovedKey):
            indent = sheet.indent_of(mapping.parts[0])
            end = line_end(sheet.text, mapping.end)
            edits.append(TextEdit(end, end, format_key(key, change, sheet.style, indent=indent)))
    return edits


def _edit_flow_mapping(sheet: FrontmatterText, mapping: YamlNode, within: NestedChange) -> TextEdit:
    pieces: list[ItemText] = []
    spans = []
    left = dict(within.changes)
    for at, (name, value) in enumerate(mapping.pairs):
        spans.append((name.start, max(name.end, value.end)))
        change = left.pop(str(name.value), None)
        if change is None:
            pieces.append((at, sheet.text[slice(*spans[-1])]))
        elif not isinstance(change, RemovedKey):
            pieces.append((at, _pair_text(sheet, name, value, change)))
    for key, change in left.items():
        if not isinstance(change, RemovedKey):
            pieces.append((None, f"{format_key_name(key)}: {_inline_text(change)}"))
    return rebuild_flow(sheet, mapping, spans, pieces)


def _pair_text(sheet: FrontmatterText, name: YamlNode, value: YamlNode, change: Setting) -> str:
    """Return a pair inside braces with another value, keeping as much as possible."""
    if name.tied or value.tied:
        raise Refusal(f"`{name.value}` carries an anchor, an alias or a tag")
    if value.start == value.end:
        return f"{sheet.text[name.start : name.end]}: {_inline_text(change)}"
    before = sheet.text[name.start : value.start]
    if isinstance(change, list) and value.style == "[":
        return before + list_edits(sheet, value, change)[0].text
    sheet.check_no_comments(value.start, value.end)
    return before + _inline_text(change, style=value.style)


def _inline_text(setting: Setting, *, style: str = "") -> str:
    match setting:
        case str():
            return format_scalar(setting, style=style, in_flow=True)
        case list():
            return format_flow_list(setting)
        case _:
            pairs = (f"{format_key_name(key)}: {_inline_text(part)}" for key, part in setting.items())
            return "{" + ", ".join(pairs) + "}"


# The requested changes, key by key: grouped and computed on values before any text is touched.


@dataclass(frozen=True, slots=True)
class NestedChange:
    """Changes to keys inside a mapping, the rest of which stays."""

    changes: dict[str, Setting | RemovedKey] = field(default_factory=dict)


Change: TypeAlias = Setting | RemovedKey | NestedChange


def group_changes(asked: Mapping[str, Setting | RemovedKey], known: Collection[str] = ()) -> dict[str, Change]:
    """Return one change per top-level key; `refs.session` is a key inside `refs` unless the note has it literally."""
    changes: dict[str, Change] = {}
    for name, setting in asked.items():
        key, wanted = replace_surrogates(name), setting if isinstance(setting, RemovedKey) else clean_setting(setting)
        outer, _, rest = key.partition(".")
        if key in known or not outer or not rest:
            outer, rest = key, ""
        there = changes.get(outer)
        if there is not None and not (rest and isinstance(there, NestedChange)):
            raise Refusal(f"`{outer}` is asked for in more than one way")
        if not rest:
            changes[outer] = wanted
        elif isinstance(there, NestedChange):
            there.changes[rest] = wanted
        else:
            changes[outer] = NestedChange({rest: wanted})
    return changes


def clean_setting(setting: Setting) -> Setting:
    """Return the setting without half surrogate pairs, which UTF-8 cannot hold."""
    match setting:
        case str():
            return replace_surrogates(setting)
        case list():
            return [replace_surrogates(item) for item in setting]
        case _:
            return {replace_surrogates(key): clean_setting(part) for key, part in setting.items()}


def replace_surrogates(text: str) -> str:
    """Return the text with half surrogate pairs replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def new_settings(changes: Mapping[str, Change]) -> dict[str, Setting]:
    """Return what the keys will hold where nothing stands yet."""
    settings: dict[str, Setting] = {}
    for key, change in changes.items():
        if isinstance(change, NestedChange):
            settings[key] = {k: part for k, part in change.changes.items() if not isinstance(part, RemovedKey)}
        elif not isinstance(change, RemovedKey):
            settings[key] = change
    return settings


# -- on values


def pending_changes(fields: Mapping[str, Value], changes: Mapping[str, Change]) -> dict[str, Change]:
    """Return the changes that are not already in place."""
    left: dict[str, Change] = {}
    for key, change in changes.items():
        if isinstance(change, NestedChange):
            held = fields.get(key)
            inner = pending_settings(held if isinstance(held, dict) else {}, change.changes)
            if inner:
                left[key] = NestedChange(inner)
        elif not _is_already_set(fields, key, change):
            left[key] = change
    return left


def pending_settings(
    fields: Mapping[str, Value], changes: Mapping[str, Setting | RemovedKey]
) -> dict[str, Setting | RemovedKey]:
    """Return the changes inside one mapping that are not already in place."""
    return {key: change for key, change in changes.items() if not _is_already_set(fields, key, change)}


def _is_already_set(fields: Mapping[str, Value], key: str, change: Setting | RemovedKey) -> bool:
    if isinstance(change, RemovedKey) or key not in fields:
        return isinstance(change, RemovedKey) and key not in fields
    held = fields[key]
    if isinstance(change, list) and not isinstance(held, list):
        return change == ([] if held is None else [held])  # a single string stands for a list of one
    return held == value_of(change)


def value_of(setting: Setting) -> Value:
    """Return what reading gives once this has been written."""
    match setting:
        case str():
            return str(setting)
        case list():
            return [str(item) for item in setting]
        case _:
            return {key: value_of(part) for key, part in setting.items()}


def apply_change(value: Value, change: Setting | NestedChange) -> Value:
    """Return what a key holds after the change; None for an emptied mapping, whose key goes with it."""
    if not isinstance(change, NestedChange):
        return value_of(change)
    held = dict(value) if isinstance(value, dict) else {}
    for key, part in change.changes.items():
        if isinstance(part, RemovedKey):
            del held[key]
        else:
            held[key] = value_of(part)
    return held or None
