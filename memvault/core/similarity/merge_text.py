"""Pieces of a text written out again as markdown, in paragraphs or as a list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memvault.core.similarity.outline import ALSO_NOTED, Piece, heading_text, outline, plain
from memvault.text.markdown import Sort, blocks
from memvault.text.sentence.wording import POINTERS

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


# The places in a text where something can be added to what it says.

NOTED = plain(ALSO_NOTED)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where each section and table of a text ends; sections are known by their heading in its plain form."""

    title: str
    sections: Mapping[str, int]
    tables: Mapping[tuple[str, str], int]
    lists: frozenset[int]  # the ends that are ends of list items
    noted: frozenset[str]  # the sections that a merge has added
    noted_end: int

    def place_of(self, piece: Piece) -> str:
        """The section that a piece belongs to; empty where there is none of its heading."""
        if piece.headings:
            name = plain(piece.headings[-1])
            return name if name in self.sections and name not in (self.title, NOTED) else ""
        return self.title if piece.title and plain(piece.title) == self.title else ""


def frame(text: str) -> Frame:
    """The frame of a text."""
    sections: dict[str, int] = {}
    noted: dict[str, int] = {}
    name, noted_level, is_open = "", 0, True
    found = list(blocks(text))
    for block in found:
        if block.sort is Sort.HEADING:
            name = plain(heading_text(text[block.start : block.end]))
            noted_level = block.level if name == NOTED else noted_level if block.level > noted_level else 0
            is_open = name not in sections
        if is_open:
            sections[name] = block.end
        if noted_level:
            noted[name] = block.end
    pieces = outline(text)
    return Frame(
        title=next((plain(piece.text) for piece in pieces if piece.is_title), ""),
        sections=sections,
        tables={table_of(piece): piece.end for piece in pieces if piece.sort is Sort.TABLE},
        lists=frozenset(block.end for block in found if block.sort is Sort.ITEM),
        noted=frozenset(noted),
        noted_end=max(noted.values(), default=0),
    )


def table_of(piece: Piece) -> tuple[str, str]:
    """The table that a row belongs to: its section, and its first row."""
    return plain("".join(piece.headings[-1:])), plain(piece.header.partition("\n")[0] or piece.text)


# Several texts that say nearly the same made one, without losing a sentence, item, row, heading or piece of code.

_FEWEST_WORDS = 4  # what is shorter is the same only under the same heading
_FEWEST_DENSE = 8

Key = tuple[str, ...]


def united(texts: Sequence[str]) -> str:
    """The fullest text (of equals the first) as it stands, with what the others say in addition.

    An addition goes to the end of the section of the same heading, else into a section `Also noted`.
    """
    if not texts:
        return ""
    base = max(texts, key=lambda text: len(keys(text)))
    whole = base
    for text in texts:
        if text is not base:
            whole = _joined(whole, text)
    return whole


def keys(text: str) -> frozenset[Key]:
    """What a text says, each thing in a form that is equal up to case, spacing and final punctuation."""
    return frozenset(map(_key, outline(text)))


def _key(piece: Piece) -> Key:
    said = plain(piece.text)
    heading = piece.headings[-1:]
    match piece.sort:
        case Sort.CODE:
            return ("```", piece.text)
        case Sort.HEADING:
            return (said,)
        case Sort.TABLE:
            above = (*heading, piece.header.partition("\n")[0])
        case Sort.ITEM:
            above = (*heading, piece.lead, *piece.items)
        case Sort.PROSE:
            above = heading
    needed = piece.sort is Sort.TABLE or _is_short(said) or said.split()[0].rstrip(",") in POINTERS
    return (*(plain(name) for name in above if name and needed), said)


def _is_short(said: str) -> bool:
    return len(said.split()) < _FEWEST_WORDS and (said.isascii() or len(said) < _FEWEST_DENSE)


def _joined(base: str, other: str) -> str:
    """The base with what the other text says in addition."""
    known = set(keys(base))
    fresh: list[Piece] = []
    for piece in outline(other):
        if _key(piece) not in known:
            known.add(_key(piece))
            fresh.append(piece)
    # What would read otherwise in another place stays in its own, below a rule.
    apart = f"---\n\n{closed(other).strip()}\n"
    if not fresh or apart in base:
        return base
    joined = _with(closed(base), fresh)
    complete = keys(base) | keys(other) <= keys(joined)
    return joined if complete else f"{closed(base).rstrip()}\n\n{apart}"


def _with(text: str, fresh: Sequence[Piece]) -> str:
    """The text with the pieces, each where it belongs."""
    places = frame(text)
    rows: defaultdict[int, str] = defaultdict(str)
    sections: defaultdict[str, list[Piece]] = defaultdict(list)
    noted: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in fresh:
        place = places.place_of(piece)
        if piece.sort is Sort.HEADING and not piece.is_title:
            noted[piece.text] += []
        elif piece.sort is Sort.TABLE and table_of(piece) in places.tables:
            rows[places.tables[table_of(piece)]] += f"\n{piece.written}"
        elif place and not piece.is_title:
            sections[place].append(piece)
        else:
            noted["".join(piece.headings[-1:])].append(piece)
    direct = noted.pop("", [])
    if direct and NOTED in places.sections:
        sections[NOTED] = direct
        direct = []
    inserted = dict(rows)
    for name, pieces in sections.items():
        end = places.sections[name]
        follows_item = end in places.lists and (pieces[0].sort is Sort.ITEM or name in places.noted)
        gap = "\n" if follows_item else "\n\n"
        inserted[end] = inserted.get(end, "") + gap + written(pieces, as_list=name in places.noted)
    return _with_notes(text, inserted, direct, noted, places.noted_end)


def _with_notes(
    text: str, inserted: dict[int, str], direct: Sequence[Piece], noted: Mapping[str, Sequence[Piece]], noted_end: int
) -> str:
    """The text with what is inserted, and with the section for what has no place of its own."""
    chunks = [written(direct, as_list=True)] if direct else []
    for heading, pieces in noted.items():
        chunks += [f"### {heading}", *([written(pieces, as_list=True)] if pieces else [])]
    if noted_end and chunks:
        inserted[noted_end] = inserted.get(noted_end, "") + "\n\n" + "\n\n".join(chunks)
        chunks = []
    for place in sorted(inserted, reverse=True):
        text = text[:place] + inserted[place] + text[place:]
    if not chunks:
        return text
    gap = "\n" * (2 - min(2, len(text) - len(text.rstrip("\n"))))
    return f"{text}{gap}## {ALSO_NOTED}\n\n" + "\n\n".join(chunks) + "\n"
