"""Pieces of a text written out again as markdown, in paragraphs or as a list."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memvault.core.similarity.outline import Piece, plain
from memvault.text.markdown import Sort, blocks

_INDENT = "    "
_FENCE = re.compile(r"([`~])\1{2,}")
_LABEL = re.compile(r"[^\W\d_][^\n:.!?]{0,30}:\s")
_DEFINITION = re.compile(r"\[[^\]\n]+\]:\s")


def closed(text: str) -> str:
    """The text with its last piece of code closed, so that nothing added below becomes code too."""
    found = list(blocks(text))
    if not found or found[-1].sort is not Sort.CODE:
        return text
    last = found[-1]
    first, *rest = text[last.start : last.end].split("\n")
    opened = _FENCE.match(first)
    ending = rest[-1].strip() if rest else ""
    if opened is None or (set(ending) == {opened[1]} and len(ending) >= len(opened[0])):
        return text
    return f"{text.rstrip()}\n{opened[0]}\n"


def written(pieces: Iterable[Piece], *, as_list: bool = False) -> str:
    """The pieces as markdown; with `as_list` each sentence is an item."""
    page = _Page(as_list=as_list)
    for piece in pieces:
        page.add(piece)
    return page.text()


class _Page:
    """The markdown written so far, chunk by chunk."""

    def __init__(self, *, as_list: bool) -> None:
        self._as_list = as_list
        self._chunks: list[tuple[Sort, str]] = []
        self._path: list[str] = []  # the item last written, behind those it is nested in
        self._last: Piece | None = None
        self._lead_written = ""

    def text(self) -> str:
        """All of it."""
        found = ""
        before: Sort | None = None
        for sort, chunk in self._chunks:
            gap = "" if before is None else "\n" if before is sort is Sort.ITEM else "\n\n"
            found += gap + chunk
            before = sort
        return found

    def add(self, piece: Piece) -> None:
        """Write one more piece."""
        match piece.sort:
            case Sort.ITEM:
                self._add_item(piece)
            case Sort.TABLE:
                self._add_row(piece)
            case Sort.CODE:
                self._add_chunk(Sort.CODE, closed(piece.written).rstrip("\n"))
            case Sort.PROSE | Sort.HEADING:
                self._add_sentence(piece)
        self._last = piece

    def _add_chunk(self, sort: Sort, chunk: str) -> None:
        self._path = []
        self._chunks.append((sort, chunk))

    def _add_sentence(self, piece: Piece) -> None:
        line = ("> " if piece.written.lstrip().startswith(">") else "") + " ".join(piece.text.split())
        if self._as_list and not _DEFINITION.match(line):
            self._chunks.append((Sort.ITEM, f"- {line}"))
            self._path = [plain(piece.text)]
        elif self._last is not None and self._last.block == piece.block and self._chunks:
            sort, before = self._chunks[-1]
            gap = "\n" if _LABEL.match(line) else " "
            self._chunks[-1] = (sort, before + gap + line)
        else:
            self._add_chunk(Sort.PROSE, line)

    def _add_item(self, piece: Piece) -> None:
        parents = [*filter(None, (self._lead(piece),)), *piece.items]
        path = [plain(parent) for parent in parents]
        line = " ".join(piece.text.split())
        if not piece.bullet and path and path == self._path:
            sort, before = self._chunks[-1]
            self._chunks[-1] = (sort, f"{before} {line}")
            return
        shared = 0
        while shared < min(len(path), len(self._path)) and path[shared] == self._path[shared]:
            shared += 1
        for depth in range(shared, len(parents)):
            self._chunks.append((Sort.ITEM, f"{_INDENT * depth}- {' '.join(parents[depth].split())}"))
        bullet = piece.bullet if piece.is_step else "-"
        self._chunks.append((Sort.ITEM, f"{_INDENT * len(parents)}{bullet} {line}"))
        self._path = [*path, plain(piece.text)]

    def _lead(self, piece: Piece) -> str:
        """The sentence above the list, unless it stands there already."""
        said = plain(piece.lead)
        stands = any(sort is Sort.PROSE and plain(chunk).endswith(said) for sort, chunk in self._chunks[-1:])
        if not self._as_list and said and (stands or self._lead_written == said):
            self._lead_written = said
            return ""
        return piece.lead

    def _add_row(self, piece: Piece) -> None:
        head = piece.header.split("\n")
        last = self._last
        follows = last is not None and last.sort is Sort.TABLE and (last.header or last.written).startswith(head[0])
        if not piece.header:
            self._add_chunk(Sort.TABLE, piece.written)
        elif follows and last is not None:
            rule = head[1:] if not last.header else []
            self._chunks[-1] = (Sort.TABLE, "\n".join((self._chunks[-1][1], *rule, piece.written)))
        else:
            self._add_chunk(Sort.TABLE, "\n".join((*head, piece.written)))
