"""Values of ours put into the text of somebody's settings and taken out again; every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from memvault.agents.setup.jsonc import Array, Malformed, Node, Object, at, parse, skip

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
