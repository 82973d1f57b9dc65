"""Collections changed part by part, in their own style; what stays keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from memvault.storage.frontmatter.nodes import Node, line_end, line_start
from memvault.storage.frontmatter.scalars import scalar
from memvault.storage.frontmatter.sheet import Edit, Sheet
from memvault.storage.frontmatter.values import Refusal

_COMMENT = re.compile(r"(?<![ \t])[ \t]*+#[^\r\n]*")
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
    plain_gaps = (_COMMENT.sub("", text[slice(*gap)]) for gap in gaps.values())
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
