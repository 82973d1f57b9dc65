"""From a change to the edits that carry it out and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.storage.frontmatter.changes import Change, Within, changed, needed, settings_of
from memvault.storage.frontmatter.lines import after_colon, in_brackets, key_lines, key_text
from memvault.storage.frontmatter.lists import Piece, list_edits, rebuilt
from memvault.storage.frontmatter.nodes import Node, line_end
from memvault.storage.frontmatter.scalars import scalar
from memvault.storage.frontmatter.sheet import Edit, Sheet
from memvault.storage.frontmatter.values import Refusal, Removed, Setting


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
